/** `--map event_type=type,user_id=actor.login`: turns other events into those that the server accepts. */
import { UsageError } from '../command.ts';
import { isRecord } from '../../base/is-record.ts';

/** Fields of an event, with the path to each value in a line. Empty: lines are events. */
export type FieldMap = ReadonlyMap<string, readonly string[]>;

/** The fields of an event (docs/http-api.md). */
const FIELDS: ReadonlySet<string> = new Set([
  ...['event_type', 'user_id', 'device_id', 'session_id', 'time', 'insert_id', 'event_properties', 'user_properties'],
  ...['library', 'ip', 'user_agent', 'origin', 'clientOriginated'],
]);

/** What other programs call the type of an event. */
const LIKE_TYPE = ['event', 'type', 'name', 'event_name', 'eventType', 'eventName', 'action', 'kind'];

/** Reads the option. Throws UsageError. */
export function readFieldMap(text: string | undefined): FieldMap {
  const map = new Map<string, readonly string[]>();
  for (const pair of text?.split(',') ?? []) {
    const [field = '', path = '', ...more] = pair.split('=').map((part) => part.trim());
    const names = path.split('.');
    if (more.length > 0 || names.includes('')) {
      throw new UsageError(`--map: "${pair}" is not FIELD=PATH, as in event_type=type,user_id=actor.login`);
    }
    if (!FIELDS.has(field))
      throw new UsageError(`--map: an event has no field "${field}", only ${[...FIELDS].join(', ')}`);
    if (map.has(field)) throw new UsageError(`--map: the field "${field}" is given twice; keep one of them`);
    map.set(field, names);
  }
  return map;
}

/** The event in a line: the mapped fields, the line's own known fields, and the rest as event properties. */
export function mappedEvent(map: FieldMap, line: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const rest = structuredClone(line);
  const event: Record<string, unknown> = {};
  for (const [field, path] of map) {
    const value = valueAt(line, path);
    if (value !== undefined) event[field] = value;
  }
  for (const path of map.values()) removeAt(rest, path);
  for (const [name, value] of Object.entries(rest)) if (FIELDS.has(name) && !(name in event)) event[name] = value;
  const properties = Object.fromEntries(Object.entries(rest).filter(([name]) => !FIELDS.has(name)));
  const own = event['event_properties'];
  if (own === undefined || isRecord(own)) event['event_properties'] = { ...properties, ...own };
  return event;
}

/** The error for a line without a type, with fields that may be one. */
export function noType(line: Readonly<Record<string, unknown>>): string {
  const found = LIKE_TYPE.filter((name) => typeof line[name] === 'string');
  if (found.length === 0) return 'event_type is missing';
  return `event_type is missing; it has "${found.join('", "')}": try --map event_type=${found[0]}`;
}

function valueAt(line: unknown, path: readonly string[]): unknown {
  let value = line;
  for (const name of path) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function removeAt(line: Record<string, unknown>, path: readonly string[]): void {
  const holder = valueAt(line, path.slice(0, -1));
  if (isRecord(holder)) Reflect.deleteProperty(holder, path.at(-1)!);
}
