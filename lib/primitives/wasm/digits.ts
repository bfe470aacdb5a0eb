/** Digits of times and numbers, at addresses. */

export function isDigit(at: usize, until: usize): bool {
  return at < until && <u32>load<u8>(at) - 0x30 <= 9;
}

/** A number of two digits, or a far too small one. */
export function twoDigits(at: usize): i32 {
  const tens = <u32>load<u8>(at) - 0x30;
  const ones = <u32>load<u8>(at, 1) - 0x30;
  return tens <= 9 && ones <= 9 ? <i32>(tens * 10 + ones) : -1000000;
}
