/** `--map event_type=type,user_id=actor.login`: turns other events into those that the server accepts. */
import { UsageError } from '../command.ts';
import { isRecord } from '../../base/is-record.ts';
import { STATED_FIELDS } from '../../base/stated-fields.ts';
import { nearest } from '../../base/text/nearest.ts';
import { DAY_MS } from '../../base/day.ts';
import { readTime } from '../../base/read-time.ts';

/**
 * Fields of an event, or properties such as `event_properties.url`, with the path to each value in a line. Empty: lines are events.
 */
export type FieldMap = ReadonlyMap<string, readonly string[]>;

/** The fields of an event (docs/http-api.md). */
export const FIELDS: ReadonlySet<string> = new Set([
  ...['event_type', 'user_id', 'device_id', 'session_id', 'time', 'insert_id', 'event_properties', 'user_properties'],
  ...['import_id', 'library', 'ip', 'user_agent', 'origin', 'clientOriginated'],
  ...STATED_FIELDS,
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
    const problem = fieldProblem(field);
    if (problem !== null) throw new UsageError(`--map: ${problem}`);
    if (map.has(field)) throw new UsageError(`--map: the field "${field}" is given twice; keep one of them`);
    map.set(field, names);
  }
  return map;
}

/** Why a map cannot fill a field; null: it can. */
export function fieldProblem(field: string): string | null {
  if (FIELDS.has(field) || propertyOf(field) !== null) return null;
  return `an event has no field "${field}", only ${[...FIELDS].join(', ')}, and event_properties.NAME, user_properties.NAME`;
}

/** The event in a line: the mapped fields, the line's own known fields, and the rest as event properties, if it is kept. */
export function mappedEvent(
  map: FieldMap,
  line: Readonly<Record<string, unknown>>,
  keepsRest = true,
): Record<string, unknown> {
  const rest = { ...line };
  const event: Record<string, unknown> = {};
  for (const [field, path] of map) {
    const value = valueAt(line, path);
    if (value !== undefined && FIELDS.has(field)) event[field] = value;
  }
  for (const path of map.values()) removeAt(rest, path);
  for (const [name, value] of Object.entries(rest)) if (FIELDS.has(name) && !(name in event)) event[name] = value;
  const properties = keepsRest ? Object.fromEntries(Object.entries(rest).filter(([name]) => !FIELDS.has(name))) : {};
  const own = event['event_properties'];
  if (own === undefined || isRecord(own)) event['event_properties'] = { ...properties, ...own };
  for (const [field, path] of map) {
    const property = propertyOf(field);
    const value = property === null ? undefined : valueAt(line, path);
    if (property === null || value === undefined) continue;
    const others = event[property.of];
    if (others === undefined || isRecord(others)) event[property.of] = { ...others, [property.name]: value };
  }
  return event;
}

/** The object and the name of a field such as `event_properties.url`; null if it is none. */
export function propertyOf(field: string): { readonly of: string; readonly name: string } | null {
  const [, of, name] = /^(event_properties|user_properties)\.(.+)$/s.exec(field) ?? [];
  return of === undefined || name === undefined ? null : { of, name };
}

/** Which of the mapped paths the lines have. */
export class MapUse {
  readonly #unseen: Map<string, readonly string[]>;
  readonly #names = new Set<string>();

  constructor(map: FieldMap) {
    this.#unseen = new Map(map);
  }

  note(line: Readonly<Record<string, unknown>>): void {
    if (this.#unseen.size === 0) return;
    for (const [field, path] of this.#unseen) if (valueAt(line, path) !== undefined) this.#unseen.delete(field);
    for (const [name, value] of Object.entries(line)) {
      this.#remember(name);
      if (isRecord(value)) for (const inner of Object.keys(value)) this.#remember(`${name}.${inner}`);
    }
  }

  /** What is wrong with paths that no line so far has; null if there are none. `surely`: only what looks like a slip of the pen. */
  problem(surely: boolean): string | null {
    for (const [field, path] of this.#unseen) {
      const near = nearest(path.join('.'), this.#names);
      if (surely && near === null) continue;
      return `--map ${field}=${path.join('.')}: no line has it${near === null ? '' : `; nearest: ${near}`}`;
    }
    return null;
  }

  #remember(name: string): void {
    // Names of lines that are remembered, to say which is nearest to one that no line has.
    if (this.#names.size < 500) this.#names.add(name);
  }
}

/** The error for a line without a type, with fields that may be one. @param option That names them; else the usual. */
export function noType(line: Readonly<Record<string, unknown>>, option?: string): string {
  const found = LIKE_TYPE.filter((name) => typeof line[name] === 'string');
  if (found.length === 0) return 'event_type is missing';
  return `event_type is missing; it has "${found.join('", "')}": try ${option ?? `--map event_type=${found[0]}`}`;
}

export function valueAt(line: unknown, path: readonly string[]): unknown {
  let value = line;
  for (const name of path) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** Objects on the way are copied, as the line keeps its own. */
function removeAt(line: Record<string, unknown>, [name = '', ...path]: readonly string[]): void {
  if (path.length === 0) Reflect.deleteProperty(line, name);
  else {
    const inner = Object.hasOwn(line, name) ? line[name] : undefined;
    if (!isRecord(inner)) return;
    const copy = { ...inner };
    removeAt(copy, path);
    line[name] = copy;
  }
}

/** Throws UsageError for a time that is none, or that no event can have yet: the server would take the time of arrival. */
export function checkTime(time: string | undefined): void {
  if (time === undefined) return;
  const read = readTime(time);
  if (read === null)
    throw new UsageError(`--time ${time} is no time: it takes one like 2026-01-31T12:00:00Z, or seconds since 1970`);
  if (read > Date.now() + DAY_MS) throw new UsageError(`--time ${time} is no time yet: it lies over 24 hours ahead`);
}
