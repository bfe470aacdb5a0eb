/**
 * Persons by the number of days on which they did the event. A few days are bits of a mask per person, which parts merge; one
 * part goes through many days in order and counts those that are new to a person.
 */
import { columnsOf, zoneOf } from '../../../dsl/plan/columns.ts';
import { finishTable } from '../../../dsl/finish/finish.ts';
import type { People, StickinessPlan } from '../../../dsl/plan/plan.ts';
import type { Table } from '../../../dsl/plan/table.ts';
import { bucketsOf } from '../../../dsl/time/buckets.ts';
import { primitives } from '../../../primitives/memory.ts';
import { countsBySlot, numbersBySlot, type SlotState } from '../../metrics/state-array.ts';
import { bitsOf } from '../../metrics/unique/bit-sets.ts';
import { countNarrow, WORD_BITS, type MaskArray } from '../../persons/person-masks.ts';
import { eachTimed } from '../../persons/select-events.ts';
import { usesMasks } from '../../plan-parts.ts';
import type { RowContext } from '../../query-context.ts';
import type { Kernel } from '../contract.ts';
import { FoundPeople, peopleTable } from '../people.ts';
import { maskedKernel, sweptKernel, type Bucketed } from './bucket-kernels.ts';
import { CHECK_EVERY } from '../../check-every.ts';

export function stickinessKernel(plan: StickinessPlan): Kernel {
  const { event, where, range, zone } = plan;
  const { starts } = bucketsOf(range, 'day', zoneOf({ zone }));
  const events = { wanted: { event, where: [where], starts }, time: range };
  if (plan.people !== undefined) return daysKernel(plan, plan.people, events);
  if (usesMasks(plan)) return maskedKernel(events, (words, context) => answer(plan, countDays(words, context)));
  return sweptKernel(events, (context) => {
    const [days, last] = [countsBySlot(context), countsBySlot(context)];
    for (const state of [days, last]) state.resize(context.identity().size);
    return {
      // Plain form: `if (last[persons[i]] !== day) { last[persons[i]] = day; days[persons[i]]++ }`, with days from 1.
      visit: ({ persons, count, bucket }) =>
        primitives.countBuckets(persons, count, bucket + 1, last.address, days.address),
      table: () => answer(plan, personsByDays(days)),
    };
  });
}

/** Those with so many days, and when they did it last. */
function daysKernel(plan: StickinessPlan, { nth }: People, events: Bucketed): Kernel {
  return sweptKernel(events, (context) => {
    const [days, last, times] = [countsBySlot(context), countsBySlot(context), numbersBySlot(context, -Infinity)];
    const persons = context.identity().size;
    for (const state of [days, last, times]) state.resize(persons);
    return {
      visit: ({ persons: of, count, bucket }) =>
        primitives.countBuckets(of, count, bucket + 1, last.address, days.address),
      see: (seen) =>
        eachTimed(seen, context, (person, time) => {
          if (time > times.values[person]!) times.values[person] = time;
        }),
      table() {
        const found = new FoundPeople(persons, context);
        for (let person = 1; person < persons; person++) {
          if (days.values[person] === nth) found.add(person, times.values[person]!, 0);
        }
        return peopleTable(plan, found, () => [], context);
      },
    };
  });
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
  for (let at = 0; at < length; at++) {
    if (at % CHECK_EVERY === 0) context.checkpoint();
    let days = 0;
    for (let word = 0; word < words.length; word++) {
      const mask = words[word]![at]!;
      if (mask !== 0) days += bitsOf(mask); // of few, usually
    }
    counts[days]!++;
  }
  return counts;
}

function personsByDays({ values: days }: SlotState<Uint32Array>): Uint32Array {
  let most = 0;
  for (let person = 1; person < days.length; person++) most = Math.max(most, days[person]!);
  const persons = new Uint32Array(most + 1);
  for (let person = 1; person < days.length; person++) persons[days[person]!]!++;
  return persons;
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
