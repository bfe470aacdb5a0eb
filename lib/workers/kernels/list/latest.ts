/** The newest value of each entity. */
import { kept } from '../../../base/kept.ts';
import { columnsOf, isRowList } from '../../../dsl/plan/columns.ts';
import { isTimeField } from '../../../dsl/plan/fields.ts';
import { finishTable } from '../../../dsl/finish/finish.ts';
import type { Condition, LatestPlan, Field } from '../../../dsl/plan/plan.ts';
import type { Cell, Table } from '../../../dsl/plan/table.ts';
import { formatTime } from '../../../dsl/time/format-time.ts';
import { metricsTable } from '../aggregation.ts';
import { FieldIds, idAt } from '../../groups/field-ids.ts';
import { positionsOf } from '../../groups/positions.ts';
import { select } from '../../groups/select.ts';
import { joinTexts, splitTexts } from '../../metrics/metric-partial.ts';
import { numbersBySlot, type SlotState } from '../../metrics/state-array.ts';
import { type Budget, ENTRY_BYTES } from '../../budget.ts';
import type { QueryContext, RowContext } from '../../query-context.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import { passingRows, sourceRows, type SourceRows } from '../../groups/source-rows.ts';
import { bytesOfCell, bytesOfString } from '../../rows/cell-bytes.ts';
import { cellOf, isJson, storedAtRow, type StoredJson, type UnparsedValue } from '../../rows/typed-value.ts';
import { filterOf } from '../../where/filter.ts';
import type { Kernel } from '../contract.ts';
import { onlyKind, type LatestPartial } from '../partial-result.ts';
import { allRows } from './list-candidates.ts';
import { unreachable } from '../../../base/unreachable.ts';
import { arithmeticColumn } from '../../rows/arithmetic-column.ts';
import { codedColumn, GrowingDictionary, timesColumn, type FieldColumn } from '../../rows/field-column.ts';
import { lowerBound } from '../../../base/lower-bound.ts';
import type { RowSet } from '../../rows/row-set.ts';
import { heldAtEnds, Moments, type HeldValues } from './as-of.ts';
import { CHECK_EVERY } from '../../check-every.ts';

interface Newest {
  readonly entities: FieldIds;
  /** With `asOf`, what has a value: an entity in a bucket. */
  readonly moments: Moments | null;
  /** By id of the entity, or of the moment: when its newest value was set; -Infinity: not yet. */
  readonly times: SlotState<Float64Array>;
  readonly arrivals: SlotState<Float64Array>;
  readonly values: Map<number, UnparsedValue>;
}

/** What is counted for the newest value of an entity. */
function bytesOf(value: UnparsedValue): number {
  if (typeof value === 'string') return ENTRY_BYTES + bytesOfString(value);
  return ENTRY_BYTES + (isJson(value) ? bytesOfString(value.json) : 0);
}

export function latestKernel(plan: LatestPlan): Kernel {
  const condition: Condition = {
    kind: 'and',
    terms: [...(plan.where === null ? [] : [plan.where]), { kind: 'test', field: plan.field, test: { op: 'exists' } }],
  };
  return {
    order: 'newest',
    start(context) {
      const newest: Newest = {
        entities: new FieldIds({ field: plan.entity }, context),
        moments: plan.asOf === null ? null : new Moments(plan, plan.asOf, context),
        times: numbersBySlot(context, -Infinity),
        arrivals: numbersBySlot(context, -Infinity),
        values: new Map(),
      };
      return {
        consume(rows, range) {
          const source = sourceRows(rows, range, plan, context);
          const own = passingRows(rows, source, filterOf(condition, rows, context), context);
          if (own.from < own.to) takeNewest(newest, plan, { rows, ...own }, context);
        },
        partial() {
          const { entities, moments, times, arrivals, values } = newest;
          const ids = Uint32Array.from(values.keys());
          const entityOf = (id: number): number => (moments === null ? id : moments.entityOf(id));
          return {
            kind: 'latest',
            entities: joinTexts(Array.from(ids, (id) => entities.text(entityOf(id)) ?? '')),
            times: times.pick(ids),
            arrivals: arrivals.pick(ids),
            buckets: moments === null ? null : ids.map((id) => moments.bucketOf(id)),
            values: [...values.values()],
          };
        },
      };
    },
    answer: (partials, context) =>
      finishLatest(plan, mergeNewest(onlyKind('latest', partials), context.budget), context),
  };
}

/** Within a segment a later row is newer: from the last row on, the first of each entity counts. */
function takeNewest(
  { entities, moments, times: setAt, arrivals: setBy, values }: Newest,
  plan: LatestPlan,
  { rows, list, from, to }: SourceRows & { readonly rows: EventRows },
  context: QueryContext,
): void {
  const ids = entities.of(rows, { rows: list, spans: [{ bucket: 0, from, to }] });
  if (ids === null) return;
  const column = rows.field(plan.field);
  const [times, arrivals] = [rows.times(), rows.segment.arrivals()];
  const makeRoom = (size: number): void => [setAt, setBy].forEach((state) => state.resize(size));
  makeRoom(moments === null ? entities.size : moments.size);
  moments?.resize(entities.size);
  for (let k = to - 1; k >= from; k--) {
    if (k % CHECK_EVERY === 0) context.checkpoint();
    const row = list === null ? k : list[k]!;
    const entity = idAt(ids, row);
    const time = times[row]!;
    if (entity === 0) continue;
    const id = moments === null ? entity : moments.idOf(entity, time);
    if (id >= setAt.values.length) makeRoom(id + 1);
    const [newest, newestArrival] = [setAt.values, setBy.values];
    if (time < newest[id]! || (time === newest[id] && arrivals[row]! <= newestArrival[id]!)) continue;
    const value = storedAtRow(column, row) ?? null;
    const before = values.get(id);
    if (before !== undefined) context.budget.release(bytesOf(before));
    context.budget.take(bytesOf(value));
    newest[id] = time;
    newestArrival[id] = arrivals[row]!;
    values.set(id, value);
  }
}

/** The values of a sole part are counted already, in its own thread, and there is one of each entity and bucket. */
function mergeNewest(partials: readonly LatestPartial[], budget: Budget): LatestRow[] {
  const [sole] = partials;
  if (partials.length === 1 && sole !== undefined) return inOrder(rowsOf(sole));
  const newest = new Map<string, ArrivedRow>();
  for (const partial of partials) {
    for (const row of rowsOf(partial)) {
      budget.take(bytesOf(row.value));
      const name = `${row.bucket} ${row.entity}`;
      const before = newest.get(name);
      if (before === undefined || (row.time - before.time || row.arrival - before.arrival) > 0) newest.set(name, row);
    }
  }
  return inOrder([...newest.values()]);
}

function rowsOf({ entities, times, arrivals, values, buckets }: LatestPartial): ArrivedRow[] {
  return splitTexts(entities).map((entity, at) => {
    return { entity, value: values[at]!, time: times[at]!, arrival: arrivals[at]!, bucket: buckets?.[at] ?? 0 };
  });
}

const inOrder = (rows: ArrivedRow[]): LatestRow[] => rows.sort((a, b) => a.time - b.time);

function finishLatest(plan: LatestPlan, merged: readonly LatestRow[], context: RowContext): Table {
  const isTime = isTimeField(plan.field);
  const rows = new LatestRows(
    merged,
    isTime,
    plan.asOf === null ? null : heldAtEnds(plan, plan.asOf, merged, context),
    context,
  );
  const filter = filterOf(plan.whereRows, rows, context);
  const columns = columnsOf(plan);
  const all = { from: 0, to: rows.rows };
  if (!isRowList(plan)) return metricsTable(plan, { rows, ...all, filter }, context);
  const found = allRows(select(positionsOf(rows, null, all, null), filter, context));
  const isSortedByValue = plan.order.kind === 'sort' && columns[plan.order.column]?.name === 'last_value';
  const isText = isSortedByValue || plan.tableStages.length > 0;
  const textOf = (value: StoredJson): string => (isText ? JSON.stringify(cellOf(value)) : value.json);
  /** JSON is text until its row is on the page. Texts are ordered as what they spell. A cell that no column has tells which row it is. */
  const cells = found.map((at, nth): Cell[] => {
    if (nth % CHECK_EVERY === 0) context.checkpoint();
    const { entity, value, time } = merged[at]!;
    if (!isJson(value))
      return [entity, isTime && typeof value === 'number' ? formatTime(value, context.zone) : value, time];
    return [entity, textOf(value), time, at];
  });
  const table = finishTable(plan, columns, cells);
  return { ...table, rows: table.rows.map((row) => readRow(row, merged, context)) };
}

/** A row of the page with its value. */
function readRow(
  row: readonly Cell[],
  merged: readonly LatestRow[],
  { budget, checkpoint }: RowContext,
): readonly Cell[] {
  const [entity = null, , time = null, at] = row;
  if (typeof at !== 'number') return row;
  checkpoint();
  const value = cellOf(merged[at]!.value);
  budget.take(bytesOfCell(value));
  return [entity, value, time];
}

interface LatestRow {
  readonly entity: string;
  /** A time in milliseconds if the rows' values are times. */
  readonly value: UnparsedValue;
  readonly time: number;
  /** With `asOf`, that in which it was set, or the first. */
  readonly bucket: number;
}

type ArrivedRow = LatestRow & { readonly arrival: number };

/** The rows that `latest` yields, one per entity, in order of when their values were set; with `asOf`, of each bucket. */
class LatestRows implements RowSet {
  readonly list: readonly LatestRow[];
  readonly #timesAsValues: boolean;
  readonly #times: Float64Array;
  readonly #held: HeldValues | null;
  readonly #context: RowContext;
  readonly #columns = new Map<string, FieldColumn>();

  /**
   * @param rows Ascending by time. @param timesAsValues The values are times. @param held Which of them each row is, and of which
   * time; null: a row each, of its own.
   */
  constructor(rows: readonly LatestRow[], timesAsValues: boolean, held: HeldValues | null, context: RowContext) {
    this.#context = context;
    this.list = rows;
    this.#timesAsValues = timesAsValues;
    this.#held = held;
    this.#times = held?.times ?? Float64Array.from(rows, ({ time }) => time);
  }

  get rows(): number {
    return this.#times.length;
  }
  rowAt(time: number): number {
    return lowerBound(this.#times, time);
  }

  field(field: Field): FieldColumn | null {
    if (field.kind === 'arithmetic') return arithmeticColumn(field, this, this.#context);
    if (field.kind !== 'latest') throw new Error(`a row of latest has no ${field.kind} fields`);
    const { name } = field;
    return kept(this.#columns, name, () => this.#read(name));
  }

  #read(name: 'entity' | 'last_value' | 'set_at'): FieldColumn {
    switch (name) {
      case 'entity':
        return this.#coded(({ entity }) => entity);
      case 'set_at':
        return this.#moments(({ time }) => time);
      case 'last_value':
        return this.#timesAsValues ? this.#moments(({ value }) => Number(value)) : this.#coded(({ value }) => value);
      default:
        return unreachable(name);
    }
  }

  #moments(timeOf: (row: LatestRow) => number): FieldColumn {
    const own = Float64Array.from(this.list, timeOf);
    return timesColumn({
      rows: null,
      values: this.#held === null ? own : Float64Array.from(this.#held.at, (at) => own[at]!),
    });
  }

  /** Reads one value at a time. */
  #coded(valueOf: (row: LatestRow) => UnparsedValue): FieldColumn {
    const dictionary = new GrowingDictionary(this.#context);
    const own = Uint32Array.from(this.list, (row) => dictionary.codeOf(cellOf(valueOf(row))));
    return codedColumn(this.#held === null ? own : this.#held.at.map((at) => own[at]!), dictionary);
  }
}
