/**
 * Sums numbers, and beside the sum what each addition rounds off (Knuth, TAOCP 4.2.2, theorem B). As long as no addition to the
 * error rounds either, sum and error together are the exact sum; where one would, the numbers are refused.
 */

/**
 * The sum, the error and, as words, the count of a slot are in three arrays. Answers how many numbers it took: all, or those before
 * the first that its slot cannot hold.
 */
export function sumBySlot(values: usize, slots: usize, count: u32, sums: usize, errors: usize, counts: usize): u32 {
  for (let i: u32 = 0; i < count; i++) {
    const slot = load<u32>(slots + i * 4);
    if (!put(load<f64>(values + i * 8), sums + slot * 8, errors + slot * 8)) return i;
    store<u32>(counts + slot * 4, load<u32>(counts + slot * 4) + 1);
  }
  return count;
}

/** Whether sum and error hold the value too; else they stay as they are. */
function put(value: f64, sums: usize, errors: usize): bool {
  const sum = load<f64>(sums);
  const next = sum + value;
  const part = next - sum;
  if (!putError(sum - (next - part) + (value - part), errors)) return false;
  store<f64>(sums, next);
  return true;
}

/** A sum is exact where either term is what the other leaves of it; NaN, of an overflow, is not. */
function putError(value: f64, errors: usize): bool {
  const error = load<f64>(errors);
  const next = error + value;
  if (next - error != value || next - value != error) return false;
  store<f64>(errors, next);
  return true;
}

/**
 * Keeps two sums, as each addition waits for the one before, and joins them at the end. False: the numbers cannot be held, and
 * sum and error are as they were.
 */
export function sumOne(values: usize, count: u32, sums: usize, errors: usize): bool {
  let sum = f64x2.splat(0);
  let error = f64x2.splat(0);
  let rest = f64x2.splat(0);
  const pairs = count & ~1;
  for (let i: u32 = 0; i < pairs; i += 2) {
    const value = v128.load(values + i * 8);
    const next = f64x2.add(sum, value);
    const part = f64x2.sub(next, sum);
    const lost = f64x2.add(f64x2.sub(sum, f64x2.sub(next, part)), f64x2.sub(value, part));
    sum = next;
    const more = f64x2.add(error, lost);
    rest = v128.or(rest, v128.xor(f64x2.sub(more, error), lost));
    rest = v128.or(rest, v128.xor(f64x2.sub(more, lost), error));
    error = more;
  }
  if (v128.any_true(v128.and(rest, i64x2.splat(i64.MAX_VALUE)))) return false; // -0 is none
  const before = load<f64>(sums);
  const errorBefore = load<f64>(errors);
  let isHeld = putPair(f64x2.extract_lane(sum, 0), f64x2.extract_lane(error, 0), sums, errors);
  isHeld = isHeld && putPair(f64x2.extract_lane(sum, 1), f64x2.extract_lane(error, 1), sums, errors);
  if (pairs < count) isHeld = isHeld && put(load<f64>(values + pairs * 8), sums, errors);
  if (isHeld) return true;
  store<f64>(sums, before);
  store<f64>(errors, errorBefore);
  return false;
}

function putPair(sum: f64, error: f64, sums: usize, errors: usize): bool {
  return put(sum, sums, errors) && putError(error, errors);
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
