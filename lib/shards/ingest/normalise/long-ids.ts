/**
 * Ids sent as whole numbers of more digits than a double holds: languages other than JavaScript send them as they are. JSON.parse
 * would round them, and join users whose ids are near each other.
 */
import { isRecord } from '../../../base/is-record.ts';

const LONG_ID = /"(?:user|device|session|insert)_id"\s*:\s*-?\d{16}/;
const IDS: ReadonlySet<string> = new Set(['user_id', 'device_id', 'session_id', 'insert_id']);
const WHOLE = /^-?\d+$/;

/** JSON.parse of a body or an event, but such an id of an event is the text of its digits. Throws SyntaxError. */
export function parseKeepingIds(text: string): unknown {
  if (!LONG_ID.test(text)) return JSON.parse(text);
  const digits = new Map<unknown, Record<string, string>>();
  const keep = function (
    this: unknown,
    key: string,
    value: unknown,
    { source = '' }: { source?: string } = {},
  ): unknown {
    if (typeof value !== 'number' || !IDS.has(key) || Number.isSafeInteger(value) || !WHOLE.test(source)) return value;
    digits.set(this, { ...digits.get(this), [key]: source });
    return value;
  };
  const root: unknown = JSON.parse(text, keep);
  for (const event of eventsIn(root)) if (digits.has(event)) Object.assign(event, digits.get(event));
  return root;
}

/** Objects that may have ids of their own: a body, or an event of it. A property may have the same name. */
function eventsIn(root: unknown): readonly object[] {
  const listed: readonly unknown[] = isRecord(root) && Array.isArray(root['events']) ? root['events'] : [];
  return [root, ...listed].filter((event) => isRecord(event));
}
