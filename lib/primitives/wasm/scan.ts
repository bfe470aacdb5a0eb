/**
 * Scans one event of JSON (lib/shards/ingest/scan/scanned-event.ts tells what it takes and what it writes). A field that events may
 * have is FIELD bytes: its key, followed by zeros; the key's length; what its value is; where in the record its text goes; and the
 * most bytes of that.
 */
import { isNothing, mayBeBlank, textEnd } from './texts';
import { isDigit, isTime, timeEnd } from './times';

const FIELD: usize = 32;
const KEY_LENGTH: usize = 16;
const ROLE: usize = 20;
const TEXT: usize = 24;
const LIMIT: usize = 28;

const TEXT_ROLE: u32 = 1;
const ID_ROLE: u32 = 2;
const TIME_ROLE: u32 = 3;
const ORIGIN_ROLE: u32 = 4;
const CLIENT_ROLE: u32 = 5;
const EVENT_PROPERTIES_ROLE: u32 = 6;
const USER_PROPERTIES_ROLE: u32 = 7;

// The record: three words of each text, then these.
const TYPE_TEXT: usize = 0;
const IDS_IGNORED: usize = 72;
const ORIGIN_SERVER: usize = 76;
const CLIENT_ORIGINATED: usize = 80;
const COUNTS: usize = 84; // of properties: two words
const TIME: usize = 96;
const OBJECTS: usize = 128;

const MOST_PROPERTIES: u32 = 256;
const MOST_KEY: usize = 256;
const MOST_TEXT: usize = 8192;
const SLOT: usize = 32;
const NUMBERS: usize = <usize>MOST_PROPERTIES * SLOT;
const OBJECT: usize = NUMBERS + <usize>MOST_PROPERTIES * 8;

const STRING: u32 = 1;
const NUMBER: u32 = 2;
const TRUE: u32 = 3;
const FALSE: u32 = 4;
const NULL: u32 = 5;

const QUOTE: u32 = 0x22;
const COMMA: u32 = 0x2c;
const COLON: u32 = 0x3a;
const OPEN: u32 = 0x7b;
const CLOSE: u32 = 0x7d;

const SECONDS_BELOW: f64 = 1e11;
const MILLISECONDS_BELOW: f64 = 1e14;

let seed: u32 = 0;
let secret: u32 = 0;
let fields: usize = 0;
let fieldsEnd: usize = 0;
/** The event may not be longer than its line. */
let isLine: bool = false;
/** Bytes end here, and their offsets are told from here. */
let until: usize = 0;
let base: usize = 0;
let number: f64 = 0;

export function setUpScan(hashSeed: u32, hashSecret: u32, known: usize, count: u32): void {
  seed = hashSeed;
  secret = hashSecret;
  fields = known;
  fieldsEnd = known + <usize>count * FIELD;
}

export function scanEvent(start: usize, end: usize, offsetsFrom: usize, line: u32, record: usize): usize {
  until = end;
  base = offsetsFrom;
  isLine = line != 0;
  for (let i: usize = 0; i < TIME; i += 16) v128.store(record + i, i32x4.splat(i < IDS_IGNORED ? -1 : 0));
  v128.store(record, i32x4.splat(0), IDS_IGNORED);
  store<f64>(record, NaN, TIME);
  if (byteAt(start) != OPEN) return 0;
  let seen: u32 = 0;
  for (let at = skipSpace(start + 1); byteAt(at) == QUOTE; at = skipSpace(at + 1)) {
    const keyEnd = textEnd(at + 1, until);
    if (keyEnd == 0) return 0;
    const field = fieldOf(at + 1, keyEnd);
    if (field == 0) return 0; // somebody has to be told of an unknown field
    const bit = u32(1) << u32((field - fields) / FIELD);
    if ((seen & bit) != 0) return 0;
    seen |= bit;
    at = skipSpace(keyEnd + 1);
    if (byteAt(at) != COLON) return 0;
    at = fieldEnd(field, skipSpace(at + 1), record);
    if (at == 0) return 0;
    at = skipSpace(at);
    if (byteAt(at) == CLOSE) return load<i32>(record, TYPE_TEXT) < 0 ? 0 : at + 1;
    if (byteAt(at) != COMMA) return 0;
  }
  return 0;
}

/** A byte that may be behind the end: then 0. */
function byteAt(at: usize): u32 {
  return at < until ? <u32>load<u8>(at) : 0;
}

/** The address of the next byte that is no white space. */
function skipSpace(at: usize): usize {
  return load<u8>(at) > 0x20 ? at : spaceEnd(at);
}

function spaceEnd(at: usize): usize {
  for (; at < until; at++) {
    const byte: u32 = load<u8>(at);
    if (byte > 0x20 || (byte != 0x20 && byte != 0x0d && byte != 0x09 && (byte != 0x0a || isLine))) break;
  }
  return at;
}

/** The field with a key; 0 if there is none. */
function fieldOf(key: usize, keyEnd: usize): usize {
  const length = <u32>(keyEnd - key);
  if (length > 16) return 0;
  const wanted: u32 = (1 << length) - 1;
  const bytes = v128.load(key);
  for (let field = fields; field < fieldsEnd; field += FIELD) {
    if (load<u32>(field, KEY_LENGTH) != length) continue;
    if (((<u32>i8x16.bitmask(i8x16.eq(bytes, v128.load(field)))) & wanted) == wanted) return field;
  }
  return 0;
}

/** Reads the value of a field; returns the address behind it, or 0. */
function fieldEnd(field: usize, at: usize, record: usize): usize {
  const role = load<u32>(field, ROLE);
  if (byteAt(at) == 0x6e && role != ORIGIN_ROLE && role != CLIENT_ROLE) {
    if (role == ID_ROLE) store<u32>(record, load<u32>(record, IDS_IGNORED) + 1, IDS_IGNORED);
    return role == 0 ? 0 : wordEnd(at, 0x6c6c756e); // null
  }
  switch (role) {
    case TEXT_ROLE:
    case ID_ROLE: {
      const end = byteAt(at) == QUOTE ? textEnd(++at, until) : 0;
      if (end == 0 || end == at || end - at > <usize>load<u32>(field, LIMIT) || mayBeBlank(at)) return 0;
      if (role == ID_ROLE && isNothing(at)) return 0;
      const text = record + load<u32>(field, TEXT);
      store<u32>(text, <u32>(at - base));
      store<u32>(text, <u32>(end - base), 4);
      store<u32>(text, hashOf(at, end), 8);
      return end + 1;
    }
    case TIME_ROLE: {
      if (byteAt(at) == QUOTE) {
        const end = timeEnd(at + 1, until, record + TIME);
        return end == 0 ? 0 : end + 1;
      }
      const end = numberEnd(at);
      if (end == 0 || abs(number) >= MILLISECONDS_BELOW) return 0;
      const time = floor(abs(number) < SECONDS_BELOW ? number * 1000 : number) + 0;
      if (!isTime(time)) return 0;
      store<f64>(record, time, TIME);
      return end;
    }
    case ORIGIN_ROLE:
      store<u32>(record, 1, ORIGIN_SERVER);
      return at + 8 <= until && load<u64>(at) == 0x2272657672657322 ? at + 8 : 0; // "server"
    case CLIENT_ROLE:
      store<u32>(record, 1, CLIENT_ORIGINATED);
      return wordEnd(at, 0x65757274); // true
    case EVENT_PROPERTIES_ROLE:
      return byteAt(at) == OPEN ? objectEnd(at + 1, record + OBJECTS, record + COUNTS) : 0;
    case USER_PROPERTIES_ROLE:
      return byteAt(at) == OPEN ? objectEnd(at + 1, record + OBJECTS + OBJECT, record + COUNTS + 4) : 0;
    default:
      return 0;
  }
}

/** The address behind a word of four letters if it is here, else 0. */
function wordEnd(at: usize, word: u32): usize {
  return at + 4 <= until && load<u32>(at) == word ? at + 4 : 0;
}

/** Reads the members of an object of properties; returns the address behind it, or 0. */
function objectEnd(start: usize, object: usize, counts: usize): usize {
  let at = skipSpace(start);
  if (byteAt(at) == CLOSE) return at + 1;
  let seen: u64 = 0; // a bit for the hash of each key: two keys can only be equal if they share one
  for (let count: u32 = 0; count < MOST_PROPERTIES && byteAt(at) == QUOTE; at = skipSpace(at + 1)) {
    const key = at + 1;
    const keyEnd = textEnd(key, until);
    if (keyEnd == 0 || keyEnd - key > MOST_KEY || isDigit(key, until)) return 0; // JavaScript puts numbers first
    const slot = object + <usize>count * SLOT;
    const hash = hashOf(key, keyEnd);
    const bit: u64 = u64(1) << (hash & 63);
    if ((seen & bit) != 0 && hasKey(object, slot, hash)) return 0;
    seen |= bit;
    store<u32>(slot, <u32>(key - base));
    store<u32>(slot, <u32>(keyEnd - base), 4);
    store<u32>(slot, hash, 8);
    at = skipSpace(keyEnd + 1);
    if (byteAt(at) != COLON) return 0;
    at = valueEnd(skipSpace(at + 1), slot, object + NUMBERS + <usize>count * 8);
    if (at == 0) return 0;
    count++;
    at = skipSpace(at);
    if (byteAt(at) == CLOSE) {
      store<u32>(counts, count);
      return at + 1;
    }
    if (byteAt(at) != COMMA) return 0;
  }
  return 0;
}

/** Whether a property before a slot has a key of this hash: the same key, or once in four billion another. */
function hasKey(object: usize, slot: usize, hash: u32): bool {
  for (let before = object; before < slot; before += SLOT) if (load<u32>(before, 8) == hash) return true;
  return false;
}

/** Reads the value of a property into its slot; returns the address behind it, or 0. */
function valueEnd(at: usize, slot: usize, toNumber: usize): usize {
  switch (byteAt(at)) {
    case QUOTE: {
      const end = textEnd(at + 1, until);
      if (end == 0 || end - at - 1 > MOST_TEXT) return 0;
      putText(slot, at + 1, end);
      return end + 1;
    }
    case 0x74:
      return putToken(slot, TRUE, at, wordEnd(at, 0x65757274));
    case 0x66: {
      const end = wordEnd(at, 0x736c6166);
      return putToken(slot, FALSE, at, end != 0 && byteAt(end) == 0x65 ? end + 1 : 0);
    }
    case 0x6e:
      return putToken(slot, NULL, at, wordEnd(at, 0x6c6c756e));
    default: {
      const end = numberEnd(at);
      if (end == 0) {
        const long = longWholeEnd(at);
        if (long != 0) putText(slot, at, long); // a whole number of more digits than a double holds is the text of its digits
        return long;
      }
      store<f64>(toNumber, number);
      return putToken(slot, NUMBER, at, end);
    }
  }
}

function putText(slot: usize, at: usize, end: usize): void {
  store<u32>(slot, hashOf(at, end), 24);
  putToken(slot, STRING, at, end);
}

/** Returns the end. */
function putToken(slot: usize, kind: u32, at: usize, end: usize): usize {
  store<u32>(slot, kind, 12);
  store<u32>(slot, <u32>(at - base), 16);
  store<u32>(slot, <u32>(end - base), 20);
  return end;
}

/** Like `hashBytes` of lib/shards/hashing/hash.ts. */
function hashOf(start: usize, end: usize): u32 {
  let hash = seed;
  let at = start;
  for (; at + 4 <= end; at += 4) hash = mixWord(hash, load<u32>(at));
  const rest: u32 = load<u32>(at) & ((u32(1) << (8 * u32(end - at))) - 1);
  let h = mixWord(hash, rest) ^ (<u32>(end - start));
  h = (h ^ (h >> 16)) * 0x85ebca6b;
  h = (h ^ (h >> 13)) * 0xc2b2ae35;
  return h ^ (h >> 16);
}

function mixWord(hash: u32, word: u32): u32 {
  const mixed = rotl<u32>((word ^ secret) * 0xcc9e2d51, 15);
  return rotl<u32>(hash ^ (mixed * 0x1b873593), 13) * 5 + 0xe6546b64;
}

/** The address behind a whole number beyond 2^53, or 0. */
function longWholeEnd(at: usize): usize {
  const begin = byteAt(at) == 0x2d ? at + 1 : at;
  let next = begin;
  while (isDigit(next, until)) next++;
  const digits = next - begin;
  if (digits < 16 || digits > 308 || load<u8>(begin) == 0x30 || next >= until) return 0; // more may be too large for a double
  if (digits == 16) {
    let value: u64 = 0;
    for (let i: usize = 0; i < 16; i++) value = value * 10 + (load<u8>(begin + i) - 0x30);
    if (value <= 9_007_199_254_740_991) return 0;
  }
  return load<u8>(next) == 0x2e || (load<u8>(next) | 0x20) == 0x65 ? 0 : next;
}

/**
 * The address behind a number without an exponent and of at most 15 digits, whose value is then in `number`, never -0; or 0. The
 * digits without the point are below 2^53 and the power of ten is exact, so their quotient is rounded once, as JSON.parse does.
 */
function numberEnd(at: usize): usize {
  const negative = byteAt(at) == 0x2d;
  const begin = negative ? at + 1 : at;
  let digits: u64 = 0;
  let next = begin;
  for (; isDigit(next, until); next++) digits = digits * 10 + (load<u8>(next) - 0x30);
  const whole = next - begin;
  if (whole == 0 || (whole > 1 && load<u8>(begin) == 0x30)) return 0;
  let fraction: usize = 0;
  if (byteAt(next) == 0x2e) {
    const point = next++;
    for (; isDigit(next, until); next++) digits = digits * 10 + (load<u8>(next) - 0x30);
    fraction = next - point - 1;
    if (fraction == 0) return 0;
  }
  if (whole + fraction > 15) return 0;
  if (next >= until || (load<u8>(next) | 0x20) == 0x65) return 0; // an event continues after its numbers
  let scale: f64 = 1;
  for (let i: usize = 0; i < fraction; i++) scale *= 10;
  const value = <f64>digits / scale;
  number = negative && value != 0 ? -value : value;
  return next;
}
