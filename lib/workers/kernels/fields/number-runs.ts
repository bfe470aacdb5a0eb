/** Counts how many of many numbers are equal. */
import { lowerBound } from '../../../base/lower-bound.ts';
import { SAMPLES, type TopTexts } from './top-texts.ts';
import { LARGEST_SHIFT } from '../../../dsl/time/transitions.ts';

/** Years whose texts have four digits. */
const FIRST_PLAIN = Date.UTC(1, 0);
const LAST_PLAIN = Date.UTC(9_999, 0);

/** Runs of equal numbers, with their lengths. */
export class NumberRuns {
  readonly #sorted: Float64Array;
  readonly #textOf: (value: number) => string;
  readonly #taken = new Set<number>();

  constructor(lists: readonly Float64Array[], textOf: (value: number) => string) {
    this.#sorted = sorted(lists);
    this.#textOf = textOf;
  }

  get isEmpty(): boolean {
    return this.#sorted.length === 0;
  }

  /** How many numbers have this text; they are left out from now on. */
  take(text: string): number {
    const value = Number(text);
    if (Number.isNaN(value) || this.#textOf(value) !== text) return 0;
    const from = lowerBound(this.#sorted, value);
    if (this.#sorted[from] !== value) return 0;
    this.#taken.add(value);
    let to = from;
    while (this.#sorted[to] === value) to++;
    return to - from;
  }

  /** Offers each text once, and returns how many there are. */
  offer(texts: TopTexts): number {
    return this.#forEach((value, count) => texts.offer(count, () => this.#textOf(value)));
  }

  /** As `offer`, for times: their texts ascend with them, except in an hour that a clock shows twice: of two further apart the later has the greater. */
  offerTimes(texts: TopTexts): number {
    const { length } = this.#sorted;
    if (length === 0 || this.#sorted[0]! < FIRST_PLAIN || this.#sorted[length - 1]! >= LAST_PLAIN) {
      return this.offer(texts);
    }
    const fifths = new Map<number, { offered: number; last: number }>();
    return this.#forEach((value, count) => {
      const fifth = fifths.get(count) ?? { offered: 0, last: value };
      if (fifth.offered < SAMPLES) fifths.set(count, { offered: fifth.offered + 1, last: value });
      else if (value - fifth.last > LARGEST_SHIFT) return;
      texts.offer(count, () => this.#textOf(value));
    });
  }

  #forEach(use: (value: number, count: number) => void): number {
    const values = this.#sorted;
    let distinct = 0;
    for (let from = 0, to = 0; from < values.length; from = to) {
      const value = values[from]!;
      do to++;
      while (values[to] === value);
      if (this.#taken.has(value)) continue;
      distinct++;
      use(value, to - from);
    }
    return distinct;
  }
}

/** All numbers ascending, -0 as 0: times are usually in order already. */
function sorted(lists: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  let ascending = true;
  let before = -Infinity;
  for (const list of lists) {
    for (const value of list) {
      all[at++] = value + 0;
      ascending = ascending && value >= before;
      before = value;
    }
  }
  return ascending ? all : all.sort();
}
