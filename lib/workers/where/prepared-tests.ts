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
import type { Tables } from './test-tables.ts';

/** Whether to pause. @param since When the work began that a pause does not lose; by default, all of it. By `performance.now`. */
export type PauseAsked = (since?: number) => boolean;

/** Thrown at a checkpoint, to be resumed later. */
class Pause extends Error {}

export class PreparedTests {
  readonly #conditions: readonly Condition[];

  constructor(plan: Plan) {
    this.#conditions = conditionsOf(plan).filter(asksForTexts);
  }

  /**
   * False when `pause` asked for one: no rows have been read yet. Only the tables keep what was done, so it pauses only while they
   * grow, and the time until they do does not count: else a task that takes a slice for all else would begin anew for ever.
   */
  prepare(rows: EventRows, context: QueryContext, pause: PauseAsked): boolean {
    if (this.#conditions.length === 0) return true;
    let since: number | null = null;
    const tables: Tables = {
      of: (test, dictionary, checkpoint) =>
        context.tables.of(test, dictionary, () => {
          checkpoint();
          if (since === null) since = performance.now();
          else if (pause(since)) throw new Pause();
        }),
    };
    try {
      for (const condition of this.#conditions) filterOf(condition, rows, { ...context, tables });
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
