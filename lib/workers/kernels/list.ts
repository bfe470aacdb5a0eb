/** Events as rows, the newest first. */
import { columnsOf } from '../../dsl/columns.ts';
import { ENRICHED_FIELDS } from '../../dsl/fields.ts';
import { finishTable } from '../../dsl/finish.ts';
import { orderOf, type CompareRows } from '../../dsl/order.ts';
import type { Field, ListPlan } from '../../dsl/plan.ts';
import type { Cell, TableColumn } from '../../dsl/table.ts';
import { positionsOf, type Positions } from '../groups/positions.ts';
import { countSelected, select } from '../groups/select.ts';
import type { QueryContext } from '../query-context.ts';
import type { EventRows } from '../rows/event-rows.ts';
import { sourceRows } from '../rows/source-rows.ts';
import { propertiesAtRow, textAtRow } from '../rows/typed-value.ts';
import { filterOf } from '../where/filter.ts';
import { only, type Kernel } from './contract.ts';
import type { ListPartial } from './list-partial.ts';

/** A row that may be on the page. `key`: the cell that a `sort` orders by, in its place; empty otherwise. */
interface Candidate {
  readonly rows: EventRows;
  readonly row: number;
  readonly time: number;
  readonly arrival: number;
  readonly key: readonly Cell[];
}

interface State {
  readonly context: QueryContext;
  total: number;
  /** The best so far, in order, at most as many as are needed. */
  best: Candidate[];
}

/** A candidate, about. */
const BYTES_PER_CANDIDATE = 160;
/** A row with its objects, about. */
const BYTES_PER_ROW = 2_000;

export function listKernel(plan: ListPlan): Kernel<State, ListPartial> {
  const columns = columnsOf(plan);
  const needed = rowsNeeded(plan);
  const bySort = plan.order.kind === 'sort' ? orderOf(plan, columns, []) : null;
  return {
    order: 'newest',
    init(context) {
      context.budget.take(needed * BYTES_PER_ROW);
      return { context, total: 0, best: [] };
    },
    consume(state, rows, range) {
      const { context } = state;
      const source = sourceRows(rows, range, plan, context);
      const positions = positionsOf(rows, source.list, source, null);
      const filter = filterOf(plan.where, rows, context);
      const worst = state.best.length < needed ? -Infinity : (state.best.at(-1)?.time ?? Infinity);
      if (bySort === null && rows.segment.last < worst) {
        state.total += countSelected(positions, filter, context);
        return;
      }
      const selected = select(positions, filter, context);
      state.total += lengthOf(selected);
      const found = candidatesOf(selected, { rows, needed, sort: sortField(plan, columns), context });
      state.best = [...state.best, ...found].sort(inOrder(bySort)).slice(0, needed);
    },
    partial: ({ total, best, context }) => ({
      kind: 'list',
      total,
      rows: best.map(({ rows, row, time, arrival }) => ({
        time,
        arrival,
        cells: cellsOf(rows, row, columns, context),
      })),
    }),
    merge(partials) {
      const lists = only('list', partials);
      const rows = lists.flatMap((list) => list.rows).sort(newestFirst);
      return { kind: 'list', total: lists.reduce((sum, { total }) => sum + total, 0), rows };
    },
    finish({ total, rows }) {
      const table = finishTable(
        plan,
        columns,
        rows.map(({ cells }) => cells),
      );
      const end = Math.min(total, plan.offset + (plan.limit ?? Infinity));
      return { ...table, total: Math.max(0, end - plan.offset) };
    },
  };
}

/** How many rows from the first on the page may reach. */
function rowsNeeded({ offset, limit, page }: ListPlan): number {
  return offset + Math.min(limit ?? Infinity, page.offset + page.limit);
}

function lengthOf({ spans }: Positions): number {
  return spans.reduce((sum, { from, to }) => sum + to - from, 0);
}

interface CandidateOptions {
  readonly rows: EventRows;
  readonly needed: number;
  readonly sort: { readonly at: number; readonly column: TableColumn } | null;
  readonly context: QueryContext;
}

/** Without a `sort` the last rows are enough. */
function candidatesOf(
  { rows: list, spans }: Positions,
  { rows, needed, sort, context }: CandidateOptions,
): Candidate[] {
  const [span] = spans;
  if (span === undefined) return [];
  const from = sort === null ? Math.max(span.from, span.to - needed) : span.from;
  context.budget.take((span.to - from) * BYTES_PER_CANDIDATE);
  const times = rows.times();
  const arrivals = rows.segment.arrivals();
  const candidates: Candidate[] = [];
  for (let k = from; k < span.to; k++) {
    const row = list === null ? k : list[k]!;
    const key: Cell[] = [];
    if (sort !== null) key[sort.at] = cellOf(rows, row, sort.column, context);
    candidates.push({ rows, row, time: times[row]!, arrival: arrivals[row]!, key });
  }
  context.budget.release((span.to - from) * BYTES_PER_CANDIDATE);
  return candidates;
}

function sortField(plan: ListPlan, columns: readonly TableColumn[]): CandidateOptions['sort'] {
  const at = plan.order.kind === 'sort' ? plan.order.column : -1;
  const column = columns[at];
  return column === undefined ? null : { at, column };
}

function inOrder(bySort: CompareRows | null): (a: Candidate, b: Candidate) => number {
  return bySort === null ? newestFirst : (a, b) => bySort(a.key, b.key) || newestFirst(a, b);
}

/** The exact reverse of the order of events. */
function newestFirst(
  a: { readonly time: number; readonly arrival: number },
  b: { readonly time: number; readonly arrival: number },
): number {
  return b.time - a.time || b.arrival - a.arrival;
}

function cellsOf(rows: EventRows, row: number, columns: readonly TableColumn[], context: QueryContext): Cell[] {
  return columns.map((column) => cellOf(rows, row, column, context));
}

function cellOf(rows: EventRows, row: number, { name }: TableColumn, context: QueryContext): Cell {
  if (name === 'time') return rows.times()[row]!;
  if (name === 'insert_id') return rows.segment.insertIds().text(row);
  if (name === 'event_properties') return propertiesAtRow(rows.segment, 'p', row);
  if (name === 'user_properties') return propertiesAtRow(rows.segment, 'u', row);
  const field = LISTED.get(name);
  if (field === undefined) throw new Error(`a list has no column ${name}`);
  return textAtRow(rows.field(field), row, context.zone);
}

const LISTED: ReadonlyMap<string, Field> = new Map<string, Field>([
  ...(['event_type', 'distinct_id', 'user_id', 'device_id', 'session_id'] as const).map(
    (name) => [name, { kind: 'core', name }] as const,
  ),
  ...ENRICHED_FIELDS.map((name) => [name, { kind: 'enriched', name }] as const),
]);
