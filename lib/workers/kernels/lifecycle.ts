/**
 * Who is new, returning, resurrected or dormant in each bucket. The buckets of a person: all time before, the bucket before
 * the range, those of the range. Few are bits of a mask per person, which parts join; many are gone through in order by one
 * part, which knows of each person the last one.
 */
import { columnsOf, zoneOf } from '../../dsl/columns.ts';
import { finishTable } from '../../dsl/finish.ts';
import type { LifecyclePlan } from '../../dsl/plan.ts';
import type { Table } from '../../dsl/table.ts';
import { bucketsOf, bucketStart } from '../../dsl/time/buckets.ts';
import { LoopInputs } from '../loops/generate.ts';
import { fitsMask } from '../persons/bucket-count.ts';
import { BucketSweep, type Swept } from '../persons/bucket-sweep.ts';
import { runLoop } from '../persons/person-loop.ts';
import { countMasks, joinMasks, PersonMasks, type MaskArray } from '../persons/person-masks.ts';
import type { EventsWanted } from '../persons/select-events.ts';
import { selectPersons } from '../persons/select-persons.ts';
import type { QueryContext } from '../query-context.ts';
import { readRange } from '../read-range.ts';
import { bindKernel, only, onlyTable, type BoundKernel, type Kernel } from './contract.ts';

export function lifecycleKernel(plan: LifecyclePlan): BoundKernel {
  return lifecycleFitsMask(plan) ? bindKernel(maskedLifecycle(plan)) : bindKernel(sweptLifecycle(plan));
}

/** Whether parts can be joined; else there is to be one. */
export function lifecycleFitsMask(plan: LifecyclePlan): boolean {
  return fitsMask(plan.range, plan.unit, zoneOf(plan), BEFORE);
}

/** Buckets that stand before those of the range. */
const BEFORE = 2;

interface Masked {
  readonly masks: PersonMasks;
  readonly context: QueryContext;
}

function maskedLifecycle(plan: LifecyclePlan): Kernel<Masked, MaskArray> {
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
    partial: ({ masks }) => ({ kind: 'masks', masks: masks.masks }),
    merge: (partials, context) =>
      joinMasks(
        only('masks', partials).map(({ masks }) => masks),
        context,
      ),
    finish(masks) {
      const states = new States(labels.length);
      countMasks(masks, (mask, persons) => states.addMask(mask, persons));
      return answer(plan, labels, states);
    },
  };
}

interface Sweeping {
  readonly sweep: BucketSweep<null>;
  readonly states: States;
  readonly context: QueryContext;
}

function sweptLifecycle(plan: LifecyclePlan): Kernel<Sweeping, Table> {
  const { wanted, starts, labels } = bucketsWanted(plan);
  return {
    order: 'oldest',
    init(context) {
      const { size } = context.identity();
      const states = new States(labels.length);
      context.budget.take(size * 4 + states.counts.byteLength);
      const last = new Uint32Array(size); // the last bucket of a person, and one
      const visit = (bucket: number, swept: readonly Swept<null>[]): void =>
        swept.forEach((one) => sweepBucket(one, bucket, { last, counts: states.counts }, context));
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
 * Plain form: at the first row of person p in a bucket `counts[bucket][stateAfter(last[p])]++; last[p] = bucket`. Buckets
 * are counted from 1 in `last`, so that 0 is never; nobody is no person.
 */
function sweepBucket(
  { persons: of, list, span }: Swept<null>,
  bucket: number,
  { last, counts }: { readonly last: Uint32Array; readonly counts: Uint32Array },
  context: QueryContext,
): void {
  const inputs = new LoopInputs();
  const [persons, lasts] = [of, last].map((array) => inputs.name(array));
  const state = `was === 0 ? ${NEW} : was === a - 1 ? ${RETURNING} : ${RESURRECTED}`;
  const body = `const p = ${persons}[i], was = ${lasts}[p]; if (was !== a && p !== 0) { ${lasts}[p] = a; out[b + (${state})]++; }`;
  const numbers = (): { a: number; b: number } => ({ a: bucket + 1, b: bucket * STATES });
  runLoop([span], { body, inputs, out: counts, list, numbers }, context);
}

/** In the order of the columns. */
const NEW = 0;
const RETURNING = 1;
const RESURRECTED = 2;
const DORMANT = 3;
const STATES = 4;

/** Persons by bucket (those before the range and one after it too) and state. */
class States {
  readonly counts: Uint32Array;
  readonly #buckets: number;

  constructor(buckets: number) {
    this.#buckets = buckets + BEFORE;
    this.counts = new Uint32Array((this.#buckets + 1) * STATES);
  }

  addMask(mask: number, persons: number): void {
    for (let rest = mask | (mask << 1); rest !== 0; rest &= rest - 1) {
      const bucket = 31 - Math.clz32(rest & -rest);
      const earlier = bucket === 0 ? 0 : mask << (32 - bucket); // what lies below the bucket
      const active = (mask >>> bucket) & 1;
      const before = earlier >>> 31;
      const state = active === 0 ? DORMANT : before === 1 ? RETURNING : earlier === 0 ? NEW : RESURRECTED;
      this.counts[bucket * STATES + state]! += persons;
    }
  }

  /** Of a sweep: whoever was active in the bucket before and did not return. */
  findDormant(): void {
    const { counts } = this;
    for (let bucket = 1; bucket < this.#buckets; bucket++) {
      const before = (bucket - 1) * STATES;
      const active = counts[before + NEW]! + counts[before + RETURNING]! + counts[before + RESURRECTED]!;
      counts[bucket * STATES + DORMANT] = active - counts[bucket * STATES + RETURNING]!;
    }
  }

  /** New, returning, resurrected, dormant of a bucket of the range. */
  of(bucket: number): number[] {
    const at = (bucket + BEFORE) * STATES;
    return [...this.counts.subarray(at, at + STATES)];
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

function answer(plan: LifecyclePlan, labels: readonly string[], states: States): Table {
  return finishTable(
    plan,
    columnsOf(plan),
    labels.map((label, bucket) => [label, ...states.of(bucket)]),
  );
}
