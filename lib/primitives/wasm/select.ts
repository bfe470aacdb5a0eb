/** Masks, a byte per row, 1 if it passes, and the rows that do. */

export function testCodes(codes: usize, size: u32, count: u32, passes: usize, out: usize): void {
  if (size == 1) {
    for (let i: u32 = 0; i < count; i++) store<u8>(out + i, load<u8>(passes + load<u8>(codes + i)));
  } else if (size == 2) {
    for (let i: u32 = 0; i < count; i++) store<u8>(out + i, load<u8>(passes + load<u16>(codes + i * 2)));
  } else {
    for (let i: u32 = 0; i < count; i++) store<u8>(out + i, load<u8>(passes + load<u32>(codes + i * 4)));
  }
}

export function equalCodes(codes: usize, size: u32, count: u32, code: u32, out: usize): void {
  const one = i8x16.splat(1);
  let i: u32 = 0;
  if (size == 1) {
    const wanted = i8x16.splat(<i8>code);
    for (; i + 16 <= count; i += 16) {
      v128.store(out + i, v128.and(i8x16.eq(v128.load(codes + i), wanted), one));
    }
  } else if (size == 2) {
    const wanted = i16x8.splat(<i16>code);
    for (; i + 16 <= count; i += 16) {
      const low = i16x8.eq(v128.load(codes + i * 2), wanted);
      const high = i16x8.eq(v128.load(codes + i * 2, 16), wanted);
      v128.store(out + i, v128.and(i8x16.narrow_i16x8_s(low, high), one));
    }
  } else {
    const wanted = i32x4.splat(code);
    for (; i + 8 <= count; i += 8) {
      const low = i32x4.eq(v128.load(codes + i * 4), wanted);
      const high = i32x4.eq(v128.load(codes + i * 4, 16), wanted);
      const halves = i16x8.narrow_i32x4_s(low, high);
      v128.store64_lane(out + i, v128.and(i8x16.narrow_i16x8_s(halves, halves), one), 0);
    }
  }
  for (; i < count; i++) store<u8>(out + i, codeAt(codes, size, i) == code ? 1 : 0);
}

export function andMasks(mask: usize, other: usize, count: u32): void {
  for (const end = mask + count; mask < end; mask += 16, other += 16) {
    v128.store(mask, v128.and(v128.load(mask), v128.load(other)));
  }
}

export function orMasks(mask: usize, other: usize, count: u32): void {
  for (const end = mask + count; mask < end; mask += 16, other += 16) {
    v128.store(mask, v128.or(v128.load(mask), v128.load(other)));
  }
}

export function turnMask(mask: usize, count: u32): void {
  const one = i8x16.splat(1);
  for (const end = mask + count; mask < end; mask += 16) v128.store(mask, v128.xor(v128.load(mask), one));
}

export function countMask(mask: usize, count: u32): u32 {
  let total: u32 = 0;
  let i: u32 = 0;
  while (i + 16 <= count) {
    // Adds bytes as bytes while the sum is sure to fit.
    let sums = i32x4.splat(0);
    for (const until = min<u32>(count & ~15, i + 255 * 16); i < until; i += 16) {
      sums = i8x16.add(sums, v128.load(mask + i));
    }
    const wide = i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(sums));
    total += i32x4.extract_lane(wide, 0) + i32x4.extract_lane(wide, 1);
    total += i32x4.extract_lane(wide, 2) + i32x4.extract_lane(wide, 3);
  }
  for (; i < count; i++) total += load<u8>(mask + i);
  return total;
}

export function pickPlaces(mask: usize, count: u32, first: u32, out: usize): u32 {
  let to = out;
  let i: u32 = 0;
  while (i < count) {
    // Where few rows pass, whole words of the mask are 0.
    const end = min(i + 8, count);
    if (i + 8 <= count && load<u64>(mask + i) == 0) i = end;
    for (; i < end; i++) {
      store<u32>(to, first + i);
      to += (<usize>load<u8>(mask + i)) << 2;
    }
  }
  return <u32>((to - out) >> 2);
}

export function pickWords(mask: usize, count: u32, words: usize, out: usize): u32 {
  let to = out;
  let i: u32 = 0;
  while (i < count) {
    // Where few rows pass, whole words of the mask are 0.
    const end = min(i + 8, count);
    if (i + 8 <= count && load<u64>(mask + i) == 0) i = end;
    for (; i < end; i++) {
      store<u32>(to, load<u32>(words + i * 4));
      to += (<usize>load<u8>(mask + i)) << 2;
    }
  }
  return <u32>((to - out) >> 2);
}

export function pickBetween(values: usize, rows: usize, count: u32, least: f64, most: f64, out: usize): u32 {
  let to = out;
  for (let i: u32 = 0; i < count; i++) {
    const value = load<f64>(values + i * 8);
    store<u32>(to, load<u32>(rows + i * 4));
    to += (i32(value >= least) & i32(value <= most)) << 2;
  }
  return <u32>((to - out) >> 2);
}

export function pickUsed(words: usize, count: u32, out: usize): u32 {
  let to = out;
  for (let i: u32 = 0; i < count; i++) {
    store<u32>(to, i);
    to += i32(load<u32>(words + i * 4) != 0) << 2;
  }
  return <u32>((to - out) >> 2);
}

export function placesOfCommon(
  list: usize,
  length: u32,
  rows: usize,
  count: u32,
  first: u32,
  room: usize,
  out: usize,
): u32 {
  const base = load<u32>(list);
  const words = ((load<u32>(list + (length - 1) * 4) - base) >> 6) + 1;
  const ranks = room + words * 8;
  memory.fill(room, 0, words * 8);
  for (let i: u32 = 0; i < count; i++) {
    const row = load<u32>(rows + i * 4) - base;
    const word = room + (row >> 6) * 8;
    store<u64>(word, load<u64>(word) | ((<u64>1) << (row & 63)));
  }
  let rank = first;
  for (let i: u32 = 0; i < words; i++) {
    store<u32>(ranks + i * 4, rank);
    rank += <u32>popcnt<u64>(load<u64>(room + i * 8));
  }
  let to = out;
  for (let i: u32 = 0; i < length; i++) {
    const row = load<u32>(list + i * 4) - base;
    const bits = load<u64>(room + (row >> 6) * 8);
    const bit = (<u64>1) << (row & 63);
    store<u32>(to, load<u32>(ranks + (row >> 6) * 4) + <u32>popcnt<u64>(bits & (bit - 1)));
    to += (bits & bit) != 0 ? 4 : 0;
  }
  return <u32>((to - out) >> 2);
}

export function pickSome(keys: usize, count: u32, values: usize, size: u32, out: usize): u32 {
  let to = out;
  if (size == 4) {
    for (let i: u32 = 0; i < count; i++) {
      store<u32>(to, load<u32>(values + i * 4));
      to += load<u32>(keys + i * 4) != 0 ? 4 : 0;
    }
    return <u32>((to - out) >> 2);
  }
  for (let i: u32 = 0; i < count; i++) {
    store<f64>(to, load<f64>(values + i * 8));
    to += load<u32>(keys + i * 4) != 0 ? 8 : 0;
  }
  return <u32>((to - out) >> 3);
}

export function gather(values: usize, size: u32, rows: usize, count: u32, out: usize): void {
  let i: u32 = 0;
  // Several values per store: stores are the bottleneck.
  if (size == 1) {
    for (; i + 8 <= count; i += 8) {
      const at = rows + i * 4;
      let word = <u64>load<u8>(values + load<u32>(at));
      word |= (<u64>load<u8>(values + load<u32>(at, 4))) << 8;
      word |= (<u64>load<u8>(values + load<u32>(at, 8))) << 16;
      word |= (<u64>load<u8>(values + load<u32>(at, 12))) << 24;
      word |= (<u64>load<u8>(values + load<u32>(at, 16))) << 32;
      word |= (<u64>load<u8>(values + load<u32>(at, 20))) << 40;
      word |= (<u64>load<u8>(values + load<u32>(at, 24))) << 48;
      word |= (<u64>load<u8>(values + load<u32>(at, 28))) << 56;
      store<u64>(out + i, word);
    }
    for (; i < count; i++) store<u8>(out + i, load<u8>(values + load<u32>(rows + i * 4)));
  } else if (size == 2) {
    for (; i + 4 <= count; i += 4) {
      const at = rows + i * 4;
      let word = <u64>load<u16>(values + load<u32>(at) * 2);
      word |= (<u64>load<u16>(values + load<u32>(at, 4) * 2)) << 16;
      word |= (<u64>load<u16>(values + load<u32>(at, 8) * 2)) << 32;
      word |= (<u64>load<u16>(values + load<u32>(at, 12) * 2)) << 48;
      store<u64>(out + i * 2, word);
    }
    for (; i < count; i++) store<u16>(out + i * 2, load<u16>(values + load<u32>(rows + i * 4) * 2));
  } else if (size == 4) {
    for (; i + 2 <= count; i += 2) {
      const low = <u64>load<u32>(values + load<u32>(rows + i * 4) * 4);
      const high = <u64>load<u32>(values + load<u32>(rows + i * 4, 4) * 4);
      store<u64>(out + i * 4, low | (high << 32));
    }
    if (i < count) store<u32>(out + i * 4, load<u32>(values + load<u32>(rows + i * 4) * 4));
  } else {
    for (; i < count; i++) store<f64>(out + i * 8, load<f64>(values + load<u32>(rows + i * 4) * 8));
  }
}

export function codeAt(codes: usize, size: u32, i: u32): u32 {
  if (size == 1) return load<u8>(codes + i);
  return size == 2 ? load<u16>(codes + i * 2) : load<u32>(codes + i * 4);
}
