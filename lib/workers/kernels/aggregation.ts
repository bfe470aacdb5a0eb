/** Metrics over rows by groups: takes the rows of one part, set by set, and returns one partial. */
import type { Group, Metric } from '../../dsl/plan/plan.ts';
import { tooManyGroups } from '../budget.ts';
import type { TypeCounts } from '../../shards/segment/type-counts.ts';
import type { Accumulator } from '../metrics/metric-state.ts';
import { sourcesOf, STATES } from '../metrics/registry.ts';
import { CountAccumulator, PresenceAccumulator } from '../metrics/count.ts';
import type { RowContext } from '../query-context.ts';
import type { ValueDictionary } from '../rows/field-column.ts';
import type { RowSet } from '../rows/row-set.ts';
import { ALL, type Filter } from '../where/filter.ts';
import { axisOf, sharedBuckets, type Axis } from '../groups/axis.ts';
import { FieldIds } from '../groups/field-ids.ts';
import { bucketKeys, fieldKeys } from '../metrics/group-keys.ts';
import type { GroupKeys, GroupsPartial } from '../metrics/metric-partial.ts';
import { mergeMetrics } from '../metrics/merge-metrics.ts';
import type { PlanOf } from './contract.ts';
import { groupTable } from './group-rows.ts';
import type { Table } from '../../dsl/plan/table.ts';
import { positionsOf } from '../groups/positions.ts';
import { Scan } from '../groups/scan.ts';
import { Slots } from '../groups/slots.ts';
import type { SourceRows } from '../groups/source-rows.ts';

export interface RowsToAdd extends SourceRows {
  readonly rows: RowSet;
  readonly filter: Filter;
}

export class Aggregation {
  readonly #groups: readonly Group[];
  readonly #context: RowContext;
  readonly #axis: Axis;
  readonly #fields: readonly FieldIds[];
  readonly #slots: Slots;
  readonly #rowCounts: CountAccumulator;
  readonly #accumulators: readonly Accumulator[];
  readonly #states: NonNullable<Accumulator['states']>;

  constructor(groups: readonly Group[], metrics: readonly Metric[], context: RowContext) {
    this.#groups = groups;
    this.#context = context;
    this.#axis = axisOf(groups, context.plan.range, context.zone);
    this.#fields = groups.flatMap((group) => (group.kind === 'field' ? [new FieldIds(group.field, context)] : []));
    this.#slots = new Slots(this.#axis.count, this.#fields, context, {
      remap: (moved, count) => {
        for (const one of this.#accumulators) one.remap?.(moved, count);
        for (const state of this.#states) state.remap(moved, count);
      },
      resize: (count) => this.#resize(count),
      used: (slot) => this.#rowCounts.has(slot),
    });
    const shared = sharedBuckets(this.#axis, context.elsewhere);
    const isCounted = metrics.length === 0 || metrics.some(({ kind }) => kind === 'count');
    this.#rowCounts = isCounted ? new CountAccumulator(context) : new PresenceAccumulator(context);
    this.#accumulators = sourcesOf(metrics).sources.map((source) =>
      source.kind === 'count'
        ? this.#rowCounts
        : STATES[source.kind].accumulate(source.field, { slots: this.#slots, context, shared }),
    );
    this.#states = this.#accumulators.flatMap(({ states }) => states ?? []);
  }

  add({ rows, list, from, to, filter }: RowsToAdd): void {
    if (from >= to || (filter.kind === 'constant' && filter.value === 0)) return;
    const positions = positionsOf(rows, list, { from, to }, this.#axis.starts);
    let scan = new Scan(rows, positions, filter, this.#context);
    const ids = this.#slots.prepare(rows, positions);
    // In a hash table every slot is a group of the answer: only rows that pass may create one.
    if (this.#slots.hashed) scan = new Scan(rows, scan.selected(), ALL, this.#context);
    scan.slots = this.#slots.enter(ids, rows.rows, scan.positions);
    this.#resize(this.#slots.count);
    for (const one of this.#accumulators) one.add(scan, this.#slots);
  }

  /** Adds rows when only their number per value of the one group is known. Only if nothing but rows is counted. */
  addCounts(dictionary: ValueDictionary, { codes, rows }: TypeCounts): boolean {
    const [field] = this.#fields;
    if (field === undefined || this.#groups.length !== 1 || this.#accumulators.length !== 1) return false;
    const table = field.adopt(dictionary);
    this.#slots.makeRoom();
    if (this.#slots.hashed) return false;
    this.#resize(this.#slots.count);
    for (let i = 0; i < codes.length; i++)
      this.#rowCounts.addTo(table === null ? codes[i]! : table[codes[i]!]!, rows[i]!);
    return true;
  }

  /** All later rows are at or after this time. */
  advance(time: number): void {
    const { starts } = this.#axis;
    // With several groups a slot is more than its bucket: their sets stay open.
    if (starts === null || this.#groups.length !== 1) return;
    let bucket = 0;
    while (bucket + 1 < starts.length && starts[bucket + 1]! <= time) bucket++;
    for (const one of this.#accumulators) one.close?.(bucket);
  }

  #resize(count: number): void {
    for (const state of this.#states) state.resize(count);
  }

  partial(): GroupsPartial {
    const slots = this.#usedSlots();
    const places = this.#groups.map((group, at) => this.#keyOf(group, at, slots));
    return { groups: slots.length, keys: places, metrics: this.#accumulators.map((one) => one.partial(slots)) };
  }

  #usedSlots(): Uint32Array {
    const { count } = this.#slots;
    const used = new Uint32Array(count);
    let length = 0;
    for (let slot = 0; slot < count; slot++) if (this.#rowCounts.has(slot)) used[length++] = slot;
    if (length > this.#context.maxGroups) throw tooManyGroups(this.#context.maxGroups);
    return used.slice(0, length);
  }

  #keyOf(group: Group, at: number, slots: Uint32Array): GroupKeys {
    if (group.kind === 'bucket') return bucketKeys(this.#slots.buckets(slots), at, this.#axis, this.#context);
    const place = this.#groups.slice(0, at).filter(({ kind }) => kind === 'field').length;
    return fieldKeys(this.#slots.ids(slots, place), this.#fields[place]!, this.#context);
  }
}

/** The table of metrics over rows that one thread has. */
export function metricsTable(
  plan: PlanOf<'users' | 'latest'>,
  source: Omit<RowsToAdd, 'list'>,
  context: RowContext,
): Table {
  const aggregation = new Aggregation(plan.groups, plan.metrics, context);
  aggregation.add({ ...source, list: null });
  return groupTable(plan, mergeMetrics([aggregation.partial()], plan.groups.length, plan.metrics, context));
}
