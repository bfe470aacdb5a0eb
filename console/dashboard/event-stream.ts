/** Single events, newest first, with their properties. */
import type { Envelope } from '../../lib/dashboards/data.ts';
import { made } from '../element.ts';
import { momentText } from './buckets.ts';
import { groupText } from './chart-data.ts';
import { scrolled } from './scrolled.ts';

const MOST_EVENTS = 200;
const MOST_PROPERTIES = 12;

export function eventStream({ rows, total }: Envelope, label: string): HTMLElement {
  const list = made('ol', '', { class: 'events' });
  const shown = rows.slice(0, MOST_EVENTS);
  list.append(...shown.map(entry));
  const region = scrolled(label, 'scroll');
  region.append(list);
  if (total > shown.length) region.append(made('p', `Showing the newest ${shown.length} of ${total} events.`, { class: 'more' }));
  return region;
} // prettier-ignore

function entry(row: Readonly<Record<string, unknown>>): HTMLElement {
  const item = made('li');
  const time = typeof row['time'] === 'string' ? row['time'] : '';
  const when = made('time', momentText(time), { datetime: time });
  const who = row['distinct_id'] ?? row['user_id'] ?? row['device_id'];
  const head = made('p', '', { class: 'event-head' });
  head.append(made('strong', groupText(row['event_type'])), ' ', who === null || who === undefined ? '' : made('span', groupText(who), { class: 'event-who' })); // prettier-ignore
  item.append(when, head);
  const properties = propertiesOf(row);
  if (properties.length > 0) {
    const facts = made('dl', '', { class: 'event-facts' });
    for (const [name, value] of properties.slice(0, MOST_PROPERTIES)) {
      const fact = made('div');
      fact.append(made('dt', name), made('dd', groupText(value)));
      facts.append(fact);
    }
    item.append(facts);
  }
  return item;
}

/** The properties that were sent; for page views also the path. */
function propertiesOf(row: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  const sent = row['event_properties'];
  const own = typeof sent === 'object' && sent !== null && !Array.isArray(sent) ? Object.entries(sent) : [];
  const path = row['_path'];
  return typeof path === 'string' && path !== '' ? [['_path', path], ...own] : own;
}
