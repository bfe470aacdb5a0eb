/** One pass over one set of rows: what metrics read of it, each piece computed once. */
import { SECOND_MS } from '../../base/day.ts';
import { kept } from '../../base/kept.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import { isSeconds } from '../../dsl/plan/fields.ts';
import type { Field } from '../../dsl/plan/plan.ts';
import type { RowContext } from '../query-context.ts';
import type { FieldColumn, RowNumbers } from '../rows/field-column.ts';
import type { RowSet } from '../rows/row-set.ts';
import { spelledBy } from '../rows/spelled-numbers.ts';
import type { Filter } from '../where/filter.ts';
import { movedSpans, rowsIn, type Positions, type RowSpan } from './positions.ts';
import { select, selectPlaces } from './select.ts';
import type { SlotMap } from './vectors.ts';

export class Scan {
  readonly rows: RowSet;
  readonly context: RowContext;
  readonly filter: Filter;
  /** Rows in the range and of the event, before the filter. */
  readonly positions: Positions;
  slots: SlotMap = [];
  readonly #numeric = new Map<Field, readonly NumericRows[]>();
  #selected: Positions | null = null;

  constructor(rows: RowSet, positions: Positions, filter: Filter, context: RowContext) {
    this.rows = rows;
    this.positions = positions;
    this.filter = filter;
    this.context = context;
  }

  /** The rows that pass the filter. */
  selected(): Positions {
    this.#selected ??= select(this.positions, this.filter, this.context);
    return this.#selected;
  }

  /** The rows that pass the filter and whose value is or spells a number, in up to two pieces. Seconds become milliseconds. */
  numeric(field: Field): readonly NumericRows[] {
    return kept(this.#numeric, field, () => {
      const found = numericRows(this, field);
      return isSeconds(field) ? found.map(inMilliseconds) : found;
    });
  }
}

/** Exactly the whole numbers that the seconds were made from. */
function inMilliseconds(seconds: NumericRows): NumericRows {
  return { ...seconds, values: seconds.values.map((value) => Math.round(value * SECOND_MS)) };
}

export interface NumericRows extends Positions {
  /** The number at each index of `rows`; at each row without a list. */
  readonly values: Float64Array;
}

type SparseNumbers = RowNumbers & { readonly rows: Uint32Array };

/** Keeps stored numbers and numbers spelt by strings apart: most fields have only one kind. */
function numericRows(scan: Scan, field: Field): readonly NumericRows[] {
  const column = scan.rows.field(field);
  if (column === null || isNothing(scan.filter)) return [];
  return [storedNumbers(scan, column), speltNumbers(scan, column)].filter((rows) => rows !== null);
}

function storedNumbers(scan: Scan, { numbers }: FieldColumn): NumericRows | null {
  if (numbers === null) return null;
  const { rows, values } = numbers;
  if (rows === null) return numbersIn(numbers, scan.selected());
  // Few rows have the number: find these first, then run the filter over them alone.
  return numbersAt({ rows, values }, filterPlaces(scan, intersect(scan.positions, rows), rows));
}

/** The stored numbers in the positions' rows. */
export function numbersIn({ rows, values }: RowNumbers, positions: Positions): NumericRows {
  if (rows !== null) return numbersAt({ rows, values }, intersect(positions, rows));
  return { ...positions, values: positions.rows === null ? values : gather(values, positions.rows) };
}

/** How many of the positions' rows have a stored number. */
export function countNumbers({ rows }: RowNumbers, positions: Positions): number {
  return rowsIn(rows === null ? positions.spans : intersect(positions, rows).spans);
}

function numbersAt({ rows, values }: SparseNumbers, { list, spans }: Places): NumericRows {
  if (list === null) return { rows, values, spans };
  return { rows: gatherRows(rows, list), values: gather(values, list), spans };
}

/** Indices into `rows` (ascending, those with a number) that are among the positions. `list` null: all indices of the spans. */
interface Places {
  readonly list: Uint32Array | null;
  readonly spans: readonly RowSpan[];
}

function intersect(positions: Positions, rows: Uint32Array): Places {
  const list = positions.rows;
  if (list === null) {
    const spans = movedSpans(positions.spans, (from, to) => {
      const start = lowerBound(rows, from);
      return { from: start, to: lowerBound(rows, to, start) };
    });
    return { list: null, spans };
  }
  const same = sameRuns(positions.spans, list, rows);
  if (same !== null) return { list: null, spans: same };
  const found = new Uint32Array(Math.min(list.length, rows.length) + 1);
  let length = 0;
  const spans = movedSpans(positions.spans, (from, to) => {
    const start = length;
    length = mergeWalk(list.subarray(from, to), rows, found, length);
    return { from: start, to: length };
  });
  return { list: found.subarray(0, length), spans };
}

/** If `rows` has the rows of every span in one run, as with the amount of a purchase: those runs; else null. */
function sameRuns(spans: readonly RowSpan[], list: Uint32Array, rows: Uint32Array): readonly RowSpan[] | null {
  const runs: RowSpan[] = [];
  for (const { bucket, from, to } of spans) {
    const start = lowerBound(rows, list[from]!);
    const shift = start - from;
    if (rows[to - 1 + shift] !== list[to - 1]) return null;
    for (let k = from; k < to; k++) if (list[k] !== rows[k + shift]) return null;
    runs.push({ bucket, from: start, to: to + shift });
  }
  return runs;
}

/** Writes the indices into `rows` of what both ascending lists have. Returns the new length of `found`. */
function mergeWalk(list: Uint32Array, rows: Uint32Array, found: Uint32Array, length: number): number {
  let n = length;
  let at = list.length === 0 ? 0 : lowerBound(rows, list[0]!);
  let k = 0;
  while (k < list.length && at < rows.length) {
    const left = list[k]!;
    const right = rows[at]!;
    found[n] = at;
    n += left === right ? 1 : 0;
    k += left <= right ? 1 : 0;
    at += right <= left ? 1 : 0;
  }
  return n;
}

function filterPlaces(scan: Scan, places: Places, rows: Uint32Array): Places {
  if (scan.filter.kind === 'constant') return places;
  const positions: Positions = {
    rows: places.list === null ? rows : gatherRows(rows, places.list),
    spans: places.spans,
  };
  const { list, spans } = selectPlaces(positions, scan.filter, { context: scan.context, of: 'places' });
  return { list: places.list === null ? list : gatherRows(places.list, list), spans };
}

function speltNumbers(scan: Scan, { codes, dictionary }: FieldColumn): NumericRows | null {
  if (codes === null || dictionary === null) return null;
  const spelt = spelledBy(dictionary, () => scan.context.checkpoint());
  if (spelt.count === 0) return null;
  const has: Filter = { kind: 'table', codes, passes: spelt.has, only: null };
  const { list, spans } = selectPlaces(scan.selected(), has, { context: scan.context, of: 'rows' });
  const values = new Float64Array(list.length);
  for (let k = 0; k < list.length; k++) values[k] = spelt.values[codes[list[k]!]!]!;
  return { rows: list, values, spans };
}

function isNothing(filter: Filter): boolean {
  return filter.kind === 'constant' && filter.value === 0;
}

function gather(values: Float64Array, places: Uint32Array): Float64Array {
  const result = new Float64Array(places.length);
  for (let k = 0; k < places.length; k++) result[k] = values[places[k]!]!;
  return result;
}

function gatherRows(values: Uint32Array, places: Uint32Array): Uint32Array {
  const result = new Uint32Array(places.length);
  for (let k = 0; k < places.length; k++) result[k] = values[places[k]!]!;
  return result;
}
