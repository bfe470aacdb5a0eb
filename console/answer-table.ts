/** The rows of an answer as a table. */
import { SMALL_BELOW } from './dashboard/values.ts';
import { made } from './element.ts';
import type { Answer, Column } from './questions.ts';

const NUMBER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 });
const SMALL = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });
const PERCENT = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

/** A cell's text wraps if it has more characters than this. */
const WRAPPED_FROM = 44;

/** A region that scrolls; omits columns that are empty in every row, as Markdown does. */
export function answerTable(answer: Answer, label: string): HTMLElement {
  const columns = keptColumns(answer);
  const head = made('tr');
  head.append(...columns.map((column) => made('th', column.name, { scope: 'col', ...numeric(column) })));
  const body = made('tbody');
  body.append(
    ...answer.rows.map((row) => {
      const line = made('tr');
      line.append(...columns.map((column) => cell(column, row[column.name])));
      return line;
    }),
  );
  const table = made('table', '', { class: 'data answer' });
  table.append(made('thead'), body);
  table.tHead?.append(head);
  const region = made('div', '', { class: 'scroll', role: 'region', 'aria-label': label, tabindex: '0' });
  region.append(table);
  return region;
}

/** The text of a cell: numbers in the reader's locale, times to the second in the answer's zone. */
export function cellText({ type, role }: Column, value: unknown): string {
  if (value === null || value === undefined) return role === 'group' ? '(none)' : '';
  if (type === 'time' && typeof value === 'string') return value.slice(0, 19).replace('T', ' ');
  if (typeof value === 'number')
    return (type === 'ratio' ? PERCENT : Math.abs(value) < SMALL_BELOW ? SMALL : NUMBER).format(value);
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(' → ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function keptColumns({ column_types: all, rows }: Answer): readonly Column[] {
  const kept = all.filter(
    ({ name, role }) => role === 'group' || role === 'bucket' || rows.some((row) => !isEmpty(row[name])),
  );
  return rows.length === 0 || kept.length === 0 ? all : kept;
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function cell(column: Column, value: unknown): HTMLElement {
  const text = cellText(column, value);
  const missing = value === null && text !== '';
  const look = missing ? { class: 'none' } : text.length > WRAPPED_FROM ? { class: 'long' } : numeric(column);
  return made('td', text, look);
}

function numeric({ type }: Column): Readonly<Record<string, string>> {
  return type === 'number' || type === 'ratio' || type === 'seconds' ? { class: 'number' } : {};
}
