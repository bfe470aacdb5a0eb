/** An insert id to look up: its bytes, its kind, and a 64-bit key that equal ids share. */
import { SEED } from '../../hashing/hash.ts';
import { HEX16, TEXT, UUID, type IdPlace, type InsertKind } from './insert-ids.ts';
import { textHash, type Secret, mixHash } from '../../hashing/text-hash.ts';
import { readUuid, UUID_BYTES, HEX_DIGITS } from '../../hashing/uuid.ts';

/** A reused record. `bytes` from `start` to `end`: the 16 bytes of a UUID, or the text of any other id. */
export interface SoughtId extends IdPlace {
  /** Holds the UUID. */
  readonly uuid: Uint8Array;
  kind: InsertKind;
  high: number;
  low: number;
}

export function emptySought(): SoughtId {
  return { kind: TEXT, high: 0, low: 0, bytes: NONE, start: 0, end: 0, uuid: new Uint8Array(UUID_BYTES) };
}

const NONE = new Uint8Array(0);
const hash = { a: 0, b: 0, c: 0 };

/**
 * The key of sixteen lower-case hexadecimal digits is their number, so no two of these share one; the key of any other id is a
 * hash under the shard's secret.
 */
export function seekId(bytes: Uint8Array, start: number, end: number, secret: Secret, out: SoughtId): void {
  out.bytes = bytes;
  out.start = start;
  out.end = end;
  if (end - start === 16) {
    const high = wordOfDigits(bytes, start);
    const low = wordOfDigits(bytes, start + 8);
    if (high >= 0 && low >= 0) {
      out.kind = HEX16;
      out.high = high;
      out.low = low;
      return;
    }
  }
  out.kind = TEXT;
  if (readUuid(bytes, start, end, out.uuid)) {
    out.kind = UUID;
    out.bytes = out.uuid;
    out.start = 0;
    out.end = UUID_BYTES;
  }
  textHash(out.bytes, out, secret, hash);
  out.high = hash.a;
  out.low = hash.b;
}

/** Eight digits as a number; -1 if one is not a digit. */
function wordOfDigits(bytes: Uint8Array, start: number): number {
  let value = 0;
  let bad = 0;
  for (let i = 0; i < 8; i++) {
    const digit = HEX_DIGITS[bytes[start + i]!]!;
    bad |= digit;
    value = (value << 4) | digit;
  }
  return bad < 0 ? -1 : value >>> 0;
}

/** The slot of a key in a table of this process, which those who choose ids cannot predict. */
export const slotOfKey = (high: number, low: number): number => mixHash(high ^ mixHash(low ^ SEED)) | 0;

export function isSameId(a: IdPlace, b: IdPlace): boolean {
  const length = a.end - a.start;
  if (length !== b.end - b.start) return false;
  for (let i = 0; i < length; i++) if (a.bytes[a.start + i] !== b.bytes[b.start + i]) return false;
  return true;
}
