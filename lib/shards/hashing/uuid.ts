/** UUIDs of the usual form, five groups of lower-case hexadecimal digits, as 16 bytes. */
import { BYTE } from '../../base/text/byte.ts';

/** By byte: the value of a lower-case hexadecimal digit; -1 for any other character. */
export const HEX_DIGITS = new Int8Array(256).fill(-1);
for (let digit = 0; digit < 16; digit++) HEX_DIGITS[digit.toString(16).charCodeAt(0)] = digit;

export const UUID_BYTES = 16;

/** Where the digits of each byte begin. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;

/** Whether a text is a UUID; if so, writes its bytes to `out`. */
export function readUuid(bytes: Uint8Array, start: number, end: number, out: Uint8Array): boolean {
  if (end - start !== 36) return false;
  const dashes =
    bytes[start + 8] === BYTE.dash &&
    bytes[start + 13] === BYTE.dash &&
    bytes[start + 18] === BYTE.dash &&
    bytes[start + 23] === BYTE.dash;
  if (!dashes) return false;
  let bad = 0;
  for (let i = 0; i < UUID_BYTES; i++) {
    const at = start + PLACES[i]!;
    const high = HEX_DIGITS[bytes[at]!]!;
    const low = HEX_DIGITS[bytes[at + 1]!]!;
    bad |= high | low;
    out[i] = (high << 4) | low;
  }
  return bad >= 0;
}

export function uuidText(bytes: Uint8Array, start: number): string {
  const digits = Buffer.from(bytes.buffer, bytes.byteOffset + start, UUID_BYTES).toString('hex');
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
}
