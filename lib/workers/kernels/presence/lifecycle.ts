/**
 * Who is new, returning, resurrected or dormant in each bucket. A person's buckets: all earlier time, the bucket before the
 * range, those of the range. A few buckets are bits of a mask per person, which parts merge; one part goes through many in order,
 * and remembers each person's last one.
 */
import { columnsOf, zoneOf } from '../../../dsl/plan/columns.ts';
import { finishTable } from '../../../dsl/finish/finish.ts';
import type { LifecyclePlan } from '../../../dsl/plan/plan.ts';
import type { Table } from '../../../dsl/plan/table.ts';
import { bucketsOf, bucketStart } from '../../../dsl/time/buckets.ts';
import { primitives } from '../../../primitives/memory.ts';
import { countsBySlot } from '../../metrics/state-array.ts';
import type { PersonBlock } from '../../persons/person-blocks.ts';
import { countNarrow, type MaskArray, WORD_BITS } from '../../persons/person-masks.ts';
import { usesMasks, readRange } from '../../plan-parts.ts';
import type { QueryContext, RowContext } from '../../query-context.ts';
import type { Kernel } from '../contract.ts';
import { maskedKernel, sweptKernel } from './bucket-kernels.ts';
import { stateKernel } from './state-people.ts';
import { CHECK_EVERY } from '../../check-every.ts';

export function lifecycleKernel(plan: LifecyclePlan): Kernel {
  if (plan.people !== undefined) return stateKernel(plan, plan.people);
  const { event, where, range, unit } = plan;
  const zone = zoneOf(plan);
  const { starts: own, labels } = bucketsOf(range, unit, zone);
  // An empty range has no bucket.
  const starts = Float64Array.from([-Infinity, bucketStart(zone, unit, (own[0] ?? range.to) - 1), ...own]);
  const events = { wanted: { event, where: [where], starts }, time: readRange(plan) };
  if (usesMasks(plan)) {
    return maskedKernel(events, (words, context) => {
      const states = new LifecycleStates(starts.length);
      countStates(words, states, context);
      return answer(plan, labels, states);
    });
  }
  return sweptKernel(events, (context) => {
    const states = new LifecycleStates(starts.length);
    return {
      visit: sweepInto(states, context),
      table() {
        states.findDormant();
        return answer(plan, labels, states);
      },
    };
  });
}

/** Buckets before those of the range. */
const BEFORE = 2;

function countStates(words: readonly MaskArray[], states: LifecycleStates, context: RowContext): void {
  const [only] = words;
  if (only instanceof Uint16Array) {
    countNarrow(only).forEach((persons, mask) => {
      if (persons > 0) states.addWord(0, mask, { before: 0, ever: false, persons });
    });
    return;
  }
  const persons = only?.length ?? 0;
  for (let at = 0; at < persons; at++) {
    if (at % CHECK_EVERY === 0) context.checkpoint();
    let before = 0;
    let ever = false;
    for (let word = 0; word < words.length; word++) {
      const mask = words[word]![at]!;
      if (mask !== 0 || before !== 0) states.addWord(word, mask, { before, ever, persons: 1 });
      before = mask >>> 31;
      ever ||= mask !== 0;
    }
  }
}

/**
 * Plain form: at the first row of person p in a bucket `counts[bucket][stateAfter(last[p])]++; last[p] = bucket`. Buckets are
 * counted from 1 in `last`, so that 0 means never; nobody is no person.
 */
function sweepInto(states: LifecycleStates, context: QueryContext): (block: PersonBlock) => void {
  context.budget.take(states.counts.byteLength);
  const [last, found] = [countsBySlot(context), countsBySlot(context)];
  last.resize(context.identity().size);
  found.resize(STATES); // of one bucket, briefly
  return ({ persons, count, bucket }) => {
    primitives.countReturns(persons, count, bucket + 1, last.address, found.address);
    for (const [at, state] of [STATE.new, STATE.returning, STATE.resurrected].entries()) {
      states.counts[bucket * STATES + state]! += found.values[at]!;
      found.values[at] = 0;
    }
  };
}

function answer(plan: LifecyclePlan, labels: readonly string[], states: LifecycleStates): Table {
  return finishTable(
    plan,
    columnsOf(plan),
    labels.map((label, bucket) => [label, ...states.of(bucket + BEFORE)]),
  );
}

/** In the order of the columns. */
const STATE = { new: 0, returning: 1, resurrected: 2, dormant: 3 } as const;
const STATES: number = Object.keys(STATE).length;

/** Persons by bucket and their state in it. */
export class LifecycleStates {
  /** By bucket and state, with one more bucket: persons active in the last one would be dormant there. */
  readonly counts: Uint32Array;
  readonly #buckets: number;

  constructor(buckets: number) {
    this.#buckets = buckets;
    this.counts = new Uint32Array((Math.ceil(buckets / WORD_BITS) * WORD_BITS + 1) * STATES);
  }

  /**
   * Adds persons who were active in the buckets of a word, bit k in its k-th.
   * @param before 1: active in the bucket before the word. @param ever Active in any before it.
   */
  addWord(
    word: number,
    mask: number,
    { before, ever, persons }: { before: number; ever: boolean; persons: number },
  ): void {
    const active = (mask << 1) | before; // in the bucket before
    const first = ever ? 0 : mask & -mask;
    const at = word * WORD_BITS * STATES;
    this.#add(mask & first, at + STATE.new, persons);
    this.#add(mask & active, at + STATE.returning, persons);
    this.#add(mask & ~active & ~first, at + STATE.resurrected, persons);
    this.#add(active & ~mask, at + STATE.dormant, persons);
  }

  /** Once the other states are known: persons who were active in the bucket before and did not return are dormant. */
  findDormant(): void {
    const { counts } = this;
    for (let bucket = 1; bucket < this.#buckets; bucket++) {
      const before = (bucket - 1) * STATES;
      const active =
        counts[before + STATE.new]! + counts[before + STATE.returning]! + counts[before + STATE.resurrected]!;
      counts[bucket * STATES + STATE.dormant] = active - counts[bucket * STATES + STATE.returning]!;
    }
  }

  /** New, returning, resurrected, dormant. */
  of(bucket: number): number[] {
    return [...this.counts.subarray(bucket * STATES, (bucket + 1) * STATES)];
  }

  #add(bits: number, at: number, persons: number): void {
    const { counts } = this;
    for (let rest = bits; rest !== 0; rest &= rest - 1) {
      counts[at + (31 - Math.clz32(rest & -rest)) * STATES]! += persons;
    }
  }
}
