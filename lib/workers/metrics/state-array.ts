/** Arrays of state by slot: they grow with the slots, and follow them when they are renumbered. */
import type { Budget } from '../budget.ts';
import { NOWHERE } from '../groups/slots.ts';

type StateArray = Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

export class SlotState<A extends StateArray> {
  values: A;
  readonly #make: (length: number) => A;
  readonly #initial: number;
  readonly #budget: Budget;

  constructor(make: (length: number) => A, initial: number, budget: Budget) {
    this.#make = make;
    this.#initial = initial;
    this.#budget = budget;
    this.values = make(0);
  }

  /** Room for `count` slots. */
  resize(count: number): void {
    const old = this.values;
    if (count <= old.length) return;
    this.values = this.#fresh(old.length === 0 ? count : Math.max(count, old.length * 2));
    this.values.set(old);
    this.#budget.release(old.byteLength);
  }

  remap(moved: Uint32Array, count: number): void {
    const old = this.values;
    this.values = this.#fresh(Math.max(count, 1));
    for (let slot = 0; slot < moved.length && slot < old.length; slot++) {
      if (moved[slot] !== NOWHERE) this.values[moved[slot]!] = old[slot]!;
    }
    this.#budget.release(old.byteLength);
  }

  /** The state of these slots, in an array of its own. */
  pick(slots: Uint32Array): A {
    const picked = this.#make(slots.length);
    for (let i = 0; i < slots.length; i++) picked[i] = this.values[slots[i]!] ?? this.#initial;
    return picked;
  }

  #fresh(length: number): A {
    const array = this.#make(length);
    this.#budget.take(array.byteLength);
    if (this.#initial !== 0) array.fill(this.#initial);
    return array;
  }
}

export function numbersBySlot(budget: Budget, initial = 0): SlotState<Float64Array<ArrayBuffer>> {
  return new SlotState((length) => new Float64Array(length), initial, budget);
}

export function countsBySlot(budget: Budget): SlotState<Uint32Array<ArrayBuffer>> {
  return new SlotState((length) => new Uint32Array(length), 0, budget);
}
