/** The rows of a funnel's steps. */
import type { FunnelPlan } from '../plan/plan.ts';
import type { Cell } from '../plan/table.ts';

/** The events of a step, without its filter; null where steps have no order. @param step From 0. */
export function stepName({ steps, stepOrder }: FunnelPlan, step: number): string | null {
  if (stepOrder === 'any') return null;
  return steps[step]?.events.map((event) => event ?? '*').join(' or ') ?? null;
}

/** What is known of those who reached a step. */
export interface StepCounts {
  readonly reached: number;
  /** Seconds since the step before: their median, then the plan's metrics of them. */
  readonly times: readonly (number | null)[];
}

/** A row a step, without groups. */
export function stepRows(plan: FunnelPlan, counts: readonly StepCounts[]): Cell[][] {
  const of = (step: number): number => counts[Math.max(step, 0)]?.reached ?? 0;
  return counts.map(({ reached, times }, step) => [
    step + 1,
    stepName(plan, step),
    reached,
    share(reached, of(0)),
    share(reached, of(step - 1)),
    ...times,
  ]);
}

/** null of nothing. */
const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
