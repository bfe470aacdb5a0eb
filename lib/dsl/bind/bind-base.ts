/** What the plans of all sources have: zone, range, conditions, cut, page. */
import { bindConditions } from './bind-condition.ts';
import { bindRange } from './bind-range.ts';
import type { Binding } from './binding.ts';
import type { FieldScope } from '../plan/fields.ts';
import type { Condition, FieldsPlan } from '../plan/plan.ts';
import type { Duration } from '../time/units.ts';

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
