/** Arrays of state by slot, in the thread's memory: they grow with the slots and follow their renumbering. */
import { FLOATS, WORDS, type ColumnKind } from '../../primitives/columns.ts';
import { Lease, primitives, type MemoryArray } from '../../primitives/memory.ts';
import { NOWHERE } from '../groups/slots.ts';
import type { RowContext } from '../query-context.ts';

/** Where state is kept. */
export type StateOwner = Pick<RowContext, 'budget' | 'memory'>;

export class SlotState<A extends MemoryArray> {
  values: A;
  readonly #kind: ColumnKind<A>;
  readonly #initial: number;
  readonly #owner: StateOwner;

  constructor(kind: ColumnKind<A>, initial: number, owner: StateOwner) {
    this.#kind = kind;
    this.#initial = initial;
    this.#owner = owner;
    this.values = kind.at(0, 0);
  }

  get address(): number {
    return this.values.byteOffset;
  }

  /** Room for `count` slots. */
  resize(count: number): void {
    const old = this.values;
    if (count <= old.length) return;
    this.values = this.#fresh(old.length === 0 ? count : Math.max(count, old.length * 2));
    this.values.set(old);
    this.#letGo(old);
  }

  remap(moved: Uint32Array, count: number): void {
    const old = this.values;
    this.values = this.#fresh(Math.max(count, 1));
    for (let slot = 0; slot < moved.length && slot < old.length; slot++) {
      if (moved[slot] !== NOWHERE) this.values[moved[slot]!] = old[slot]!;
    }
    this.#letGo(old);
  }

  /** The state of these slots, in an array of its own. */
  pick(slots: Uint32Array): Float64Array {
    const picked = this.#owner.memory.floats(slots.length);
    for (let i = 0; i < slots.length; i++) picked[i] = this.values[slots[i]!] ?? this.#initial;
    return picked;
  }

  /** Releases the memory; it must not be used afterwards. */
  release(): void {
    this.#letGo(this.values);
    this.values = this.#kind.at(0, 0);
  }

  #fresh(length: number): A {
    const bytes = length * this.#kind.size;
    this.#owner.budget.take(bytes);
    const array = this.#kind.at(this.#owner.memory.take(bytes), length);
    array.fill(this.#initial);
    return array;
  }

  #letGo(old: A): void {
    if (old.length === 0) return;
    this.#owner.budget.release(old.byteLength);
    this.#owner.memory.give(old.byteOffset);
  }
}

export function numbersBySlot(owner: StateOwner, initial = 0): SlotState<Float64Array> {
  return new SlotState(FLOATS, initial, owner);
}

export function countsBySlot(owner: StateOwner): SlotState<Uint32Array> {
  return new SlotState(WORDS, 0, owner);
}

/** The places of words in the memory that are not 0, ascending. */
export function usedPlaces({ byteOffset, length }: Uint32Array, memory: StateOwner['memory']): Uint32Array {
  using lease = new Lease();
  const found = lease.words(length);
  const used = memory.words(primitives.pickUsed(byteOffset, length, found.byteOffset));
  used.set(found.subarray(0, used.length));
  return used;
}
