/** `compare`: beside each metric its value over an earlier range, and its change. */
import { columnsAfter, zoneOf } from '../plan/columns.ts';
import { traitsOf } from '../plan/plan-traits.ts';
import { rolledOver } from '../plan/rolled.ts';
import { shownRange } from '../plan/shown-range.ts';
import type { Plan, TableStage } from '../plan/plan.ts';
import type { Cell, TableColumn, WholeTable } from '../plan/table.ts';
import { roundComputed } from '../plan/value.ts';
import { bucketsOf } from '../time/buckets.ts';

type Row = readonly Cell[];
type CompareStage = TableStage & { readonly kind: 'compare' };

/** The plan that answers the same over the earlier range: all rows, in any order. null: the plan compares nothing. */
export function earlierPlan(plan: Plan): Plan | null {
  const at = plan.tableStages.findIndex(({ kind }) => kind === 'compare');
  const stage = plan.tableStages[at];
  if (stage?.kind !== 'compare') return null;
  const whole = {
    order: { kind: 'none' },
    offset: 0,
    limit: null,
    page: { limit: Number.MAX_SAFE_INTEGER, offset: 0 },
  } as const;
  const earlier = { ...plan, ...whole, range: stage.range, tableStages: plan.tableStages.slice(0, at) };
  if (!('rolling' in earlier) || earlier.rolling === undefined) return earlier;
  return rolledOver(earlier, earlier.rolling, stage.range);
}

/** The plan that compares with these rows. @param earlier Of the answer to `earlierPlan(plan)`. */
export function withEarlier(plan: Plan, earlier: readonly Row[]): Plan {
  const tableStages = plan.tableStages.map((stage) => (stage.kind === 'compare' ? { ...stage, earlier } : stage));
  return { ...plan, tableStages };
}

/** @param table All rows of the present range. */
export function compared(plan: Plan, table: WholeTable, stage: CompareStage): WholeTable {
  const { columns, rows } = table;
  if (stage.earlier === undefined) throw new Error('a comparison without the rows to compare with');
  const nothing = nothingOf(plan, columns);
  const unknown = columns.map(() => null);
  const hadBuckets = bucketsReached(plan, columns, stage);
  const keyOf = keyReader(columns);
  const before = placed(plan, columns, stage);
  const places = new Map<Cell, number>();
  for (let at = 0; at < before.length; at++) places.set(keyOf(before[at]!), at);
  const isFound = new Uint8Array(before.length);
  const isCompared = columns.map((_, at) => stage.metrics.includes(at));
  const width = columns.length + 2 * stage.metrics.length;
  const withChanges = (row: Row, earlier: Row): Cell[] => {
    const cells = new Array<Cell>(width); // there may be many rows, and a list that grows takes far more room
    let next = 0;
    for (let at = 0; at < row.length; at++) {
      const cell = (cells[next++] = row[at] ?? null);
      if (!isCompared[at]) continue;
      const before = (cells[next++] = earlier[at] ?? null);
      cells[next++] = changeOf(cell, before);
    }
    return cells;
  };
  const found = rows.map((row) => {
    const place = places.get(keyOf(row));
    if (place === undefined) return withChanges(row, hadBuckets(row) ? nothing : unknown);
    isFound[place] = 1;
    return withChanges(row, before[place]!);
  });
  const gone = before
    .filter((_, at) => isFound[at] === 0)
    .map((row) =>
      withChanges(
        row.map((cell, at) => (isKey(columns[at]!) ? cell : (nothing[at] ?? null))),
        row,
      ),
    );
  return { columns: columnsAfter(columns, stage), rows: [...found, ...gone] };
}

/** Whether the earlier range has a bucket of the number of each of a row's. */
function bucketsReached(plan: Plan, columns: readonly TableColumn[], { range }: CompareStage): (row: Row) => boolean {
  const reached = columns.map(({ role }, at) => (role === 'bucket' ? new Set<Cell>(namesOf(plan, range, at).values()) : null)); // prettier-ignore
  if (reached.every((names) => names === null)) return () => true;
  return (row) => reached.every((names, at) => names === null || names.has(row[at] ?? null));
}

/** The earlier rows with their buckets named as the present ones of the same number; without those beyond the last of these. */
function placed(plan: Plan, columns: readonly TableColumn[], { range, earlier = [] }: CompareStage): readonly Row[] {
  const named = columns.map(({ role }, at) => (role === 'bucket' ? namesOf(plan, range, at) : null));
  if (named.every((names) => names === null)) return earlier;
  return earlier.flatMap((row) => {
    const moved = row.map((cell, at) => (named[at] ? (named[at].get(cell) ?? null) : cell));
    return named.some((names, at) => names !== null && moved[at] === null) ? [] : [moved];
  });
}

/** The present bucket of each earlier one, for those that have one. */
function namesOf(plan: Plan, range: Plan['range'], at: number): ReadonlyMap<Cell, string> {
  const unit = traitsOf(plan).buckets[at] ?? null;
  if (unit === null) throw new Error(`column ${at} is no bucket`);
  const zone = zoneOf(plan);
  const { labels } = bucketsOf(shownRange(plan), unit, zone);
  return new Map(bucketsOf(range, unit, zone).labels.flatMap((label, nth) => (nth < labels.length ? [[label, labels[nth]!]] : []))); // prettier-ignore
}

const isKey = ({ role }: TableColumn): boolean => role === 'bucket' || role === 'group';

/** What tells rows apart. The cells of a column are of one type, besides null. */
function keyReader(columns: readonly TableColumn[]): (row: Row) => Cell {
  const keys = columns.flatMap((column, at) => (isKey(column) ? [at] : []));
  const [only = 0] = keys;
  if (keys.length === 1) return (row) => row[only] ?? null;
  return (row) => keys.map((at) => spelled(row[at] ?? null)).join('');
}

/** With its length ahead, as a text may hold anything. */
function spelled(cell: Cell): string {
  if (cell === null) return '-';
  const text = typeof cell === 'string' ? cell : JSON.stringify(cell);
  return `${text.length}:${text}`;
}

/** A row of which nothing was counted. */
function nothingOf(plan: Plan, columns: readonly TableColumn[]): Row {
  const metrics = columns.flatMap(({ role }, at) => (role === 'metric' ? [at] : []));
  const { nothing } = traitsOf(plan);
  return columns.map((_, at) => nothing[metrics.indexOf(at)] ?? null);
}

/** null where one is missing, or was 0. */
function changeOf(now: Cell, before: Cell): number | null {
  if (typeof now !== 'number' || typeof before !== 'number' || before === 0) return null;
  const change = roundComputed(now / before - 1);
  return Number.isNaN(change) ? null : change;
}
