/** Where values of JSON end, by their bytes. */

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

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Offset after the value that begins at `at`, or -1 if there is none or it does not end before `end`. Exact for valid JSON; for
 * other input, the piece is not valid JSON either.
 */
export function skipValue(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at];
  if (first === QUOTE) return skipText(bytes, at, end);
  if (first !== 0x7b && first !== 0x5b) return skipWord(bytes, at, end);
  let depth = 0;
  for (let next = at; next < end;) {
    const byte = bytes[next]!;
    if (byte === QUOTE) {
      next = skipText(bytes, next, end);
      if (next < 0) return -1;
      continue;
    }
    next++;
    if (byte === 0x7b || byte === 0x5b) depth++;
    else if ((byte === 0x7d || byte === 0x5d) && --depth === 0) return next;
  }
  return -1;
}

function skipText(bytes: Uint8Array, at: number, end: number): number {
  for (let next = at + 1; next < end; next++) {
    const byte = bytes[next]!;
    if (byte === QUOTE) return next + 1;
    if (byte === BACKSLASH) next++;
  }
  return -1;
}

/** A number, true, false or null ends before white space or punctuation. */
function skipWord(bytes: Uint8Array, at: number, end: number): number {
  let next = at;
  for (; next < end; next++) {
    const byte = bytes[next]!;
    if (byte >= 0x80) return -1; // a BOM, which decoding the piece would drop
    if (byte <= 0x20 || byte === 0x2c || byte === 0x5d || byte === 0x7d || byte === 0x3a || byte === QUOTE) break;
  }
  return next === at ? -1 : next;
}
