/** The order of rows: total, and the same in every engine. Missing cells come last in either direction. */
import { unreachable } from '../../base/unreachable.ts';
import { isRowList, zoneOf } from '../plan/columns.ts';
import { comparePathTexts, labelText } from './path-text.ts';
import { PERSON_COLUMNS } from '../plan/people.ts';
import { traitsOf } from '../plan/plan-traits.ts';
import { shownRange } from '../plan/shown-range.ts';
import type { ChoicePlan, FunnelPlan, Plan } from '../plan/plan.ts';
import type { Cell, TableColumn } from '../plan/table.ts';
import { bucketsOf } from '../time/buckets.ts';
import { compareParts } from '../time/calendar-parts.ts';
import { compareCodePoints, longDigits, spellsNumber } from '../plan/value.ts';

export type Row = readonly Cell[];

/** Negative if `a` comes before `b`. */
export type CompareRows = (a: Row, b: Row) => number;

/**
 * The order that a plan sets; null: rows stay as they came. Rows of `list` must come in their default order (newest first, the
 * exact reverse of the order of events), which no column shows.
 * @param rows All rows: a funnel's groups are ordered by what another row says.
 */
export function orderOf(plan: Plan, columns: readonly TableColumn[], rows: readonly Row[]): CompareRows | null {
  const sorter: Sorter = {
    plan,
    columns,
    compareCells: columns.map((column, index) => cellOrder(plan, column, index)),
  };
  const { order } = plan;
  switch (order.kind) {
    case 'default':
      return defaultOrder(sorter, rows);
    case 'none':
      return null;
    case 'sort':
      return inTurn([bySorted(sorter, order.column, order.descending), defaultOrder(sorter, rows)]);
    case 'top':
      return inTurn([...byMetric(sorter), ...indexes(sorter, ['group', 'bucket']).map((at) => by(sorter, at))]);
    default:
      return unreachable(order);
  }
}

type CompareCells = (a: NonNullable<Cell>, b: NonNullable<Cell>) => number;

interface Sorter {
  readonly plan: Plan;
  readonly columns: readonly TableColumn[];
  readonly compareCells: readonly CompareCells[];
}

function defaultOrder(sorter: Sorter, rows: readonly Row[]): CompareRows | null {
  const { plan } = sorter;
  if (plan.people !== undefined) return peopleOrder(sorter);
  const on = (...keys: (readonly [name: string, descending?: boolean])[]): CompareRows =>
    inTurn(keys.map(([name, descending]) => by(sorter, indexOf(sorter, name), descending)));
  switch (plan.kind) {
    case 'list':
    case 'did':
    case 'identities':
      return null;
    case 'latest':
      return isRowList(plan) ? on(['set_at', true], ['entity']) : generalOrder(sorter);
    case 'users':
      if (plan.fields !== undefined && (plan.hides?.key ?? null) === null) return null; // rows come in it
      if (plan.fields !== undefined) return on(['last_seen', true], ['user_id']);
      return isRowList(plan) ? on(['last_seen', true], ['user_id']) : generalOrder(sorter);
    case 'funnel':
      return funnelOrder(sorter, plan, rows);
    case 'stickiness':
      return on(['days']);
    case 'inspect':
      return plan.event === null ? on(['count', true], ['event_type']) : on(['coverage', true], ['field']);
    case 'fields':
      return on(['coverage', true], ['field'], ['kind']);
    case 'choice':
      return choiceOrder(sorter, plan, rows);
    case 'aggregate':
    case 'formula':
    case 'retention': // its first metric is users
    case 'paths':
    case 'sessions':
    case 'lifecycle':
    case 'attribution':
      return generalOrder(sorter);
    default:
      return unreachable(plan);
  }
}

/** The newest time first, then by person, then by group. */
function peopleOrder(sorter: Sorter): CompareRows {
  const ofGroups = sorter.columns.slice(PERSON_COLUMNS.length).map((_, at) => by(sorter, PERSON_COLUMNS.length + at));
  return inTurn([by(sorter, 2, true), by(sorter, 0), ...ofGroups]);
}

/** Buckets and scales ascending, then the first metric descending, then the other groups ascending. */
function generalOrder(sorter: Sorter): CompareRows {
  return inTurn([
    ...scales(sorter).map((at) => by(sorter, at)),
    ...byMetric(sorter),
    ...indexes(sorter, ['group']).map((at) => by(sorter, at)),
  ]);
}

/** By the users of each group's first step, with the steps of a group together. */
function funnelOrder(sorter: Sorter, plan: FunnelPlan, rows: readonly Row[]): CompareRows {
  const step = indexOf(sorter, 'step');
  const users = step + 2; // behind the event
  const together = groupsTogether(sorter, plan, rows, (row) => (row[step] === 1 ? Number(row[users]) : 0));
  return inTurn([together, by(sorter, step)]);
}

/** By the users of all of a group's variants, with these together: `control`, if there is one, comes first. */
function choiceOrder(sorter: Sorter, plan: ChoicePlan, rows: readonly Row[]): CompareRows {
  const variant = plan.groups.length;
  const controlFirst: CompareRows = (a, b) => Number(b[variant] === 'control') - Number(a[variant] === 'control');
  const together = groupsTogether(sorter, plan, rows, (row) => Number(row[variant + 1]));
  return inTurn([together, controlFirst, by(sorter, variant)]);
}

/** The general order of groups, by a number that rows add up to, with the rows of a group together. */
function groupsTogether(
  sorter: Sorter,
  { groups }: FunnelPlan | ChoicePlan,
  rows: readonly Row[],
  numberOf: (row: Row) => number,
): CompareRows {
  if (groups.length === 0) return () => 0;
  const groupOf = (row: Row): string => JSON.stringify(row.slice(0, groups.length));
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(groupOf(row), (sums.get(groupOf(row)) ?? 0) + numberOf(row));
  const sumOf = new Map(rows.map((row) => [row, sums.get(groupOf(row)) ?? 0]));
  const columns = groups.map((_, at) => at);
  return inTurn([
    ...scales(sorter).map((at) => by(sorter, at)),
    (a, b) => (sumOf.get(b) ?? 0) - (sumOf.get(a) ?? 0),
    ...columns.map((at) => by(sorter, at)),
  ]);
}

function byMetric(sorter: Sorter): CompareRows[] {
  return indexes(sorter, ['metric'])
    .slice(0, 1)
    .map((at) => by(sorter, at, true));
}

/** As `by`, but texts of groups, and cells of chosen fields, that spell numbers are sorted as these, before other texts. */
function bySorted(sorter: Sorter, index: number, descending: boolean): CompareRows {
  const column = sorter.columns[index];
  const isListed = 'fields' in sorter.plan && sorter.plan.fields !== undefined;
  const isText = isListed || (column?.role === 'group' && column.type === 'string' && column.scale !== true);
  return by(sorter, index, descending, isText ? numbersFirst() : sorter.compareCells[index]);
}

function by(
  sorter: Sorter,
  index: number,
  descending = false,
  compareCells: CompareCells | undefined = sorter.compareCells[index],
): CompareRows {
  if (compareCells === undefined) throw new Error(`no column ${index} to order by`);
  const sign = descending ? -1 : 1;
  return (a, b) => {
    const left = a[index] ?? null;
    const right = b[index] ?? null;
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * compareCells(left, right);
  };
}

function inTurn(compares: readonly (CompareRows | null)[]): CompareRows {
  const [first, ...others] = compares.filter((compare) => compare !== null);
  if (first === undefined) return () => 0;
  if (others.length === 0) return first;
  const rest = inTurn(others);
  return (a, b) => first(a, b) || rest(a, b);
}

function indexes(sorter: Sorter, roles: readonly TableColumn['role'][]): number[] {
  return sorter.columns.flatMap((column, index) => (roles.includes(column.role) ? [index] : []));
}

/** Of columns in whose order the rows are: time goes first. */
function scales(sorter: Sorter): number[] {
  return [...indexes(sorter, ['bucket']), ...sorter.columns.flatMap(({ scale }, index) => (scale ? [index] : []))];
}

function indexOf(sorter: Sorter, name: string): number {
  // The last one: a group may have the name of a column of the source.
  return sorter.columns.findLastIndex((column) => column.name === name);
}

function cellOrder(plan: Plan, column: TableColumn, index: number): CompareCells {
  if (column.role === 'bucket' && traitsOf(plan).buckets[index] === 'hour') return hourOrder(plan);
  if (column.scale && column.type === 'string') return compareScale;
  return plan.kind === 'paths' && column.role === 'group' ? comparePaths : compareCells;
}

/** Printed hours do not sort as text when the offset changes: 02:00+02:00 comes before 02:00+01:00. */
function hourOrder(plan: Plan): CompareCells {
  let ranks: ReadonlyMap<Cell, number> | null = null;
  return (a, b) => {
    ranks ??= new Map(bucketsOf(shownRange(plan), 'hour', zoneOf(plan)).labels.map((label, rank) => [label, rank]));
    const left = ranks.get(a);
    const right = ranks.get(b);
    return left === undefined || right === undefined ? compareCells(a, b) : left - right;
  };
}

function compareScale(a: NonNullable<Cell>, b: NonNullable<Cell>): number {
  const parts = typeof a === 'string' && typeof b === 'string' ? compareParts(a, b) : 0;
  return parts || compareCells(a, b);
}

function numbersFirst(): CompareCells {
  const known = new Map<Cell, number | null>();
  const numberOfCell = (cell: Cell): number | null => {
    let number = known.get(cell);
    if (number === undefined) {
      number = typeof cell === 'number' ? cell : typeof cell === 'string' ? spellsNumber(cell) : null;
      known.set(cell, number);
    }
    return number;
  };
  return (a, b) => {
    const [left, right] = [numberOfCell(a), numberOfCell(b)];
    if (left === null || right === null) {
      return left === right ? compareCells(a, b) : Number(left === null) - Number(right === null);
    }
    return left - right || compareDigits(left, a, b);
  };
}

/** Of cells of one float: beyond 2^53 texts of whole numbers differ by their digits; others are the float itself. */
function compareDigits(float: number, a: NonNullable<Cell>, b: NonNullable<Cell>): number {
  if (a === b || Math.abs(float) < 2 ** 53) return 0;
  const [left, right] = [a, b].map((cell) => BigInt((typeof cell === 'string' ? longDigits(cell) : null) ?? float));
  return Number(left! > right!) - Number(left! < right!);
}

function comparePaths(a: NonNullable<Cell>, b: NonNullable<Cell>): number {
  const texts = Array.isArray(a) && Array.isArray(b) ? comparePathTexts<string | null>(a, b, labelText) : 0;
  return texts || compareCells(a, b);
}

/** Numbers come first, by size; everything else follows by the code points of its text. */
function compareCells(a: NonNullable<Cell>, b: NonNullable<Cell>): number {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'number' || typeof b === 'number') return typeof a === 'number' ? -1 : 1;
  return compareCodePoints(cellText(a), cellText(b));
}

function cellText(cell: Exclude<NonNullable<Cell>, number>): string {
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}
