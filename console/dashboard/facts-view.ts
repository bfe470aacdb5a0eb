/** One row as a list of facts: what is known of a person. */
import type { CardOptions } from '../../lib/dashboards/dashboard.ts';
import type { Envelope } from '../../lib/dashboards/data.ts';
import { made } from '../element.ts';
import { columnTitle, groupText } from './chart-data.ts';
import { scrolled } from './scrolled.ts';
import { cellText } from './table-view.ts';

/** Most facts of an object that are shown. */
const MOST_FACTS = 200;

/** The first row: a line for each column, and for each member of an object. */
export function factsView({ column_types: columns, rows }: Envelope, label: string, options: CardOptions): HTMLElement {
  const [row = {}] = rows;
  const list = made('dl', '', { class: 'facts' });
  for (const column of columns) {
    const value = row[column.name];
    if (value === null || value === undefined || value === '') continue;
    if (isObject(value)) for (const [name, member] of Object.entries(value).slice(0, MOST_FACTS)) addFact(list, name, groupText(member));
    else addFact(list, columnTitle(column.name, options), cellText(column, value, options));
  }
  const region = scrolled(label, 'scroll');
  region.append(list);
  return region;
} // prettier-ignore

function addFact(list: HTMLElement, name: string, text: string): void {
  const fact = made('div');
  fact.append(made('dt', name), made('dd', text));
  list.append(fact);
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
