/** Persons and times of a funnel's steps by label. */
import { kept } from '../../../base/kept.ts';
import { SECOND_MS } from '../../../dsl/plan/fields.ts';
import { percentile } from '../../metrics/percentile.ts';
import type { RowContext } from '../../query-context.ts';

export class FunnelCounts {
  readonly #steps: number;
  /** By label and step. */
  readonly #persons: Uint32Array;
  /** By step: the milliseconds since the step before of those who reached it, and their labels. */
  readonly #times: readonly Float64Array[];
  readonly #labels: readonly Uint32Array[] | null; // null if there is only one
  readonly #reached: Uint32Array;
  /** By step, once needed: medians by label. */
  readonly #medians = new Map<number, Float64Array>();

  /** @param labels Labels are below this. @param most By step: how many attempts reach it at most. */
  constructor(labels: number, most: readonly number[], context: RowContext) {
    const [, ...later] = most;
    const steps = most.length;
    this.#steps = steps;
    context.budget.take(labels * steps * 12 + later.reduce((sum, count) => sum + count * 20, 0));
    this.#persons = new Uint32Array(labels * steps);
    this.#times = [new Float64Array(0), ...later.map((count) => new Float64Array(count))];
    this.#labels = labels === 1 ? null : [new Uint32Array(0), ...later.map((count) => new Uint32Array(count))];
    this.#reached = new Uint32Array(steps);
  }

  /** Adds a counted attempt that reaches only its start. */
  addStart(label: number): void {
    this.#persons[label * this.#steps]!++;
  }

  /** Adds a counted attempt: the times of the steps that it reached. */
  add(label: number, times: Float64Array, reached: number): void {
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

  /** Median seconds since the step before; null at the first step, and if nobody reached it. */
  median(label: number, step: number): number | null {
    if (step === 0 || this.persons(label, step) === 0) return null;
    return kept(this.#medians, step, () => this.#findMedians(step))[label]!;
  }

  #findMedians(step: number): Float64Array {
    const laid = this.#byLabel(step);
    const medians = new Float64Array(this.#persons.length / this.#steps);
    let from = 0;
    for (let label = 0; label < medians.length; label++) {
      const to = from + this.persons(label, step);
      if (to > from) medians[label] = percentile([laid.subarray(from, to)], 50) / SECOND_MS;
      from = to;
    }
    return medians;
  }

  /** Lays out the milliseconds of a step by label, with a counting sort. */
  #byLabel(step: number): Float64Array {
    const [times, labels, reached] = [this.#times[step]!, this.#labels?.[step], this.#reached[step]!];
    if (labels === undefined) return times;
    const next = new Uint32Array(this.#persons.length / this.#steps);
    for (let label = 1; label < next.length; label++) next[label] = next[label - 1]! + this.persons(label - 1, step);
    const laid = new Float64Array(reached);
    for (let i = 0; i < reached; i++) laid[next[labels[i]!]!++] = times[i]!;
    return laid;
  }
}
