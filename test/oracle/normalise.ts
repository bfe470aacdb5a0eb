/** A raw event → what is stored of it, or null if it is invalid. Only what a query can see. */
import { isObject, type JsonObject } from './world.ts';

export interface PlainEvent {
  readonly time: number;
  readonly type: string;
  readonly userId: string | null;
  readonly deviceId: string | null;
  readonly sessionId: string | null;
  readonly insertId: string | null;
  readonly properties: JsonObject;
  readonly userProperties: JsonObject;
  readonly library: string | null;
  readonly origin: 'server' | 'client' | 'unknown';
  readonly importId: string | null;
}

const NOTHING = ['', 'null', 'undefined', 'NaN', 'none', '[object Object]'];
const NOBODY = ['0', '-1', '00000000-0000-0000-0000-000000000000', 'unknown', 'anonymous', 'guest'];
const LONGEST_TEXT = 8192;
const DAY = 24 * 3600_000;

export function normaliseEvent(raw: unknown, at: number, publicKey: boolean): PlainEvent | null {
  if (!isObject(raw)) return null;
  const type = raw['event_type'];
  if (typeof type !== 'string' || type.trim() === '' || type.length > 256) return null;
  const ids = ['user_id', 'device_id', 'session_id', 'insert_id'].map((name) => normaliseId(raw[name], name));
  if (ids.includes(undefined)) return null;
  const [userId = null, deviceId = null, sessionId = null, insertId = null] = ids;
  return {
    type: wellFormed(type),
    userId,
    deviceId,
    sessionId,
    insertId,
    time: normaliseTime(raw['time'], at),
    properties: normaliseProperties(raw['event_properties']),
    userProperties: normaliseProperties(raw['user_properties']),
    library: typeof raw['library'] === 'string' ? raw['library'] : null,
    origin: originOf(raw, publicKey),
    importId: publicKey ? null : (normaliseId(raw['import_id']) ?? null),
  };
}

/** The id's text; null: as if not given; undefined: the event is invalid. */
export function normaliseId(raw: unknown, field = ''): string | null | undefined {
  if (raw === undefined || raw === null) return null;
  if (typeof raw !== 'string' && typeof raw !== 'number' && typeof raw !== 'bigint') return undefined;
  const text = typeof raw !== 'string' ? String(raw) : wellFormed(raw);
  if (NOTHING.includes(text) || text.trim() === '') return null;
  if (field === 'device_id' && NOBODY.includes(text)) return null;
  if (field === 'session_id' && ['0', '-1'].includes(text)) return null;
  return text.length > 512 ? undefined : text;
}

/** Replaces an invalid time, or one more than a day ahead, by the server's. */
export function normaliseTime(raw: unknown, at: number): number {
  const time = parseTime(raw);
  return time === null || time > at + DAY ? at : time;
}

function parseTime(sent: unknown): number | null {
  const raw = typeof sent === 'bigint' ? Number(sent) : sent;
  if (typeof raw === 'number') return timeOfNumber(raw);
  if (typeof raw !== 'string') return null;
  if (/^-?\d{9,}(\.\d+)?$/.test(raw)) return timeOfNumber(Number(raw));
  if (/^[A-Z][a-z]{2}, \d\d? [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(raw)) {
    const time = Date.parse(raw);
    return new Date(time).toUTCString() === raw ? time : null;
  }
  const text = raw.replace(/^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/, (_, year, month, day, ...clock) =>
    clock[0] === undefined
      ? `${year}-${month}-${day}`
      : `${year}-${month}-${day}T${clock.slice(0, 3).join(':')}${clock[3]}`,
  );
  const zoned = text.replace(/ (?:UTC|GMT|Z)$/, 'Z').replace(/ (?=[+-]\d\d(?::?\d\d)?$)/, '');
  return timeOfIso(zoned.replace(/(:\d\d(?:\.\d+)?[+-]\d\d)$/, '$1:00'));
}

function timeOfNumber(raw: number): number | null {
  if (!Number.isFinite(raw)) return null;
  const size = Math.abs(raw);
  const time = Math.floor(size < 1e11 ? raw * 1000 : size < 1e14 ? raw : size < 1e17 ? raw / 1000 : raw / 1_000_000);
  return Number.isNaN(new Date(time).getTime()) ? null : time;
}

function timeOfIso(raw: string): number | null {
  const shape = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/i.exec(raw);
  if (shape === null) return null;
  const cut = raw.replace(' ', 'T').replace(/(\.\d{3})\d+/, '$1');
  const zoned = shape[1] === undefined || shape[4] !== undefined ? cut : `${cut}Z`;
  const time = Date.parse(zoned);
  return Number.isNaN(time) || !isDate(raw.slice(0, 10)) ? null : time;
}

/** Whether the month has that day: Date turns 30 February into March. */
function isDate(text: string): boolean {
  return new Date(`${text}T00:00:00Z`).toISOString().slice(0, 10) === text;
}

export function normaliseProperties(raw: unknown): JsonObject {
  if (!isObject(raw)) return {};
  const kept = Object.entries(raw).flatMap(([key, value]): [string, unknown][] =>
    typeof value === 'number' && !Number.isFinite(value) ? [] : [[wellFormed(key), normaliseValue(value, true)]],
  );
  return Object.fromEntries(kept);
}

function normaliseValue(value: unknown, top: boolean): unknown {
  if (typeof value === 'string') return top ? cut(wellFormed(value)) : wellFormed(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return value + 0; // turns -0 into 0
  if (Array.isArray(value)) return value.map((item) => normaliseValue(item, false));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [wellFormed(key), normaliseValue(item, false)]));
}

function cut(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  const pairAtEdge = /[\uD800-\uDBFF]$/.test(text.slice(0, LONGEST_TEXT));
  return text.slice(0, pairAtEdge ? LONGEST_TEXT - 1 : LONGEST_TEXT);
}

function wellFormed(text: string): string {
  return text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD');
}

function originOf(raw: JsonObject, publicKey: boolean): 'server' | 'client' | 'unknown' {
  if (raw['origin'] === 'server') return 'server';
  return raw['clientOriginated'] === true || publicKey ? 'client' : 'unknown';
}
