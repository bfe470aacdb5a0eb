/** Integers over a power of ten → the numbers they stand for. */
import { codeAt } from './select';

export function scaleNumbers(offsets: usize, count: u32, base: f64, scale: f64, out: usize): void {
  const bases = f64x2.splat(base);
  const scales = f64x2.splat(scale);
  const pairs = count & ~1;
  for (let i: u32 = 0; i < pairs; i += 2) {
    const values = f64x2.convert_low_i32x4_u(v128.load64_zero(offsets + i * 4));
    v128.store(out + i * 8, f64x2.div(f64x2.add(bases, values), scales));
  }
  if (pairs < count) store<f64>(out + pairs * 8, (base + <f64>load<u32>(offsets + pairs * 4)) / scale);
}

export function largest(values: usize, size: u32, count: u32): f64 {
  const end = values + count * size;
  const vectors = values + ((count * size) & ~15);
  let most = i32x4.splat(0);
  let all: u32 = 0;
  for (; values < vectors; values += 16) {
    const next = v128.load(values);
    if (size == 1) most = i8x16.max_u(most, next);
    else if (size == 2) most = i16x8.max_u(most, next);
    else most = i32x4.max_u(most, next);
  }
  v128.store(LANES, most);
  for (let at = LANES; at < LANES + 16; at += size) all = max<u32>(all, codeAt(at, size, 0));
  for (; values < end; values += size) all = max<u32>(all, codeAt(values, size, 0));
  return <f64>all;
}

export function leastSome(values: usize, size: u32, count: u32): f64 {
  const end = values + count * size;
  const vectors = values + ((count * size) & ~15);
  // Minus one: what is missing becomes the greatest.
  let least = i32x4.splat(-1);
  let all: u32 = u32.MAX_VALUE;
  for (; values < vectors; values += 16) {
    const next = v128.load(values);
    if (size == 1) least = i8x16.min_u(least, i8x16.sub(next, i8x16.splat(1)));
    else if (size == 2) least = i16x8.min_u(least, i16x8.sub(next, i16x8.splat(1)));
    else least = i32x4.min_u(least, i32x4.sub(next, i32x4.splat(1)));
  }
  if (size == 1) least = i8x16.add(least, i8x16.splat(1));
  else if (size == 2) least = i16x8.add(least, i16x8.splat(1));
  else least = i32x4.add(least, i32x4.splat(1));
  v128.store(LANES, least);
  for (let at = LANES; at < LANES + 16; at += size) all = min<u32>(all, codeAt(at, size, 0) - 1);
  for (; values < end; values += size) all = min<u32>(all, codeAt(values, size, 0) - 1);
  return <f64>(all + 1);
}

const LANES: usize = memory.data(16, 16);
