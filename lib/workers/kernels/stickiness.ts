/**
 * Persons by the number of days on which they did the event. Few days are bits of a mask per person, which parts join; of
 * many days one part goes through them in order and counts those that are new to a person.
 */
import { columnsOf, zoneOf } from '../../dsl/columns.ts';
import { finishTable } from '../../dsl/finish.ts';
import type { StickinessPlan } from '../../dsl/plan.ts';
import type { Table } from '../../dsl/table.ts';
import { bucketsOf } from '../../dsl/time/buckets.ts';
import { LoopInputs } from '../loops/generate.ts';
import { fitsMask } from '../persons/bucket-count.ts';
import { BucketSweep, type Swept } from '../persons/bucket-sweep.ts';
import { runLoop } from '../persons/person-loop.ts';
import { countMasks, joinMasks, PersonMasks, type MaskArray } from '../persons/person-masks.ts';
import { selectPersons } from '../persons/select-persons.ts';
import type { QueryContext } from '../query-context.ts';
import { bindKernel, only, onlyTable, type BoundKernel, type Kernel } from './contract.ts';

export function stickinessKernel(plan: StickinessPlan): BoundKernel {
  return stickinessFitsMask(plan) ? bindKernel(maskedStickiness(plan)) : bindKernel(sweptStickiness(plan));
}

/** Whether parts can be joined; else there is to be one. */
export function stickinessFitsMask(plan: StickinessPlan): boolean {
  return fitsMask(plan.range, 'day', zoneOf(plan));
}

interface Masked {
  readonly masks: PersonMasks;
  readonly context: QueryContext;
}

function maskedStickiness(plan: StickinessPlan): Kernel<Masked, MaskArray> {
  const wanted = eventsWanted(plan);
  return {
    order: 'oldest',
    init: (context) => ({ masks: new PersonMasks(context.identity().size, wanted.starts.length, context), context }),
    consume({ masks, context }, rows, range) {
      masks.add(selectPersons(rows, { ...range, time: plan.range }, wanted, context));
    },
    partial: ({ masks }) => ({ kind: 'masks', masks: masks.masks }),
    merge: (partials, context) =>
      joinMasks(
        only('masks', partials).map(({ masks }) => masks),
        context,
      ),
    finish(masks) {
      const users: number[] = [];
      countMasks(masks, (mask, persons) => {
        const days = bitsOf(mask);
        users[days] = (users[days] ?? 0) + persons;
      });
      return answer(plan, users);
    },
  };
}

interface Sweeping {
  readonly sweep: BucketSweep<null>;
  /** By person. */
  readonly days: Uint32Array;
  readonly context: QueryContext;
}

function sweptStickiness(plan: StickinessPlan): Kernel<Sweeping, Table> {
  const wanted = eventsWanted(plan);
  return {
    order: 'oldest',
    init(context) {
      const { size } = context.identity();
      context.budget.take(size * 8);
      const days = new Uint32Array(size);
      const last = new Uint32Array(size); // the last day of a person, and one
      const visit = (bucket: number, swept: readonly Swept<null>[]): void =>
        swept.forEach((one) => countDay(one, bucket + 1, { days, last }, context));
      return { days, context, sweep: new BucketSweep(wanted.starts, context.budget, visit) };
    },
    consume({ sweep, context }, rows, range) {
      sweep.advance(rows.segment.first);
      sweep.add(selectPersons(rows, { ...range, time: plan.range }, wanted, context), null);
    },
    partial({ sweep, days }) {
      sweep.finish();
      const users: number[] = [];
      for (let person = 1; person < days.length; person++) {
        const own = days[person]!;
        if (own > 0) users[own] = (users[own] ?? 0) + 1;
      }
      return { kind: 'table', table: answer(plan, users) };
    },
    merge: onlyTable,
    finish: (table) => table,
  };
}

/** Plain form: `if (last[persons[i]] !== day) { last[persons[i]] = day; days[persons[i]]++ }`. */
function countDay(
  { persons: of, list, span }: Swept<null>,
  day: number,
  state: { readonly days: Uint32Array; readonly last: Uint32Array },
  context: QueryContext,
): void {
  const inputs = new LoopInputs();
  const [persons, last, days] = [of, state.last, state.days].map((array) => inputs.name(array));
  const body = `const p = ${persons}[i]; if (${last}[p] !== a) { ${last}[p] = a; ${days}[p]++; }`;
  runLoop([span], { body, inputs, out: state.days, list, numbers: () => ({ a: day, b: 0 }) }, context);
}

function eventsWanted({ event, where, range, zone }: StickinessPlan): {
  event: StickinessPlan['event'];
  where: [StickinessPlan['where']];
  starts: Float64Array;
} {
  return { event, where: [where], starts: bucketsOf(range, 'day', zoneOf({ zone })).starts };
}

/** @param users By number of days. */
function answer(plan: StickinessPlan, users: readonly number[]): Table {
  let total = 0;
  const rows: (readonly [number, number])[] = [];
  users.forEach((count, days) => {
    total += count;
    rows.push([days, count]);
  });
  return finishTable(
    plan,
    columnsOf(plan),
    rows.map(([days, count]) => [days, count, count / total]),
  );
}

function bitsOf(mask: number): number {
  let bits = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) bits++;
  return bits;
}
