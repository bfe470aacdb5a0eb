/** Scans one event without creating strings or objects: the hot path of ingest. */
import {
  charactersOf,
  isDigitByte,
  parseTimeBytes,
  scanLongWhole,
  scanNumber,
  ScanSource,
  scanText,
  skipSpace,
  timeOfFewDigits,
} from './json-bytes.ts';
import {
  COLUMN,
  END,
  TYPE_TEXT,
  FALSE,
  fieldOfKey,
  HASH,
  KEY_END,
  KEY_HASH,
  KEY_START,
  KIND,
  type KnownField,
  LIBRARY,
  NULL,
  NUMBER,
  PROPERTY_STRIDE,
  type ScannedEvent,
  type ScannedProperties,
  START,
  STRING,
  TRUE,
  VALUE_END,
  VALUE_HASH,
  VALUE_START,
} from './scanned-event.ts';
import { Shapes } from './shapes.ts';
import { hashBytes } from '../../hashing/hash.ts';
import { MAX_KEY, MAX_PROPERTIES, MAX_TEXT } from '../normalise/limits.ts';

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
  if (out.end < 0 || out.end > end || out.texts[TYPE_TEXT + START]! < 0) return -1;
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
    const bit = 1 << (known?.index ?? 0);
    if (known === null || (seen & bit) !== 0) return -1; // somebody has to be told of an unknown field
    seen |= bit;
    next = scanField(next, known, out);
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

/**
 * Whether the id at `at` may mean nothing (null, none, NaN, undefined, [object Object], unknown, anonymous, guest, -1, 0, or zeros
 * with hyphens): these are rare, so a few bytes decide.
 */
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
    case 0x61: // a
      return second === 0x6e && bytes[at + 4] === 0x79;
    case 0x67: // g
      return second === 0x75 && bytes[at + 5] === 0x22;
    case 0x2d: // -
      return second === 0x31;
    case 0x30: // 0
      return second === 0x22 || (second === 0x30 && bytes[at + 2] === 0x30 && bytes[at + 3] === 0x30);
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
  out.time = timeOfFewDigits(source.number[0]!);
  return out.time === out.time ? end : -1; // not NaN
}

/**
 * Reads the object whose members begin at `at` (after its brace) into `out`; returns the offset after its closing brace. -1 if it
 * is not ordinary: a nested value, a repeated key or one that begins with a digit (JavaScript would order it first), too many or
 * too long members (in bytes, which are at least as many as UTF-16 units), or not JSON.
 */
function scanProperties(source: ScanSource, at: number, out: ScannedProperties): number {
  const bytes = source.bytes;
  const slots = out.slots;
  out.count = 0;
  let next = skipSpace(bytes, at);
  if (bytes[next] === 0x7d) return next + 1;
  let seen = 0; // a bit per key hash: two keys can only be equal if they share one
  for (let slot = 0; slot < MAX_PROPERTIES * PROPERTY_STRIDE; slot += PROPERTY_STRIDE) {
    if (bytes[next] !== 0x22) return -1;
    const keyStart = next + 1;
    const keyEnd = scanText(source, keyStart);
    if (keyEnd < 0 || keyEnd - keyStart > MAX_KEY || isDigitByte(bytes[keyStart]!)) return -1;
    const hash = source.hash[0]!;
    const bit = 1 << (hash & 31);
    if ((seen & bit) !== 0 && hasKey(slots, slot, hash)) return -1;
    seen |= bit;
    slots[slot + KEY_START] = keyStart;
    slots[slot + KEY_END] = keyEnd;
    slots[slot + KEY_HASH] = hash;
    slots[slot + COLUMN] = 0;

    next = bytes[keyEnd + 1] === 0x3a ? keyEnd + 1 : skipSpace(bytes, keyEnd + 1);
    if (bytes[next] !== 0x3a) return -1;
    next = scanValue(source, bytes[next + 1]! > 0x20 ? next + 1 : skipSpace(bytes, next + 1), out, slot);
    if (next < 0) return -1;
    if (bytes[next]! <= 0x20) next = skipSpace(bytes, next);

    const byte = bytes[next];
    if (byte === 0x7d) {
      out.count = slot / PROPERTY_STRIDE + 1;
      return next + 1;
    }
    if (byte !== 0x2c) return -1;
    next = bytes[next + 1]! > 0x20 ? next + 1 : skipSpace(bytes, next + 1);
  }
  return -1;
}

/** Reads the value at `at` into the slot; returns the offset after it, or -1. */
function scanValue(source: ScanSource, at: number, out: ScannedProperties, slot: number): number {
  const slots = out.slots;
  const first = source.bytes[at];
  if (first === 0x22) {
    const end = scanText(source, at + 1);
    if (end < 0 || end - at - 1 > MAX_TEXT) return -1;
    slots[slot + KIND] = STRING;
    slots[slot + VALUE_START] = at + 1;
    slots[slot + VALUE_END] = end;
    slots[slot + VALUE_HASH] = source.hash[0]!;
    return end + 1;
  }
  let kind = NUMBER;
  let end = 0;
  if (first === 0x74) {
    kind = TRUE;
    end = scanWord(source, at, TRUE_WORD);
  } else if (first === 0x66) {
    kind = FALSE;
    end = scanWord(source, at, FALSE_WORD);
  } else if (first === 0x6e) {
    kind = NULL;
    end = scanWord(source, at, NULL_WORD);
  } else {
    end = scanNumber(source, at);
    if (end < 0) return scanLong(source, at, out, slot);
    out.numbers[slot / PROPERTY_STRIDE] = source.number[0]!;
  }
  slots[slot + KIND] = kind;
  slots[slot + VALUE_START] = at;
  slots[slot + VALUE_END] = end;
  return end;
}

/** A whole number of more digits than a double holds is the text of its digits. */
function scanLong({ bytes }: ScanSource, at: number, out: ScannedProperties, slot: number): number {
  const end = scanLongWhole(bytes, at);
  if (end < 0) return -1;
  out.slots[slot + KIND] = STRING;
  out.slots[slot + VALUE_START] = at;
  out.slots[slot + VALUE_END] = end;
  out.slots[slot + VALUE_HASH] = hashBytes(bytes, at, end);
  return end;
}

const TRUE_WORD: Uint8Array = new TextEncoder().encode('true');
const FALSE_WORD: Uint8Array = new TextEncoder().encode('false');
const NULL_WORD: Uint8Array = new TextEncoder().encode('null');

/** Offset after the word if it is at `at`, else -1. */
function scanWord(source: ScanSource, at: number, word: Uint8Array): number {
  for (let i = 0; i < word.length; i++) if (source.bytes[at + i] !== word[i]) return -1;
  return at + word.length;
}

/** Whether a key before `slot` has this hash: the same key, or once in four billion another. */
function hasKey(slots: Int32Array, slot: number, hash: number): boolean {
  for (let s = KEY_HASH; s < slot; s += PROPERTY_STRIDE) if (slots[s] === hash) return true;
  return false;
}
