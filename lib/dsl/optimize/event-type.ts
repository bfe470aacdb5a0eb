/** Passes that turn conditions on the event type into the events of a source. */
import { isTestOf, mapCondition } from '../plan/conditions.ts';
import type { Condition, EventName, Field, Plan } from '../plan/plan.ts';
import type { Pass } from './pass.ts';
import { compileTest } from '../plan/value.ts';

const EVENT_TYPE: Field = { kind: 'core', name: 'event_type' };

/**
 * `* | where event_type = "signup"` → the event `signup`: finds its rows without looking at the others. The condition stays;
 * `fold-event-type` then sees that it is true.
 */
export const pushEventType: Pass = { name: 'push-event-type', run: push };

function push(plan: Plan): Plan {
  return isOfOneEvent(plan) && plan.event === null ? { ...plan, event: demandedType(plan.where) } : plan;
}

/**
 * All rows of these are of the event that they name, and their condition is on these rows alone: that of a funnel, a retention or
 * paths is on the events of all steps, of returns, of nodes.
 */
const OF_ONE_EVENT = ['aggregate', 'list', 'latest', 'lifecycle', 'stickiness'] as const;

function isOfOneEvent(plan: Plan): plan is Plan & { readonly kind: (typeof OF_ONE_EVENT)[number] } {
  return OF_ONE_EVENT.some((kind) => kind === plan.kind);
}

/** The only event type that can pass, or null. */
function demandedType(where: Condition | null): string | null {
  const terms = where?.kind === 'and' ? where.terms : where === null ? [] : [where];
  for (const term of terms) {
    if (isTestOf(term, EVENT_TYPE) && term.test.op === 'equals' && term.test.literal.type === 'string') {
      return term.test.literal.value;
    }
  }
  return null;
}

/** `signup | where event_type != "login"`: if all rows have one event type, a test of it is constant. */
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
