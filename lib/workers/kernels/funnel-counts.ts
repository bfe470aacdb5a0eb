/** Persons and times of a funnel's steps by label. */
import { percentile } from '../metrics/percentile.ts';
import type { RowContext } from '../query-context.ts';

export class FunnelCounts {
  readonly #steps: number;
  /** By label and step. */
  readonly #users: Uint32Array;
  /** By step: the seconds from the step before of whoever reached it, and their labels. */
  readonly #seconds: readonly Float64Array[];
  readonly #labels: readonly Uint32Array[];
  readonly #reached: Uint32Array;
  /** By step, once asked: medians by label. */
  readonly #medians = new Map<number, Float64Array>();

  /** @param labels Labels are below this. @param most By step: attempts that reach it at most. */
  constructor(labels: number, most: readonly number[], context: RowContext) {
    const [, ...later] = most;
    const steps = most.length;
    this.#steps = steps;
    context.budget.take(labels * steps * 12 + later.reduce((sum, count) => sum + count * 20, 0));
    this.#users = new Uint32Array(labels * steps);
    this.#seconds = [new Float64Array(0), ...later.map((count) => new Float64Array(count))];
    this.#labels = [new Uint32Array(0), ...later.map((count) => new Uint32Array(count))];
    this.#reached = new Uint32Array(steps);
  }

  /** A counted attempt that reaches nothing but its start. */
  addStart(label: number): void {
    this.#users[label * this.#steps]!++;
  }

  /** A counted attempt: the times of the steps that it reached. */
  add(label: number, times: Float64Array, reached: number): void {
    this.#users[label * this.#steps]!++;
    for (let step = 1; step < reached; step++) {
      this.#users[label * this.#steps + step]!++;
      const at = this.#reached[step]!++;
      this.#seconds[step]![at] = (times[step]! - times[step - 1]!) / 1000;
      this.#labels[step]![at] = label;
    }
  }

  users(label: number, step: number): number {
    return this.#users[label * this.#steps + step]!;
  }

  /** Median seconds from the step before; null at the first step, and of nobody. */
  median(label: number, step: number): number | null {
    if (step === 0 || this.users(label, step) === 0) return null;
    const known = this.#medians.get(step) ?? this.#findMedians(step);
    this.#medians.set(step, known);
    return known[label]!;
  }

  /** Lays the seconds out by label with a counting sort. */
  #findMedians(step: number): Float64Array {
    const count = this.#users.length / this.#steps;
    const [seconds, labels, reached] = [this.#seconds[step]!, this.#labels[step]!, this.#reached[step]!];
    const ends = new Uint32Array(count);
    let end = 0;
    for (let label = 0; label < count; label++) {
      ends[label] = end;
      end += this.users(label, step);
    }
    const laid = new Float64Array(reached);
    for (let i = 0; i < reached; i++) laid[ends[labels[i]!]!++] = seconds[i]!;
    return Float64Array.from(ends, (to, label) => {
      const from = to - this.users(label, step);
      return from === to ? NaN : percentile(laid, from, to, 50);
    });
  }
}
