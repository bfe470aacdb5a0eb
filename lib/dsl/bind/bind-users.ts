/** `users`: profiles as rows, or metrics over them. */
import { basePlan } from './bind-base.ts';
import { bindGroups } from './bind-groups.ts';
import { bindMetrics, COUNT } from './bind-metrics.ts';
import type { Binding } from './binding.ts';
import type { Field, Metric, Plan } from '../plan/plan.ts';

const USER_ID: Field = { kind: 'account', name: 'user_id' };

export function bindUsers(binding: Binding): Plan {
  const { stages } = binding;
  const base = basePlan(binding, { count: 30, unit: 'd' }, 'users');
  const groups = bindGroups(binding, stages.groups, 'users');
  const byDefault: readonly Metric[] = groups.length === 0 ? [] : [COUNT];
  const metrics = stages.one('metrics');
  const bound = metrics === null ? byDefault : bindMetrics(binding, metrics.metrics, 'users', USER_ID);
  return { kind: 'users', ...base, groups, metrics: bound };
}
