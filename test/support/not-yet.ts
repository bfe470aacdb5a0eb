/** What the language has and the embedded store does not answer yet: it must say so, and may not answer wrongly. */
import type { Plan } from '../../lib/dsl/plan.ts';

const KINDS: readonly Plan['kind'][] = ['funnel', 'retention', 'lifecycle', 'stickiness'];

/** Whether the store refuses the plan with `not_available`. */
export function isNotYet(plan: Plan): boolean {
  return KINDS.includes(plan.kind);
}

/** `fields` and `inspect e` list session.*, too. */
export const SESSION_FIELDS_ARE_LISTED = true;
