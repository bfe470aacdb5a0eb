/** Persons and times of a funnel's steps by label. */
import { SECOND_MS } from '../../../base/day.ts';
import { kept } from '../../../base/kept.ts';
import type { FunnelPlan, StepTime } from '../../../dsl/plan/plan.ts';
import { unreachable } from '../../../base/unreachable.ts';
import { percentile } from '../../metrics/percentile.ts';
import type { RowContext } from '../../query-context.ts';
import type { CountedAttempt } from './funnel-attempts.ts';

/** The milliseconds since the step before, label by label. */
interface LaidTimes {
  readonly values: Float64Array;
  /** By label: where its values begin; they end with the next label's. */
  readonly starts: Uint32Array;
}

export class FunnelCounts {
  readonly #steps: number;
  readonly #asked: readonly Pick<StepTime, 'kind' | 'p'>[];
  /** By label and step. */
  readonly #persons: Uint32Array;
  /** By step: the milliseconds since the step before of those who reached it, and their labels. */
  readonly #times: readonly Float64Array[];
  readonly #labels: readonly Uint32Array[] | null; // null if there is only one
  readonly #reached: Uint32Array;
  /** By step, once needed. */
  readonly #laid = new Map<number, LaidTimes>();

  /** @param labels Labels are below this. @param most By step: how many attempts reach it at most. */
  constructor(plan: Pick<FunnelPlan, 'times'>, labels: number, most: readonly number[], context: RowContext) {
    const [, ...later] = most;
    const steps = most.length;
    this.#steps = steps;
    this.#asked = [{ kind: 'percentile', p: 50 }, ...plan.times];
    context.budget.take(labels * steps * 12 + later.reduce((sum, count) => sum + count * 20, 0));
    this.#persons = new Uint32Array(labels * steps);
    this.#times = [new Float64Array(0), ...later.map((count) => new Float64Array(count))];
    this.#labels = labels === 1 ? null : [new Uint32Array(0), ...later.map((count) => new Uint32Array(count))];
    this.#reached = new Uint32Array(steps);
  }

  add({ label, times, reached }: Pick<CountedAttempt, 'label' | 'times' | 'reached'>): void {
    this.#persons[label * this.#steps]!++;
    for (let step = 1; step < reached; step++) {
      this.#persons[label * this.#steps + step]!++;
      const at = this.#reached[step]!++;
      this.#times[step]![at] = times[step]! - times[step - 1]!;
      if (this.#labels !== null) this.#labels[step]![at] = label;
    }
  }

  persons(label: number, step: number): number {
    return this.#persons[label * this.#steps + step]!;
  }

  /** Seconds since the step before: the median, then the plan's metrics; null at the first step, and if nobody reached it. */
  times(label: number, step: number): (number | null)[] {
    if (step === 0 || this.persons(label, step) === 0) return this.#asked.map(() => null);
    const { values, starts } = kept(this.#laid, step, () => this.#byLabel(step));
    const own = values.subarray(starts[label], starts[label + 1]);
    return this.#asked.map((metric) => secondsOf(metric, own));
  }

  /** Lays out the milliseconds of a step by label, with a counting sort. */
  #byLabel(step: number): LaidTimes {
    const [times, labels, reached] = [this.#times[step]!, this.#labels?.[step], this.#reached[step]!];
    const starts = new Uint32Array(this.#persons.length / this.#steps + 1);
    for (let label = 1; label < starts.length; label++) {
      starts[label] = starts[label - 1]! + this.persons(label - 1, step);
    }
    if (labels === undefined) return { values: times, starts };
    const next = starts.slice();
    const values = new Float64Array(reached);
    for (let i = 0; i < reached; i++) values[next[labels[i]!]!++] = times[i]!;
    return { values, starts };
  }
}

/** A metric of whole milliseconds, at least one, in seconds: divided once. May reorder them. */
function secondsOf({ kind, p }: Pick<StepTime, 'kind' | 'p'>, times: Float64Array): number | null {
  const count = times.length;
  const sum = (): number => times.reduce((total, time) => total + time, 0);
  switch (kind) {
    case 'percentile':
      return percentile([times], p ?? 50) / SECOND_MS;
    case 'avg':
      return sum() / (count * SECOND_MS);
    case 'sum':
      return sum() / SECOND_MS;
    case 'min':
      return times.reduce((least, time) => Math.min(least, time)) / SECOND_MS;
    case 'max':
      return times.reduce((most, time) => Math.max(most, time)) / SECOND_MS;
    case 'stddev':
      return count < 2 ? null : deviation(times) / SECOND_MS;
    default:
      return unreachable(kind);
  }
}

/** Of the sample. */
function deviation(times: Float64Array): number {
  let [mean, squares] = [0, 0];
  for (let i = 0; i < times.length; i++) {
    const distance = times[i]! - mean;
    mean += distance / (i + 1);
    squares += distance * (times[i]! - mean);
  }
  return Math.sqrt(squares / (times.length - 1));
}
