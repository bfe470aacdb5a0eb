/**
 * Persons by the number of days on which they did the event. A few days are bits of a mask per person, which parts merge; one
 * part goes through many days in order and counts those that are new to a person.
 */
import { columnsOf, zoneOf } from '../../../dsl/plan/columns.ts';
import { finishTable } from '../../../dsl/finish/finish.ts';
import type { StickinessPlan } from '../../../dsl/plan/plan.ts';
import type { Table } from '../../../dsl/plan/table.ts';
import { bucketsOf } from '../../../dsl/time/buckets.ts';
import { primitives } from '../../../primitives/memory.ts';
import { countsBySlot, type SlotState } from '../../metrics/state-array.ts';
import { BucketSweep, type Swept } from '../../persons/bucket-sweep.ts';
import { fitsMasks } from '../../persons/fits-masks.ts';
import { forPersons } from '../../persons/person-blocks.ts';
import { countNarrow, joinMasks, PersonMasks, WORD_BITS, type MaskArray } from '../../persons/person-masks.ts';
import { selectPersons } from '../../persons/select-persons.ts';
import type { QueryContext, RowContext } from '../../query-context.ts';
import { bindKernel, only, onlyTable, type BoundKernel, type Kernel } from '../contract.ts';

const CHECK_EVERY = 65_536;

export function stickinessKernel(plan: StickinessPlan): BoundKernel {
  return stickinessFitsMasks(plan) ? bindKernel(maskedStickiness(plan)) : bindKernel(sweptStickiness(plan));
}

/** Whether parts can be merged; otherwise there must be only one. */
export function stickinessFitsMasks(plan: StickinessPlan): boolean {
  return fitsMasks(plan.range, 'day');
}

interface Masked {
  readonly masks: PersonMasks;
  readonly context: QueryContext;
}

function maskedStickiness(plan: StickinessPlan): Kernel<Masked, readonly MaskArray[]> {
  const wanted = eventsWanted(plan);
  return {
    order: 'oldest',
    init: (context) => ({ masks: new PersonMasks(context.identity().size, wanted.starts.length, context), context }),
    consume({ masks, context }, rows, range) {
      masks.add(selectPersons(rows, { ...range, time: plan.range }, wanted, context));
    },
    partial: ({ masks }) => ({ kind: 'masks', words: masks.words() }),
    merge: (partials, context) =>
      joinMasks(
        only('masks', partials).map(({ words }) => words),
        context,
      ),
    finish: (words, context) => answer(plan, countDays(words, context)),
  };
}

/** Persons by number of days. */
function countDays(words: readonly MaskArray[], context: RowContext): Uint32Array {
  const counts = new Uint32Array(words.length * WORD_BITS + 1);
  const [only] = words;
  if (only instanceof Uint16Array) {
    countNarrow(only).forEach((count, mask) => (counts[bitsOf(mask)]! += count));
    return counts;
  }
  const length = only?.length ?? 0;
  for (let person = 1; person < length; person++) {
    if (person % CHECK_EVERY === 0) context.checkpoint();
    let days = 0;
    for (let word = 0; word < words.length; word++) days += bitsOf(words[word]![person]!);
    counts[days]!++;
  }
  return counts;
}

interface Sweeping {
  readonly sweep: BucketSweep<null>;
  /** By person. */
  readonly days: SlotState<Uint32Array>;
  readonly context: QueryContext;
}

function sweptStickiness(plan: StickinessPlan): Kernel<Sweeping, Table> {
  const wanted = eventsWanted(plan);
  return {
    order: 'oldest',
    init(context) {
      const { size } = context.identity();
      const [days, last] = [countsBySlot(context), countsBySlot(context)]; // `last` holds a person's last day + 1
      days.resize(size);
      last.resize(size);
      const visit = (bucket: number, swept: readonly Swept<null>[]): void =>
        swept.forEach((one) => countDay(one, bucket + 1, { days, last }, context));
      return { days, context, sweep: new BucketSweep(wanted.starts, context.budget, visit) };
    },
    consume({ sweep, context }, rows, range) {
      sweep.advance(rows.segment.first);
      sweep.add(selectPersons(rows, { ...range, time: plan.range }, wanted, context), null);
    },
    partial({ sweep, days: { values: days } }) {
      sweep.finish();
      let most = 0;
      for (let person = 1; person < days.length; person++) most = Math.max(most, days[person]!);
      const persons = new Uint32Array(most + 1);
      for (let person = 1; person < days.length; person++) persons[days[person]!]!++;
      return { kind: 'table', table: answer(plan, persons) };
    },
    merge: onlyTable,
    finish: (table) => table,
  };
}

/** Plain form: `if (last[persons[i]] !== day) { last[persons[i]] = day; days[persons[i]]++ }`. */
function countDay(
  { persons: of, list, span }: Swept<null>,
  day: number,
  { days, last }: Record<'days' | 'last', SlotState<Uint32Array>>,
  context: QueryContext,
): void {
  forPersons({ persons: of, list, spans: [span] }, context, ({ persons, count }) => {
    primitives.countBuckets(persons, count, day, last.address, days.address);
  });
}

function eventsWanted({ event, where, range, zone }: StickinessPlan): {
  event: StickinessPlan['event'];
  where: [StickinessPlan['where']];
  starts: Float64Array;
} {
  return { event, where: [where], starts: bucketsOf(range, 'day', zoneOf({ zone })).starts };
}

/** @param persons By number of days; those with none do not count. */
function answer(plan: StickinessPlan, persons: Uint32Array): Table {
  const rows: (readonly [number, number])[] = [];
  let total = 0;
  for (let days = 1; days < persons.length; days++) {
    const count = persons[days]!;
    if (count > 0) rows.push([days, count]);
    total += count;
  }
  return finishTable(
    plan,
    columnsOf(plan),
    rows.map(([days, count]) => [days, count, count / total]),
  );
}

/** How many bits are set. */
function bitsOf(mask: number): number {
  const pairs = mask - ((mask >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
