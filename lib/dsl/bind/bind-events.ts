/** Events, `*` and `user "id"`: metrics over events, events as rows, or the newest values of a field. */
import { basePlan } from './bind-base.ts';
import { bindConditions } from './bind-condition.ts';
import { bindGroups } from './bind-groups.ts';
import { bindMetrics, COUNT } from './bind-metrics.ts';
import { bindField, type Binding } from './binding.ts';
import type { EventName, Field, Metric, Plan } from '../plan/plan.ts';
import type { StageOf } from './stages.ts';

export const DISTINCT_ID: Field = { kind: 'core', name: 'distinct_id' };
const ENTITY: Field = { kind: 'latest', name: 'entity' };

interface EventsOf {
  readonly event: EventName;
  readonly person: string | null;
}

/** @param of Which events: those of one name, or of one person. */
export function bindEvents(binding: Binding, of: EventsOf): Plan {
  const { stages } = binding;
  const base = basePlan(binding, of.person === null ? { count: 7, unit: 'd' } : { count: 30, unit: 'd' });
  const latest = stages.one('latest');
  if (latest !== null) return { kind: 'latest', ...base, ...of, ...bindLatest(binding, latest) };
  const metrics = stages.one('metrics');
  const groups = bindGroups(binding, stages.groups, 'events');
  if (stages.one('list') !== null || (of.person !== null && metrics === null && groups.length === 0)) {
    return { kind: 'list', ...base, ...of };
  }
  const bound = metrics === null ? [COUNT] : bindMetrics(binding, metrics.metrics, 'events', DISTINCT_ID);
  return { kind: 'aggregate', ...base, ...of, groups, metrics: bound };
}

function bindLatest(binding: Binding, latest: StageOf<'latest'>) {
  const { stages } = binding;
  const field = bindField(binding, latest.field, 'events');
  const entity = latest.per === null ? DISTINCT_ID : bindField(binding, latest.per, 'events');
  const having = bindConditions(binding, stages.having, 'latest');
  const groups = bindGroups(binding, stages.groups, 'latest');
  const metrics = stages.one('metrics');
  const byDefault: readonly Metric[] = groups.length === 0 ? [] : [COUNT];
  const bound = metrics === null ? byDefault : bindMetrics(binding, metrics.metrics, 'latest', ENTITY);
  return { field, entity, having, groups, metrics: bound };
}
