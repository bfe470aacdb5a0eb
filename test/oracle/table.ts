/** Rows with their sort keys, and the order of rows. */
import type { Plan } from '../../lib/dsl/plan/plan.ts';
import type { Cell, ColumnRole, ColumnType, TableColumn } from '../../lib/dsl/plan/table.ts';
import { unreachable } from '../../lib/base/unreachable.ts';
import { compareText, Instant, isMissing, numberOf, textOf, type Value } from './value.ts';

export interface Line {
  readonly cells: readonly Cell[];
  /** The sort key of each column's cell: the instant of a bucket or time, a number, a text; null is missing. */
  readonly keys: readonly (number | string | null)[];
}

/** Negative if a comes before b. */
export type Compare = (a: Line, b: Line) => number;

export interface Sheet {
  readonly columns: readonly TableColumn[];
  /** In any order. */
  readonly lines: readonly Line[];
  /** The default order, which is total. */
  readonly order: Compare;
  /** Whether the last column is only for stages, and not shown. */
  readonly hidesLast?: boolean;
}

export interface Answer {
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly Cell[])[];
  readonly total: number;
}

export function column(name: string, type: ColumnType, role: ColumnRole): TableColumn {
  return { name, type, role };
}

/** The cell of a value, in a column that keeps types or a column of times. */
export function cellOf(value: Value, type: ColumnType): Cell {
  if (isMissing(value)) return null;
  if (value instanceof Instant) return type === 'time' ? value.ms : textOf(value);
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value;
  return { ...(value as object) };
}

/** Orders by one column; missing values come last in both directions. */
export function by(index: number, direction: 'ascending' | 'descending'): Compare {
  const sign = direction === 'ascending' ? 1 : -1;
  return (a, b) => {
    const [left, right] = [a.keys[index] ?? null, b.keys[index] ?? null];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * compareKeys(left, right);
  };
}

/** Numbers by size, before texts by code point. */
function compareKeys(a: number | string, b: number | string): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'number' && typeof b === 'number') return Math.sign(a - b);
  return typeof a === 'number' ? -1 : 1;
}

/** The first comparison that distinguishes two lines. */
export function inTurn(...compares: readonly Compare[]): Compare {
  return (a, b) => compares.map((compare) => compare(a, b)).find((difference) => difference !== 0) ?? 0;
}

/** Buckets ascending, then the first metric descending, then the other groups ascending. */
export function defaultOrder(columns: readonly TableColumn[]): Compare {
  const at = (role: ColumnRole): number[] => columns.flatMap((one, index) => (one.role === role ? [index] : []));
  return inTurn(
    ...scales(columns),
    ...at('metric')
      .slice(0, 1)
      .map((index) => by(index, 'descending')),
    ...at('group').map((index) => by(index, 'ascending')),
  );
}

/** Buckets ascending, then other groups with an order of their own. */
export function scales(columns: readonly TableColumn[]): Compare[] {
  const where = (is: (one: TableColumn) => boolean): Compare[] =>
    columns.flatMap((one, index) => (is(one) ? [by(index, 'ascending')] : []));
  return [...where(({ role }) => role === 'bucket'), ...where(({ scale }) => scale === true)];
}

/** The first metric descending, then all groups ascending. */
function topOrder(columns: readonly TableColumn[]): Compare {
  const groups = columns.flatMap((one, index) => (one.role === 'group' || one.role === 'bucket' ? [index] : []));
  const metric = columns.findIndex((one) => one.role === 'metric');
  return inTurn(by(metric, 'descending'), ...groups.map((index) => by(index, 'ascending')));
}

/** Orders, skips and cuts as the stages say, then cuts out the request's page. */
export function finish({ columns, lines, order, hidesLast = false }: Sheet, plan: Plan): Answer {
  const sorted = [...lines].sort(inTurn(stageOrder(columns, plan), order));
  const cut = sorted.slice(plan.offset, plan.limit === null ? undefined : plan.offset + plan.limit);
  const page = cut.slice(plan.page.offset, plan.page.offset + plan.page.limit);
  const shown = <T>(all: readonly T[]): readonly T[] => (hidesLast ? all.slice(0, -1) : all);
  return { columns: shown(columns), rows: page.map(({ cells }) => shown(cells)), total: cut.length };
}

/** Cells that are or spell numbers are sorted as these, before other texts; whole ones by all of their digits. */
function byNumbersFirst(index: number, direction: 'ascending' | 'descending'): Compare {
  const sign = direction === 'ascending' ? 1 : -1;
  const isWhole = (text: string): boolean => /^[+-]?\d+$/.test(text);
  return (a, b) => {
    const [one, other] = [a.cells[index] ?? null, b.cells[index] ?? null];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    const [left, right] = [textOf(one), textOf(other)];
    const [m, n] = [numberOf(one), numberOf(other)];
    if (m === null && n === null) return sign * compareText(left, right);
    if (m === null || n === null) return sign * (m === null ? 1 : -1);
    if (m !== n || !Number.isInteger(m)) return sign * Math.sign(m - n);
    const [low, high] = [isWhole(left) ? BigInt(left) : BigInt(m), isWhole(right) ? BigInt(right) : BigInt(m)];
    return sign * (low < high ? -1 : low > high ? 1 : 0);
  };
}

/** Groups, and chosen fields of a list. */
function sortedBy(plan: Plan, { role, type, scale }: TableColumn): typeof by {
  const isChosen = 'fields' in plan && plan.fields !== undefined;
  return isChosen || (role === 'group' && type === 'string' && scale !== true) ? byNumbersFirst : by;
}

function stageOrder(columns: readonly TableColumn[], plan: Plan): Compare {
  const { order } = plan;
  switch (order.kind) {
    case 'default':
    case 'none':
      return () => 0;
    case 'sort':
      if (columns[order.column] === undefined) return by(order.column, order.descending ? 'descending' : 'ascending');
      return sortedBy(plan, columns[order.column]!)(order.column, order.descending ? 'descending' : 'ascending');
    case 'top':
      return topOrder(columns);
    default:
      return unreachable(order);
  }
}
