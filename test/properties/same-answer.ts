/** Whether two answers are the same: rows in order, exactly, except for the last digits of floats and ids made by a store. */
import type { Cell } from '../../lib/dsl/plan/table.ts';
import type { Answer } from '../oracle/table.ts';

export function sameAnswer(a: Answer, b: Answer): boolean {
  return (
    a.total === b.total &&
    a.columns.length === b.columns.length &&
    a.columns.every(({ name, type }, index) => name === b.columns[index]?.name && type === b.columns[index]?.type) &&
    a.rows.length === b.rows.length &&
    a.rows.every((row, index) => sameRow(row, b.rows[index] ?? []))
  );
}

function sameRow(a: readonly Cell[], b: readonly Cell[]): boolean {
  return a.length === b.length && a.every((cell, index) => sameCell(cell, b[index] ?? null));
}

function sameCell(a: Cell, b: Cell): boolean {
  if (typeof a === 'number' && typeof b === 'number') return sameNumber(a, b);
  if (typeof a === 'string' && typeof b === 'string') return a === b || (isDerivedId(a) && isDerivedId(b));
  if (isSamples(a) && isSamples(b)) return a.length === b.length && a.every((one, at) => sameCell(one, b[at] ?? null));
  return JSON.stringify(a) === JSON.stringify(b);
}

function isSamples(cell: Cell): cell is readonly string[] {
  return Array.isArray(cell) && cell.every((one) => typeof one === 'string');
}

/** Rounding error of a difference between equal numbers. */
const TRACE = 1e-12;

/** Integers exactly, as far as not every float is one; others to nine digits. */
function sameNumber(a: number, b: number): boolean {
  if (Number.isInteger(a) && Number.isInteger(b) && Math.abs(a) < 2 ** 52) return a === b;
  return Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b)) + TRACE;
}

/** The id of an event without an insert id. */
function isDerivedId(text: string): boolean {
  return text.startsWith('evt_');
}
