/** The last step of every query: all rows in, the page's table out. */
import { hide } from './hide.ts';
import { stepName } from './funnel-steps.ts';
import { orderOf, type Row } from './order.ts';
import { compared } from './compare.ts';
import { rowsHaving } from './having.ts';
import { withShares } from './share.ts';
import { unreachable } from '../../base/unreachable.ts';
import type { ChoicePlan, Plan, RetentionPlan, TableStage } from '../plan/plan.ts';
import { selectRows } from './select-rows.ts';
import type { Cell, Table, TableColumn, WholeTable } from '../plan/table.ts';
import { periodsOf, shownOf, zoneOf } from '../plan/columns.ts';
import { valueOfNothing } from '../plan/metrics.ts';
import { traitsOf } from '../plan/plan-traits.ts';
import { shownRange } from '../plan/shown-range.ts';
import { CALENDAR_PARTS, type CalendarPart } from '../time/calendar-parts.ts';
import type { TimeUnit } from '../time/units.ts';
import { bucketsOf, MAX_BUCKETS } from '../time/buckets.ts';
import { AppError } from '../../base/errors.ts';
import { kept } from '../../base/kept.ts';
import { roundComputed } from '../plan/value.ts';

/**
 * The answer's table: adds missing rows, runs the stages that work on all of them, orders, cuts as the stages say, then cuts the
 * request's page.
 * @param columns `columnsOf(plan)`, to which the stages add theirs.
 * @param rows One cell per column, times in milliseconds, groups and buckets as printed. In any order, except the rows of
 * `list`, which must come newest first, in the exact reverse of the order of events. Not changed.
 */
export function finishTable(plan: Plan, columns: readonly TableColumn[], rows: readonly (readonly Cell[])[]): Table {
  const seen = hide(plan, columns, rows);
  const filled = { columns, rows: fillRows(plan, columns, numberBins(columns, roundShares(columns, seen))) };
  const isHaving = (stage: TableStage): boolean => stage.kind === 'having';
  const runStages = (table: WholeTable, stages: readonly TableStage[]): WholeTable =>
    stages.reduce((before, stage) => afterStage(plan, before, stage), table);
  const whole = runStages(filled, plan.tableStages.filter((stage) => !isHaving(stage))); // prettier-ignore
  const kept = runStages(whole, plan.tableStages.filter(isHaving));
  const { from, to, total } = pageOf(plan, kept.rows.length);
  // The order may depend on rows that `having` leaves out: a funnel's groups are ordered by their first step.
  const order = orderOf(plan, whole.columns, whole.rows);
  const table = shownTable(plan, { columns: kept.columns, rows: selectRows(kept.rows, order, from, to), total });
  return plan.kind === 'choice' && plan.people === undefined && !isAdjusted(plan, whole.rows)
    ? withoutLast(table)
    : table;
}

/** Whether there are three variants or more, so that their tests are adjusted for each other. */
function isAdjusted({ groups }: ChoicePlan, rows: readonly Row[]): boolean {
  return new Set(rows.map((row) => row[groups.length])).size > 2;
}

function withoutLast({ columns, rows, total }: Table): Table {
  return { columns: columns.slice(0, -1), rows: rows.map((row) => row.slice(0, -1)), total };
}

/** The table without what its rows are only sorted by, and what whoever asks may not see. */
export function shownTable(plan: Plan, table: Table): Table {
  const { columns, rows } = table;
  const all = columns.map((_, at) => at);
  const shown = shownOf(plan, all);
  if (shown.length === all.length) return table;
  return {
    ...table,
    columns: shown.map((at) => columns[at]!),
    rows: rows.map((row) => shown.map((at) => row[at] ?? null)),
  };
}

/**
 * The same of a source that made only `rowsNeeded(plan)` rows, or a few more.
 * @param count How many rows there are.
 */
export function finishPage(
  plan: Plan,
  columns: readonly TableColumn[],
  rows: readonly (readonly Cell[])[],
  count: number,
): Table {
  const table = finishTable(plan, columns, rows);
  return rows.length < count ? { ...table, total: pageOf(plan, count).total } : table;
}

function afterStage(plan: Plan, table: WholeTable, stage: TableStage): WholeTable {
  switch (stage.kind) {
    case 'compare':
      return compared(plan, table, stage);
    case 'share':
      return withShares(table, stage);
    case 'having':
      return rowsHaving(table, stage.condition, zoneOf(plan));
    default:
      return unreachable(stage);
  }
}

/** Shares and durations as they are printed; other computed columns are rounded where their metric is (`roundComputed`). */
function roundShares(columns: readonly TableColumn[], rows: readonly Row[]): readonly Row[] {
  const isComputed = columns.map(({ type }) => type === 'ratio' || type === 'seconds');
  if (!isComputed.includes(true)) return rows;
  return rows.map((row) =>
    row.map((cell, at) => (isComputed[at] && typeof cell === 'number' ? roundComputed(cell) : cell)),
  );
}

/** The bins of groups as numbers: groups are made by text. */
export function numberBins(columns: readonly TableColumn[], rows: readonly Row[]): readonly Row[] {
  const isBin = columns.map(({ type, scale }) => type === 'number' && scale === true);
  if (!isBin.includes(true)) return rows;
  return rows.map((row) => row.map((cell, at) => (isBin[at] && cell !== null ? Number(cell) : cell)));
}

/** Which ordered rows are on the page: `from` (included) to `to` (excluded) of `count`, and how many the stages leave. */
function pageOf(plan: Plan, count: number): { from: number; to: number; total: number } {
  const end = Math.min(count, plan.offset + (plan.limit ?? Infinity));
  const from = Math.min(end, plan.offset + plan.page.offset);
  return { from, to: Math.min(end, from + plan.page.limit), total: Math.max(0, end - plan.offset) };
}

/** How many rows, from the first in order, the page needs: all where a stage works on them. */
export const rowsNeeded = ({ tableStages, offset, limit, page }: Plan): number =>
  tableStages.length > 0 ? Infinity : offset + Math.min(limit ?? Infinity, page.offset + page.limit);

/**
 * Adds the missing rows, for which nothing was counted, in any order. If a time bucket is the only group, every bucket that overlaps the range gets a row;
 * without groups, an empty answer becomes one row of zeros and nulls.
 */
function fillRows(plan: Plan, columns: readonly TableColumn[], rows: readonly Row[]): readonly Row[] {
  if (plan.people !== undefined) return rows;
  const { fills, buckets, isOneRow, nothing } = traitsOf(plan);
  const [unit = null] = buckets;
  const [group] = 'groups' in plan ? plan.groups : [];
  const part = group?.kind === 'part' ? group.part : null;
  if ('rolling' in plan && plan.rolling !== undefined) return fillGroups(plan, columns, rows);
  if (columns[0]?.role === 'bucket' && fills && unit !== null) return fillBuckets(plan, columns, rows, unit);
  if (columns[0]?.scale && fills && part !== null) return fillParts(plan, columns, rows, part);
  if (rows.length > 0) return rows;
  if (plan.kind === 'funnel' && plan.groups.length === 0) {
    return plan.steps.map((_, index) => [
      index + 1,
      stepName(plan, index),
      0,
      null,
      null,
      null,
      ...plan.times.map(() => null),
    ]);
  }
  return isOneRow ? [emptyCells(columns, nothing)] : rows;
}

/** Every bucket of every group that has a row; rows without a bucket only tell that the group is there. */
function fillGroups(plan: Plan, columns: readonly TableColumn[], rows: readonly Row[]): readonly Row[] {
  const at = columns.findIndex(({ role }) => role === 'bucket');
  const { labels } = bucketsOf(shownRange(plan), traitsOf(plan).buckets[at]!, zoneOf(plan));
  const groups = traitsOf(plan).buckets.length;
  const others = (row: Row): Row => row.slice(0, groups).toSpliced(at, 1);
  const found = new Map<string, { readonly others: Row; readonly buckets: Set<Cell | undefined> }>();
  if (groups === 1) found.set('[]', { others: [], buckets: new Set() });
  for (const row of rows) {
    const own = others(row);
    kept(found, JSON.stringify(own), () => ({ others: own, buckets: new Set() })).buckets.add(row[at]);
  }
  if (found.size * labels.length > MAX_BUCKETS) throw tooManyWindows();
  const { nothing } = traitsOf(plan);
  const missing = [...found.values()].flatMap(({ others: own, buckets }) =>
    labels.flatMap((label) => (buckets.has(label) ? [] : [[...own.toSpliced(at, 0, label), ...nothing]])),
  );
  return [...rows.filter((row) => row[at] !== null), ...missing];
}

const tooManyWindows = (): AppError =>
  new AppError('bad_query', `the answer has more than ${MAX_BUCKETS} rows, one for each bucket of every group`, {
    hints: ['choose a shorter range, a longer bucket or fewer groups'],
  });

/** All labels of the part, whatever the range. */
function fillParts(
  plan: Plan,
  columns: readonly TableColumn[],
  rows: readonly Row[],
  part: CalendarPart,
): readonly Row[] {
  const present = new Set(rows.map((row) => row[0]));
  const empty = emptyCells(columns, traitsOf(plan).nothing).slice(1);
  const missing = CALENDAR_PARTS[part].labels.filter((label) => !present.has(label));
  return [...rows, ...missing.map((label): Row => [label, ...empty])];
}

function fillBuckets(
  plan: Plan,
  columns: readonly TableColumn[],
  rows: readonly Row[],
  unit: TimeUnit,
): readonly Row[] {
  const present = new Set(rows.map((row) => row[0]));
  const { labels } = bucketsOf(shownRange(plan), unit, zoneOf(plan));
  const empty = emptyCells(columns, traitsOf(plan).nothing).slice(1);
  const filled = [...rows];
  labels.forEach((label, index) => {
    if (!present.has(label)) {
      filled.push([label, ...(plan.kind === 'retention' ? cohortOfNobody(plan, labels.length - index) : empty)]);
    }
  });
  return filled;
}

/** No users, and what there is of nobody in each period that the range reaches. @param reached Buckets from the cohort's own to the last. */
function cohortOfNobody(plan: RetentionPlan, reached: number): Cell[] {
  const [metric] = plan.metrics;
  const nothing = metric === undefined ? 0 : valueOfNothing(metric);
  return [0, ...Array.from({ length: periodsOf(plan).last + 1 }, (_, k) => (k < reached ? nothing : null))];
}

function emptyCells(columns: readonly TableColumn[], nothing: readonly Cell[]): Cell[] {
  const groups = columns.filter((column) => column.role === 'bucket' || column.role === 'group');
  return [...groups.map(() => null), ...nothing];
}
