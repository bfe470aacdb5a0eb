/** What sources of events have in common: their range, their events and conditions, and metrics over them. */
import { bindConditions } from './bind-condition.ts';
import { bindRange } from './bind-range.ts';
import { bindField, type Binding, failAt } from './binding.ts';
import { fieldKey, fieldName, type FieldScope, isSeconds } from '../plan/fields.ts';
import type { Condition, EventName, Field, FieldsPlan, Metric, Plan } from '../plan/plan.ts';
import type { Duration } from '../time/units.ts';
import { bindGroups } from './bind-groups.ts';
import type { StageOf } from './stages.ts';
import { METRIC_TRAITS } from '../plan/metrics.ts';
import type { MetricNode } from '../parse/syntax.ts';

/** What the plans of all sources have: zone, range, conditions, cut, page. */
type Base = Omit<FieldsPlan, 'kind'>;

/** @param range Used when the query sets none. The order stays the default until the columns are known. */
export function basePlan(binding: Binding, range: Duration, scope: FieldScope = 'events'): Base {
  return basePlanWhere(binding, range, bindConditions(binding, binding.stages.where, scope));
}

/** The same with conditions already bound. */
export function basePlanWhere(binding: Binding, range: Duration, where: Condition | null): Base {
  const { stages, zone, page } = binding;
  return {
    zone: zone.name,
    range: bindRange(binding, range),
    where,
    order: { kind: 'default' },
    offset: stages.one('offset')?.count ?? 0,
    limit: stages.one('limit')?.count ?? stages.one('top')?.count ?? null,
    page,
  };
}

export const DISTINCT_ID: Field = { kind: 'core', name: 'distinct_id' };
const ENTITY: Field = { kind: 'latest', name: 'entity' };

interface EventsOf {
  readonly event: EventName;
  readonly person: string | null;
}

/**
 * Events, `*` and `user "id"`: metrics over events, events as rows, or the newest values of a field.
 * @param of Which events: those of one name, or of one person.
 */
export function bindEvents(binding: Binding, of: EventsOf): Plan {
  const { stages } = binding;
  const base = basePlan(binding, of.person === null ? { count: 7, unit: 'd' } : { count: 30, unit: 'd' });
  const latest = stages.one('latest');
  if (latest !== null) return { kind: 'latest', ...base, ...of, ...bindLatest(binding, latest) };
  const groups = bindGroups(binding, stages.groups, 'events');
  const isPlain = stages.one('metrics') === null && groups.length === 0;
  if (stages.one('list') !== null || (of.person !== null && isPlain)) return { kind: 'list', ...base, ...of };
  const metrics = bindMetrics(binding, 'events', DISTINCT_ID, [COUNT]);
  return { kind: 'aggregate', ...base, ...of, groups, metrics };
}

function bindLatest(binding: Binding, latest: StageOf<'latest'>) {
  const { stages } = binding;
  const field = bindField(binding, latest.field, 'events');
  const entity = latest.per === null ? DISTINCT_ID : bindField(binding, latest.per, 'events');
  const having = bindConditions(binding, stages.having, 'latest');
  const groups = bindGroups(binding, stages.groups, 'latest');
  const metrics = bindMetrics(binding, 'latest', ENTITY, groups.length === 0 ? [] : [COUNT]);
  return { field, entity, having, groups, metrics: isSeconds(field) ? metrics.map(ofSeconds) : metrics };
}

/** The metric, whose values are in seconds if it is of the last values. */
function ofSeconds(metric: Metric): Metric {
  if (metric.kind === 'count' || metric.field.kind !== 'latest' || metric.field.name !== 'last_value') return metric;
  return { ...metric, field: { ...metric.field, seconds: true } };
}

/**
 * The metrics of a query. The first of a name is called just that, later ones get their field in brackets; the same metric of
 * the same field twice is an error. @param person What `unique` without a field counts. @param byDefault If the query has none.
 */
export function bindMetrics(
  binding: Binding,
  scope: FieldScope,
  person: Field,
  byDefault: readonly Metric[],
): readonly Metric[] {
  const stage = binding.stages.one('metrics');
  if (stage === null) return byDefault;
  const seen: { word: string; field: Field | null }[] = [];
  return stage.metrics.map((node) => {
    const field = metricField(binding, node, scope, person);
    const named = seen.filter((other) => other.word === node.word);
    if (named.some((other) => field === null || (other.field !== null && fieldKey(other.field) === fieldKey(field)))) {
      failAt(binding, node, `expected each metric once: \`${node.word}\` of this field is already there`);
    }
    seen.push({ word: node.word, field });
    const column = named.length === 0 ? node.word : `${node.word}(${node.field?.text ?? fieldName(person)})`;
    return makeMetric(node, field, column);
  });
}

export const COUNT: Metric = { kind: 'count', column: 'count' };

/** The field of a metric; the person if it may go without and does; null if it takes none. */
export function metricField(binding: Binding, node: MetricNode, scope: FieldScope, person: Field): Field | null {
  if (node.field !== null) return bindField(binding, node.field, scope);
  return METRIC_TRAITS[node.name].field === 'optional' ? person : null;
}

/** A bound metric; a median is bound as percentile 50. */
export function makeMetric({ name, p }: MetricNode, field: Field | null, column: string): Metric {
  if (field === null || name === 'count') return { kind: 'count', column };
  if (name === 'median' || name === 'percentile') return { kind: 'percentile', p: p ?? 50, field, column };
  return { kind: name, field, column };
}
