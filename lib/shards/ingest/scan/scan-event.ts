/** Scans one event without creating strings or objects: the hot path of ingest. */
import { parseTimeBytes, timeOfNumber } from '../normalise/time.ts';
import { type KnownField, fieldOfKey } from './known-fields.ts';
import { scanNumber } from './scan-number.ts';
import { FALSE_WORD, NULL_WORD, TRUE_WORD, scanProperties, scanWord } from './scan-properties.ts';
import { scanText } from './scan-text.ts';
import { charactersOf } from './utf8.ts';
import { END, EVENT_TYPE, HASH, LIBRARY, START, type ScannedEvent } from './scanned-event.ts';
import { Shapes } from './shapes.ts';
import { ScanSource, skipSpace } from './source.ts';

const source = new ScanSource();
/** Bytes that a character can take. */
const MOST_BYTES = 4;

const shapes = new Shapes();

/**
 * Reads into `out` the event whose JSON begins at `at` (its brace) and ends at or before `end`; returns the offset after its
 * closing brace. -1 if the event is not ordinary (scanned-event.ts) or not JSON: then ignore `out` and let JSON.parse decide.
 * Events accepted here mean the same as with JSON.parse and `normaliseEvent`; a property test compares the two.
 */
export function scanEvent(bytes: Uint8Array, at: number, end: number, out: ScannedEvent): number {
  if (source.use(bytes)) shapes.use(bytes);
  const after = shapes.scan(at, end, out);
  return after < 0 ? scanUnlikeOthers(at, end, out) : after;
}

/** Reads an event whose shape is not known. */
function scanUnlikeOthers(at: number, end: number, out: ScannedEvent): number {
  if (source.bytes[at] !== 0x7b) return -1;
  out.clear(at);
  out.end = scanFields(at + 1, out);
  if (out.end < 0 || out.end > end || out.texts[EVENT_TYPE + START]! < 0) return -1;
  shapes.learn(source.bytes, out);
  return out.end;
}

/** Reads the members from `at` on; returns the offset after the closing brace, or -1. */
function scanFields(at: number, out: ScannedEvent): number {
  const bytes = source.bytes;
  let seen = 0;
  let next = bytes[at]! > 0x20 ? at : skipSpace(bytes, at);
  for (;;) {
    if (bytes[next] !== 0x22) return -1;
    const keyStart = next + 1;
    const keyEnd = scanText(source, keyStart);
    if (keyEnd < 0) return -1;
    const known = fieldOfKey(bytes, keyStart, keyEnd, source.hash[0]!);
    next = bytes[keyEnd + 1] === 0x3a ? keyEnd + 1 : skipSpace(bytes, keyEnd + 1);
    if (bytes[next] !== 0x3a) return -1;
    next = bytes[next + 1]! > 0x20 ? next + 1 : skipSpace(bytes, next + 1);
    if (known === null) {
      next = skipScalar(next);
    } else {
      const bit = 1 << known.index;
      if ((seen & bit) !== 0) return -1;
      seen |= bit;
      next = scanField(next, known, out);
    }
    if (next < 0) return -1;

    if (bytes[next]! <= 0x20) next = skipSpace(bytes, next);
    if (bytes[next] === 0x7d) return next + 1;
    if (bytes[next] !== 0x2c) return -1;
    next = bytes[next + 1]! > 0x20 ? next + 1 : skipSpace(bytes, next + 1);
  }
}

/** Reads a known field's value at `at`; returns the offset after it, or -1. */
function scanField(at: number, known: KnownField, out: ScannedEvent): number {
  const first = source.bytes[at];
  switch (known.role) {
    case 'id':
      if (first === 0x6e) {
        out.idsIgnored++;
        return scanWord(source, at, NULL_WORD);
      }
      return isNothing(at + 1) ? -1 : scanTextField(at, known, out);
    case 'text':
      return first === 0x6e ? scanWord(source, at, NULL_WORD) : scanTextField(at, known, out);
    case 'time':
      return scanTime(at, out);
    case 'event_properties':
      return first === 0x7b ? scanProperties(source, at + 1, out.eventProperties) : scanWord(source, at, NULL_WORD);
    case 'user_properties':
      return first === 0x7b ? scanProperties(source, at + 1, out.userProperties) : scanWord(source, at, NULL_WORD);
    case 'odd':
      return -1;
    case 'origin':
      out.originServer = true;
      return scanWord(source, at, SERVER);
    case 'clientOriginated':
      out.clientOriginated = true;
      return scanWord(source, at, TRUE_WORD);
  }
}

const SERVER: Uint8Array = new TextEncoder().encode('"server"');

function scanTextField(at: number, known: KnownField, out: ScannedEvent): number {
  if (source.bytes[at] !== 0x22) return -1;
  const end = scanText(source, at + 1);
  const length = end - at - 1;
  if (end < 0 || length === 0 || mayBeBlank(at + 1)) return -1;
  if (length > known.limit && isLonger(source.bytes, at + 1, end, known)) return -1;
  out.texts[known.text + START] = at + 1;
  out.texts[known.text + END] = end;
  out.texts[known.text + HASH] = source.hash[0]!;
  return end + 1;
}

/** Whether a text with more bytes than its field may have characters also has too many characters. */
function isLonger(bytes: Uint8Array, start: number, end: number, { limit, text }: KnownField): boolean {
  return text === LIBRARY || end - start > limit * MOST_BYTES || charactersOf(bytes, start, end) > limit; // the library's limit counts UTF-16 units
}

/** Whether the id at `at` may mean nothing (null, none, NaN, undefined, [object Object]): these are rare, so two bytes decide. */
function isNothing(at: number): boolean {
  const bytes = source.bytes;
  const second = bytes[at + 1];
  switch (bytes[at]) {
    case 0x6e: // n
      return second === 0x75 || second === 0x6f;
    case 0x4e: // N
      return second === 0x61;
    case 0x75: // u
      return second === 0x6e;
    case 0x5b: // [
      return second === 0x6f;
    default:
      return false;
  }
}

/** Whether the text at `at` begins with white space, as `trim` defines it: rare, and only then can it be blank. */
function mayBeBlank(at: number): boolean {
  const bytes = source.bytes;
  const first = bytes[at]!;
  if (first > 0x20 && first < 0xc2) return false;
  const second = bytes[at + 1];
  switch (first) {
    case 0x20:
      return true;
    case 0xc2: // U+00A0
      return second === 0xa0;
    case 0xe1: // U+1680
      return second === 0x9a;
    case 0xe2: // U+2000 to 200A, 2028, 2029, 202F, 205F
      return second === 0x80 || second === 0x81;
    case 0xe3: // U+3000
      return second === 0x80 && bytes[at + 2] === 0x80;
    case 0xef: // U+FEFF
      return second === 0xbb;
    default:
      return false;
  }
}

/** Bytes of the longest text tried as a time here, including its quote. */
const MAX_TIME = 40;

function scanTime(at: number, out: ScannedEvent): number {
  const bytes = source.bytes;
  const first = bytes[at]!;
  if (first === 0x22) {
    let end = at + 20;
    while (end < at + MAX_TIME && bytes[end] !== 0x22) end++;
    out.time = parseTimeBytes(bytes, at + 1, end);
    return bytes[end] === 0x22 && out.time === out.time ? end + 1 : -1; // not NaN
  }
  if (first === 0x6e) return scanWord(source, at, NULL_WORD);
  const end = scanNumber(source, at);
  if (end < 0) return -1;
  const time = timeOfNumber(source.number[0]!);
  if (time === null) return -1;
  out.time = time;
  return end;
}

/** Offset after the text, number or word at `at`, or -1. */
function skipScalar(at: number): number {
  switch (source.bytes[at]) {
    case 0x22: {
      const end = scanText(source, at + 1);
      return end < 0 ? -1 : end + 1;
    }
    case 0x74:
      return scanWord(source, at, TRUE_WORD);
    case 0x66:
      return scanWord(source, at, FALSE_WORD);
    case 0x6e:
      return scanWord(source, at, NULL_WORD);
    default:
      return scanNumber(source, at);
  }
}
