/** `* | where event_type = "signup"` → the event `signup`: its rows are found without looking at the others. */
import { isTestOf } from '../plan/conditions.ts';
import type { Condition, Field, Plan } from '../plan/plan.ts';
import type { Pass } from './pass.ts';

export const EVENT_TYPE: Field = { kind: 'core', name: 'event_type' };

/** The condition stays: `fold-event-type` knows it for true then. */
export const pushEventType: Pass = { name: 'push-event-type', run: push };

function push(plan: Plan): Plan {
  switch (plan.kind) {
    case 'aggregate':
    case 'list':
    case 'latest':
    case 'lifecycle':
    case 'stickiness':
      return plan.event === null ? { ...plan, event: demandedType(plan.where) } : plan;
    case 'inspect': // `inspect *` and `inspect e` are different answers
    case 'funnel': // conditions are on the events of all steps, of returns, of nodes
    case 'retention':
    case 'paths':
    case 'sessions':
    case 'formula':
    case 'users':
    case 'fields':
    case 'choice':
      return plan;
  }
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
