/** Sets of ids as bits. */

export function setBits(ids: usize, slots: usize, count: u32, bits: usize, words: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    const id = load<u32>(ids + i * 4);
    const at = bits + (load<u32>(slots + i * 4) * words + (id >> 5)) * 4;
    store<u32>(at, load<u32>(at) | (1 << (id & 31)));
  }
}

export function setBitsOfOne(ids: usize, count: u32, bits: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    const id = load<u32>(ids + i * 4);
    const at = bits + (id >> 5) * 4;
    store<u32>(at, load<u32>(at) | (1 << (id & 31)));
  }
}

export function countBits(bits: usize, words: u32): u32 {
  let total: u32 = 0;
  let i: u32 = 0;
  const vectors = words & ~3;
  while (i < vectors) {
    let sums = i32x4.splat(0);
    for (const until = min<u32>(vectors, i + 31 * 4); i < until; i += 4) {
      sums = i8x16.add(sums, i8x16.popcnt(v128.load(bits + i * 4)));
    }
    const wide = i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(sums));
    total += i32x4.extract_lane(wide, 0) + i32x4.extract_lane(wide, 1);
    total += i32x4.extract_lane(wide, 2) + i32x4.extract_lane(wide, 3);
  }
  for (; i < words; i++) total += popcnt<u32>(load<u32>(bits + i * 4));
  return total;
}
