/** `signup | where event_type != "login"`: if all rows have one event type, a test of it is constant. */
import { isTestOf, mapCondition } from '../plan/conditions.ts';
import type { Condition, EventName, Plan } from '../plan/plan.ts';
import { compileTest } from '../plan/value.ts';
import type { Pass } from './pass.ts';
import { EVENT_TYPE, isOfOneEvent } from './push-event-type.ts';

export const foldEventType: Pass = { name: 'fold-event-type', run: fold };

function fold(plan: Plan): Plan {
  if (isOfOneEvent(plan) || plan.kind === 'inspect') return { ...plan, where: foldCondition(plan.where, plan.event) };
  if (plan.kind !== 'funnel') return plan;
  return { ...plan, steps: plan.steps.map((step) => ({ ...step, where: foldCondition(step.where, step.event) })) };
}

function foldCondition(condition: Condition | null, event: EventName): Condition | null {
  if (condition === null || event === null) return condition;
  return mapCondition(condition, (node) =>
    isTestOf(node, EVENT_TYPE)
      ? { kind: 'constant', value: compileTest(node.test)({ type: 'string', text: event }) }
      : node,
  );
}
