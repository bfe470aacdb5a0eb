/** What sources of events have in common: their range, their events and conditions, and metrics over them. */
import { bindConditions } from './bind-condition.ts';
import { bindField, type Binding, failAt } from './binding.ts';
import { fieldKey, fieldName, type FieldScope, isSeconds } from '../plan/fields.ts';
import type { Condition, EventName, Field, FieldsPlan, Metric, Plan } from '../plan/plan.ts';
import type { Duration, TimeRange } from '../time/units.ts';
import { bindGroups } from './bind-groups.ts';
import type { StageOf } from './stages.ts';
import { METRIC_TRAITS } from '../plan/metrics.ts';
import { hintsOfLength } from '../parse/foreign-words.ts';
import type { MetricNode, RangeNode, WhenNode } from '../parse/syntax.ts';
import { parseInstant } from '../time/instant.ts';
import { bucketStart } from '../time/buckets.ts';
import { addDuration } from '../time/duration.ts';

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

/** No event is older than the first year that a date can express. */
const EARLIEST = new Date(0).setUTCFullYear(1, 0, 1);

function bindRange(binding: Binding, byDefault: Duration): TimeRange {
  const { now, zone } = binding;
  // The day of arrival, 1 ms before now: at midnight, today is the day that ends.
  const arrival = now - 1;
  const range: RangeNode = binding.stages.one('range')?.range ?? { kind: 'last', duration: byDefault };
  switch (range.kind) {
    case 'all':
      return allRange(binding, byDefault);
    case 'last':
      return lastRange(binding, range.duration);
    case 'from':
      return fromRange(binding, range.from, range.to);
    case 'today':
      return { from: bucketStart(zone, 'day', arrival), to: now };
    case 'yesterday': {
      const today = bucketStart(zone, 'day', arrival);
      return { from: bucketStart(zone, 'day', today - 1), to: today };
    }
    case 'this':
      return { from: bucketStart(zone, range.unit, arrival), to: now };
  }
}

/** Without events it is the default; if the first one lies in the future, the range is empty. */
function allRange(binding: Binding, byDefault: Duration): TimeRange {
  const { now, earliest } = binding;
  const { from } = earliest === null ? lastRange(binding, byDefault) : { from: Math.min(earliest, now) };
  return { from, to: now, all: true };
}

function lastRange({ now, zone }: Binding, duration: Duration): TimeRange {
  return { from: Math.max(addDuration(now, duration, zone, -1), EARLIEST), to: now };
}

function fromRange(binding: Binding, first: WhenNode, last: WhenNode | null): TimeRange {
  const from = bindWhen(binding, first);
  const to = last === null ? binding.now : bindWhen(binding, last);
  if (to <= from) {
    failAt(
      binding,
      last ?? first,
      last === null
        ? 'expected a time before now'
        : 'expected a time later than that after `from`; `to` itself is not included',
    );
  }
  return { from, to };
}

function bindWhen(binding: Binding, when: WhenNode): number {
  const time = parseInstant(when.text, binding.zone);
  if (time === null) {
    return failAt(binding, when, 'expected a valid date or time', [
      ...hintsOfLength(when.text),
      'write 2026-01-31, 2026-01-31T10:00 or 2026-01-31T10:00:00Z',
    ]);
  }
  return time;
}
