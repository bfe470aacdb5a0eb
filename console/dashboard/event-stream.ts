/** Single events, newest first, with their properties. */
import type { Envelope } from '../../lib/dashboards/data.ts';
import { made } from '../element.ts';
import { bucketText, timeText } from './buckets.ts';
import { linkedPerson, type CardLinks } from './card-link.ts';
import { PERSON_IDS } from '../person-link.ts';
import { groupText } from './chart-data.ts';
import { scrolled } from './scrolled.ts';

type Row = Envelope['rows'][number];

const MOST_EVENTS = 200;
const MOST_PROPERTIES = 12;

/** @param person Where the ids of rows lead. */
export function eventStream({ rows, total }: Envelope, label: string, person: CardLinks['person']): HTMLElement {
  const shown = rows.slice(0, MOST_EVENTS);
  const region = scrolled(label, 'scroll');
  region.append(eventList(shown, person));
  if (total > shown.length) region.append(made('p', `Showing the newest ${shown.length} of ${total} events.`, { class: 'more' }));
  return region;
} // prettier-ignore

/** A line per event, below the day that it was on. @param person Where the ids of rows lead. */
export function eventList(rows: Envelope['rows'], person: CardLinks['person']): HTMLElement {
  const list = made('ol', '', { class: 'events' });
  rows.forEach((row, index) => {
    const day = timeOf(row).slice(0, 10);
    if (day !== '' && day !== timeOf(rows[index - 1]).slice(0, 10)) list.append(made('li', bucketText('day', day, 'long'), { class: 'event-day' }));
    list.append(entry(row, person));
  });
  return list;
} // prettier-ignore

/** In the answer's zone; '' for none. */
const timeOf = (row: Row | undefined): string => (typeof row?.['time'] === 'string' ? row['time'] : '');

function entry(row: Row, person: CardLinks['person']): HTMLElement {
  const item = made('li');
  const when = made('time', timeText(timeOf(row)), { datetime: timeOf(row) });
  const head = made('p', '', { class: 'event-head' });
  head.append(made('strong', groupText(row['event_type'])), ' ');
  const column = PERSON_IDS.find((one) => typeof row[one] === 'string');
  if (column !== undefined) {
    const who = made('span', '', { class: 'event-who' });
    who.append(linkedPerson(groupText(row[column]), person(row, column)));
    head.append(who);
  }
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
function propertiesOf(row: Row): readonly (readonly [string, unknown])[] {
  const sent = row['event_properties'];
  const own = typeof sent === 'object' && sent !== null && !Array.isArray(sent) ? Object.entries(sent) : [];
  const path = row['_path'];
  return typeof path === 'string' && path !== '' ? [['_path', path], ...own] : own;
}
