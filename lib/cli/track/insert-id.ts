/** Ids that make a retry safe: the server stores an event with the same one only once. */
import { randomUUID } from 'node:crypto';

/** What the server takes for no id. */
const NOTHING: ReadonlySet<unknown> = new Set([
  ...[undefined, null, '', 'null', 'undefined', 'NaN', 'none', '[object Object]'],
]);

export function newInsertId(): string {
  return randomUUID();
}

/**
 * The event's JSON text with an insert id, its own or a new one at the end. The rest of the text stays as it is: what it has
 * of long numbers and keys that stand twice is for the server to read.
 */
export function withInsertId(text: string, event: object): string {
  const own: unknown = 'insert_id' in event ? event.insert_id : undefined;
  if (!NOTHING.has(own)) return text;
  const open = text.trimEnd().slice(0, -1);
  const comma = Object.keys(event).length === 0 ? '' : ',';
  return `${open}${comma}"insert_id":"${newInsertId()}"}`;
}
