/**
 * Cuts JSON that would be dropped anyway: whatever is nested too deep, or follows too many members of an event, of an object of
 * properties, or of a property's value. A few kilobytes on the wire can inflate to millions of nested arrays, which take half a
 * second and a gigabyte to parse; an object of 358,000 keys takes as long.
 */
import { MAX_DEPTH, MAX_JSON_BYTES } from './limits.ts';

/** Levels that are kept: enough for a value to be dropped for its depth, and for what surrounds it. */
const KEPT = MAX_DEPTH * 2;
/** Members kept per object and per array: with so many different ones, a value is dropped for its size. */
const MEMBERS = MAX_JSON_BYTES / 4;
const ELEMENTS = MAX_JSON_BYTES;
/** An array at a lower level holds the events of a batch. */
const FIRST_ARRAY = 3;
/** Anything shorter is parsed unchanged. Bytes. */
const SHORT = 64 << 10;
const EMPTY = Buffer.from('[]');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const BRACE = 0x7b;
const BRACKET = 0x5b;

/** Commas left for each open object and array, by level. */
const left = new Int32Array(KEPT + 2);

/**
 * The bytes with `[]` in place of whatever is nested too deep, and without excess members; the same bytes if nothing is cut.
 * Valid JSON stays valid.
 */
export function withoutExcess(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= SHORT) return bytes;
  const pieces: Uint8Array[] = [];
  let depth = 0;
  let from = 0; // start of the piece being kept
  let cut = 0; // level whose excess members are being skipped; 0: none
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte <= 0x20) continue;
    if (byte === QUOTE) at = endOfText(bytes, at);
    else if (byte === BRACE || byte === BRACKET) {
      depth++;
      if (depth <= KEPT) left[depth] = mostOf(byte, depth);
      else if (depth === KEPT + 1 && cut === 0) pieces.push(bytes.subarray(from, at));
    } else if (byte === 0x7d || byte === 0x5d) {
      if (depth === KEPT + 1 && cut === 0) {
        pieces.push(EMPTY);
        from = at + 1;
      } else if (depth === cut) {
        cut = 0;
        from = at;
      }
      depth--;
    } else if (byte === COMMA && cut === 0 && depth <= KEPT && --left[depth]! < 0) {
      cut = depth;
      pieces.push(bytes.subarray(from, at));
    }
  }
  if (pieces.length === 0) return bytes;
  // Unterminated input is not JSON, nor are its pieces.
  return Buffer.concat(depth > KEPT || cut > 0 ? pieces : [...pieces, bytes.subarray(from)]);
}

/** Commas that an object or array may have. A batch keeps all of its events. */
function mostOf(byte: number, depth: number): number {
  if (byte === BRACE) return MEMBERS - 1;
  return depth < FIRST_ARRAY ? Infinity32 : ELEMENTS - 1;
}

const Infinity32 = 0x7fffffff;

/** Where the text that begins at `at` ends: at its closing quote, or at the end of the bytes. */
function endOfText(bytes: Uint8Array, at: number): number {
  let next = at + 1;
  while (next < bytes.length && bytes[next] !== QUOTE) next += bytes[next] === BACKSLASH ? 2 : 1;
  return next;
}
