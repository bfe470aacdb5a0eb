/** Merged groups and metrics as rows of cells, and the table of the page. */
import { columnsOf } from '../../dsl/plan/columns.ts';
import { finishTable } from '../../dsl/finish/finish.ts';
import { firstInOrder } from '../../dsl/finish/select-rows.ts';
import type { Group, Plan } from '../../dsl/plan/plan.ts';
import type { Cell, Table } from '../../dsl/plan/table.ts';
import type { MergedMetrics } from '../metrics/merge-metrics.ts';
import type { MetricValues } from '../metrics/metric-state.ts';
import { nthGreatest } from '../metrics/percentile.ts';
import type { PlanOf } from './contract.ts';
import { threshold } from '../../base/threshold.ts';

/** From this many groups on it pays to find those on the page before making rows. */
const MANY = threshold('groups before rows', 256);

/** The table of a plan with metrics by groups. */
export function groupTable(plan: PlanOf<'aggregate' | 'users' | 'latest'>, merged: MergedMetrics): Table {
  return pagedTable(plan, plan.groups, merged, (only) => groupRows(merged, plan.groups.length, only));
}

/** The same for rows that have more than groups and metrics. @param rowsOf Makes the rows of some groups; null: of all. */
export function pagedTable(
  plan: Plan,
  groups: readonly Group[],
  merged: MergedMetrics,
  rowsOf: (only: Uint32Array | null) => Cell[][],
): Table {
  const { count } = merged.groups;
  const found = count > MANY.value && hasNoBucket(groups) ? groupsOfPage(plan, merged) : null;
  const table = finishTable(plan, columnsOf(plan), rowsOf(found));
  if (found === null) return table;
  const end = Math.min(count, plan.offset + (plan.limit ?? Infinity));
  return { ...table, total: Math.max(0, end - plan.offset) };
}

/** Cells of the groups, then of the metrics. @param columns How many groups the plan has. @param only Which groups; null: all. */
export function groupRows(
  { groups, values }: MergedMetrics,
  columns: number,
  only: Uint32Array | null = null,
): Cell[][] {
  return Array.from({ length: only?.length ?? groups.count }, (_, index) => {
    const group = only === null ? index : only[index]!;
    const row: Cell[] = [];
    for (let at = 0; at < columns; at++) row.push(groups.text(at, group));
    for (const metric of values) row.push(metricCell(metric, group));
    return row;
  });
}

export function metricCell(values: MetricValues, group: number): number | string | null {
  return values instanceof Float64Array ? numberCell(values[group]!) : values[group]!;
}

/** NaN becomes null, -0 becomes 0. */
export function numberCell(value: number): number | null {
  return Number.isNaN(value) ? null : value + 0;
}

/**
 * The groups that may be on the page, if the first metric decides before anything else: those with more than the last row on it,
 * and of those with as much, the first by their texts. null: another order, or all of them.
 */
function groupsOfPage(plan: Plan, merged: MergedMetrics): Uint32Array | null {
  const [values] = merged.values;
  const metricFirst = plan.order.kind === 'top' || plan.order.kind === 'default';
  const needed = plan.offset + Math.min(plan.limit ?? Infinity, plan.page.offset + plan.page.limit);
  if (!metricFirst || !(values instanceof Float64Array) || needed >= values.length) return null;
  const least = nthGreatest(values, needed);
  // Groups without a value come last: they are needed if fewer have one.
  const ties = groupsWhere(values, (value) => value === least || (least === -Infinity && Number.isNaN(value)));
  const greater = groupsWhere(values, (value) => value > least);
  const room = needed - greater.length;
  if (least === -Infinity || ties.length <= room) return joined(greater, ties);
  const first = firstInOrder(ties, (a, b) => merged.groups.compare(a, b), room);
  return joined(greater, Uint32Array.from(first));
}

function groupsWhere(values: Float64Array, wanted: (value: number) => boolean): Uint32Array {
  const found = new Uint32Array(values.length);
  let length = 0;
  for (let group = 0; group < values.length; group++) if (wanted(values[group]!)) found[length++] = group;
  return found.subarray(0, length);
}

function joined(a: Uint32Array, b: Uint32Array): Uint32Array {
  const all = new Uint32Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}

/** Buckets are filled up before rows are chosen: then the page and the total have more groups than were found. */
function hasNoBucket(groups: readonly Group[]): boolean {
  return groups.every(({ kind }) => kind === 'field');
}
