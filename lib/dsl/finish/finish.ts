/** The last step of every query: all rows in, the page's table out. */
import { fillRows } from './fill-rows.ts';
import { orderOf } from './order.ts';
import type { Plan } from '../plan/plan.ts';
import { selectRows } from './select-rows.ts';
import type { Cell, Table, TableColumn } from '../plan/table.ts';

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
