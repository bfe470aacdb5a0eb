/** What sources of events have in common: their range, their events and conditions, and metrics over them. */
import { bindCondition, bindConditions } from './bind-condition.ts';
import { bindField, type BindingScope, failAt } from './binding.ts';
import { fieldName, type FieldScope, isSeconds } from '../plan/fields.ts';
import type {
  Condition,
  EventName,
  Field,
  FieldsPlan,
  ListedField,
  Metric,
  Plan,
  Group,
  RowMetric,
} from '../plan/plan.ts';
import { unitFrom, type Duration } from '../time/units.ts';
import { bindGroups } from './bind-groups.ts';
import type { StageOf } from './stages.ts';
import { isAggregate, METRIC_TRAITS } from '../plan/metrics.ts';
import type { MetricNode } from '../parse/syntax.ts';
import { bindRange } from './bind-range.ts';

/** What the plans of all sources have: zone, range, conditions, cut, page. */
type Base = Omit<FieldsPlan, 'kind'>;

/** @param range Used when the query sets none. The order stays the default until the columns are known. */
export function basePlan(binding: BindingScope, range: Duration, scope: FieldScope = 'events'): Base {
  return basePlanWhere(binding, range, bindConditions(binding, binding.stages.where, scope));
}

/** The same with conditions already bound. */
export function basePlanWhere(binding: BindingScope, range: Duration, where: Condition | null): Base {
  const { stages, zone, page } = binding;
  return {
    zone: zone.name,
    range: bindRange(binding, range),
    now: binding.now,
    where,
    tableStages: [],
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
export function bindEvents(binding: BindingScope, of: EventsOf): Plan {
  const { stages } = binding;
  const base = basePlan(binding, of.person === null ? { count: 7, unit: 'd' } : { count: 30, unit: 'd' });
  const latest = stages.one('latest');
  if (latest !== null) return { kind: 'latest', ...base, ...of, ...bindLatest(binding, latest) };
  const groups = bindGroups(binding, stages.groups, 'events');
  const isPlain = stages.one('metrics') === null && groups.length === 0;
  if (stages.one('list') !== null || (of.person !== null && isPlain))
    return { kind: 'list', ...base, ...of, ...bindListed(binding, 'events') };
  const metrics = bindMetrics(binding, 'events', DISTINCT_ID, [COUNT]);
  return { kind: 'aggregate', ...base, ...of, groups, metrics };
}

/**
 * The fields of `list`, if it names some, and arithmetic that its rows are sorted by. Throws QueryError for a second one of a
 * name.
 */
export function bindListed(binding: BindingScope, scope: FieldScope): { readonly fields?: readonly ListedField[] } {
  const refs = binding.stages.one('list')?.fields ?? [];
  const names = new Set<string>();
  const fields = refs.map((ref): ListedField => {
    if (names.has(ref.text)) failAt(binding, ref, `expected each field once: \`${ref.text}\` is already there`);
    names.add(ref.text);
    return { field: bindField(binding, ref, scope), column: ref.text };
  });
  if (fields.length === 0) return {};
  const computed = binding.stages.one('sort')?.computed ?? null;
  if (computed === null) return { fields };
  return { fields: [...fields, { field: bindField(binding, computed, scope), column: computed.text, hidden: true }] };
}

function bindLatest(binding: BindingScope, latest: StageOf<'latest'>) {
  const { stages } = binding;
  const field = bindField(binding, latest.field, 'events');
  const entity = latest.per === null ? DISTINCT_ID : bindField(binding, latest.per, 'events');
  const whereRows = bindConditions(binding, stages.whereAfterLatest, 'latest');
  const asOf = stages.one('asOf');
  const groups = [...bindMoments(binding, asOf), ...bindGroups(binding, stages.groups, 'latest')];
  const metrics = bindMetrics(binding, 'latest', ENTITY, groups.length === 0 ? [] : [COUNT]);
  return {
    field,
    entity,
    asOf: asOf === null ? null : unitFrom(asOf.unit, binding.weeks),
    whereRows,
    groups,
    metrics: isSeconds(field) ? metrics.map(ofSeconds) : metrics,
  };
}

/** The bucket of `as of each`, which is the only one: it is the time of the rows. */
function bindMoments(binding: BindingScope, asOf: StageOf<'asOf'> | null): readonly Group[] {
  if (asOf === null) return [];
  const time = binding.stages.groups?.groups.find(({ kind }) => kind === 'bucket' || kind === 'part');
  if (time !== undefined) {
    failAt(binding, time, `expected a field: \`as of each ${asOf.text}\` divides by time`, ['by last_value']);
  }
  return [{ kind: 'bucket', unit: unitFrom(asOf.unit, binding.weeks), column: asOf.text }];
}

/** The metric, whose values are in seconds if it is of the last values. */
function ofSeconds(metric: Metric): Metric {
  return metric.kind === 'per' ? { ...metric, of: rowsOfSeconds(metric.of) } : rowsOfSeconds(metric);
}

function rowsOfSeconds(metric: RowMetric): RowMetric {
  if (metric.kind === 'count' || metric.field.kind !== 'latest' || metric.field.name !== 'last_value') return metric;
  return { ...metric, field: { ...metric.field, seconds: true } };
}

/**
 * The metrics of a query. One is called by its alias; with a filter or of metrics, as typed; else the first of a word is called just that, and
 * later ones get their field in brackets. The same metric of the same rows twice is an error, and so is an alias that another
 * column has. @param person What `unique` without a field counts. @param byDefault If the query has none.
 */
export function bindMetrics(
  binding: BindingScope,
  scope: FieldScope,
  person: Field,
  byDefault: readonly Metric[],
): readonly Metric[] {
  const stage = binding.stages.one('metrics');
  if (stage === null) return byDefault;
  const seen = new Set<string>();
  const words = new Set<string>();
  const metrics = stage.metrics.map((node) => {
    const metric = bindMetric(binding, node, scope, person);
    const identity = metricIdentity(node.word, metric);
    if (seen.has(identity)) {
      failAt(binding, node, `expected each metric once: \`${node.word}\` of this field is already there`);
    }
    seen.add(identity);
    if (node.alias !== null) return { ...metric, column: node.alias.value };
    if (metric.column !== node.word) return metric;
    if (!words.has(node.word)) {
      words.add(node.word);
      return metric;
    }
    const of = node.field?.text ?? fieldName(person);
    return { ...metric, column: node.word + (node.field?.arithmetic === undefined ? `(${of})` : of) };
  });
  refuseTakenNames(binding, stage, metrics);
  return metrics;
}

function refuseTakenNames(binding: BindingScope, stage: StageOf<'metrics'>, metrics: readonly Metric[]): void {
  const groups = binding.stages.groups?.groups.map(({ text }) => text) ?? [];
  const names = [...groups, ...metrics.map(({ column }) => column)];
  for (const { alias } of stage.metrics) {
    if (alias !== null && names.filter((name) => name === alias.value).length > 1)
      failAt(binding, alias, `expected a name that no other column has: \`${alias.value}\` is already there`);
  }
}

/** Everything but the column. A median differs from p50 because it is written differently. */
export function metricIdentity(word: string, metric: Metric): string {
  return JSON.stringify([word, { ...metric, column: null }]);
}

export const COUNT: Metric = { kind: 'count', column: 'count' };

function bindMetric(binding: BindingScope, node: MetricNode, scope: FieldScope, person: Field): Metric {
  const { name, p, of, text: column } = node;
  if (of === null || node.field === null || !isAggregate(name)) return bindRowMetric(binding, node, scope, person);
  const aggregate = name === 'median' ? ({ aggregate: 'percentile', p: 50 } as const) : { aggregate: name, p };
  const inner = bindRowMetric(binding, of, scope, person);
  return { kind: 'per', ...aggregate, of: inner, field: bindField(binding, node.field, scope), column };
}

/** A metric called by its word, with a filter as typed; a median is bound as percentile 50. */
export function bindRowMetric(binding: BindingScope, node: MetricNode, scope: FieldScope, person: Field): RowMetric {
  const { name, p, word, text } = node;
  const field = metricField(binding, node, scope, person);
  if (node.field !== null && field?.kind === 'arithmetic' && TAKES_ANY.includes(METRIC_TRAITS[name].value))
    failAt(binding, node.field, `expected a field: \`${word}\` takes no arithmetic`);
  const base =
    node.where === null ? { column: word } : { column: text, where: bindCondition(binding, node.where, scope) };
  if (field === null || name === 'count') return { kind: 'count', ...base };
  if (name === 'median' || name === 'percentile') return { kind: 'percentile', p: p ?? 50, field, ...base };
  return { kind: name, field, ...base };
}

/** The values of metrics that take any value, not numbers alone. */
const TAKES_ANY: readonly string[] = ['count', 'text'];

/** The field of a metric; the person if it may go without and does; null if it takes none. */
function metricField(binding: BindingScope, node: MetricNode, scope: FieldScope, person: Field): Field | null {
  if (node.field !== null) return bindField(binding, node.field, scope);
  return METRIC_TRAITS[node.name].field === 'optional' ? person : null;
}
