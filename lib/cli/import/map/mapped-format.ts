/** Any file of records, read as a map says. */
import { isRecord } from '../../../base/is-record.ts';
import { readJson } from '../../../base/text/read-json.ts';
import { FIELDS, mappedEvent, noType, propertyOf, valueAt } from '../../track/field-map.ts';
import { ImportError, type ImportFormat, type Loss, type Mapped, type SourceRecord } from '../format.ts';
import { jsonText } from '../json-text.ts';
import type { RecordMap, MappedType } from './read-map.ts';

/** @param name Of the format that divides the file. */
export function mappedFormat(map: RecordMap, name: 'ndjson' | 'csv'): ImportFormat {
  const templates = new Map([...map.templates].map(([field, text]) => [field, templateOf(text)]));
  return {
    name,
    title: `${name} with a map`,
    reads: [name === 'csv' ? 'csv' : 'lines'],
    recognizes: () => true,
    map: (record) => mapRecord(record, map, templates),
  };
}

type Template = readonly { readonly text: string; readonly path: readonly string[] | null }[];

/** `{a.b} text {c}` → its parts. */
function templateOf(text: string): Template {
  return text.split(/(\{[^{}]+\})/).map((part) => {
    const isPath = part.startsWith('{') && part.endsWith('}');
    return { text: part, path: isPath ? part.slice(1, -1).trim().split('.') : null };
  });
}

function mapRecord(record: SourceRecord, map: RecordMap, templates: ReadonlyMap<string, Template>): Mapped {
  const lost: Loss[] = [];
  const event = mappedEvent(map.fields, record, map.keepsRest);
  for (const [field, template] of templates) {
    const text = filledIn(template, record);
    if (text !== null) set(event, field, text);
  }
  for (const [field, value] of map.constants) set(event, field, value);
  for (const [field, type] of map.types) {
    const value = get(event, field);
    if (value === undefined) continue;
    const typed = asType(value, type);
    if (typed === undefined) lost.push({ field, why: `no ${type}: it stays text` });
    else set(event, field, typed);
  }
  if (map.time !== null && event['time'] !== undefined) {
    const time = map.time(event['time']);
    if (time === null) throw new ImportError(`its time is not as time_format says: ${JSON.stringify(event['time'])}`);
    event['time'] = time;
  }
  return map.isOfProfiles ? profileOf(event, lost) : eventOf(event, lost, record);
}

function eventOf(event: SourceRecord, lost: readonly Loss[], record: SourceRecord): Mapped {
  if (event['event_type'] === undefined) throw new ImportError(noType(record, 'event_type in "fields" of the map'));
  return { events: [event], identifies: [], lost };
}

function profileOf(event: SourceRecord, lost: readonly Loss[]): Mapped {
  const { user_id, device_id, time, event_properties: rest, user_properties: own, ...others } = event;
  if (user_id === undefined) throw new ImportError('a profile needs a user_id');
  const properties = { ...(isRecord(rest) && rest), ...(isRecord(own) && own) };
  const left = Object.keys(others).map((field): Loss => ({ field, why: 'a profile has no such field' }));
  const identify = { user_id, ...(device_id !== undefined && { device_id }), ...(time !== undefined && { time }) };
  return { events: [], identifies: [{ ...identify, user_properties: properties }], lost: [...lost, ...left] };
}

/** null: none of its paths has a value. */
function filledIn(template: Template, record: SourceRecord): string | null {
  let isFilled = false;
  const texts = template.map(({ text, path }) => {
    if (path === null) return text;
    const value = valueAt(record, path);
    if (value === undefined || value === null || value === '') return '';
    isFilled = true;
    return jsonText(value);
  });
  return isFilled || template.every(({ path }) => path === null) ? texts.join('') : null;
}

function get(event: SourceRecord, field: string): unknown {
  if (FIELDS.has(field)) return event[field];
  const { of, name } = propertyOf(field)!;
  return valueAt(event, [of, name]);
}

function set(event: Record<string, unknown>, field: string, value: unknown): void {
  if (FIELDS.has(field)) {
    event[field] = value;
    return;
  }
  const { of, name } = propertyOf(field)!;
  const others = event[of];
  event[of] = { ...(isRecord(others) && others), [name]: value };
}

const TRUTHS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', 'yes', 'y', '1'].map((text) => [text, true] as const),
  ...['false', 'f', 'no', 'n', '0'].map((text) => [text, false] as const),
]);

/** undefined: it is none. */
function asType(value: unknown, type: MappedType): unknown {
  const text = jsonText(value).trim();
  switch (type) {
    case 'text':
      return text;
    case 'number':
      return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : undefined;
    case 'boolean':
      return TRUTHS.get(text.toLowerCase());
    case 'json':
      return asJson(text);
  }
}

function asJson(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}
