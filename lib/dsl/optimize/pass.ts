/** One step of the optimizer. It may change how an answer is found, never the answer. */
import { mapCondition, mapConditions } from '../plan/conditions.ts';
import type { Condition, Plan } from '../plan/plan.ts';

export interface Pass {
  readonly name: string;
  run(plan: Plan): Plan;
}

/** A pass that changes every node of every condition, from the leaves up. */
export function conditionPass(name: string, change: (condition: Condition) => Condition): Pass {
  return { name, run: (plan) => mapConditions(plan, (condition) => mapCondition(condition, change)) };
}
