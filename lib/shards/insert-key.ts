/** The deduplication key of an insert id. */
import { HEX16, TEXT } from './segment/insert-ids.ts';

/** Two 32-bit halves; a reused record. */
export interface InsertKey {
  kind: typeof HEX16 | typeof TEXT;
  high: number;
  low: number;
}

const DIGITS = new Int8Array(256).fill(-1);
for (let digit = 0; digit < 16; digit++) DIGITS[digit.toString(16).charCodeAt(0)] = digit;

/** Sixteen lower-case hexadecimal digits are their number; the key of another text is a 64-bit hash under the shard's secret. */
export function insertKey(
  bytes: Uint8Array,
  start: number,
  end: number,
  secret: readonly [number, number],
  out: InsertKey,
): void {
  if (end - start === 16) {
    const high = word(bytes, start);
    const low = word(bytes, start + 8);
    if (high >= 0 && low >= 0) {
      out.kind = HEX16;
      out.high = high;
      out.low = low;
      return;
    }
  }
  out.kind = TEXT;
  out.high = hash(bytes, start, end, secret[0]);
  out.low = hash(bytes, start, end, secret[1]);
}

/** Eight digits as a number, -1 when one is no digit. */
function word(bytes: Uint8Array, start: number): number {
  let value = 0;
  let bad = 0;
  for (let i = 0; i < 8; i++) {
    const digit = DIGITS[bytes[start + i]!]!;
    bad |= digit;
    value = (value << 4) | digit;
  }
  return bad < 0 ? -1 : value >>> 0;
}

/** MurmurHash3 (x86, 32 bits), which the shard may keep: unlike the hash of the scanner it does not change with the process. */
function hash(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let h = seed;
  let at = start;
  for (; at + 4 <= end; at += 4)
    h = step(h, bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
  let rest = 0;
  for (let shift = 0; at < end; at++, shift += 8) rest |= bytes[at]! << shift;
  h = step(h, rest) ^ (end - start);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function step(h: number, word: number): number {
  let k = Math.imul(word, 0xcc9e2d51);
  k = (k << 15) | (k >>> 17);
  const next = h ^ Math.imul(k, 0x1b873593);
  return (Math.imul((next << 13) | (next >>> 19), 5) + 0xe6546b64) | 0;
}
