/**
 * Runs tests that may take long over the dictionaries of a segment before its rows are read: regular expressions over hundreds of
 * thousands of texts take seconds, and others must not wait for them. The tables keep what was done so far, so a pause loses
 * nothing.
 */
import { testsOf } from '../../dsl/plan/conditions.ts';
import type { Condition, Plan } from '../../dsl/plan/plan.ts';
import type { QueryContext } from '../query-context.ts';
import type { EventRows } from '../rows/event-rows.ts';
import { filterOf } from './filter.ts';

/** Thrown at a checkpoint, to be resumed later. */
class Pause extends Error {}

export class PreparedTests {
  readonly #conditions: readonly Condition[];

  constructor(plan: Plan) {
    this.#conditions = conditionsOf(plan).filter(asksForTexts);
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

/** Conditions on events. */
const conditionsOf = (plan: Plan): Condition[] =>
  [plan.where, ...(plan.kind === 'funnel' ? plan.steps.map(({ where }) => where) : [])].filter((one) => one !== null);

const asksForTexts = (condition: Condition): boolean =>
  testsOf(condition).some(({ test: { op } }) => op === 'matches' || op === 'contains');
