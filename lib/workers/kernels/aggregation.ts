/** Metrics over rows by groups: takes the rows of one part, set by set, and returns one partial. */
import { kept } from '../../base/kept.ts';
import { conditionKey } from '../../dsl/plan/conditions.ts';
import { countedGroups } from '../../dsl/plan/people.ts';
import type { Condition, Group, Metric } from '../../dsl/plan/plan.ts';
import { tooManyGroups, CELL_BYTES } from '../budget.ts';
import type { TypeCounts } from '../../shards/segment/type-rows.ts';
import type { Accumulator } from '../metrics/metric-state.ts';
import { sourcesOf, STATES, type PerSource } from '../metrics/registry.ts';
import { CountAccumulator, PresenceAccumulator } from '../metrics/count.ts';
import type { RowContext } from '../query-context.ts';
import type { ValueDictionary } from '../rows/field-column.ts';
import { ALL, both, filterOf } from '../where/filter.ts';
import { axisOf, placedOn, sharedBuckets, type Axis } from '../groups/axis.ts';
import { elementRows } from '../groups/element-rows.ts';
import { FieldIds } from '../groups/field-ids.ts';
import { bucketKeys, fieldKeys } from '../metrics/group-keys.ts';
import type { GroupKeys, GroupsPartial, MetricPartial } from '../metrics/metric-partial.ts';
import type { MergeLimits } from '../metrics/merge-groups.ts';
import { mergeMetrics, type MergedMetrics } from '../metrics/merge-metrics.ts';
import { cellStarts, rollMetrics, type RollingPlan } from '../metrics/rolling.ts';
import type { PlanOf } from './contract.ts';
import { groupTable } from './group-rows.ts';
import type { Table } from '../../dsl/plan/table.ts';
import { rangeOf } from '../groups/positions.ts';
import { Scan } from '../groups/scan.ts';
import { Slots } from '../groups/slots.ts';
import type { RowsToAdd } from '../groups/source-rows.ts';

export class Aggregation {
  readonly #groups: readonly Group[];
  readonly #context: RowContext;
  readonly #axis: Axis;
  /** With several groups a slot is more than its bucket: their sets stay open, as do those of buckets that come again. */
  readonly #closes: boolean;
  readonly #fields: readonly FieldIds[];
  readonly #slots: Slots;
  readonly #rowCounts: CountAccumulator;
  readonly #accumulators: readonly Accumulator[];
  /** Which rows each of them takes; null: all. */
  readonly #filters: readonly (Condition | null)[];
  readonly #states: NonNullable<Accumulator['states']>;

  /** @param cells First instants of what windows are made of, in place of buckets: their sets stay open. */
  constructor(
    groups: readonly Group[],
    metrics: readonly Metric[],
    context: RowContext,
    cells: Float64Array | null = null,
  ) {
    this.#groups = groups;
    this.#context = context;
    this.#axis = axisOf(groups, context.plan.range, context.zone, cells);
    this.#closes = cells === null && this.#axis.bucketOf === null && groups.length === 1;
    this.#fields = groups.flatMap((group) => (group.kind === 'field' ? [new FieldIds(group, context)] : []));
    this.#slots = new Slots(this.#axis.count, this.#fields, context, {
      remap: (moved, count) => {
        for (const one of this.#accumulators) one.remap?.(moved, count);
        for (const state of this.#states) state.remap(moved, count);
      },
      resize: (count) => this.#resize(count),
      used: () => this.#rowCounts.used(),
    });
    const shared = cells === null ? sharedBuckets(this.#axis, context.elsewhere) : () => true;
    const isCounted =
      metrics.length === 0 || metrics.some(({ kind, where }) => kind === 'count' && where === undefined);
    this.#rowCounts = isCounted ? new CountAccumulator(context) : new PresenceAccumulator(context);
    const { sources } = sourcesOf(metrics);
    this.#filters = sources.map(({ where }) => where);
    this.#accumulators = sources.map((source, at) => {
      if (source.kind === 'per') return new PerAccumulator(groups, source, context);
      if (source.kind === 'count') return at === 0 ? this.#rowCounts : new CountAccumulator(context);
      return STATES[source.kind].accumulate(source.field, { slots: this.#slots, context, shared });
    });
    this.#states = this.#accumulators.flatMap(({ states }) => states ?? []);
  }

  add(added: RowsToAdd): void {
    const { from, to, filter } = added;
    if (from >= to || (filter.kind === 'constant' && filter.value === 0)) return;
    const divided = this.#fields.filter(({ each }) => each);
    this.addDivided(divided.length === 0 ? added : elementRows(added, divided, this.#context));
  }

  /** The same for rows that are divided already. */
  addDivided({ rows, list, from, to, filter }: RowsToAdd): void {
    const positions = placedOn(this.#axis, rows, list, { from, to });
    let scan = new Scan(rows, positions, filter, this.#context);
    if (this.#fields.some((field) => field.looksUp(rows))) scan = new Scan(rows, scan.selected(), ALL, this.#context);
    const ids = this.#slots.prepare(rows, scan.positions);
    // In a hash table every slot is a group of the answer: only rows that pass may create one.
    if (this.#slots.hashed) scan = new Scan(rows, scan.selected(), ALL, this.#context);
    scan.slots = this.#slots.enter(ids, rows.rows, scan.positions);
    this.#resize(this.#slots.count);
    const scans = new Map<string, Scan>();
    for (const [at, one] of this.#accumulators.entries()) {
      const where = this.#filters[at]!;
      const own = where === null ? scan : kept(scans, conditionKey(where), () => this.#narrowed(scan, where));
      one.add(own, this.#slots);
    }
  }

  /** The rows of a scan that meet a metric's condition, in the slots that they have. */
  #narrowed({ rows, positions, filter, slots }: Scan, where: Condition): Scan {
    const own = new Scan(rows, positions, both(filter, filterOf(where, rows, this.#context)), this.#context);
    own.slots = slots;
    return own;
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
    if (starts === null || !this.#closes) return;
    let bucket = 0;
    while (bucket + 1 < starts.length && starts[bucket + 1]! <= time) bucket++;
    for (const one of this.#accumulators) one.close?.(bucket);
  }

  #resize(count: number): void {
    for (const state of this.#states) state.resize(count);
  }

  partial(): GroupsPartial {
    const slots = this.#usedSlots();
    return {
      groups: slots.length,
      keys: this.#keysOf(slots),
      metrics: this.#accumulators.map((one) => one.partial(slots)),
    };
  }

  #usedSlots(): Uint32Array {
    const used = this.#rowCounts.used();
    const { length } = used;
    if (length > this.#context.maxGroups) throw tooManyGroups(this.#context.maxGroups);
    // Slots, keys and values, about; counted where nothing else bounds how many there are.
    if (this.#context.maxGroups === Infinity) this.#context.budget.take(length * 2 * CELL_BYTES);
    return used;
  }

  #keysOf(slots: Uint32Array): GroupKeys[] {
    const { buckets, ids } = this.#slots.decode(slots);
    const isSole = this.#groups.length === 1 && this.#axis.count === 1;
    let field = 0;
    return this.#groups.map((group, at) =>
      group.kind === 'field'
        ? fieldKeys(ids[field]!, this.#fields[field++]!, isSole, this.#context)
        : bucketKeys(buckets, at, this.#axis, this.#context),
    );
  }
}

type PlanOfMetrics = PlanOf<'aggregate' | 'users' | 'latest' | 'sessions'>;

export const rollingOf = (plan: PlanOfMetrics | PlanOf<'formula'>): RollingPlan | null =>
  'rolling' in plan && plan.rolling !== undefined ? { ...plan, rolling: plan.rolling } : null;

/** The metrics of a plan by its groups, or by the cells of its windows. */
export function aggregationOf(plan: PlanOfMetrics, context: RowContext, metrics = plan.metrics): Aggregation {
  const rolling = rollingOf(plan);
  return new Aggregation(countedGroups(plan), metrics, context, rolling === null ? null : cellStarts(rolling));
}

/** The groups and metrics of the plan's answer. @param parts Of `aggregationOf`. */
export function mergeAggregations(
  plan: PlanOfMetrics,
  parts: readonly GroupsPartial[],
  limits: MergeLimits,
  metrics = plan.metrics,
): MergedMetrics {
  const rolling = rollingOf(plan);
  if (rolling !== null) return rollMetrics(parts, rolling, metrics, limits);
  return mergeMetrics(parts, countedGroups(plan).length, metrics, limits);
}

/** Metrics of the groups split by one more field. How many values that has is bounded by memory alone: none is a row. */
class PerAccumulator implements Accumulator {
  readonly #split: Aggregation;

  constructor(groups: readonly Group[], { field, metrics }: PerSource, context: RowContext) {
    const by: readonly Group[] = [...groups, { kind: 'field', field, column: '' }];
    this.#split = new Aggregation(by, metrics, { ...context, maxGroups: Infinity });
  }

  add({ rows, positions, filter }: Scan): void {
    this.#split.addDivided({ rows, list: positions.rows, ...rangeOf(positions), filter });
  }

  partial(): MetricPartial {
    return { kind: 'per', groups: this.#split.partial() };
  }
}

/** The table of metrics over rows that one thread has. */
export function metricsTable(
  plan: PlanOf<'users' | 'latest'>,
  source: Omit<RowsToAdd, 'list'>,
  context: RowContext,
): Table {
  const aggregation = aggregationOf(plan, context);
  aggregation.add({ ...source, list: null });
  return groupTable(plan, mergeAggregations(plan, [aggregation.partial()], context), context);
}
