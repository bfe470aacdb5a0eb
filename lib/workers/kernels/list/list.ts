/** Events as rows, the newest first. */
import { columnsOf } from '../../../dsl/plan/columns.ts';
import { finishPage, rowsNeeded } from '../../../dsl/finish/finish.ts';
import { behind, withReached } from '../../../dsl/finish/onward.ts';
import { orderOf, type CompareRows } from '../../../dsl/finish/order.ts';
import type { Field, ListPlan } from '../../../dsl/plan/plan.ts';
import type { Cell, TableColumn } from '../../../dsl/plan/table.ts';
import { positionsOf, rowsIn, type Positions } from '../../groups/positions.ts';
import { countSelected, select } from '../../groups/select.ts';
import type { QueryContext } from '../../query-context.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import type { RowRange } from '../../rows/row-set.ts';
import { sourceRows } from '../../groups/source-rows.ts';
import { bytesOfCell } from '../../rows/cell-bytes.ts';
import { cellOf, storedOfCode, textOfCode } from '../../rows/typed-value.ts';
import { filterOf } from '../../where/filter.ts';
import type { Kernel } from '../contract.ts';
import { allRows, firstByValue, newestRows, oldestRows } from './list-candidates.ts';
import { onlyKind, type ListPartial } from '../partial-result.ts';
import { ENTRY_BYTES } from '../../budget.ts';
import { LISTED, readerOf } from './list-rows.ts';
import { onwardKernel, rowBehind } from './onward.ts';

/** A row that may be on the page. `key`: the cell that a `sort` orders by, at its index; empty otherwise. */
interface Candidate {
  readonly rows: EventRows;
  readonly row: number;
  readonly time: number;
  readonly arrival: number;
  readonly key: readonly Cell[];
}

/** About the size of a usual row with its objects: taken before any is made. What a row takes beyond it is counted then. */
const BYTES_PER_ROW = 2_000;

export function listKernel(plan: ListPlan): Kernel {
  const { onward } = plan;
  if (onward !== undefined && onward.order !== 'newest') return onwardKernel(plan, onward);
  const columns = columnsOf(plan);
  const after = onward?.after ?? null;
  const needed = rowsNeeded(after === null ? plan : { ...plan, offset: 0 });
  const sort = sortedBy(plan, columns);
  return {
    order: 'newest',
    start(context) {
      let total = 0;
      /** Of them, those on earlier pages. */
      let passed = 0;
      const count = (rows: EventRows, range: RowRange): number => {
        if (range.from >= range.to) return 0;
        const source = sourceRows(rows, range, plan, context);
        const filter = filterOf(plan.where, rows, context);
        let found = 0;
        countSelected(positionsOf(rows, source.list, source, null), filter, context, (_, more) => (found += more));
        return found;
      };
      /** The best so far, in order, at most as many as needed. */
      let best: Candidate[] = [];
      return {
        consume(rows, whole) {
          const cut = after === null ? whole.to : Math.max(whole.from, Math.min(whole.to, rowBehind(rows, after)));
          const earlier = count(rows, { from: cut, to: whole.to });
          passed += earlier;
          total += earlier;
          const range = { from: whole.from, to: cut };
          const worst = best.length < needed ? -Infinity : (best.at(-1)?.time ?? Infinity);
          if (sort === null && rows.segment.last < worst) {
            total += count(rows, range);
            return;
          }
          const source = sourceRows(rows, range, plan, context);
          const positions = positionsOf(rows, source.list, source, null);
          const selected = select(positions, filterOf(plan.where, rows, context), context);
          total += rowsIn(selected.spans);
          const found = candidatesOf(selected, { rows, needed, sort, context });
          const before = best.length;
          best = [...best, ...found].sort(inOrder(sort?.compare ?? null)).slice(0, needed);
          context.budget.take((best.length - before) * BYTES_PER_ROW);
        },
        partial: () => ({ kind: 'list', total, passed, ...readRows(best, { columns, fields: plan.fields }, context) }),
      };
    },
    answer(partials, { budget }) {
      const lists = onlyKind('list', partials);
      // Those of a sole part are counted already, in its own thread.
      if (lists.length > 1) budget.take(lists.reduce((sum, { beyond }) => sum + beyond, 0));
      const rows = lists.flatMap((list) => list.rows).sort(newestFirst);
      const cells = rows.map((row) => row.cells);
      const sum = (of: 'total' | 'passed'): number => lists.reduce((all, list) => all + list[of], 0);
      const [total, passed] = [sum('total'), sum('passed')];
      const own = behind(plan, passed);
      const table = finishPage(own, columns, cells, total - passed);
      return withReached(plan, { places: rows, skipped: own.offset + own.page.offset, passed, table });
    },
  };
}

interface Shown {
  readonly columns: readonly TableColumn[];
  /** Those that the query names; undefined: the usual ones. */
  readonly fields: ListPlan['fields'];
}

/** The cells of the best rows. */
function readRows(
  best: readonly Candidate[],
  { columns, fields }: Shown,
  context: QueryContext,
): Pick<ListPartial, 'rows' | 'beyond'> {
  const cells = new Map<Candidate, Cell[]>();
  let beyond = 0;
  for (const [rows, found] of Map.groupBy(best, (candidate) => candidate.rows)) {
    // By segment: where those of several alternate in time, their columns may not be in memory all at once.
    const readers = columns.map((column, at) => readerOf(rows, column, context, fields?.[at]?.field));
    for (const candidate of found) {
      context.checkpoint(); // a row may be of a megabyte
      const own = readers.map((read) => read(candidate.row));
      const more = Math.max(0, bytesOfCell(own) - BYTES_PER_ROW);
      context.budget.take(more);
      beyond += more;
      cells.set(candidate, own);
    }
  }
  const rows = best.map((candidate) => {
    const { time, arrival } = candidate;
    return { time, arrival, cells: cells.get(candidate)! };
  });
  return { rows, beyond };
}

interface CandidateOptions {
  readonly rows: EventRows;
  readonly needed: number;
  readonly sort: SortedBy | null;
  readonly context: QueryContext;
}

interface SortedBy {
  readonly at: number;
  readonly column: TableColumn;
  /** If the query names it. */
  readonly field: Field | undefined;
  readonly descending: boolean;
  readonly compare: CompareRows;
}

function candidatesOf(positions: Positions, options: CandidateOptions): Candidate[] {
  const { rows, sort, context } = options;
  if (positions.spans.length === 0) return [];
  const found = rowsOf(positions, options);
  context.budget.take(found.length * ENTRY_BYTES);
  const times = rows.times();
  const arrivals = rows.segment.arrivals();
  const read = sort === null ? null : readerOf(rows, sort.column, context, sort.field);
  const candidates = found.map((row): Candidate => {
    const key: Cell[] = [];
    if (sort !== null && read !== null) key[sort.at] = read(row);
    return { rows, row, time: times[row]!, arrival: arrivals[row]!, key };
  });
  context.budget.release(found.length * ENTRY_BYTES);
  return candidates;
}

/** Rows that may be among the first; for most orders far fewer than all. */
function rowsOf(positions: Positions, { rows, needed, sort, context }: CandidateOptions): number[] {
  const wanted = { needed, context };
  if (sort === null) return newestRows(positions, wanted);
  const { column, at, compare, descending, field: named } = sort;
  if (named === undefined ? column.name === 'time' : isTime(named)) {
    return descending ? newestRows(positions, wanted) : oldestRows(positions, rows.times(), wanted);
  }
  const field = named ?? LISTED.get(column.name);
  const values = field === undefined ? null : rows.field(field);
  if (!values?.codes || !values.dictionary || values.numbers !== null) {
    return values === null && field !== undefined ? newestRows(positions, wanted) : allRows(positions);
  }
  const { codes, dictionary } = values;
  const keyOf = (code: number): Cell[] => {
    const key: Cell[] = [];
    key[at] =
      code === 0
        ? null
        : column.type === 'json'
          ? cellOf(storedOfCode(dictionary, code))
          : textOfCode(dictionary, code);
    return key;
  };
  return firstByValue(positions, codes, { keyOf, compare, size: dictionary.size }, wanted);
}

const isTime = (field: Field): boolean => field.kind === 'core' && field.name === 'time';

function sortedBy(plan: ListPlan, columns: readonly TableColumn[]): SortedBy | null {
  if (plan.order.kind !== 'sort') return null;
  const { column: at, descending } = plan.order;
  const column = columns[at];
  const compare = orderOf(plan, columns, []);
  return column === undefined || compare === null
    ? null
    : { at, column, field: plan.fields?.[at]?.field, descending, compare };
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
