/** The JSON of a body: one event, or a batch of them. */
import { AppError } from '../../../base/errors.ts';
import { type BatchRoot, NO_ROOT, batchRoot } from './batch-root.ts';
import { parseKeepingIds } from './long-ids.ts';
import { withoutExcess } from './shallow.ts';
import { splitBatch } from './split-batch.ts';

export interface Batch {
  /** As sent; `normaliseEvent` interprets them. Those of a large batch are parsed as they are asked for, which may throw `bad_json`. */
  readonly events: Iterable<unknown>;
  readonly root: BatchRoot;
}

/**
 * The events of a body: `{"events": [ … ]}`, or any other object as one event. Throws AppError: `bad_json`, `bad_request` if the
 * body is no object or `events` no array, `batch_too_large` beyond `maxEvents`.
 */
export function parseBatch(bytes: Uint8Array, maxEvents: number): Batch {
  const split = bytes.length > LARGE ? splitBatch(bytes, maxEvents) : null;
  const what = split === null ? undefined : 'The body without its events';
  const body = parseObject(split?.root ?? bytes, 'one event, or {"events": [ … ]}', what);
  if (!('events' in body)) return { events: [body], root: NO_ROOT };
  const events: unknown = body.events;
  if (!Array.isArray(events)) throw new AppError('bad_request', '`events` must be an array of event objects.');
  const count = split?.count ?? events.length;
  if (count > maxEvents) {
    throw new AppError('batch_too_large', `A batch holds at most ${maxEvents} events; this one has ${count}.`, {
      hints: ['Send it in several requests, or as a stream with Content-Type: application/x-ndjson.'],
    });
  }
  return { events: split === null ? events : parsed(split.events), root: batchRoot(body) };
}

/** Bytes of a batch whose events are parsed one by one: all at once would take up to a second. */
const LARGE = 64 << 10;

function* parsed(events: readonly Uint8Array[]): Generator<unknown, void> {
  let index = 0;
  for (const event of events) yield parseJson(event, `events[${index++}]`);
}

/** Parses a body that must be an object; `shape` describes it. Throws AppError `bad_json`, or `bad_request` for another value. */
export function parseObject(bytes: Uint8Array, shape: string, what?: string): object {
  const body = parseJson(bytes, what);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw new AppError('bad_request', `The body must be an object: ${shape}.`);
}

/**
 * The JSON value of UTF-8 bytes; large ones lose what would be dropped anyway. A BOM is skipped, invalid UTF-8 becomes U+FFFD.
 * Throws AppError `bad_json`; its message begins with `what`, which names the bytes.
 */
export function parseJson(bytes: Uint8Array, what = 'The body'): unknown {
  const text = new TextDecoder().decode(withoutExcess(bytes));
  if (text.trim() === '') throw new AppError('bad_json', `${what} is empty; it must be JSON.`);
  try {
    return parseKeepingIds(text);
  } catch (error) {
    throw new AppError('bad_json', `${what} is not valid JSON: ${reason(error)}.`);
  }
}

/** The engine's reason without the piece of the body that it quotes: messages are logged, bodies must not be. */
function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const [said = ''] = message.split(/, (?:\.\.\.)?"/);
  const told = said.replace(/ in JSON(?= at )/, '').replace('Unexpected end of JSON input', 'it ends too early');
  return told.charAt(0).toLowerCase() + told.slice(1);
}
