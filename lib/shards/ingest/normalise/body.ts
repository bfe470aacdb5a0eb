/** The JSON of a body: one event, or a batch of them. */
import { BYTE } from '../../../base/text/byte.ts';
import { AppError } from '../../../base/errors.ts';
import { type BatchRoot, batchRoot, NO_ROOT } from './context.ts';
import { MEMBERS, SHORT, withoutExcess } from './shallow.ts';
import { skipSpace, skipValue } from '../scan/json-bytes.ts';
import { readJson, readJsonWithDigits } from '../../../base/text/read-json.ts';

export interface EventBatch {
  /** As sent; `normaliseEvent` interprets them. Those of a large body are parsed one by one, which may throw `bad_json`. */
  readonly events: Iterable<unknown>;
  readonly root: BatchRoot;
}

/**
 * The events of a body: `{"events": [ … ]}`, or any other object as one event. Throws AppError: `bad_json`, `bad_request` if the
 * body is no object or `events` no array, `batch_too_large` beyond `maxEvents`.
 */
export function parseBatch(bytes: Uint8Array, maxEvents: number): EventBatch {
  const split = bytes.length > SHORT ? splitBatch(bytes, maxEvents) : null;
  const what = split === null ? undefined : 'The body without its events';
  const body = parseJsonObject(split?.root ?? bytes, 'one event, or {"events": [ … ]}', what);
  if (!('events' in body)) return { events: [body], root: NO_ROOT };
  const events: unknown = body.events;
  if (!Array.isArray(events)) throw new AppError('bad_request', '`events` must be an array of event objects.');
  const count = split?.count ?? events.length;
  if (count > maxEvents) {
    throw new AppError('batch_too_large', `A batch holds at most ${maxEvents} events; this one has ${count}.`, {
      hints: ['Send it in several requests, or as a stream with Content-Type: application/x-ndjson.'],
    });
  }
  return { events: split === null ? events : parsedOneByOne(split.events), root: batchRoot(body) };
}

/** Whatever a large body is made of, one event of it at a time is in memory. */
function* parsedOneByOne(pieces: readonly Uint8Array[]): Generator {
  for (const [index, piece] of pieces.entries()) yield parseJson(piece, `events[${index}]`);
}

/** Parses a body that must be an object; `shape` describes it. Throws AppError `bad_json`, or `bad_request` for another value. */
export function parseJsonObject(bytes: Uint8Array, shape: string, what?: string): object {
  const body = parseJson(bytes, what);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw new AppError('bad_request', `The body must be an object: ${shape}.`);
}

/**
 * The JSON value of UTF-8 bytes; large ones lose what would be dropped anyway. A BOM is skipped, invalid UTF-8 becomes U+FFFD.
 * Whole numbers beyond 2^53 are bigints. Throws AppError `bad_json`; its message begins with `what`, which names the bytes.
 */
export function parseJson(bytes: Uint8Array, what = 'The body'): unknown {
  const text = new TextDecoder().decode(withoutExcess(bytes));
  if (text.trim() === '') throw new AppError('bad_json', `${what} is empty; it must be JSON.`);
  try {
    return readJsonWithDigits(text, BigInt);
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

interface Split {
  /** The body without its events: their array is empty. */
  readonly root: Uint8Array;
  /** At most as many as were asked for. */
  readonly events: readonly Uint8Array[];
  /** How many there are. */
  readonly count: number;
}

interface Piece {
  readonly from: number;
  readonly to: number;
}

/**
 * The events of a batch as pieces of its body, so that each can be parsed by itself.
 * null: the body is no object with an array `events`, or broken outside of them. Exact for valid JSON; of other input, the root or a
 * piece is not valid either. Throws AppError `bad_json` if something between the events is not.
 */
function splitBatch(bytes: Uint8Array, most: number): Split | null {
  const array = eventsIn(bytes);
  if (array === null) return null;
  const events: Uint8Array[] = [];
  let count = 0;
  for (let at = skipSpace(bytes, array.from + 1); at < array.to - 1; at = skipSpace(bytes, at)) {
    const isSeparate = count === 0 || bytes[at] === BYTE.comma;
    if (count > 0) at = skipSpace(bytes, at + 1);
    const end = isSeparate ? skipValue(bytes, at, array.to - 1) : -1;
    if (end < 0)
      throw new AppError('bad_json', 'The body is not valid JSON: `events` has no comma between two, or one too many.');
    if (count++ < most) events.push(bytes.subarray(at, end));
    at = end;
  }
  const root = Buffer.concat([bytes.subarray(0, array.from + 1), bytes.subarray(array.to - 1)]);
  return { root, events, count };
}

/** The array of the last member `events`, with its brackets; null if it is none. */
function eventsIn(bytes: Uint8Array): Piece | null {
  const hasBom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const brace = skipSpace(bytes, hasBom ? 3 : 0);
  let found: Piece | null = null;
  let at = bytes[brace] === BYTE.openObject ? brace : bytes.length;
  let members = 0;
  do {
    const key = skipSpace(bytes, at + 1);
    const keyEnd = bytes[key] === BYTE.quote ? skipValue(bytes, key, bytes.length) : -1;
    const colon = skipSpace(bytes, keyEnd);
    const value = skipSpace(bytes, colon + 1);
    const end = bytes[colon] === BYTE.colon ? skipValue(bytes, value, bytes.length) : -1;
    if (end < 0) return null;
    if (isEvents(bytes.subarray(key, keyEnd)))
      found = bytes[value] === BYTE.openArray ? { from: value, to: end } : null;
    at = skipSpace(bytes, end);
  } while (bytes[at] === BYTE.comma && ++members < MEMBERS);
  return bytes[at] === BYTE.closeObject || members === MEMBERS ? found : null;
}

const EVENTS = Buffer.from('"events"');
/** A key of six letters, each of which may be written as an escape. */
const LONGEST = 6 * 6 + 2;

function isEvents(key: Uint8Array): boolean {
  if (key.length <= EVENTS.length || key.length > LONGEST) return EVENTS.equals(key);
  try {
    return readJson(new TextDecoder().decode(key)) === 'events';
  } catch {
    return false; // the root is not JSON either
  }
}
