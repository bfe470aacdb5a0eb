/** Values as single-line text. */
import { percentText } from '../../base/text/percent-text.ts';
import { unicodeEscape } from '../../base/text/unicode-escape.ts';
import { durationText } from './duration-text.ts';

export interface CellColumn {
  readonly name: string;
  /** As the server's envelope has it. */
  readonly type?: string | undefined;
  readonly role?: string | undefined;
  /** Formats the number in its row, if not by type. */
  readonly show?: (value: number, row: readonly unknown[]) => string;
}

export interface Cell {
  readonly text: string;
  readonly kind: 'text' | 'number' | 'null';
}

/** Shown for a missing value. The empty text shows nothing. */
const MISSING: Cell = { text: 'null', kind: 'null' };
/** Digits that every double keeps: 0.1 + 0.2 reads 0.3. JSON has all of them. */
const DIGITS = 15;

/** The text of a value: ratios as percentages, seconds as durations, paths as `a -> b`, other objects as JSON. */
export function cellOf(value: unknown, column: CellColumn, row: readonly unknown[] = []): Cell {
  if (value === null || value === undefined) return MISSING;
  switch (typeof value) {
    case 'string':
      return { text: visible(value), kind: 'text' };
    case 'number':
      return { text: column.show?.(value, row) ?? numberOf(value, column), kind: 'number' };
    default:
      return { text: visible(isPath(value, column) ? value.join(' -> ') : JSON.stringify(value)), kind: 'text' };
  }
}

/**
 * Text without anything that a terminal would obey or could not print: control characters, those that break lines or change text
 * direction, and halves of surrogate pairs are written as `\n` or `\u001b`.
 */
export function visible(text: string): string {
  return text.replace(UNPRINTED, (unit) => NAMED.get(unit) ?? unicodeEscape(unit));
}

function isPath(value: unknown, { type, role }: CellColumn): value is readonly unknown[] {
  return type === 'json' && role === 'group' && Array.isArray(value);
}

function numberOf(value: number, { type }: CellColumn): string {
  if (type === 'ratio') return percentText(value);
  return type === 'seconds' ? durationText(value) : numberText(value);
}

function numberText(value: number): string {
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS)));
}

const UNPRINTED = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;
const NAMED: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);
