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
import { countsBySlot, type SlotState } from '../../metrics/state-array.ts';
import { BucketSweep, type Swept } from '../../persons/bucket-sweep.ts';
import { fitsMasks } from '../../persons/fits-masks.ts';
import { forPersons } from '../../persons/person-blocks.ts';
import { countNarrow, joinMasks, PersonMasks, type MaskArray } from '../../persons/person-masks.ts';
import type { EventsWanted } from '../../persons/select-events.ts';
import { selectPersons } from '../../persons/select-persons.ts';
import type { QueryContext, RowContext } from '../../query-context.ts';
import { readRange } from '../../read-range.ts';
import { bindKernel, only, onlyTable, type BoundKernel, type Kernel } from '../contract.ts';
import { LifecycleStates, NEW, RESURRECTED, RETURNING, STATES } from './lifecycle-states.ts';

export function lifecycleKernel(plan: LifecyclePlan): BoundKernel {
  return lifecycleFitsMasks(plan) ? bindKernel(maskedLifecycle(plan)) : bindKernel(sweptLifecycle(plan));
}

/** Whether parts can be merged; otherwise there must be only one. */
export function lifecycleFitsMasks(plan: LifecyclePlan): boolean {
  return fitsMasks(plan.range, plan.unit);
}

/** Buckets before those of the range. */
const BEFORE = 2;
const CHECK_EVERY = 65_536;

interface Masked {
  readonly masks: PersonMasks;
  readonly context: QueryContext;
}

/** `last`: a person's last bucket + 1. `found`: counts of one bucket, briefly. */
interface SweptStates {
  readonly last: SlotState<Uint32Array>;
  readonly found: SlotState<Uint32Array>;
  readonly counts: Uint32Array;
}

function maskedLifecycle(plan: LifecyclePlan): Kernel<Masked, readonly MaskArray[]> {
  const { wanted, labels } = bucketsWanted(plan);
  return {
    order: 'oldest',
    init: (context) => ({
      masks: new PersonMasks(context.identity().size, labels.length + BEFORE, context),
      context,
    }),
    consume({ masks, context }, rows, range) {
      masks.add(selectPersons(rows, { ...range, time: readRange(plan) }, wanted, context));
    },
    partial: ({ masks }) => ({ kind: 'masks', words: masks.words() }),
    merge: (partials, context) =>
      joinMasks(
        only('masks', partials).map(({ words }) => words),
        context,
      ),
    finish(words, context) {
      const states = new LifecycleStates(labels.length + BEFORE);
      countStates(words, states, context);
      return answer(plan, labels, states);
    },
  };
}

function countStates(words: readonly MaskArray[], states: LifecycleStates, context: RowContext): void {
  const [only] = words;
  if (only instanceof Uint16Array) {
    countNarrow(only).forEach((persons, mask) => {
      if (persons > 0) states.addWord(0, mask, { before: 0, ever: false, persons });
    });
    return;
  }
  const persons = only?.length ?? 0;
  for (let person = 1; person < persons; person++) {
    if (person % CHECK_EVERY === 0) context.checkpoint();
    let before = 0;
    let ever = false;
    for (let word = 0; word < words.length; word++) {
      const mask = words[word]![person]!;
      if (mask !== 0 || before !== 0) states.addWord(word, mask, { before, ever, persons: 1 });
      before = mask >>> 31;
      ever ||= mask !== 0;
    }
  }
}

interface Sweeping {
  readonly sweep: BucketSweep<null>;
  readonly states: LifecycleStates;
  readonly context: QueryContext;
}

function sweptLifecycle(plan: LifecyclePlan): Kernel<Sweeping, Table> {
  const { wanted, starts, labels } = bucketsWanted(plan);
  return {
    order: 'oldest',
    init(context) {
      const { size } = context.identity();
      const states = new LifecycleStates(labels.length + BEFORE);
      context.budget.take(states.counts.byteLength);
      const [last, found] = [countsBySlot(context), countsBySlot(context)];
      last.resize(size);
      found.resize(STATES);
      const visit = (bucket: number, swept: readonly Swept<null>[]): void =>
        swept.forEach((one) => sweepBucket(one, bucket, { last, found, counts: states.counts }, context));
      return { states, context, sweep: new BucketSweep(starts, context.budget, visit) };
    },
    consume({ sweep, context }, rows, range) {
      sweep.advance(rows.segment.first);
      sweep.add(selectPersons(rows, { ...range, time: readRange(plan) }, wanted, context), null);
    },
    partial({ sweep, states }) {
      sweep.finish();
      states.findDormant();
      return { kind: 'table', table: answer(plan, labels, states) };
    },
    merge: onlyTable,
    finish: (table) => table,
  };
}

/**
 * Plain form: at the first row of person p in a bucket `counts[bucket][stateAfter(last[p])]++; last[p] = bucket`. Buckets are
 * counted from 1 in `last`, so that 0 means never; nobody is no person.
 */
function sweepBucket(
  { persons: of, list, span }: Swept<null>,
  bucket: number,
  { last, found, counts }: SweptStates,
  context: QueryContext,
): void {
  forPersons({ persons: of, list, spans: [span] }, context, ({ persons, count }) => {
    primitives.countReturns(persons, count, bucket + 1, last.address, found.address);
  });
  for (const [at, state] of [NEW, RETURNING, RESURRECTED].entries()) {
    counts[bucket * STATES + state]! += found.values[at]!;
    found.values[at] = 0;
  }
}

function bucketsWanted(plan: LifecyclePlan): {
  readonly wanted: EventsWanted;
  readonly starts: Float64Array;
  readonly labels: readonly string[];
} {
  const { event, where, range, unit } = plan;
  const zone = zoneOf(plan);
  const { starts: own, labels } = bucketsOf(range, unit, zone);
  const starts = Float64Array.from([-Infinity, bucketStart(zone, unit, own[0]! - 1), ...own]);
  return { wanted: { event, where: [where], starts }, starts, labels };
}

function answer(plan: LifecyclePlan, labels: readonly string[], states: LifecycleStates): Table {
  return finishTable(
    plan,
    columnsOf(plan),
    labels.map((label, bucket) => [label, ...states.of(bucket + BEFORE)]),
  );
}
