/** The events of a batch as pieces of its body, so that each can be parsed by itself. */
import { AppError } from '../../../base/errors.ts';
import { MEMBERS } from './shallow.ts';
import { skipValue } from '../scan/skip-value.ts';
import { skipSpace } from '../scan/source.ts';

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

const QUOTE = 0x22;
const COMMA = 0x2c;

/**
 * null: the body is no object with an array `events`, or broken outside of them. Exact for valid JSON; of other input, the root or a
 * piece is not valid either. Throws AppError `bad_json` if something between the events is not.
 */
export function splitBatch(bytes: Uint8Array, most: number): Split | null {
  const array = eventsIn(bytes);
  if (array === null) return null;
  const events: Uint8Array[] = [];
  let count = 0;
  for (let at = skipSpace(bytes, array.from + 1); at < array.to - 1; at = skipSpace(bytes, at)) {
    const isSeparate = count === 0 || bytes[at] === COMMA;
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
  let at = bytes[brace] === 0x7b ? brace : bytes.length;
  let members = 0;
  do {
    const key = skipSpace(bytes, at + 1);
    const keyEnd = bytes[key] === QUOTE ? skipValue(bytes, key, bytes.length) : -1;
    const colon = skipSpace(bytes, keyEnd);
    const value = skipSpace(bytes, colon + 1);
    const end = bytes[colon] === 0x3a ? skipValue(bytes, value, bytes.length) : -1;
    if (end < 0) return null;
    if (isEvents(bytes.subarray(key, keyEnd))) found = bytes[value] === 0x5b ? { from: value, to: end } : null;
    at = skipSpace(bytes, end);
  } while (bytes[at] === COMMA && ++members < MEMBERS);
  return bytes[at] === 0x7d || members === MEMBERS ? found : null;
}

const EVENTS = Buffer.from('"events"');
/** A key of six letters, each of which may be written as an escape. */
const LONGEST = 6 * 6 + 2;

function isEvents(key: Uint8Array): boolean {
  if (key.length <= EVENTS.length || key.length > LONGEST) return EVENTS.equals(key);
  try {
    return JSON.parse(new TextDecoder().decode(key)) === 'events';
  } catch {
    return false; // the root is not JSON either
  }
}
