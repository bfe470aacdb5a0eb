/** The optimizer: a list of small passes, run in order, each once. */
import type { Plan } from '../plan/plan.ts';
import { dropRedundant, findContradictions, flattenConditions } from './simplify-conditions.ts';
import { foldConstants } from './fold-constants.ts';
import { foldEventType, pushEventType } from './event-type.ts';
import { mergeEqualsIntoIn } from './merge-equals-into-in.ts';
import type { Pass } from './pass.ts';

export const PASSES: readonly Pass[] = [
  flattenConditions,
  pushEventType,
  foldEventType,
  mergeEqualsIntoIn,
  dropRedundant,
  findContradictions,
  foldConstants,
];

export interface PassResult {
  readonly name: string;
  /** The plan after the pass. */
  readonly plan: Plan;
}

/** The plan after each pass, in order. */
export function optimize(plan: Plan): readonly PassResult[] {
  const results: PassResult[] = [];
  let current = plan;
  for (const pass of PASSES) {
    current = pass.run(current);
    results.push({ name: pass.name, plan: current });
  }
  return results;
}
