/** One step of the optimizer. It may change how an answer is found, never the answer. */
import type { Plan } from '../plan/plan.ts';

export interface Pass {
  readonly name: string;
  run(plan: Plan): Plan;
}
