/**
 * Runs tests that may take long over the dictionaries of a segment before its rows are read: regular expressions over hundreds of
 * thousands of texts take seconds, and others must not wait for them. The tables keep what was done so far, so a pause loses
 * nothing.
 */
import type { Condition, Plan } from '../../dsl/plan/plan.ts';
import type { QueryContext } from '../query-context.ts';
import type { EventRows } from '../rows/event-rows.ts';
import { filterOf } from './filter.ts';

/** Thrown at a checkpoint, to be resumed later. */
class Pause extends Error {}

export class PreparedTests {
  readonly #conditions: readonly Condition[];

  constructor(plan: Plan) {
    this.#conditions = conditionsIn(plan).filter(asksForTexts);
  }

  /** False when `pause` asked for one: no rows have been read yet. */
  prepare(rows: EventRows, context: QueryContext, pause: () => boolean): boolean {
    if (this.#conditions.length === 0) return true;
    const checkpoint = (): void => {
      context.checkpoint();
      if (pause()) throw new Pause();
    };
    try {
      for (const condition of this.#conditions) filterOf(condition, rows, { ...context, checkpoint });
      return true;
    } catch (error) {
      if (error instanceof Pause) return false;
      throw error;
    }
  }
}

/** Conditions on events, wherever a plan has them. */
function conditionsIn(part: unknown): Condition[] {
  if (typeof part !== 'object' || part === null) return [];
  if (Array.isArray(part)) return part.flatMap(conditionsIn);
  return Object.entries(part).flatMap(([key, value]) =>
    key === 'where' && isCondition(value) ? [value] : conditionsIn(value),
  );
}

/** Under `where` there are only conditions and null. */
function isCondition(value: unknown): value is Condition {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

function asksForTexts(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.terms.some(asksForTexts);
    case 'not':
      return asksForTexts(condition.term);
    case 'test':
      return condition.test.op === 'matches' || condition.test.op === 'contains';
    case 'constant':
      return false;
  }
}
