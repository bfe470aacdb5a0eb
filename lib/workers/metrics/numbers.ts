/** All numbers of each group, for percentiles. */
import type { Field } from '../../dsl/plan/plan.ts';
import type { Hold } from '../../primitives/columns.ts';
import { addressOfArray, floatsAt, type Lease, primitives, Scratch, wordsAt } from '../../primitives/memory.ts';
import type { Budget } from '../budget.ts';
import type { Scan } from '../groups/scan.ts';
import { NOWHERE, type Slots } from '../groups/slots.ts';
import type { MetricPartial } from './metric-partial.ts';
import {
  numbersOfGroups,
  type Accumulator,
  type Merging,
  type MetricState,
  type StatePartial,
  type ValuesOf,
} from './metric-state.ts';
import type { RowContext } from '../query-context.ts';
import { forNumbers, type NumberBlock } from './numeric.ts';
import { percentile } from './percentile.ts';

/**
 * The numbers values[from] to values[to - 1]. The slot of values[k] is slots[k - from], in the memory that the query holds, or
 * `base` for all without slots.
 */
interface Chunk extends Omit<NumberBlock, 'base' | 'address'> {
  base: number;
}

class NumbersAccumulator implements Accumulator {
  readonly #field: Field;
  readonly #budget: Budget;
  readonly #memory: Hold;
  readonly #chunks: Chunk[] = [];

  constructor(field: Field, { budget, memory }: RowContext) {
    this.#field = field;
    this.#budget = budget;
    this.#memory = memory;
  }

  /** Numbers stay where they are until the end: columns do not change. */
  add(scan: Scan, slots: Slots): void {
    forNumbers(scan, slots, this.#field, ({ values, from, to, base, slots: own }) => {
      this.#budget.take((to - from) * (8 + 8 + 4)); // the number, a copy of it when it is laid out by group, its slot
      this.#chunks.push({ values, from, to, base, slots: own === null ? null : this.#kept(own) });
    });
  }

  remap(moved: Uint32Array): void {
    for (const chunk of this.#chunks) {
      if (chunk.slots === null) chunk.base = moved[chunk.base]!;
      else for (let i = 0; i < chunk.slots.length; i++) chunk.slots[i] = moved[chunk.slots[i]!]!;
    }
  }

  /** Lays the numbers out by group with a counting sort. */
  partial(slots: Uint32Array): MetricPartial {
    const room = endOf(slots);
    const counts = this.#memory.take(room * 4);
    const bySlot = wordsAt(counts, room).fill(0); // fewer than 2 ** 32 numbers fit into the memory of a query
    for (const { from, to, base, slots: own } of this.#chunks) {
      if (own === null) bySlot[base]! += to - from;
      else primitives.countCodes(own.byteOffset, 4, own.length, counts, 0);
    }
    const ends = this.#memory.floats(slots.length);
    let end = 0;
    for (let group = 0; group < slots.length; group++) {
      const [slot, begin] = [slots[group]!, end];
      ends[group] = end += bySlot[slot]!;
      bySlot[slot] = begin; // where its next number goes
    }
    const values = this.#memory.floats(end);
    for (const chunk of this.#chunks) layOut(chunk, counts, values.byteOffset);
    this.#memory.give(counts);
    return { kind: 'numbers', ends, values };
  }

  #kept(slots: Uint32Array): Uint32Array {
    const kept = wordsAt(this.#memory.take(slots.byteLength), slots.length);
    kept.set(slots);
    return kept;
  }
}

/** Writes the numbers of a chunk behind those of their slots; `next`: by slot, where its next number goes. */
function layOut({ values, from, to, base, slots }: Chunk, next: number, out: number): void {
  const own = values.subarray(from, to);
  if (slots !== null) {
    primitives.layOutNumbers(addressOfArray(own, room), slots.byteOffset, own.length, next, out);
    return;
  }
  const places = wordsAt(next, base + 1);
  floatsAt(out + places[base]! * 8, own.length).set(own);
  places[base]! += own.length;
}

const room = new Scratch();

/** Slot → its index in `slots`. */
export function groupBySlot(slots: Uint32Array, lease: Lease): Uint32Array {
  const groups = lease.words(endOf(slots)).fill(NOWHERE);
  for (let g = 0; g < slots.length; g++) groups[slots[g]!] = g;
  return groups;
}

/** The one after the last slot. */
function endOf(slots: Uint32Array): number {
  let end = 0;
  for (let at = 0; at < slots.length; at++) end = Math.max(end, slots[at]! + 1);
  return end;
}

/** Where the numbers of each merged group are: there may be many, so they stay in the parts. */
interface NumberRuns {
  readonly parts: readonly StatePartial<'numbers'>[];
  /** The runs of group g end at ends[g] - 1 and begin where the previous group's end. */
  readonly ends: Uint32Array;
  /** By run: its part and its group there. */
  readonly part: Uint32Array;
  readonly group: Uint32Array;
}

function mergeNumbers(
  parts: readonly StatePartial<'numbers'>[],
  { groups, limits: { memory } }: Merging,
): ValuesOf<'numbers'> {
  // A field that these events do not have is asked for by mistake, often by many groups.
  if (parts.every(({ values }) => values.length === 0))
    return { percentile: (_unit, _p, only) => new Float64Array(only?.length ?? groups.count).fill(NaN) };
  const ends = memory.words(groups.count).fill(0);
  for (const places of groups.places) for (let group = 0; group < places.length; group++) ends[places[group]!]!++;
  for (let place = 1; place < ends.length; place++) ends[place]! += ends[place - 1]!;
  const count = ends.at(-1) ?? 0;
  const runs = { parts, ends, part: memory.words(count), group: memory.words(count) };
  const next = memory.words(ends.length);
  next.set(ends);
  for (const [part, places] of groups.places.entries()) {
    for (let group = 0; group < places.length; group++) {
      const at = --next[places[group]!]!;
      runs.part[at] = part;
      runs.group[at] = group;
    }
  }
  return {
    percentile: (unit, p, only) =>
      numbersOfGroups(only, groups.count, (place) => {
        const own = runsOf(runs, place);
        return own.length === 0 ? NaN : percentile(own, p) / unit;
      }),
  };
}

function runsOf({ parts, ends, part, group }: NumberRuns, place: number): Float64Array[] {
  const runs: Float64Array[] = [];
  for (let at = place === 0 ? 0 : ends[place - 1]!; at < ends[place]!; at++) {
    const own = parts[part[at]!]!;
    const run = own.values.subarray(group[at] === 0 ? 0 : own.ends[group[at]! - 1]!, own.ends[group[at]!]!);
    if (run.length > 0) runs.push(run);
  }
  return runs;
}

export const numbersState: MetricState<'numbers'> = {
  accumulate: (field, { context }) => new NumbersAccumulator(field, context),
  merge: mergeNumbers,
};
