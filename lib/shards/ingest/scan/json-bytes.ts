/** Reads JSON from its bytes, token by token, without strings or objects: texts, numbers, times, and where a value ends. */
import { finishHash, hashBytes, mixWord, SEED } from '../../hashing/hash.ts';
import {
  clockTime,
  dateTime,
  FIRST_TIME,
  LAST_TIME,
  MAX_TIME_TEXT,
  MILLISECONDS_BELOW,
  offsetOf,
  timeOfNumber,
} from '../../../base/read-time.ts';

/** The bytes to scan, and what else is known of the last token. Reused; one per thread is enough. */
export class ScanSource {
  bytes: Uint8Array = new Uint8Array(0);
  /** Over the same bytes, to read four-byte words at any offset. */
  view: DataView = new DataView(new ArrayBuffer(0));
  /** The last offset from which a word can be read. */
  lastWord = -4;
  /** Hash of the text scanned last. Typed arrays keep 32-bit and 64-bit numbers unboxed. */
  readonly hash = new Int32Array(1);
  /** The number scanned last. */
  readonly number = new Float64Array(1);
  #given: Uint8Array | null = null;

  /** Reads from these bytes from now on; false if they are the same as before. */
  use(given: Uint8Array): boolean {
    if (given === this.#given) return false;
    this.#given = given;
    // Hot loops must see one class only, and a Buffer is another to the compiler.
    this.bytes = new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
    this.view = new DataView(given.buffer, given.byteOffset, given.byteLength);
    this.lastWord = given.byteLength - 4;
    return true;
  }
}

/** What white space has contained since this was last reset: NDJSON lines may contain no newline. */
export const space = { newline: false };

/** Offset of the first byte at or after `at` that is not JSON white space; the length of the bytes if there is none. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  let next = at;
  while (next < bytes.length) {
    const byte = bytes[next]!;
    if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) break;
    if (byte === 0x0a) space.newline = true;
    next++;
  }
  return next;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Offset of the closing quote of the text that begins at `at` (after its opening quote), or -1 if it is not plain or not closed
 * before the end of the source. Its hash is in `source.hash[0]`.
 *
 * The loop tests four bytes at a time. Byte by byte it would be:
 *   for (; ; at++) { b = bytes[at]; if (b is a quote, a backslash, below 32 or above 127) break; hash(b) }
 * `(x - 0x01010101) & ~x` has the top bit set of each byte of x that is 0 (bytes above the first such byte may be wrong, but only
 * the lowest one is used); likewise 0x20202020 finds bytes below 32.
 */
export function scanText(source: ScanSource, at: number): number {
  const view = source.view;
  const lastWord = source.lastWord;
  let hash = SEED;
  let next = at;
  for (; next <= lastWord; next += 4) {
    const word = view.getInt32(next, true);
    const quote = word ^ 0x22222222;
    const slash = word ^ 0x5c5c5c5c;
    const found =
      (((quote - 0x01010101) & ~quote) | ((slash - 0x01010101) & ~slash) | ((word - 0x20202020) & ~word) | word) &
      0x80808080;
    if (found === 0) {
      hash = mixWord(hash, word);
      continue;
    }
    const bit = 31 - Math.clz32(found & -found); // 7, 15, 23 or 31: the byte's top bit
    const end = next + (bit >>> 3);
    const stop = (word >>> (bit - 7)) & 0xff;
    if (stop !== QUOTE) return stop >= 0x80 ? scanUnicode(source, at, end) : -1;
    source.hash[0] = finishHash(hash, word & ((1 << (bit - 7)) - 1), end - at);
    return end;
  }
  return scanUnicode(source, at, next);
}

/** Like `scanText`, but byte by byte; bytes before `from` are plain ASCII. For non-ASCII texts and the end of a source. */
function scanUnicode(source: ScanSource, at: number, from: number): number {
  const bytes = source.bytes;
  let next = from;
  while (next < bytes.length) {
    const byte = bytes[next]!;
    if (byte >= 0x80) {
      const length = utf8Length(bytes, next);
      if (length === 0) return -1;
      next += length;
    } else if (byte === QUOTE) {
      source.hash[0] = hashBytes(bytes, at, next);
      return next;
    } else if (byte < 0x20 || byte === BACKSLASH) {
      return -1;
    } else {
      next++;
    }
  }
  return -1;
}

/** Any number of so many decimal digits is below 2^53. */
const MAX_DIGITS = 15;

/** 10^k; exact doubles up to 10^22. */
const POWERS = new Float64Array(MAX_DIGITS + 1).map((_, k) => 10 ** k);

const ZERO = 0x30;
const MINUS = 0x2d;
const DOT = 0x2e;

/**
 * Offset after the number that begins at `at`, or -1 if it has an exponent or more than 15 digits, or is not a JSON number. Its
 * value is in `source.number[0]`, never -0.
 *
 * The digits without the point are an integer below 2^53 and the power of ten is exact, so their quotient is rounded once: it is
 * the double closest to the decimal, as JSON.parse returns.
 */
export function scanNumber(source: ScanSource, at: number): number {
  const bytes = source.bytes;
  const negative = bytes[at] === MINUS;
  const begin = negative ? at + 1 : at;
  let digits = 0;
  let next = begin;
  for (let d = digitAt(bytes, next); d <= 9; d = digitAt(bytes, ++next)) digits = digits * 10 + d;
  const whole = next - begin;
  if (whole === 0 || (whole > 1 && bytes[begin] === ZERO)) return -1;
  let fraction = 0;
  if (bytes[next] === DOT) {
    const point = next++;
    for (let d = digitAt(bytes, next); d <= 9; d = digitAt(bytes, ++next)) digits = digits * 10 + d;
    fraction = next - point - 1;
    if (fraction === 0) return -1;
  }
  if (whole + fraction > MAX_DIGITS) return -1;
  if (next < bytes.length && (bytes[next]! | 0x20) === 0x65) return -1; // e or E
  const value = fraction === 0 ? digits : digits / POWERS[fraction]!;
  source.number[0] = negative && value !== 0 ? -value : value;
  return next;
}

/** Offset after the whole number beyond 2^53 that begins at `at`, or -1 if there is none. */
export function scanLongWhole(bytes: Uint8Array, at: number): number {
  const begin = bytes[at] === MINUS ? at + 1 : at;
  let next = begin;
  while (digitAt(bytes, next) <= 9) next++;
  const digits = next - begin;
  if (digits < MAX_DIGITS + 1 || digits > MOST_LONG_DIGITS || bytes[begin] === ZERO) return -1;
  if (digits === MAX_DIGITS + 1 && !isBeyond(bytes, begin, next)) return -1;
  const follows = bytes[next]! | 0x20; // undefined becomes 0x20
  return bytes[next] === DOT || follows === 0x65 ? -1 : next;
}

/** With so many digits a whole number may be too large for a double. */
const MOST_LONG_DIGITS = 308;

/** Whether 16 digits are a number beyond 2^53: those up to there are read exactly, others stay beyond it. */
function isBeyond(bytes: Uint8Array, begin: number, end: number): boolean {
  let value = 0;
  for (let at = begin; at < end; at++) value = value * 10 + (bytes[at]! - ZERO);
  return !Number.isSafeInteger(value);
}

/** The digit at an offset, or a number above 9. */
function digitAt(bytes: Uint8Array, at: number): number {
  return at < bytes.length ? (bytes[at]! - ZERO) & 0xff : 0xff;
}

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

/**
 * Length in bytes of the well-formed UTF-8 sequence of two to four bytes that begins at `at`, or 0 if it is malformed: overlong,
 * a surrogate, above U+10FFFF or cut off (Unicode, table 3-7).
 */
export function utf8Length(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  if (first < 0xc2 || first > 0xf4) return 0;
  if (first < 0xe0) return isTail(bytes, at + 1) ? 2 : 0;
  const second = bytes[at + 1] ?? 0;
  if (second < secondFrom(first) || second > secondTo(first)) return 0;
  if (first < 0xf0) return isTail(bytes, at + 2) ? 3 : 0;
  return isTail(bytes, at + 2) && isTail(bytes, at + 3) ? 4 : 0;
}

/** Number of code points in well-formed UTF-8. */
export function charactersOf(bytes: Uint8Array, start: number, end: number): number {
  let characters = 0;
  for (let i = start; i < end; i++) characters += Number((bytes[i]! & 0xc0) !== 0x80);
  return characters;
}

function isTail(bytes: Uint8Array, at: number): boolean {
  return at < bytes.length && (bytes[at]! & 0xc0) === 0x80;
}

function secondFrom(first: number): number {
  return first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
}

function secondTo(first: number): number {
  return first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
}

/**
 * Like `readTime` of the text bytes[start, end) if it has exactly the form `YYYY-MM-DDTHH:MM:SS`, an optional fraction, and `Z`
 * or `±HH:MM`; NaN for any other form. No allocation.
 */
export function parseTimeBytes(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 20 || end - start > MAX_TIME_TEXT || end > bytes.length) return NaN;
  if (
    bytes[start + 4] !== 0x2d ||
    bytes[start + 7] !== 0x2d ||
    bytes[start + 10] !== 0x54 ||
    bytes[start + 13] !== 0x3a ||
    bytes[start + 16] !== 0x3a
  ) {
    return NaN;
  }
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2);
  const date = dateTime(year, twoDigits(bytes, start + 5), twoDigits(bytes, start + 8));
  const minute = twoDigits(bytes, start + 14);
  const second = twoDigits(bytes, start + 17);
  let at = start + 19;
  let fraction = 0;
  if (bytes[at] === 0x2e) {
    let scale = 100;
    const point = at++;
    for (; at < end && isDigitByte(bytes[at]!); at++) {
      fraction += (bytes[at]! - 0x30) * scale;
      scale = scale === 100 ? 10 : scale === 10 ? 1 : 0;
    }
    if (at === point + 1) return NaN;
  }
  const clock = clockTime(twoDigits(bytes, start + 11), minute, second, fraction);
  const time = date + clock - zoneBytes(bytes, at, end);
  return time >= FIRST_TIME && time <= LAST_TIME ? time : NaN;
}

/** Like `readTime` of seconds or milliseconds since the epoch; NaN for any other number. */
export const timeOfFewDigits = (value: number): number =>
  Math.abs(value) < MILLISECONDS_BELOW ? (timeOfNumber(value) ?? NaN) : NaN;

/** Milliseconds by which the zone bytes[at, end) is ahead of UTC; NaN if it is no zone. */
function zoneBytes(bytes: Uint8Array, at: number, end: number): number {
  if (end - at === 1 && bytes[at] === 0x5a) return 0;
  if (end - at !== 6 || bytes[at + 3] !== 0x3a) return NaN;
  const sign = bytes[at] === 0x2b ? 1 : bytes[at] === 0x2d ? -1 : NaN;
  return sign * offsetOf(twoDigits(bytes, at + 1), twoDigits(bytes, at + 4));
}

/** A two-digit number; NaN if the bytes are not digits. */
function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at]! - 0x30;
  const ones = bytes[at + 1]! - 0x30;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN;
}

export function isDigitByte(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
