/** What the language has and the embedded store does not answer yet: it must say so, and may not answer wrongly. */
import type { Plan } from '../../lib/dsl/plan.ts';

const KINDS: readonly Plan['kind'][] = ['funnel', 'retention', 'sessions', 'lifecycle', 'stickiness'];

/** Whether the store refuses the plan with `not_available`. `session.*` stands nowhere yet. */
export function isNotYet(plan: Plan): boolean {
  return KINDS.includes(plan.kind) || /"kind":"(session|last_session)"/.test(JSON.stringify(plan));
}

/** `fields` and `inspect e` list no session.* yet. */
export const SESSION_FIELDS_ARE_LISTED = false;
