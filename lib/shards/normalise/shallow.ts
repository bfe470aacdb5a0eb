/**
 * JSON without what is nested so deep that it is dropped anyway: a few kilobytes on the wire can inflate to millions of arrays
 * within each other, which take half a second to parse and a gigabyte.
 */
import { MAX_DEPTH } from './limits.ts';

/** Levels that are kept: those of a value that is dropped for its depth, and of what stands around it. */
const KEPT = MAX_DEPTH * 2;
/** What is shorter is parsed as it is. Bytes. */
const SHORT = 64 << 10;
const EMPTY = Buffer.from('[]');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The bytes with `[]` in the place of what is nested deeper; they themselves where nothing is. Valid JSON stays valid. */
export function withoutDepths(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= SHORT) return bytes;
  const pieces: Uint8Array[] = [];
  let depth = 0;
  let from = 0; // of the piece that is kept
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = endOfText(bytes, at);
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth === KEPT + 1) pieces.push(bytes.subarray(from, at));
    } else if ((byte === 0x7d || byte === 0x5d) && depth-- === KEPT + 1) {
      pieces.push(EMPTY);
      from = at + 1;
    }
  }
  if (pieces.length === 0) return bytes;
  // What does not end is no JSON, nor are its pieces.
  return Buffer.concat(depth > KEPT ? pieces : [...pieces, bytes.subarray(from)]);
}

/** Where the text that begins at `at` ends: at its closing quote, or with the bytes. */
function endOfText(bytes: Uint8Array, at: number): number {
  let next = at + 1;
  while (next < bytes.length && bytes[next] !== QUOTE) next += bytes[next] === BACKSLASH ? 2 : 1;
  return next;
}
