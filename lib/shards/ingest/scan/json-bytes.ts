/** Where values of JSON end, by their bytes. */
import { BYTE } from '../../../base/text/byte.ts';

/** Offset of the first byte at or after `at` that is not JSON white space; the length of the bytes if there is none. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  let next = at;
  while (next < bytes.length) {
    const byte = bytes[next]!;
    if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) break;
    next++;
  }
  return next;
}

/**
 * Offset after the value that begins at `at`, or -1 if there is none or it does not end before `end`. Exact for valid JSON; for
 * other input, the piece is not valid JSON either.
 */
export function skipValue(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at];
  if (first === BYTE.quote) return skipText(bytes, at, end);
  if (first !== BYTE.openObject && first !== BYTE.openArray) return skipWord(bytes, at, end);
  let depth = 0;
  for (let next = at; next < end;) {
    const byte = bytes[next]!;
    if (byte === BYTE.quote) {
      next = skipText(bytes, next, end);
      if (next < 0) return -1;
      continue;
    }
    next++;
    if (byte === BYTE.openObject || byte === BYTE.openArray) depth++;
    else if ((byte === BYTE.closeObject || byte === BYTE.closeArray) && --depth === 0) return next;
  }
  return -1;
}

function skipText(bytes: Uint8Array, at: number, end: number): number {
  for (let next = at + 1; next < end; next++) {
    const byte = bytes[next]!;
    if (byte === BYTE.quote) return next + 1;
    if (byte === BYTE.backslash) next++;
  }
  return -1;
}

/** A number, true, false or null ends before white space or punctuation. */
function skipWord(bytes: Uint8Array, at: number, end: number): number {
  let next = at;
  for (; next < end; next++) {
    const byte = bytes[next]!;
    if (byte >= 0x80) return -1; // a BOM, which decoding the piece would drop
    if (
      byte <= 0x20 ||
      byte === BYTE.comma ||
      byte === BYTE.closeArray ||
      byte === BYTE.closeObject ||
      byte === BYTE.colon ||
      byte === BYTE.quote
    )
      break;
  }
  return next === at ? -1 : next;
}
