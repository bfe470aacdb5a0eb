/** Scans an object of plain keys and scalar values: `event_properties` or `user_properties`. */
import { MAX_KEY, MAX_PROPERTIES, MAX_TEXT } from '../normalise/limits.ts';
import { isDigit } from '../normalise/time.ts';
import { scanNumber } from './scan-number.ts';
import { scanText } from './scan-text.ts';
import {
  COLUMN,
  FALSE,
  KEY_END,
  KEY_HASH,
  KEY_START,
  KIND,
  NULL,
  NUMBER,
  PROPERTY_STRIDE,
  STRING,
  type ScannedProperties,
  TRUE,
  VALUE_END,
  VALUE_HASH,
  VALUE_START,
} from './scanned-event.ts';
import { type ScanSource, skipSpace } from './source.ts';

/**
 * Reads the object whose members begin at `at` (after its brace) into `out`; returns the offset after its closing brace. -1 if it
 * is not ordinary: a nested value, a repeated key or one that begins with a digit (JavaScript would order it first), too many or
 * too long members (in bytes, which are at least as many as UTF-16 units), or not JSON.
 */
export function scanProperties(source: ScanSource, at: number, out: ScannedProperties): number {
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
    if (keyEnd < 0 || keyEnd - keyStart > MAX_KEY || isDigit(bytes[keyStart]!)) return -1;
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
    out.codes[slot / PROPERTY_STRIDE] = 0;
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
    out.numbers[slot / PROPERTY_STRIDE] = source.number[0]!;
  }
  slots[slot + KIND] = kind;
  slots[slot + VALUE_START] = at;
  slots[slot + VALUE_END] = end;
  return end;
}

export const TRUE_WORD: Uint8Array = new TextEncoder().encode('true');
export const FALSE_WORD: Uint8Array = new TextEncoder().encode('false');
export const NULL_WORD: Uint8Array = new TextEncoder().encode('null');

/** Offset after the word if it is at `at`, else -1. */
export function scanWord(source: ScanSource, at: number, word: Uint8Array): number {
  for (let i = 0; i < word.length; i++) if (source.bytes[at + i] !== word[i]) return -1;
  return at + word.length;
}

/** Whether a key before `slot` has this hash: the same key, or once in four billion another. */
function hasKey(slots: Int32Array, slot: number, hash: number): boolean {
  for (let s = KEY_HASH; s < slot; s += PROPERTY_STRIDE) if (slots[s] === hash) return true;
  return false;
}
