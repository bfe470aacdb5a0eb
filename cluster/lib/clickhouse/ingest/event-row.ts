/** An event → its row of table `events`, as JSON, but for what is only known when it is stored: project and arrival. */
import type { HotValues } from '../hot/hot-values.ts';
import { EVENTS } from '../schema.ts';
import {
  ENRICHED_FIELDS,
  type EnrichedText,
  numberText,
  referrerFields,
  spellsNumber,
  type StoredEvent,
  type PropertyValue,
  urlFields,
} from '../../../../lib/seam.ts';

/** What an event brings; of its enriched fields those that do not follow from properties. */
type RowEvent = Omit<StoredEvent, 'arrival'>;

/** Place of each enriched field in a row. */
const PLACES: ReadonlyMap<string, number> = new Map(ENRICHED_FIELDS.map((field, place) => [field, place]));
/** What a row has where a field is missing. */
const MISSING: readonly string[] = EVENTS.columns
  .filter(([name]) => PLACES.has(name))
  .map(([, type]) => (type.startsWith('Nullable') ? 'null' : '""'));

/** Texts of properties that are enriched fields themselves. */
const SAME: ReadonlyMap<string, string> = new Map([['url', '_url'], ['title', '_title'], ['referrer', '_referrer']]); // prettier-ignore

/** `["prj_1",7` and this text are a row; the columns are in the order of the schema. */
export function eventRow(event: RowEvent, hot: HotValues): string {
  const { received, time, type, userId, deviceId, sessionId, insertId } = event;
  const texts = [type, userId ?? '', deviceId ?? '', sessionId ?? '', insertId ?? ''].map((text) =>
    JSON.stringify(text),
  );
  return `,${received},${time},${texts.join(',')},${enrichedRow(event)},${maps(event.properties)},${maps(event.userProperties)},${hot.row(event.properties, numberOf)}]\n`;
}

function enrichedRow({ enriched, properties }: RowEvent): string {
  const row = [...MISSING];
  const put = ([field, text]: EnrichedText): void => {
    const place = PLACES.get(field);
    if (place === undefined) throw new Error(`no column for the enriched field ${field}`);
    row[place] = JSON.stringify(text);
  };
  for (const field of enriched) put(field);
  for (const [key, value] of properties) {
    const same = SAME.get(key);
    if (same === undefined || typeof value === 'number' || value.type !== 'string') continue;
    put([same, value.text]);
    if (key === 'url') for (const field of urlFields(value.text)) put(field);
    else if (key === 'referrer') for (const field of referrerFields(value.text)) put(field);
  }
  return row.join(',');
}

/** The maps of texts, of numbers, and of the types of what is no string. */
function maps(properties: RowEvent['properties']): string {
  let [texts, numbers, types] = ['', '', ''];
  for (const [key, value] of properties) {
    const name = JSON.stringify(key);
    const number = numberOf(value);
    texts += `,${name}:${textOfValue(value)}`;
    if (number !== null) numbers += `,${name}:${numberText(number)}`;
    const type = typeof value === 'number' ? 'number' : value.type;
    if (type !== 'string' && type !== 'null') types += `,${name}:"${type}"`;
  }
  return `{${texts.slice(1)}},{${numbers.slice(1)}},{${types.slice(1)}}`;
}

function textOfValue(value: PropertyValue): string {
  if (typeof value === 'number') return `"${numberText(value)}"`;
  return value.type === 'null' ? 'null' : JSON.stringify(value.text);
}

function numberOf(value: PropertyValue): number | null {
  if (typeof value === 'number') return value;
  return value.type === 'string' ? spellsNumber(value.text) : null;
}
