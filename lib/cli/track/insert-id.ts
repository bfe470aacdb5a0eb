/** Ids that make retries safe: the server stores only one event with each. */
import { randomUUID } from 'node:crypto';

/** Values that the server ignores. */
const NOTHING: ReadonlySet<unknown> = new Set([
  ...[undefined, null, '', 'null', 'undefined', 'NaN', 'none', '[object Object]'],
]);

export function newInsertId(): string {
  return randomUUID();
}

/**
 * The event's JSON text with an insert id, its own or a new one at the end. The rest of the text is unchanged: long numbers and
 * repeated keys are for the server to interpret.
 */
export function withInsertId(text: string, event: object): string {
  const own: unknown = 'insert_id' in event ? event.insert_id : undefined;
  if (!NOTHING.has(own)) return text;
  const open = text.trimEnd().slice(0, -1);
  const comma = Object.keys(event).length === 0 ? '' : ',';
  return `${open}${comma}"insert_id":"${newInsertId()}"}`;
}
