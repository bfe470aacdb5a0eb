/** `* | where event_type = "signup"` → the event `signup`: finds its rows without looking at the others. */
import { isTestOf } from '../plan/conditions.ts';
import type { Condition, Field, Plan } from '../plan/plan.ts';
import type { Pass } from './pass.ts';

export const EVENT_TYPE: Field = { kind: 'core', name: 'event_type' };

/** The condition stays; `fold-event-type` then sees that it is true. */
export const pushEventType: Pass = { name: 'push-event-type', run: push };

function push(plan: Plan): Plan {
  return isOfOneEvent(plan) && plan.event === null ? { ...plan, event: demandedType(plan.where) } : plan;
}

/**
 * All rows of these are of the event that they name, and their condition is on these rows alone: that of a funnel, a retention or
 * paths is on the events of all steps, of returns, of nodes.
 */
const OF_ONE_EVENT = ['aggregate', 'list', 'latest', 'lifecycle', 'stickiness'] as const;

export function isOfOneEvent(plan: Plan): plan is Plan & { readonly kind: (typeof OF_ONE_EVENT)[number] } {
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
