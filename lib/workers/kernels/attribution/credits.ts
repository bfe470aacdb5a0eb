/** Who has the credit of conversions, by label of touches: parts of conversions and of their numbers. */
import { lowerBound } from '../../../base/lower-bound.ts';
import { HALF_LIFE, OF_ENDS } from '../../../dsl/plan/attribution.ts';
import type { AttributionPlan } from '../../../dsl/plan/plan.ts';
import { addDuration } from '../../../dsl/time/duration.ts';
import { unreachable } from '../../../base/unreachable.ts';
import type { RowContext } from '../../query-context.ts';
import type { RowRange } from '../../rows/row-set.ts';
import { CHECK_EVERY } from '../../check-every.ts';

/** The touches of a person are entries of these, in order. */
export interface TouchArrays {
  readonly times: Float64Array;
  readonly labels: Uint32Array;
}

/** NaN: it has no number. */
export interface Conversion {
  readonly time: number;
  readonly number: number;
}

export class Credits {
  readonly #plan: AttributionPlan;
  readonly #context: RowContext;
  /** Of conversions, then of numbers: sums, what their additions rounded off, and how many there are. */
  readonly #parts: Sums;
  readonly #amounts: Sums;
  /** The label of conversions without a touch. */
  readonly missing: number;
  /** Conversions. */
  all = 0;
  #work = 0;

  /** @param labels Those of touches are below this. */
  constructor(plan: AttributionPlan, labels: number, context: RowContext) {
    this.#plan = plan;
    this.#context = context;
    this.missing = labels;
    context.budget.take((labels + 1) * 5 * 8); // missing, and two numbers of each sum
    this.#parts = new Sums(labels + 1);
    this.#amounts = new Sums(plan.metrics.length === 0 ? 0 : labels + 1);
  }

  /** Gives the credit of a conversion to touches of its person that lie in its window, or to none. */
  add(conversion: Conversion, touches: TouchArrays, { from, to }: RowRange): void {
    const { window } = this.#plan;
    const begin = addDuration(conversion.time, window, this.#context.zone, -1);
    const first = lowerBound(touches.times, begin, from, to);
    const end = lowerBound(touches.times, conversion.time + 1, first, to); // times are whole milliseconds
    this.all++;
    if (first === end) this.#give(this.missing, conversion.number, 1, 1);
    else this.#divide(conversion.number, touches, { from: first, to: end });
  }

  /** Adds conversions that have no touches. */
  addUntouched(conversions: number, numbers: Float64Array): void {
    this.all += conversions;
    this.#parts.add(this.missing, conversions, conversions);
    for (const number of numbers) this.#amounts.add(this.missing, number);
  }

  /** Whether a label has any credit. */
  has(label: number): boolean {
    return this.#parts.counts[label]! > 0;
  }

  conversions(label: number): number {
    return this.#parts.sum(label);
  }

  /** null of no number. */
  sum(label: number): number | null {
    return (this.#amounts.counts[label] ?? 0) > 0 ? this.#amounts.sum(label) : null;
  }

  /** @param range At least one touch. */
  #divide(number: number, { times, labels }: TouchArrays, { from, to }: RowRange): void {
    const count = to - from;
    const last = to - 1;
    const give = (at: number, weight: number, of = 1): void => this.#give(labels[at]!, number, weight, of);
    switch (this.#plan.model) {
      case 'first':
        return give(from, 1);
      case 'last':
        return give(last, 1);
      case 'linear':
        for (let at = from; at < to; at++) give(at, 1, count);
        return;
      case 'decay': {
        let all = 0;
        for (let at = from; at < to; at++) all += decayed(times[last]! - times[at]!);
        for (let at = from; at < to; at++) give(at, decayed(times[last]! - times[at]!), all);
        return;
      }
      case 'position': {
        if (count < 3) {
          for (let at = from; at < to; at++) give(at, 1, count);
          return;
        }
        give(from, OF_ENDS);
        for (let at = from + 1; at < last; at++) give(at, 1 - 2 * OF_ENDS, count - 2);
        return give(last, OF_ENDS);
      }
      default:
        return unreachable(this.#plan.model);
    }
  }

  #give(label: number, number: number, weight: number, of: number): void {
    if (++this.#work % CHECK_EVERY === 0) this.#context.checkpoint();
    this.#parts.add(label, weight / of);
    if (!Number.isNaN(number)) this.#amounts.add(label, (number * weight) / of);
  }
}

/** How much a touch that lies so many milliseconds before the last one has for each unit of that. */
const decayed = (before: number): number => 2 ** (-before / HALF_LIFE);

/** Sums by label; what each addition rounds off is summed beside (Neumaier). */
class Sums {
  readonly #sums: Float64Array;
  readonly #errors: Float64Array;
  readonly counts: Uint32Array;

  constructor(labels: number) {
    this.#sums = new Float64Array(labels);
    this.#errors = new Float64Array(labels);
    this.counts = new Uint32Array(labels);
  }

  add(label: number, value: number, count = 1): void {
    const sum = this.#sums[label]!;
    const next = sum + value;
    const share = next - sum;
    this.#sums[label] = next;
    this.#errors[label]! += sum - (next - share) + (value - share);
    this.counts[label]! += count;
  }

  sum(label: number): number {
    return this.#sums[label]! + this.#errors[label]!;
  }
}
