/** Rows that an answer has though nothing was counted: empty time buckets, the one row of no rows, a funnel's steps. */
import { unreachable } from '../unreachable.ts';
import { zoneOf } from './columns.ts';
import { evaluateFormula } from './evaluate-formula.ts';
import { valueOfNothing } from './metrics.ts';
import type { FormulaPlan, Group, Plan } from './plan.ts';
import type { TimeUnit } from './time/units.ts';
import type { Row } from './order.ts';
import type { Cell, TableColumn } from './table.ts';
import { bucketsOf } from './time/buckets.ts';

/**
 * The rows and what is to be filled in, in any order. Where a time bucket is the only group, every bucket that shares an
 * instant with the range gets a row; without groups, no rows become the one row of nothing.
 */
export function fillRows(plan: Plan, columns: readonly TableColumn[], rows: readonly Row[]): readonly Row[] {
  if (columns[0]?.role === 'bucket' && isFilled(plan)) {
    return fillBuckets(plan, columns, rows);
  }
  if (rows.length > 0) {
    return rows;
  }
  if (plan.kind === 'funnel' && plan.groups.length === 0) {
    return plan.steps.map(({ event }, index) => [index + 1, event ?? '*', 0, null, null, null]);
  }
  return isOneRow(plan) ? [emptyCells(plan, columns)] : rows;
}

/** Whether empty buckets get rows. Not in `funnel` and `latest`, and not beside another group. */
function isFilled(plan: Plan): boolean {
  switch (plan.kind) {
    case 'aggregate':
    case 'users':
    case 'sessions':
      return plan.groups.length === 1;
    case 'retention':
      return plan.groups.length === 0;
    case 'formula':
    case 'lifecycle':
      return true;
    case 'latest':
    case 'funnel':
    case 'list':
    case 'paths':
    case 'stickiness':
    case 'fields':
    case 'inspect':
    case 'choice':
      return false;
    default:
      return unreachable(plan);
  }
}

/** Whether the answer is metrics of all rows in one. */
function isOneRow(plan: Plan): boolean {
  switch (plan.kind) {
    case 'aggregate':
    case 'users':
    case 'latest':
      return plan.groups.length === 0 && plan.metrics.length > 0;
    case 'sessions':
      return plan.groups.length === 0;
    case 'formula':
      return plan.bucket === null;
    case 'funnel':
    case 'retention':
    case 'lifecycle':
    case 'list':
    case 'paths':
    case 'stickiness':
    case 'fields':
    case 'inspect':
    case 'choice':
      return false;
    default:
      return unreachable(plan);
  }
}

function fillBuckets(plan: Plan, columns: readonly TableColumn[], rows: readonly Row[]): readonly Row[] {
  const present = new Set(rows.map((row) => row[0]));
  const { labels } = bucketsOf(plan.range, unitOf(plan), zoneOf(plan));
  const empty = emptyCells(plan, columns).slice(1);
  const filled = [...rows];
  labels.forEach((label, index) => {
    if (!present.has(label)) {
      filled.push([label, ...(plan.kind === 'retention' ? cohortOfNobody(columns, labels.length - index) : empty)]);
    }
  });
  return filled;
}

function unitOf(plan: Plan): TimeUnit {
  if (plan.kind === 'retention' || plan.kind === 'lifecycle') {
    return plan.unit;
  }
  return bucketUnit('groups' in plan ? plan.groups[0] : plan.kind === 'formula' ? plan.bucket : undefined);
}

function bucketUnit(group: Group | null | undefined): TimeUnit {
  if (group?.kind !== 'bucket') {
    throw new Error('a bucket column without a bucket');
  }
  return group.unit;
}

/** No users, and nobody in each period that the range reaches. @param reached Buckets from the cohort's own to the last. */
function cohortOfNobody(columns: readonly TableColumn[], reached: number): Cell[] {
  const periods = columns.filter((column) => column.role === 'period');
  return [0, ...periods.map((_, k) => (k < reached ? 0 : null))];
}

/** The cells of a group of nothing: counts are 0, what is of no values is null. */
function emptyCells(plan: Plan, columns: readonly TableColumn[]): Cell[] {
  const groups = columns.filter((column) => column.role === 'bucket' || column.role === 'group').map(() => null);
  switch (plan.kind) {
    case 'aggregate':
    case 'users':
    case 'latest':
      return [...groups, ...plan.metrics.map(valueOfNothing)];
    case 'sessions':
      return [...groups, ...(plan.metrics.length > 0 ? plan.metrics.map(valueOfNothing) : [0, null, null, null])];
    case 'formula':
      return [...groups, ...emptyFormula(plan)];
    case 'lifecycle':
      return [...groups, 0, 0, 0, 0];
    default:
      return groups;
  }
}

function emptyFormula(plan: FormulaPlan): Cell[] {
  const operands = plan.operands.map(({ metric }) => valueOfNothing(metric));
  return [...operands, evaluateFormula(plan.expression, operands)];
}
