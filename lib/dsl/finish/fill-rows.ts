/** Rows for which nothing was counted: empty time buckets, the single row of an empty answer, a funnel's steps. */
import { zoneOf } from '../plan/columns.ts';
import { traitsOf } from '../plan/plan-traits.ts';
import type { Plan } from '../plan/plan.ts';
import type { TimeUnit } from '../time/units.ts';
import type { Row } from './order.ts';
import type { Cell, TableColumn } from '../plan/table.ts';
import { bucketsOf } from '../time/buckets.ts';

/**
 * Adds the missing rows, in any order. If a time bucket is the only group, every bucket that overlaps the range gets a row;
 * without groups, an empty answer becomes one row of zeros and nulls.
 */
export function fillRows(plan: Plan, columns: readonly TableColumn[], rows: readonly Row[]): readonly Row[] {
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
