/** `funnel a -> b -> c`. */
import { basePlan } from './bind-base.ts';
import { bindCondition } from './bind-condition.ts';
import { bindGroups } from './bind-groups.ts';
import type { Binding } from './binding.ts';
import type { Plan } from '../plan/plan.ts';
import type { EventRef, FunnelStep } from '../parse/syntax.ts';

export function bindFunnel(binding: Binding, steps: readonly FunnelStep[], exclude: readonly EventRef[]): Plan {
  return {
    kind: 'funnel',
    steps: steps.map(({ event, where }) => ({
      event: event.name,
      where: where === null ? null : bindCondition(binding, where, 'events'),
    })),
    exclude: exclude.map((event) => event.name),
    ...basePlan(binding, { count: 30, unit: 'd' }),
    window: binding.stages.one('window')?.duration ?? { count: 30, unit: 'd' },
    groups: bindGroups(binding, binding.stages.groups, 'events'),
  };
}
