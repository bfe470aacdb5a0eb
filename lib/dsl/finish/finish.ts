/** The last step of every query: all rows in, the page's table out. */
import { orderOf, type Row } from './order.ts';
import type { Plan } from '../plan/plan.ts';
import { selectRows } from './select-rows.ts';
import type { Cell, Table, TableColumn } from '../plan/table.ts';
import { zoneOf } from '../plan/columns.ts';
import { traitsOf } from '../plan/plan-traits.ts';
import type { TimeUnit } from '../time/units.ts';
import { bucketsOf } from '../time/buckets.ts';

/**
 * The answer's table: adds missing rows, orders, cuts as the stages say, then cuts the request's page.
 * @param columns `columnsOf(plan)`.
 * @param rows One cell per column, times in milliseconds, groups and buckets as printed. In any order, except the rows of
 * `list`, which must come newest first, in the exact reverse of the order of events. Not changed.
 */
export function finishTable(plan: Plan, columns: readonly TableColumn[], rows: readonly (readonly Cell[])[]): Table {
  const filled = fillRows(plan, columns, rows);
  const { from, to, total } = pageOf(plan, filled.length);
  return { columns, rows: selectRows(filled, orderOf(plan, columns, filled), from, to), total };
}

/**
 * Which ordered rows are on the page: `from` (included) to `to` (excluded) of `count`, and how many the stages leave. For
 * sources that make only the rows they show.
 */
export function pageOf(plan: Plan, count: number): { from: number; to: number; total: number } {
  const end = Math.min(count, plan.offset + (plan.limit ?? Infinity));
  const from = Math.min(end, plan.offset + plan.page.offset);
  return { from, to: Math.min(end, from + plan.page.limit), total: Math.max(0, end - plan.offset) };
}

/** How many rows, from the first in order, the page needs. */
export const rowsNeeded = ({ offset, limit, page }: Plan): number =>
  offset + Math.min(limit ?? Infinity, page.offset + page.limit);

/**
 * Adds the missing rows, for which nothing was counted, in any order. If a time bucket is the only group, every bucket that overlaps the range gets a row;
 * without groups, an empty answer becomes one row of zeros and nulls.
 */
function fillRows(plan: Plan, columns: readonly TableColumn[], rows: readonly Row[]): readonly Row[] {
  const { fills, buckets, isOneRow, nothing } = traitsOf(plan);
  const [unit = null] = buckets;
  if (columns[0]?.role === 'bucket' && fills && unit !== null) return fillBuckets(plan, columns, rows, unit);
  if (rows.length > 0) return rows;
  if (plan.kind === 'funnel' && plan.groups.length === 0) {
    return plan.steps.map(({ event }, index) => [index + 1, event ?? '*', 0, null, null, null]);
  }
  return isOneRow ? [emptyCells(columns, nothing)] : rows;
}

function fillBuckets(
  plan: Plan,
  columns: readonly TableColumn[],
  rows: readonly Row[],
  unit: TimeUnit,
): readonly Row[] {
  const present = new Set(rows.map((row) => row[0]));
  const { labels } = bucketsOf(plan.range, unit, zoneOf(plan));
  const empty = emptyCells(columns, traitsOf(plan).nothing).slice(1);
  const filled = [...rows];
  labels.forEach((label, index) => {
    if (!present.has(label)) {
      filled.push([label, ...(plan.kind === 'retention' ? cohortOfNobody(columns, labels.length - index) : empty)]);
    }
  });
  return filled;
}

/** No users, and 0 in each period that the range reaches. @param reached Buckets from the cohort's own to the last. */
function cohortOfNobody(columns: readonly TableColumn[], reached: number): Cell[] {
  const periods = columns.filter((column) => column.role === 'period');
  return [0, ...periods.map((_, k) => (k < reached ? 0 : null))];
}

function emptyCells(columns: readonly TableColumn[], nothing: readonly Cell[]): Cell[] {
  const groups = columns.filter((column) => column.role === 'bucket' || column.role === 'group');
  return [...groups.map(() => null), ...nothing];
}
