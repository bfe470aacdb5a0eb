/** Scans a JSON number that can be read exactly without a decimal parser. */
import type { ScanSource } from './source.ts';

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

/** The digit at an offset, or a number above 9. */
function digitAt(bytes: Uint8Array, at: number): number {
  return at < bytes.length ? (bytes[at]! - ZERO) & 0xff : 0xff;
}
