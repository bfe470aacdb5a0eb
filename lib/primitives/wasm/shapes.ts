/**
 * Events spelled like earlier ones: a tree of the texts between values, walked along the bytes of an event.
 *
 * A step is STEP bytes: next sibling, first child, the literal's address and length, what follows it (a kind, an argument, the
 * most bytes of a text), then, for a property, where its key begins and ends in the literal, the hash and the number of the key,
 * and which object it is in. Literals may be read up to SLACK bytes past their end. lib/shards/ingest/scan/shapes.ts makes
 * them, and says why at most one child can match.
 */
import { isNothing, mayBeBlank, textEnd } from './texts';
import { isDigit, isTime, timeEnd } from './times';

const NEXT: usize = 0;
const CHILD: usize = 4;
const LITERAL: usize = 8;
const LENGTH: usize = 12;
const KIND: usize = 16;
const ARGUMENT: usize = 20;
const LIMIT: usize = 24;
const KEY_START: usize = 28;
const KEY_END: usize = 32;
const KEY_HASH: usize = 36;
const COLUMN: usize = 40;
const SPACE: usize = 44;

const END: u32 = 0;
const TEXT: u32 = 1;
const ID: u32 = 2;
const INSERT_ID: u32 = 3;
const TIME: u32 = 4;
const TIME_NUMBER: u32 = 5;
const PROPERTY_TEXT: u32 = 6;
const PROPERTY_NUMBER: u32 = 7;
const PROPERTY_WORD: u32 = 8;
const ADD: u32 = 9;

// The record that a scan fills: words of texts first, then these.
const TIME_AT: usize = 96;
const COUNTS_AT: usize = 84; // of properties: two words
const OBJECT_AT: usize = 128;
const OBJECT_BYTES: usize = 256 * (32 + 8);
const NUMBERS_AT: usize = 256 * 32;
const STRING_KIND: u32 = 1;
const NUMBER_KIND: u32 = 2;

const SECONDS_BELOW: f64 = 1e11;
const MILLISECONDS_BELOW: f64 = 1e14;

let seed: u32 = 0;
let secret: u32 = 0;
/** Bytes end here, and their offsets are told from here. */
let until: usize = 0;
let base: usize = 0;
let number: f64 = 0;

export function setUpShapes(hashSeed: u32, hashSecret: u32): void {
  seed = hashSeed;
  secret = hashSecret;
}

export function scanShape(root: usize, at: usize, end: usize, offsetsFrom: usize, record: usize): usize {
  until = end;
  base = offsetsFrom;
  for (let i: usize = 0; i < TIME_AT; i += 16) v128.store(record + i, i32x4.splat(i < 72 ? -1 : 0));
  v128.store(record, i32x4.splat(0), 72);
  store<f64>(record, NaN, TIME_AT);
  let step: usize = load<u32>(root, CHILD);
  let from = at;
  while (step != 0) {
    const after = isHere(step, from) ? valueAfter(step, from, record) : 0;
    if (after == 0) {
      step = load<u32>(step, NEXT);
      continue;
    }
    if (load<u32>(step, KIND) == END) return after;
    from = after;
    step = load<u32>(step, CHILD);
  }
  return 0;
}

/** Whether the literal of a step is here. */
function isHere(step: usize, from: usize): bool {
  const length: usize = load<u32>(step, LENGTH);
  if (from + length > until) return false;
  const literal: usize = load<u32>(step, LITERAL);
  let i: usize = 0;
  for (; i + 16 <= length; i += 16) {
    if (!i8x16.all_true(i8x16.eq(v128.load(from + i), v128.load(literal + i)))) return false;
  }
  const rest = length - i;
  const same = i8x16.bitmask(i8x16.eq(v128.load(from + i), v128.load(literal + i)));
  const wanted = (1 << (<i32>rest)) - 1;
  return (same & wanted) == wanted;
}

/** Reads the value after a literal; returns the address after it, or 0. */
function valueAfter(step: usize, from: usize, record: usize): usize {
  const at = from + load<u32>(step, LENGTH);
  const kind = load<u32>(step, KIND);
  switch (kind) {
    case END:
      return at;
    case TEXT:
    case ID:
    case INSERT_ID: {
      const end = textEnd(at, until);
      if (end == 0 || end == at || end - at > <usize>load<u32>(step, LIMIT) || mayBeBlank(at)) return 0;
      if (kind != TEXT && isNothing(at)) return 0;
      const texts = record + load<u32>(step, ARGUMENT);
      store<u32>(texts, <u32>(at - base));
      store<u32>(texts, <u32>(end - base), 4);
      store<u32>(texts, kind == INSERT_ID ? 0 : hashOf(at, end), 8);
      return end;
    }
    case TIME:
      return timeEnd(at, until, record + TIME_AT);
    case TIME_NUMBER: {
      const end = numberEnd(at);
      if (end == 0 || abs(number) >= MILLISECONDS_BELOW) return 0;
      const time = floor(abs(number) < SECONDS_BELOW ? number * 1000 : number) + 0;
      if (!isTime(time)) return 0;
      store<f64>(record, time, TIME_AT);
      return end;
    }
    case PROPERTY_TEXT: {
      const end = textEnd(at, until);
      if (end == 0 || end - at > <usize>load<u32>(step, LIMIT)) return 0;
      return addText(step, from, record, at, end);
    }
    case PROPERTY_NUMBER: {
      const end = numberEnd(at);
      if (end == 0) {
        const long = longWholeEnd(at);
        return long == 0 ? 0 : addText(step, from, record, at, long);
      }
      const object = record + OBJECT_AT + <usize>load<u32>(step, SPACE) * OBJECT_BYTES;
      const place = <usize>load<u32>(record + COUNTS_AT + <usize>load<u32>(step, SPACE) * 4);
      store<f64>(object + NUMBERS_AT + place * 8, number);
      const slot = addProperty(step, from, record, NUMBER_KIND);
      store<u32>(slot, <u32>(at - base), 16);
      store<u32>(slot, <u32>(end - base), 20);
      return end;
    }
    case PROPERTY_WORD: {
      const slot = addProperty(step, from, record, load<u32>(step, ARGUMENT));
      store<u32>(slot, <u32>(at - load<u32>(step, LIMIT) - base), 16);
      store<u32>(slot, <u32>(at - base), 20);
      return at;
    }
    case ADD: {
      const place = record + load<u32>(step, ARGUMENT);
      store<u32>(place, load<u32>(place) + 1);
      return at;
    }
    default:
      return 0;
  }
}

/** Adds a property whose value is the text [at, end); returns its end. */
function addText(step: usize, from: usize, record: usize, at: usize, end: usize): usize {
  const slot = addProperty(step, from, record, STRING_KIND);
  store<u32>(slot, <u32>(at - base), 16);
  store<u32>(slot, <u32>(end - base), 20);
  store<u32>(slot, hashOf(at, end), 24);
  return end;
}

/** Adds a property with its key; returns its slot. */
function addProperty(step: usize, from: usize, record: usize, kind: u32): usize {
  const space = <usize>load<u32>(step, SPACE);
  const counts = record + COUNTS_AT + space * 4;
  const count = load<u32>(counts);
  store<u32>(counts, count + 1);
  const slot = record + OBJECT_AT + space * OBJECT_BYTES + <usize>count * 32;
  store<u32>(slot, <u32>(from - base) + load<u32>(step, KEY_START));
  store<u32>(slot, <u32>(from - base) + load<u32>(step, KEY_END), 4);
  store<u32>(slot, load<u32>(step, KEY_HASH), 8);
  store<u32>(slot, kind, 12);
  store<u32>(slot, load<u32>(step, COLUMN), 28);
  return slot;
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

/** Like `scanLongWhole` of lib/shards/ingest/scan/scan-number.ts; 0 if there is none. An event continues after its numbers. */
function longWholeEnd(at: usize): usize {
  const begin = at < until && load<u8>(at) == 0x2d ? at + 1 : at;
  let next = begin;
  while (isDigit(next, until)) next++;
  const digits = next - begin;
  if (digits < 16 || digits > 308 || load<u8>(begin) == 0x30 || next >= until) return 0;
  if (digits == 16) {
    let value: u64 = 0;
    for (let i: usize = 0; i < 16; i++) value = value * 10 + (load<u8>(begin + i) - 0x30);
    if (value <= 9_007_199_254_740_991) return 0;
  }
  return load<u8>(next) == 0x2e || (load<u8>(next) | 0x20) == 0x65 ? 0 : next;
}

/** Like `scanNumber` of lib/shards/ingest/scan: the address after it, or 0; puts its value in `number`. */
function numberEnd(at: usize): usize {
  const negative = at < until && load<u8>(at) == 0x2d;
  const begin = negative ? at + 1 : at;
  let digits: u64 = 0;
  let next = begin;
  for (; isDigit(next, until); next++) digits = digits * 10 + (load<u8>(next) - 0x30);
  const whole = next - begin;
  if (whole == 0 || (whole > 1 && load<u8>(begin) == 0x30)) return 0;
  let fraction: usize = 0;
  if (next < until && load<u8>(next) == 0x2e) {
    const point = next++;
    for (; isDigit(next, until); next++) digits = digits * 10 + (load<u8>(next) - 0x30);
    fraction = next - point - 1;
    if (fraction == 0) return 0;
  }
  if (whole + fraction > 15) return 0;
  if (next >= until || (load<u8>(next) | 0x20) == 0x65) return 0; // e or E; an event continues after its numbers
  let scale: f64 = 1;
  for (let i: usize = 0; i < fraction; i++) scale *= 10;
  const value = <f64>digits / scale;
  number = negative && value != 0 ? -value : value;
  return next;
}
