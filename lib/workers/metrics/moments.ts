/**
 * Sums numbers and their squares, for the standard deviation. Both sums lose nothing, so the answer depends neither on the order
 * of rows nor on how they are split, and equal numbers deviate by exactly 0 however large they are.
 */
import type { Field } from '../../dsl/plan/plan.ts';
import type { Budget } from '../budget.ts';
import type { Scan } from '../groups/scan.ts';
import { NOWHERE, type Slots } from '../groups/slots.ts';
import { addExactly, lostOf, exactSum } from './exact-terms.ts';
import type { MetricPartial } from './metric-partial.ts';
import { forNumbers } from './numeric.ts';
import type { MergedGroups } from './merge-groups.ts';
import { numbersAsTheyAre, type Accumulator, type MetricState, type PartialOf } from './metric-state.ts';

/**
 * The state of a slot, side by side: the floats of the sum of its numbers, those of the sum of their squares, which have twice
 * the digits, and how many numbers there are.
 */
const MOMENTS = 8;
const LAST_OF_SUM = 2;
const SQUARES = 3;
const LAST_OF_SQUARES = 6;
const COUNT = 7;

/**
 * Squares and what rounding takes from them must be floats too, so numbers are summed in windows by size: tiny ones (0)
 * times 2 ** 600, huge ones (2) divided by it, and all ordinary ones as they are (1).
 */
const WINDOWS = 3;
const PLAIN_WINDOW = 1;
const WINDOW_SCALE = 2 ** 600;
const TINY = 2 ** -400;
const HUGE = 2 ** 480;

class MomentsAccumulator implements Accumulator {
  readonly states;
  readonly #field: Field;
  readonly #moments: MomentsBySlot;

  constructor(field: Field, budget: Budget) {
    this.#field = field;
    this.#moments = new MomentsBySlot(budget);
    this.states = [this.#moments];
  }

  add(scan: Scan, slots: Slots): void {
    const moments = this.#moments;
    forNumbers(scan, slots, this.#field, ({ values, from, to, base, slots: own }) => {
      for (let k = from; k < to; k++) moments.add(own === null ? base : own[k - from]!, values[k]!);
    });
  }

  partial(slots: Uint32Array): MetricPartial {
    return { kind: 'moments', windows: this.#moments.pick(slots) };
  }
}

/** Numbers of any size, by slot. */
export class MomentsBySlot {
  readonly #windows: readonly Window[];
  #count = 0;

  constructor(budget: Budget) {
    this.#windows = Array.from({ length: WINDOWS }, () => new Window(budget));
  }

  add(slot: number, value: number): void {
    const size = Math.abs(value);
    if ((size >= TINY || size === 0) && size <= HUGE) this.#windows[PLAIN_WINDOW]!.add(slot, value);
    else this.#addFar(slot, value);
  }

  /** Room for `count` slots. */
  resize(count: number): void {
    this.#count = count;
    this.#windows[PLAIN_WINDOW]!.resize(count);
  }

  remap(moved: Uint32Array, count: number): void {
    this.#count = count;
    for (const window of this.#windows) if (window.size > 0) window.remap(moved, count);
  }

  /** By window, the moments of these slots; null where no number was of its size. */
  pick(slots: Uint32Array): (Float64Array | null)[] {
    return this.#windows.map((window) => (window.size > 0 ? window.pick(slots) : null));
  }

  /** Such numbers are rare: their windows are allocated when the first one comes. */
  #addFar(slot: number, value: number): void {
    const tiny = Math.abs(value) < 1;
    const window = this.#windows[tiny ? 0 : WINDOWS - 1]!;
    window.resize(this.#count);
    window.add(slot, tiny ? value * WINDOW_SCALE : value / WINDOW_SCALE);
  }
}

/** Numbers whose squares are floats, MOMENTS per slot. */
class Window {
  readonly #budget: Budget;
  #moments = new Float64Array(0);

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  get size(): number {
    return this.#moments.length / MOMENTS;
  }

  add(slot: number, value: number): void {
    const moments = this.#moments;
    const at = slot * MOMENTS;
    const square = value * value;
    addExactly(moments, at, at + LAST_OF_SUM, value);
    addExactly(moments, at + SQUARES, at + LAST_OF_SQUARES, square);
    addExactly(moments, at + SQUARES, at + LAST_OF_SQUARES, lostOf(value, value, square));
    moments[at + COUNT]!++;
  }

  resize(count: number): void {
    if (count <= this.size) return;
    const old = this.#moments;
    this.#moments = this.#fresh(this.size === 0 ? count : Math.max(count, this.size * 2));
    this.#moments.set(old);
    this.#budget.release(old.byteLength);
  }

  remap(moved: Uint32Array, count: number): void {
    const old = this.#moments;
    this.#moments = this.#fresh(count);
    for (let slot = 0; slot < moved.length && slot * MOMENTS < old.length; slot++) {
      if (moved[slot] !== NOWHERE) this.#moments.set(momentsOf(old, slot), moved[slot]! * MOMENTS);
    }
    this.#budget.release(old.byteLength);
  }

  pick(slots: Uint32Array): Float64Array {
    const picked = new Float64Array(slots.length * MOMENTS);
    for (let i = 0; i < slots.length; i++) picked.set(momentsOf(this.#moments, slots[i]!), i * MOMENTS);
    return picked;
  }

  #fresh(count: number): Float64Array<ArrayBuffer> {
    this.#budget.take(count * MOMENTS * 8);
    return new Float64Array(count * MOMENTS);
  }
}

function momentsOf(moments: Float64Array, slot: number): Float64Array {
  return moments.subarray(slot * MOMENTS, (slot + 1) * MOMENTS);
}

/** Adds what another part found for one of its groups. */
function mergeMoments(to: Float64Array, place: number, from: Float64Array, group: number): void {
  const [at, own] = [place * MOMENTS, group * MOMENTS];
  for (let k = 0; k < SQUARES; k++) addExactly(to, at, at + LAST_OF_SUM, from[own + k]!);
  for (let k = SQUARES; k < COUNT; k++) addExactly(to, at + SQUARES, at + LAST_OF_SQUARES, from[own + k]!);
  to[at + COUNT]! += from[own + COUNT]!;
}

/** What is known of a group: floats that stand for their exact sum. */
interface GroupMoments {
  readonly count: number;
  readonly sums: Float64Array;
  readonly squares: Float64Array;
}

function readMoments(moments: Float64Array, group: number): GroupMoments {
  const own = momentsOf(moments, group);
  return { count: own[COUNT]!, sums: own.subarray(0, SQUARES), squares: own.subarray(SQUARES, COUNT) };
}

/** Of the sample (n - 1); NaN for fewer than two numbers. */
export function mergeDeviations(parts: readonly PartialOf<'moments'>[], { places, count }: MergedGroups): Float64Array {
  const windows = Array.from({ length: WINDOWS }, (_, nth) => {
    if (parts.every(({ windows: own }) => own[nth] === null)) return null;
    const merged = new Float64Array(count * MOMENTS);
    for (const [at, part] of parts.entries()) {
      const moments = part.windows[nth] ?? null;
      if (moments === null) continue;
      places[at]!.forEach((place, group) => mergeMoments(merged, place, moments, group));
    }
    return merged;
  });
  return Float64Array.from({ length: count }, (_, group) => deviation(windows, group));
}

/** In the units of the window of the largest numbers; numbers far below these hardly count. */
function deviation(windows: readonly (Float64Array | null)[], group: number): number {
  const all = windows.map((window) => (window === null ? null : readMoments(window, group)));
  const largest = all.findLastIndex((moments) => moments !== null && moments.squares[0] !== 0);
  let count = 0;
  const sums: number[] = [];
  const squares: number[] = [];
  for (const [nth, moments] of all.entries()) {
    count += moments?.count ?? 0;
    if (moments === null || nth > largest) continue;
    const scale = WINDOW_SCALE ** (nth - largest);
    for (const term of moments.sums) sums.push(term * scale);
    for (const term of moments.squares) squares.push(term * scale * scale);
  }
  if (count < 2) return NaN;
  const root = rootOf(spreadTerms(count, sums, squares), count * (count - 1));
  return largest < 0 ? 0 : root * WINDOW_SCALE ** (largest - PLAIN_WINDOW);
}

/** n Σx² - (Σx)² as terms: most digits of the two agree. */
function spreadTerms(count: number, sums: readonly number[], squares: readonly number[]): number[] {
  const terms: number[] = [];
  const add = (a: number, b: number, sign: 1 | -1): void => {
    const product = a * b;
    terms.push(sign * product, sign * lostOf(a, b, product));
  };
  for (const square of squares) if (square !== 0) add(count, square, 1);
  for (const one of sums) for (const other of sums) if (one !== 0 && other !== 0) add(one, other, -1);
  return terms;
}

/**
 * The root of a sum over a divisor. Rounding sum, quotient and root one after the other misses the last digit: one step of
 * Newton's method finds it.
 */
function rootOf(terms: readonly number[], divisor: number): number {
  const root = Math.sqrt(Math.max(0, exactSum(terms)) / divisor);
  if (root === 0) return 0;
  const square = root * root;
  const product = square * divisor;
  const lost = lostOf(root, root, square);
  const rest = exactSum([...terms, -product, -lostOf(square, divisor, product), -lost * divisor]);
  return root + rest / (2 * root * divisor);
}

export const momentsState: MetricState<'moments'> = {
  accumulate: (field, { context }) => new MomentsAccumulator(field, context.budget),
  merge: (parts, { groups }) => numbersAsTheyAre(mergeDeviations(parts, groups)),
};
