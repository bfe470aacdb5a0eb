/** Sums numbers, and beside the sum what each addition rounds off (Neumaier; the error of an addition as of Knuth, TAOCP 4.2.2). */

/** The sum, the error and, as words, the count of a slot are in three arrays. */
export function sumBySlot(values: usize, slots: usize, count: u32, sums: usize, errors: usize, counts: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    const slot = load<u32>(slots + i * 4);
    put(load<f64>(values + i * 8), sums + slot * 8, errors + slot * 8);
    store<u32>(counts + slot * 4, load<u32>(counts + slot * 4) + 1);
  }
}

function put(value: f64, sums: usize, errors: usize): void {
  const sum = load<f64>(sums);
  const next = sum + value;
  const part = next - sum;
  store<f64>(sums, next);
  store<f64>(errors, load<f64>(errors) + (sum - (next - part) + (value - part)));
}

/** Keeps two sums, as each addition waits for the one before, and joins them at the end. */
export function sumOne(values: usize, count: u32, sums: usize, errors: usize): void {
  let sum = f64x2.splat(0);
  let error = f64x2.splat(0);
  const pairs = count & ~1;
  for (let i: u32 = 0; i < pairs; i += 2) {
    const value = v128.load(values + i * 8);
    const next = f64x2.add(sum, value);
    const part = f64x2.sub(next, sum);
    error = f64x2.add(error, f64x2.add(f64x2.sub(sum, f64x2.sub(next, part)), f64x2.sub(value, part)));
    sum = next;
  }
  put(f64x2.extract_lane(sum, 0), sums, errors);
  put(f64x2.extract_lane(sum, 1), sums, errors);
  if (pairs < count) put(load<f64>(values + pairs * 8), sums, errors);
  store<f64>(errors, load<f64>(errors) + f64x2.extract_lane(error, 0) + f64x2.extract_lane(error, 1));
}

export function greatestBySlot(values: usize, slots: usize, count: u32, sign: f64, best: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    const at = best + load<u32>(slots + i * 4) * 8;
    const value = load<f64>(values + i * 8) * sign;
    if (value > load<f64>(at)) store<f64>(at, value);
  }
}

export function greatest(values: usize, count: u32, sign: f64, best: usize): void {
  let most = load<f64>(best);
  for (let i: u32 = 0; i < count; i++) {
    const value = load<f64>(values + i * 8) * sign;
    most = value > most ? value : most;
  }
  store<f64>(best, most);
}
