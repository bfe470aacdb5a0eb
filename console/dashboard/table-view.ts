/** Answers as tables: for cards that are tables, and as a text form of every other card. */
import type { CardOptions } from '../../lib/dashboards/dashboard.ts';
import type { Envelope, EnvelopeColumn } from '../../lib/dashboards/data.ts';
import { made } from '../element.ts';
import { bucketText, momentText, unitOf } from './buckets.ts';
import type { Answers } from './chart-data.ts';
import { linked, linkedPerson, type CardLinks } from './card-link.ts';
import { columnTitle, groupText, isNumeric, numberOf } from './chart-data.ts';
import { scrolled } from './scrolled.ts';
import { formatOf, numberText } from './values.ts';

/** Most rows on a page; a card's file has all that were fetched. */
const MOST_ROWS = 500;

/** A table per query, with its name if there are several. */
export function tableView(answers: Answers, label: string, { options, links }: Shown): HTMLElement {
  const view = made('div', '', { class: 'tables' });
  const entries = Object.entries(answers);
  for (const [name, answer] of entries) {
    view.append(
      table(answer, entries.length > 1 ? `${label}: ${name}` : label, {
        options,
        links,
        query: name,
        named: entries.length > 1,
      }),
    );
  }
  return view;
}

interface Shown {
  readonly options: CardOptions;
  readonly links: CardLinks;
}

interface TableOptions extends Shown {
  readonly query: string;
  readonly named: boolean;
}

function table(answer: Envelope, label: string, { options, links, query, named }: TableOptions): HTMLElement {
  const { column_types: all, rows, total } = answer;
  const columns = all.filter(({ name, role }) => role !== 'value' || rows.some((row) => !isEmpty(row[name])));
  const element = made('table', '', { class: 'data' });
  if (named) element.append(made('caption', label));
  const head = made('tr');
  head.append(...columns.map((column) => made('th', columnTitle(column.name, options), { scope: 'col', title: column.name, ...numeric(column) })));
  element.append(made('thead'), made('tbody'));
  element.tHead?.append(head);
  const shown = rows.slice(0, MOST_ROWS);
  element.tBodies[0]?.append(
    ...shown.map((row) => {
      const line = made('tr');
      for (const column of columns) {
        const cell = made('td', '', numeric(column));
        const text = cellText(column, row[column.name], options);
        const person = links.person(row, column.name);
        const address = person === null ? links.cell(query, { answer, row, column: column.name }) : null;
        cell.append(person === null ? linked(text, address, 'Show what is behind this number') : linkedPerson(text, person));
        line.append(cell);
      }
      return line;
    }),
  );
  const region = scrolled(label, 'scroll');
  region.append(element);
  if (total > shown.length) region.append(made('p', `${shown.length} of ${total} rows.`, { class: 'more' }));
  return region;
} // prettier-ignore

/** The text of a cell: numbers in the reader's locale, times in the answer's zone. */
export function cellText(column: EnvelopeColumn, value: unknown, options: CardOptions): string {
  const { name, type, role } = column;
  const unit = role === 'bucket' ? unitOf(name) : null;
  if (unit !== null && typeof value === 'string') return bucketText(unit, value, 'long');
  if (role === 'group') return groupText(value);
  if (value === null || value === undefined) return '–';
  if (isNumeric(type)) return numberText(numberOf(value), formatFor(column, options));
  if (type === 'time' && typeof value === 'string') return momentText(value);
  if (Array.isArray(value) && value.every((one) => typeof one === 'string' || one === null)) return value.map(groupText).join(' → '); // prettier-ignore
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A card's format applies to the columns that it draws. */
function formatFor(column: EnvelopeColumn, options: CardOptions): ReturnType<typeof formatOf> {
  const drawn = options.y === null ? column.role === 'metric' : options.y.includes(column.name);
  return formatOf(column, drawn && column.type === 'number' ? options : { format: null, currency: null });
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
} // prettier-ignore

function numeric({ type, role }: EnvelopeColumn): Readonly<Record<string, string>> {
  return isNumeric(type) && role !== 'group' ? { class: 'number' } : {};
}
