/** Events as exports take them: page by page, the oldest or the first acknowledged first, each page as large as memory allows. */
import { hide } from '../../../dsl/finish/hide.ts';
import { shownTable } from '../../../dsl/finish/finish.ts';
import { columnsOf } from '../../../dsl/plan/columns.ts';
import { placeText, type EventPlace, type Onward } from '../../../dsl/plan/onward.ts';
import type { ListPlan } from '../../../dsl/plan/plan.ts';
import type { Cell, Table } from '../../../dsl/plan/table.ts';
import { CHECK_EVERY } from '../../check-every.ts';
import { positionsOf, rangeOf, type Positions } from '../../groups/positions.ts';
import { select } from '../../groups/select.ts';
import { sourceRows } from '../../groups/source-rows.ts';
import type { QueryContext } from '../../query-context.ts';
import { bytesOfCell, MOST_PAGE_BYTES } from '../../rows/cell-bytes.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import type { RowRange } from '../../rows/row-set.ts';
import { filterOf } from '../../where/filter.ts';
import { tableKernel, type Kernel } from '../contract.ts';
import { readerOf, type Reader } from './list-rows.ts';
import { ENTRY_BYTES } from '../../budget.ts';

interface Found extends EventPlace {
  readonly rows: EventRows;
  readonly row: number;
}

/** Segments whose columns are held at once, where their rows alternate. */
const MOST_SEGMENTS = 8;

export function onwardKernel(plan: ListPlan, { order, after }: Onward): Kernel {
  const needed = plan.page.limit;
  return tableKernel('oldest', (context) => {
    let best: Found[] = [];
    const passing = (rows: EventRows, range: RowRange): Positions => {
      const source = sourceRows(rows, range, plan, context);
      return select(positionsOf(rows, source.list, source, null), filterOf(plan.where, rows, context), context);
    };
    /** `worst`: the last row of a page that is full so far. */
    const byTimeIn = (rows: EventRows, range: RowRange, worst: Found | undefined): Found[] => {
      const { first, last } = rows.segment;
      if ((after !== null && last < after.time) || (worst !== undefined && first > worst.time)) return [];
      return firstOf(passing(rows, behindIn(rows, range, after)), rows, needed);
    };
    const byArrivalIn = (rows: EventRows, range: RowRange, worst: Found | undefined): Found[] => {
      const wanted = { from: after?.arrival ?? -Infinity, to: worst?.arrival ?? Infinity };
      if (!hasArrivals(rows, wanted)) return [];
      return arrivedFirst(passing(rows, range), rows, { ...wanted, needed, context });
    };
    return {
      consume(rows, whole) {
        const worst = best.length < needed ? undefined : best.at(-1);
        const found = order === 'arrival' ? byArrivalIn(rows, whole, worst) : byTimeIn(rows, whole, worst);
        context.budget.take(found.length * ENTRY_BYTES);
        const before = best.length;
        best = [...best, ...found].sort(order === 'arrival' ? byArrival : byTime).slice(0, needed);
        context.budget.release((before + found.length - best.length) * ENTRY_BYTES);
      },
      table: () => pageOf(plan, best, context),
    };
  });
}

/** The first row of a segment that is not before a place in the order of events. */
export function rowBehind(rows: EventRows, { time, arrival }: EventPlace): number {
  let row = rows.rowAt(time);
  if (row === rows.rows) return row;
  const [times, arrivals] = [rows.times(), rows.segment.arrivals()];
  while (row < rows.rows && times[row] === time && arrivals[row]! < arrival) row++;
  return row;
}

const byTime = (a: EventPlace, b: EventPlace): number => a.time - b.time || byArrival(a, b);
const byArrival = (a: EventPlace, b: EventPlace): number => a.arrival - b.arrival;

/** The rows of a range behind an event. */
function behindIn(rows: EventRows, { from, to }: RowRange, after: EventPlace | null): RowRange {
  if (after === null) return { from, to };
  const row = rowBehind(rows, { time: after.time, arrival: after.arrival + 1 });
  return { from: Math.min(to, Math.max(from, row)), to };
}

/** Numbers of arrival that are wanted, both ends left out. */
interface Arrivals {
  readonly from: number;
  readonly to: number;
}

/** Whether the segment may have some of them, known without reading them again. */
function hasArrivals({ segment }: EventRows, { from, to }: Arrivals): boolean {
  const { least, most } = segment.derived('arrivals', () => {
    const ends = { least: Infinity, most: -Infinity };
    for (const arrival of segment.arrivals()) {
      ends.least = Math.min(ends.least, arrival);
      ends.most = Math.max(ends.most, arrival);
    }
    return { value: ends, bytes: 64 };
  });
  return most > from && least < to;
}

function firstOf(positions: Positions, rows: EventRows, needed: number): Found[] {
  const { from, to } = rangeOf(positions);
  return Array.from({ length: Math.min(needed, to - from) }, (_, at) => foundAt(rows, rowAt(positions, from + at)));
}

/** Rows that arrived in between; of many those that arrived first, or a few more. */
function arrivedFirst(
  positions: Positions,
  rows: EventRows,
  { from: least, to: below, needed, context }: Arrivals & { readonly needed: number; readonly context: QueryContext },
): Found[] {
  let most = below;
  const numbers = rows.segment.arrivals();
  const { from, to } = rangeOf(positions);
  let found: Found[] = [];
  for (let at = from; at < to; at++) {
    if (at % CHECK_EVERY === 0) context.checkpoint();
    const row = rowAt(positions, at);
    if (numbers[row]! <= least || numbers[row]! >= most) continue;
    found.push(foundAt(rows, row));
    if (found.length < 2 * needed) continue;
    found = found.sort(byArrival).slice(0, needed);
    most = found.at(-1)!.arrival;
  }
  return found;
}

const rowAt = ({ rows }: Positions, at: number): number => (rows === null ? at : rows[at]!);

const foundAt = (rows: EventRows, row: number): Found => {
  return { rows, row, time: rows.times()[row]!, arrival: rows.segment.arrivals()[row]! };
};

/** The first of the rows, as many as there is room for. */
function pageOf(plan: ListPlan, best: readonly Found[], context: QueryContext): Table {
  const columns = columnsOf(plan);
  const held = new Map<EventRows, readonly Reader[]>();
  const readersOf = (rows: EventRows): readonly Reader[] => {
    const known = held.get(rows);
    if (known !== undefined) return known;
    if (held.size === MOST_SEGMENTS) held.clear();
    const made = columns.map((column, at) => readerOf(rows, column, context, plan.fields?.[at]?.field));
    held.set(rows, made);
    return made;
  };
  const cells: Cell[][] = [];
  let bytes = 0;
  for (const { rows, row } of best) {
    context.checkpoint();
    const own = readersOf(rows).map((read) => read(row));
    context.budget.take(bytesOfCell(own));
    cells.push(own);
    bytes += bytesOfCell(own);
    if (bytes >= MOST_PAGE_BYTES) break;
  }
  const table = shownTable(plan, { columns, rows: hide(plan, columns, cells), total: cells.length });
  const last = best[cells.length - 1];
  if (last === undefined) return table;
  const more = cells.length < best.length || best.length === plan.page.limit;
  return { ...table, reached: { at: placeText(last), more } };
}
