/** Values as single-line text. */
import { percentText } from '../../base/text/percent-text.ts';
import { unicodeEscape } from '../../base/text/unicode-escape.ts';

export interface CellColumn {
  readonly name: string;
  /** As the server's envelope has it. */
  readonly type?: string | undefined;
  readonly role?: string | undefined;
  /** Formats the number in its row, if not by type. null: there is nothing to tell. */
  readonly show?: (value: number, row: readonly unknown[]) => string | null;
  /** How dark the cell is, 0 to 1. */
  readonly shade?: (value: number, row: readonly unknown[]) => number;
  /** Whether no part of a value says anything, as of an id that is to be copied. */
  readonly whole?: boolean;
  /** Left out where there is no room, the highest first; not set: never. */
  readonly rank?: number | undefined;
}

export interface PrintedCell {
  readonly text: string;
  readonly kind: 'text' | 'number' | 'null';
  readonly shade?: number | undefined;
}

/** Shown for a missing value, and for a missing group. The empty text shows nothing. */
const MISSING: PrintedCell = { text: '–', kind: 'null' };
const NO_GROUP: PrintedCell = { text: '(none)', kind: 'null' };

/**
 * The text of a value: ratios as percentages, seconds as durations, paths as `a -> b`, other objects as JSON; for people, digits are
 * in groups of three, and times are short.
 */
export function printedCell(
  value: unknown,
  column: CellColumn,
  { row = [], forPeople = false }: { row?: readonly unknown[]; forPeople?: boolean } = {},
): PrintedCell {
  if (value === null || value === undefined) return column.role === 'group' ? NO_GROUP : MISSING;
  switch (typeof value) {
    case 'string':
      return { text: visible(forPeople && column.type === 'time' ? timeOf(value, column) : value), kind: 'text' };
    case 'number': {
      const text = column.show === undefined ? numberOf(value, column, forPeople) : column.show(value, row);
      return text === null ? MISSING : { text, kind: 'number', shade: column.shade?.(value, row) };
    }
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

function numberOf(value: number, { type, role }: CellColumn, forPeople: boolean): string {
  if (type === 'ratio') return percentText(value);
  if (type === 'seconds') return durationText(value);
  return forPeople && role !== 'group' && role !== 'bucket' ? groupedText(value) : numberText(value); // a group may be a year
}

/** `27,072`, `1,339.667`, `0.1901`: what lies behind that says nothing to a reader. JSON has all of it. */
function groupedText(value: number): string {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return numberText(value);
  const digits = Math.abs(value) < 1 ? { maximumSignificantDigits: 4 } : { maximumFractionDigits: 3 };
  return value.toLocaleString('en', digits);
}

/** The second tells events apart; of when something was first seen, the minute is enough. */
function timeOf(time: string, { name }: CellColumn): string {
  const text = timeText(time);
  return name === 'time' || text === time ? text : text.slice(0, -3);
}

/** `2026-11-29 11:31:14`, of RFC 3339 in the zone that stands below the table. */
export function timeText(time: string): string {
  return time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/, '$1 $2');
}

function numberText(value: number): string {
  // Digits that every double keeps: 0.1 + 0.2 reads 0.3. JSON has all of them.
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(15)));
}

const UNPRINTED = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;
const NAMED: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** Units and their seconds, longest first. */
const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Seconds as people read them, in the two largest units: `2 min 33 s`, `3 d 4 h`, `12.3 s`, `450 ms`. */
export function durationText(seconds: number): string {
  const size = Math.abs(seconds);
  if (size < 1) return `${Number((seconds * 1_000).toPrecision(3))} ms`;
  if (size < 59.95) return `${Number(seconds.toFixed(1))} s`;
  const at = UNITS.findIndex(([, length]) => Math.round(size) >= length);
  const [unit, length] = UNITS[at]!;
  const [lesser, part] = UNITS[at + 1]!;
  // Rounds to the smaller unit first, or 119.7 s would read 1 min 60 s.
  const parts = Math.round(size / part);
  const rest = parts % (length / part);
  const sign = seconds < 0 ? '-' : '';
  return `${sign}${Math.floor((parts * part) / length)} ${unit}${rest === 0 ? '' : ` ${rest} ${lesser}`}`;
}
