/** Texts of JSON, at addresses. */

const QUOTE: u32 = 0x22;

/**
 * Address of the quote that ends a text of well-formed UTF-8 without escapes and control characters, in bytes that end at `until`;
 * or 0. Reads up to 15 bytes past `until`.
 */
export function textEnd(at: usize, until: usize): usize {
  let from = at;
  while (from < until) {
    const bytes = v128.load(from);
    // Less than a space as signed bytes: control characters, and everything not ASCII.
    const odd = v128.or(
      i8x16.lt_s(bytes, i8x16.splat(0x20)),
      v128.or(i8x16.eq(bytes, i8x16.splat(0x22)), i8x16.eq(bytes, i8x16.splat(0x5c))),
    );
    const found = i8x16.bitmask(odd);
    if (found == 0) {
      from += 16;
      continue;
    }
    from += <usize>ctz(found);
    if (from >= until) return 0;
    const byte: u32 = load<u8>(from);
    if (byte == QUOTE) return from;
    if (byte < 0x80) return 0;
    const length = utf8Length(from, byte);
    if (length == 0 || from + length > until) return 0;
    from += length;
  }
  return 0;
}

/** Length of the well-formed sequence of several bytes here; 0: there is none (Unicode, table 3-7). */
function utf8Length(at: usize, first: u32): usize {
  if (first < 0xc2 || first > 0xf4 || !isTail(at + 1)) return 0;
  if (first < 0xe0) return 2;
  const second: u32 = load<u8>(at, 1);
  if (!isTail(at + 2)) return 0;
  if (first < 0xf0) return (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ? 0 : 3;
  return (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f) || !isTail(at + 3) ? 0 : 4;
}

function isTail(at: usize): bool {
  return (load<u8>(at) & 0xc0) == 0x80;
}

/** Whether the text here begins with white space, as `trim` defines it: rare, and only then can it be blank. */
export function mayBeBlank(at: usize): bool {
  const first: u32 = load<u8>(at);
  if (first > 0x20 && first < 0xc2) return false;
  const second: u32 = load<u8>(at, 1);
  switch (first) {
    case 0x20:
      return true;
    case 0xc2:
      return second == 0xa0;
    case 0xe1:
      return second == 0x9a;
    case 0xe2:
      return second == 0x80 || second == 0x81;
    case 0xe3:
      return second == 0x80 && load<u8>(at, 2) == 0x80;
    case 0xef:
      return second == 0xbb;
    default:
      return false;
  }
}

/**
 * Whether the id here may mean nothing (null, none, NaN, undefined, [object Object], unknown, anonymous, guest, -1, 0, or zeros with
 * hyphens): these are rare, so a few bytes decide.
 */
export function isNothing(at: usize): bool {
  const second: u32 = load<u8>(at, 1);
  switch (<u32>load<u8>(at)) {
    case 0x6e:
      return second == 0x75 || second == 0x6f;
    case 0x4e:
      return second == 0x61;
    case 0x75:
      return second == 0x6e;
    case 0x5b:
      return second == 0x6f;
    case 0x61:
      return second == 0x6e && load<u8>(at, 4) == 0x79;
    case 0x67:
      return second == 0x75 && load<u8>(at, 5) == 0x22;
    case 0x2d:
      return second == 0x31;
    case 0x30:
      return second == 0x22 || (second == 0x30 && load<u8>(at, 2) == 0x30 && load<u8>(at, 3) == 0x30);
    default:
      return false;
  }
}
