/**
 * Whether a question is answered sooner by all threads or by one. Handing over parts and joining them costs from half a
 * millisecond to a third of the work, by machine, kernel and data; so both ways are tried, and the faster one is kept.
 */
import { createHash } from 'node:crypto';
import type { Plan } from '../dsl/plan.ts';

/** Runs of each way, an even number. The first only warms up what is not decoded there yet, and does not count. */
const RUNS = 4;
/** Questions that are remembered; those asked longest ago go first. */
const MAX_QUESTIONS = 2_048;
/** Rows of the range have become so many times more, or fewer: what was found holds no longer. */
const GROWTH = 2;

interface Trial {
  /** Rows of the range when it began. */
  readonly rows: number;
  readonly all: Way;
  readonly one: Way;
}

interface Way {
  /** Milliseconds that runs took, the first of which is not counted. */
  readonly runs: number[];
}

/** What `choose` said of a query, to be handed to `learn` with the time that it took. */
export interface Choice {
  readonly split: boolean;
  readonly way: Way;
}

export class SplitTrials {
  readonly #trials = new Map<string, Trial>();

  /** Whether to answer on all threads. `rows`: of the segments that the range touches. */
  choose(project: string, plan: Plan, rows: number): Choice {
    const { all, one } = this.#trial(questionOf(project, plan), rows);
    if (all.runs.length < RUNS) return { split: true, way: all };
    if (one.runs.length < RUNS) return { split: false, way: one };
    return medianOf(all) <= medianOf(one) ? { split: true, way: all } : { split: false, way: one };
  }

  /** To be left out where other queries ran meanwhile: the time says nothing then. Milliseconds. */
  learn({ way }: Choice, ms: number): void {
    if (way.runs.length < RUNS) way.runs.push(ms);
  }

  #trial(question: string, rows: number): Trial {
    let trial = this.#trials.get(question);
    this.#trials.delete(question);
    if (trial === undefined || rows > trial.rows * GROWTH || rows * GROWTH < trial.rows) {
      trial = { rows, all: { runs: [] }, one: { runs: [] } };
    }
    this.#trials.set(question, trial); // to the end: the first is always the longest unused
    for (const oldest of this.#trials.keys()) {
      if (this.#trials.size <= MAX_QUESTIONS) break;
      this.#trials.delete(oldest);
    }
    return trial;
  }
}

function medianOf({ runs }: Way): number {
  return runs.slice(1).sort((a, b) => a - b)[(RUNS - 2) / 2]!;
}

/** Equal for the same question about another range. */
function questionOf(project: string, plan: Plan): string {
  return createHash('sha256')
    .update(project)
    .update(JSON.stringify({ ...plan, range: null, page: null }))
    .digest('base64');
}
