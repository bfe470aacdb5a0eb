/** Times of events as texts, `YYYY-MM-DDTHH:MM:SS` with or without a fraction, and `Z` or `±HH:MM`. */

const QUOTE: u32 = 0x22;
const DAY: f64 = 86400000;
const FIRST_TIME: f64 = -62167219200000;
const LAST_TIME: f64 = 253402300799999;
/** Bytes of a time. */
const MOST_TIME: usize = 39;

/** Whether milliseconds since the epoch are in the years 0000 to 9999. */
export function isTime(time: f64): bool {
  return time >= FIRST_TIME && time <= LAST_TIME;
}

/**
 * Reads a time like `readTime` (lib/base/read-time.ts), but without midnight as 24:00 and leap seconds, from bytes that end at
 * `until`. Returns the address of the quote after it and stores its milliseconds since the epoch (f64) at `to`, or returns 0.
 */
export function timeEnd(at: usize, until: usize, to: usize): usize {
  if (at + 21 > until) return 0;
  const date = dateOf(twoDigits(at) * 100 + twoDigits(at + 2), twoDigits(at + 5), twoDigits(at + 8));
  const hour = twoDigits(at + 11);
  const minute = twoDigits(at + 14);
  const second = twoDigits(at + 17);
  if (date == i32.MIN_VALUE || <u32>hour > 23 || <u32>minute > 59 || <u32>second > 59) return 0;
  if (load<u8>(at, 4) != 0x2d || load<u8>(at, 7) != 0x2d || load<u8>(at, 10) != 0x54) return 0;
  if (load<u8>(at, 13) != 0x3a || load<u8>(at, 16) != 0x3a) return 0;
  let end = at + 19;
  let fraction: u32 = 0;
  if (load<u8>(end) == 0x2e) {
    let scale: u32 = 100;
    for (end++; isDigit(end, until); end++, scale /= 10) fraction += (load<u8>(end) - 0x30) * scale;
    if (end == at + 20) return 0;
  }
  const clock = <f64>(hour * 3600000 + minute * 60000 + second * 1000 + fraction);
  const ahead = zoneAt(end);
  end += load<u8>(end) == 0x5a ? 1 : 6;
  const time = <f64>date * DAY + clock - ahead;
  if (!isTime(time)) return 0;
  if (end >= until || end - at > MOST_TIME || load<u8>(end) != QUOTE) return 0;
  store<f64>(to, time);
  return end;
}

export function isDigit(at: usize, until: usize): bool {
  return at < until && <u32>load<u8>(at) - 0x30 <= 9;
}

/** A number of two digits, or a far too small one. */
function twoDigits(at: usize): i32 {
  const tens = <u32>load<u8>(at) - 0x30;
  const ones = <u32>load<u8>(at, 1) - 0x30;
  return tens <= 9 && ones <= 9 ? <i32>(tens * 10 + ones) : -1000000;
}

/** Milliseconds by which `Z` or `±HH:MM` is ahead of UTC; NaN for anything else. */
function zoneAt(at: usize): f64 {
  const sign: u32 = load<u8>(at);
  if (sign == 0x5a) return 0;
  const hours = twoDigits(at + 1);
  const minutes = twoDigits(at + 4);
  if ((sign != 0x2b && sign != 0x2d) || load<u8>(at, 3) != 0x3a || <u32>hours > 23 || <u32>minutes > 59) return NaN;
  const ahead = <f64>(hours * 3600000 + minutes * 60000);
  return sign == 0x2b ? ahead : -ahead;
}

/** Days since the epoch, or the smallest number if there is no such date. */
function dateOf(year: i32, month: i32, day: i32): i32 {
  if (year < 0 || month < 1 || month > 12 || day < 1) return i32.MIN_VALUE;
  const leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  const days = month == 2 ? (leap ? 29 : 28) : month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
  if (day > days) return i32.MIN_VALUE;
  const y = month > 2 ? year : year - 1;
  const m = month > 2 ? month - 3 : month + 9;
  const leapDays = floorDivide(y, 4) - floorDivide(y, 100) + floorDivide(y, 400);
  return y * 365 + leapDays + (153 * m + 2) / 5 + day - 719469;
}

/** For years from -1 on. */
function floorDivide(year: i32, by: i32): i32 {
  return year < 0 ? -1 : year / by;
}
