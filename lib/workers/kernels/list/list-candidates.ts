/** Which of a segment's selected rows may be among the first of a list: the others are never read one by one. */
import type { CompareRows } from '../../../dsl/finish/order.ts';
import type { Cell } from '../../../dsl/plan/table.ts';
import { rangeOf, type Positions } from '../../groups/positions.ts';
import type { QueryContext } from '../../query-context.ts';
import type { FieldColumn } from '../../rows/field-column.ts';
import { CHECK_EVERY } from '../../check-every.ts';

export interface WantedRows {
  readonly needed: number;
  readonly context: QueryContext;
}

/** The newest rows, newest first: rows are in the order of events. */
export function newestRows(positions: Positions, { needed }: WantedRows): number[] {
  const { rows } = positions;
  const { from, to } = rangeOf(positions);
  const found: number[] = [];
  for (let k = to - 1; k >= Math.max(from, to - needed); k--) found.push(rows === null ? k : rows[k]!);
  return found;
}

/** The oldest rows, and all that share the last one's millisecond. */
export function oldestRows(positions: Positions, times: Float64Array, { needed }: WantedRows): number[] {
  const { rows } = positions;
  const { from, to } = rangeOf(positions);
  const found: number[] = [];
  for (let k = from; k < to; k++) {
    const row = rows === null ? k : rows[k]!;
    if (found.length >= needed && times[row]! > times[found.at(-1)!]!) break;
    found.push(row);
  }
  return found;
}

export function allRows(positions: Positions): number[] {
  const { rows } = positions;
  const { from, to } = rangeOf(positions);
  return Array.from({ length: to - from }, (_, at) => (rows === null ? from + at : rows[from + at]!));
}

/**
 * The rows whose values come first, the newest for each value: compares values once, not once a row.
 * @param keyOf The row of cells that stands for a code; 0 is missing.
 */
export function firstByValue(
  positions: Positions,
  codes: NonNullable<FieldColumn['codes']>,
  {
    keyOf,
    compare,
    size,
  }: { readonly keyOf: (code: number) => Cell[]; readonly compare: CompareRows; readonly size: number },
  { needed, context }: WantedRows,
): number[] {
  const { rows } = positions;
  const { from, to } = rangeOf(positions);
  const bytes = (size + 1) * 4;
  context.budget.take(bytes);
  const room = new Uint32Array(size + 1);
  for (let k = from; k < to; k++) room[codes[rows === null ? k : rows[k]!]!]!++;
  giveRoom(room, { keyOf, compare }, { needed, context });
  const found: number[] = [];
  for (let k = to - 1; k >= from; k--) {
    if (k % CHECK_EVERY === 0) context.checkpoint();
    const row = rows === null ? k : rows[k]!;
    const code = codes[row]!;
    if (room[code] === 0) continue;
    room[code]!--;
    found.push(row);
  }
  context.budget.release(bytes);
  return found;
}

/** Turns how many rows a value has into how many may be among the first: none if the values before it are enough. */
function giveRoom(
  room: Uint32Array,
  { keyOf, compare }: { readonly keyOf: (code: number) => Cell[]; readonly compare: CompareRows },
  { needed, context }: WantedRows,
): void {
  const values: { readonly code: number; readonly key: Cell[] }[] = [];
  for (let code = 0; code < room.length; code++) {
    if (code % CHECK_EVERY === 0) context.checkpoint();
    if (room[code] !== 0) values.push({ code, key: keyOf(code) });
  }
  values.sort((a, b) => compare(a.key, b.key));
  let before = 0;
  let level: Cell[] | null = null; // of the last value that still has room
  for (const { code, key } of values) {
    if (before >= needed && (level === null || compare(level, key) !== 0)) room[code] = 0;
    else level = key;
    before += room[code]!;
    room[code] = Math.min(room[code]!, needed);
  }
}
