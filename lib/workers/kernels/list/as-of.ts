/** `latest … as of each`: what held at the end of every bucket of the range, of what was set in each or before. */
import { kept } from '../../../base/kept.ts';
import { zoneOf } from '../../../dsl/plan/columns.ts';
import type { LatestPlan } from '../../../dsl/plan/plan.ts';
import { bucketIndex, bucketsOf } from '../../../dsl/time/buckets.ts';
import type { TimeUnit } from '../../../dsl/time/units.ts';
import { PairIds } from '../../groups/pair-ids.ts';
import { countsBySlot } from '../../metrics/state-array.ts';
import type { RowContext } from '../../query-context.ts';
import { CELL_BYTES } from '../../budget.ts';

/** Entities in buckets, numbered as they appear. What was set before the range belongs to its first bucket. */
export class Moments {
  readonly #starts: Float64Array;
  readonly #pairs: PairIds;
  /** By entity: one more than the bucket in which it came last, and its number there. Usually it comes again. */
  readonly #buckets;
  readonly #ids;
  /** The bucket of the last row, which usually is that of the next. */
  #bucket = 0;

  constructor(plan: LatestPlan, unit: TimeUnit, context: RowContext) {
    this.#starts = bucketsOf(plan.range, unit, zoneOf(plan)).starts;
    this.#pairs = new PairIds(context);
    this.#buckets = countsBySlot(context);
    this.#ids = countsBySlot(context);
  }

  /** Numbers are below this. */
  get size(): number {
    return this.#pairs.size;
  }

  /** Room for entities below this. */
  resize(entities: number): void {
    this.#buckets.resize(entities);
    this.#ids.resize(entities);
  }

  idOf(entity: number, time: number): number {
    const last = this.#bucket;
    const isSame = (last === 0 || time >= this.#starts[last]!) && !(time >= this.#starts[last + 1]!);
    const bucket = isSame ? last : (this.#bucket = bucketIndex(this.#starts, time));
    if (this.#buckets.values[entity] === bucket + 1) return this.#ids.values[entity]!;
    this.#buckets.values[entity] = bucket + 1;
    return (this.#ids.values[entity] = this.#pairs.id(entity, bucket));
  }

  entityOf(id: number): number {
    return this.#pairs.first(id);
  }

  bucketOf(id: number): number {
    return this.#pairs.second(id);
  }
}

/** By row, bucket after bucket: which of the values holds, and a time in the bucket. */
export interface HeldValues {
  readonly at: Uint32Array;
  readonly times: Float64Array;
}

/** @param set Values in the order in which they were set. */
export function heldAtEnds(
  plan: LatestPlan,
  unit: TimeUnit,
  set: readonly { readonly entity: string; readonly bucket: number }[],
  { budget, checkpoint }: RowContext,
): HeldValues {
  const { starts } = bucketsOf(plan.range, unit, zoneOf(plan));
  const inBucket: number[][] = Array.from(starts, () => []);
  for (const [at, { bucket }] of set.entries()) inBucket[bucket]?.push(at);
  /** Entities as they appear, and by their numbers what each holds. */
  const numbers = new Map<string, number>();
  const held = new Uint32Array(set.length);
  const ends = inBucket.map((own) => {
    checkpoint();
    for (const at of own) held[kept(numbers, set[at]!.entity, () => numbers.size)] = at;
    budget.take(numbers.size * 2 * CELL_BYTES); // these, and all of them in one array
    return held.slice(0, numbers.size);
  });
  const rows = ends.reduce((sum, { length }) => sum + length, 0);
  const made = { at: new Uint32Array(rows), times: new Float64Array(rows) };
  let from = 0;
  for (const [bucket, own] of ends.entries()) {
    made.at.set(own, from);
    made.times.fill(Math.max(starts[bucket]!, plan.range.from), from, (from += own.length));
  }
  return made;
}
