/**
 * Sums of numbers of any size that lose nothing: whole multiples of the least float, in limbs of 32 bits. They take half a kilobyte
 * each, so they are for those few groups whose sums a pair of floats cannot hold.
 */
import { nearestQuotient } from '../../base/nearest-float.ts';
import type { Budget } from '../budget.ts';

/** The least positive float is 2 ** -LEAST. */
const LEAST = 1_074;
/** The last limb also has what all numbers together carry beyond the greatest float. */
const LIMBS = 66;
const BASE = 2 ** 32;
/** Limbs are floats: so many additions of less than 2 * BASE are exact. */
const CARRY_EVERY = 2 ** 19;

/** What a part sends of them: the sums of some of its groups, LIMBS floats each. */
export interface WidePartial {
  readonly groups: Uint32Array;
  readonly limbs: Float64Array;
}

export class WideSums {
  readonly #budget: Budget;
  /** By slot, where its limbs begin. */
  #places = new Map<number, number>();
  #limbs = new Float64Array(0);
  #additions = 0;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  has(slot: number): boolean {
    return this.#places.has(slot);
  }

  /** A number that is infinite leaves no sum. */
  add(slot: number, value: number): void {
    if (value === 0) return;
    const at = this.#placeOf(slot);
    addTo(this.#limbs, at, value);
    this.#countAdditions();
  }

  /** Adds what another part found; `places`: the slot of each of its groups. */
  merge({ groups, limbs }: WidePartial, places: Uint32Array): void {
    for (const [nth, group] of groups.entries()) {
      const at = this.#placeOf(places[group]!);
      for (let limb = 0; limb < LIMBS; limb++) this.#limbs[at + limb]! += limbs[nth * LIMBS + limb]!;
      this.#countAdditions();
    }
  }

  /** Slots are renumbered. */
  remap(moved: Uint32Array): void {
    this.#places = new Map([...this.#places].map(([slot, at]) => [moved[slot]!, at]));
  }

  /** The sums of those of the slots that have one; null of none. */
  pick(slots: Uint32Array): WidePartial | null {
    if (this.#places.size === 0) return null;
    this.#carry();
    const groups = Uint32Array.from(slots.keys()).filter((group) => this.has(slots[group]!));
    if (groups.length === 0) return null;
    const limbs = new Float64Array(groups.length * LIMBS);
    for (const [nth, group] of groups.entries()) {
      const at = this.#places.get(slots[group]!)!;
      limbs.set(this.#limbs.subarray(at, at + LIMBS), nth * LIMBS);
    }
    return { groups, limbs };
  }

  /** The sum over a divisor, rounded; NaN where a number was infinite. */
  quotient(slot: number, divisor: number): number {
    const at = this.#places.get(slot)!;
    let sum = 0n;
    for (let limb = LIMBS - 1; limb >= 0; limb--) {
      const digits = this.#limbs[at + limb]!;
      if (Number.isNaN(digits)) return NaN;
      sum = (sum << 32n) + BigInt(digits);
    }
    return nearestQuotient(sum, LEAST, divisor);
  }

  #placeOf(slot: number): number {
    const known = this.#places.get(slot);
    if (known !== undefined) return known;
    const at = this.#places.size * LIMBS;
    if (at === this.#limbs.length) this.#grow();
    this.#places.set(slot, at);
    return at;
  }

  #grow(): void {
    const old = this.#limbs;
    const length = Math.max(LIMBS, old.length * 2);
    this.#budget.take(length * 8);
    this.#limbs = new Float64Array(length);
    this.#limbs.set(old);
    this.#budget.release(old.byteLength);
  }

  #countAdditions(): void {
    if (++this.#additions === CARRY_EVERY) this.#carry();
  }

  #carry(): void {
    this.#additions = 0;
    for (const at of this.#places.values()) carry(this.#limbs, at);
  }
}

const float = new Float64Array(1);
const words = new Uint32Array(float.buffer);

function addTo(limbs: Float64Array, at: number, value: number): void {
  float[0] = value;
  const [low, high] = [words[0]!, words[1]!];
  const exponent = (high >>> 20) & 0x7ff;
  if (exponent === 0x7ff) {
    limbs[at] = NaN;
    return;
  }
  const sign = value < 0 ? -1 : 1;
  const top = (high & 0xfffff) | (exponent === 0 ? 0 : 0x100000);
  const shift = Math.max(exponent, 1) - 1;
  const first = at + (shift >>> 5);
  const scale = 2 ** (shift & 31);
  // 32 bits of the mantissa and 21 bits, each shifted over two limbs.
  const [lower, upper] = [low * scale, top * scale];
  limbs[first]! += sign * (lower % BASE);
  limbs[first + 1]! += sign * (Math.floor(lower / BASE) + (upper % BASE));
  if (upper >= BASE) limbs[first + 2]! += sign * Math.floor(upper / BASE);
}

/** Brings all limbs but the last below BASE. */
function carry(limbs: Float64Array, at: number): void {
  for (let limb = at; limb < at + LIMBS - 1; limb++) {
    const over = Math.floor(limbs[limb]! / BASE);
    limbs[limb]! -= over * BASE;
    limbs[limb + 1]! += over;
  }
}
