/** What a server states of its client at the root of an event, by the names that queries use: it wins over what would be derived. */
import { STATED_COLUMNS } from '../../../base/stated-fields.ts';
import type { PropertyValue, EnrichedText } from '../../event.ts';
import { cutText, MAX_STATED } from './limits.ts';
import type { Remarks } from './remarks.ts';

/** Queries read these from the property. */
const OF_PROPERTIES = { _url: 'url', _title: 'title', _referrer: 'referrer' } as const;

/** Nothing. */
export const NOTHING_STATED: object = {};

/** The members of an event by which it may state something. */
export function statedOf(sent: object, fields: ReadonlySet<string>): object {
  const found = Object.entries(sent).filter(([name]) => fields.has(name));
  return found.length === 0 ? NOTHING_STATED : Object.fromEntries(found);
}

/** The columns that a server states; empty if it states none. */
export function statedColumns(sent: object, remarks: Remarks): readonly EnrichedText[] {
  if (sent === NOTHING_STATED) return [];
  const stated: EnrichedText[] = [];
  for (const column of STATED_COLUMNS) {
    const text = statedText(sent, column, remarks);
    if (text !== null) stated.push([column, text]);
  }
  return stated;
}

type Properties = readonly (readonly [key: string, value: PropertyValue])[];

/** The event properties with those that a server states as `_url`, `_title` and `_referrer`. */
export function withStated(properties: Properties, sent: object, remarks: Remarks): Properties {
  if (sent === NOTHING_STATED) return properties;
  let all = properties;
  for (const [field, key] of Object.entries(OF_PROPERTIES)) {
    const text = statedText(sent, field, remarks);
    if (text === null) continue;
    const other = all.find(([own]) => own === key)?.[1];
    if (other !== undefined && (typeof other === 'number' || other.text !== text))
      remarks.trimmed(`it is stored as event_properties.${key}, in place of what was sent there`, text);
    all = [...all.filter(([own]) => own !== key), [key, { type: 'string', text }]];
  }
  return all;
}

/** A text, or a number as its text; null if there is none. */
export function statedText(sent: object, field: string, remarks: Remarks): string | null {
  const value: unknown = Reflect.get(sent, field);
  if (value === undefined || value === null || value === '') return null;
  remarks.field = field;
  if (typeof value !== 'string' && (typeof value !== 'number' || !Number.isFinite(value))) {
    remarks.dropped('must be a string', value);
    return null;
  }
  const text = cutText(String(value), MAX_STATED).toWellFormed();
  if (text !== String(value)) remarks.trimmed(`the text was cut to ${MAX_STATED} characters`, value);
  return text;
}
