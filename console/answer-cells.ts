/** Cells of an answer: their texts for people, and their look. */
import { bucketText, momentText, unitOf } from './dashboard/buckets.ts';
import { durationText, SMALL_BELOW } from './dashboard/values.ts';
import { made } from './element.ts';
import type { Answer, Column } from './questions.ts';

const NUMBER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 });
const SMALL = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });
const PERCENT = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

/** A cell's text wraps if it has more characters than this. */
const WRAPPED_FROM = 44;

export type Row = Answer['rows'][number];

/** The text of a cell: numbers, durations and dates in the reader's locale, times to the second in the answer's zone. */
export function cellText({ name, type, role }: Column, value: unknown): string {
  if (value === null || value === undefined) return role === 'group' ? '(none)' : '';
  if (typeof value === 'number') return numberOfType(type, value);
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(' → ');
  if (typeof value !== 'string') return JSON.stringify(value);
  const unit = role === 'bucket' ? bucketUnit(name, type) : null;
  if (unit !== null) return bucketText(unit, value, 'long');
  return type === 'time' ? momentText(value, 'second') : value;
}

function numberOfType(type: Column['type'], value: number): string {
  if (type === 'seconds') return durationText(value);
  if (type === 'ratio') return PERCENT.format(value);
  return (Math.abs(value) < SMALL_BELOW ? SMALL : NUMBER).format(value);
}

/** The cohorts of retention are buckets, too; their unit is not in their name. */
const bucketUnit = (name: string, type: Column['type']): ReturnType<typeof unitOf> =>
  unitOf(name) ?? (name === 'cohort' && type === 'string' ? 'day' : null);

export function isNumeric({ type }: Column): boolean {
  return type === 'number' || type === 'ratio' || type === 'seconds';
}

/** How the cells of a column are drawn, beyond their texts. */
export interface ColumnLook {
  /** The largest value, for bars; null: it has none. */
  readonly most: number | null;
  /** The column with the people of whom a cell is a part: it shows the percentage, too. */
  readonly whole: string | null;
}

/** Of each column of a page of rows. */
export function looksOf(columns: readonly Column[], rows: readonly Row[]): ReadonlyMap<string, ColumnLook> {
  const whole = columns.find(({ name, role }) => role === 'metric' && (name === 'users' || name === 'units'));
  return new Map(
    columns.map((column) => [
      column.name,
      { most: mostOf(column, rows), whole: column.role === 'period' ? (whole?.name ?? null) : null },
    ]),
  );
}

/** Bars compare rows, so a single one has none, and values below 0 have none that could be read. */
function mostOf({ name, role, type }: Column, rows: readonly Row[]): number | null {
  if (rows.length < 2 || role !== 'metric' || type === 'string' || type === 'time') return null;
  const values = rows.map((row) => row[name]).filter((value) => typeof value === 'number');
  const most = Math.max(0, ...values);
  return most > 0 && values.every((value) => value >= 0) ? most : null;
}

export function cell(column: Column, row: Row, { most, whole }: ColumnLook): HTMLElement {
  const value = row[column.name];
  const text = cellText(column, value);
  if (value === null && text !== '') return made('td', text, { class: 'none' });
  if (!isNumeric(column)) return made('td', text, text.length > WRAPPED_FROM ? { class: 'long' } : {});
  const place = made('td', text, { class: 'number' });
  if (typeof value !== 'number') return place;
  const all = whole === null ? null : row[whole];
  if (typeof all === 'number') addShare(place, all === 0 ? null : value / all);
  else if (most !== null) addBar(place, value / most);
  return place;
}

/** A bar below the number, as long as its part of the largest. */
function addBar(place: HTMLElement, part: number): void {
  place.classList.add('barred');
  place.style.setProperty('--part', String(part));
}

function addShare(place: HTMLElement, share: number | null): void {
  if (share === null) return;
  place.append(' ', made('span', PERCENT.format(share), { class: 'share' }));
  addBar(place, share);
}
