/** Whether two engines gave the same answer: rows, order, texts, and numbers to 9 digits. */
import type { Cell, Row } from './peers/peer.ts';

const TOLERANCE = 1e-9;

/** Null when equal, else where they differ. */
export function difference(expected: readonly Row[], actual: readonly Row[]): string | null {
  for (let r = 0; r < Math.max(expected.length, actual.length); r++) {
    const left = expected[r];
    const right = actual[r];
    if (!left || !right) return `${expected.length} rows against ${actual.length}`;
    if (left.length !== right.length) return `row ${r}: ${left.length} cells against ${right.length}`;
    const at = left.findIndex((cell, c) => !sameCell(cell, right[c] ?? null));
    if (at >= 0) return `row ${r}, cell ${at}: ${JSON.stringify(left[at])} against ${JSON.stringify(right[at])}`;
  }
  return null;
}

function sameCell(left: Cell, right: Cell): boolean {
  const a = flat(left);
  const b = flat(right);
  if (typeof a === 'number' && typeof b === 'number')
    return Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b));
  return a === b;
}

/** A path is an array in Windlass's JSON and a text with arrows in SQL. */
function flat(cell: Cell): string | number | boolean | null {
  if (typeof cell === 'object' && cell !== null) return cell.map((part) => String(part)).join(' -> ');
  return cell;
}

/** Where Windlass and SQL have orders of their own: sorts rows by their texts, with numbers to six digits. */
export function sorted(rows: readonly Row[]): Row[] {
  const key = (row: Row): string =>
    JSON.stringify(row.map((cell) => (typeof cell === 'number' ? Number(cell.toPrecision(6)) : cell)));
  return rows
    .map((row) => ({ row, key: key(row) }))
    .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ row }) => row);
}
