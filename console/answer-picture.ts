/** What of an answer is shown otherwise than as a table: events as a stream, and the numbers of a single row large. */
import type { LinkCell } from './answer-links.ts';
import type { CardLinks } from './dashboard/card-link.ts';
import { eventList } from './dashboard/event-stream.ts';
import { cellText, isNumeric } from './answer-cells.ts';
import { made } from './element.ts';
import type { Answer } from './questions.ts';

/** So many numbers beside each other are read at a glance; more are a table. */
const MOST_FIGURES = 6;

/** Whether its rows are events with all that was sent. */
export function hasEvents({ column_types: columns, rows }: Answer): boolean {
  return rows.length > 0 && ['time', 'event_type', 'event_properties'].every((name) => columns.some((one) => one.name === name)); // prettier-ignore
}

/** @param person Where ids lead. */
export function eventsView({ rows }: Answer, label: string, person: CardLinks['person']): HTMLElement {
  const region = made('div', '', { class: 'scroll stream', role: 'region', 'aria-label': label, tabindex: '0' });
  region.append(eventList(rows, person));
  return region;
}

/** A row of numbers, without any group. */
export function hasFigures({ column_types: columns, rows, total }: Answer): boolean {
  const isOne = rows.length === 1 && total === 1 && columns.length > 0 && columns.length <= MOST_FIGURES;
  return isOne && columns.every((column) => column.role === 'metric' && isNumeric(column));
}

export function figuresView({ column_types: columns, rows }: Answer, label: string, link: LinkCell): HTMLElement {
  const list = made('dl', '', { class: 'answer-figures', 'aria-label': label });
  for (const column of columns) {
    const figure = made('div');
    const text = cellText(column, rows[0]?.[column.name]);
    const value = made('dd', text === '' ? '–' : text);
    link(value, rows[0] ?? {}, column.name);
    figure.append(made('dt', column.name), value);
    list.append(figure);
  }
  return list;
}
