/** Differences → what they are differences of. */

export function sumRising(differences: usize, count: u32, first: f64, out: usize): void {
  let at: i64 = <i64>first;
  for (let i: u32 = 0; i < count; i++) {
    at += load<u32>(differences + i * 4);
    store<f64>(out + i * 8, <f64>at);
  }
}

export function sumNearlyConsecutive(differences: usize, count: u32, first: f64, out: usize): void {
  let at: i64 = <i64>first - 1;
  for (let i: u32 = 0; i < count; i++) {
    const zigzag = load<u32>(differences + i * 4);
    at += 1 + <i64>((<i32>(zigzag >> 1)) ^ -(<i32>(zigzag & 1)));
    store<f64>(out + i * 8, <f64>at);
  }
}

export function sumRows(rows: usize, count: u32): void {
  let at: u32 = 0;
  for (const end = rows + count * 4; rows < end; rows += 4) store<u32>(rows, (at += load<u32>(rows)));
}

// What they are differences of → differences. 0 if one is beyond what a word holds.

export function differencesOfRising(values: usize, count: u32, out: usize): u32 {
  store<u32>(out, 0);
  for (let i: u32 = 1; i < count; i++) {
    const difference = load<f64>(values + i * 8) - load<f64>(values + i * 8 - 8);
    if (!(difference >= 0 && difference <= 4294967295.0)) return 0;
    store<u32>(out + i * 4, <u32>(<i64>difference));
  }
  return 1;
}

export function differencesOfConsecutive(values: usize, count: u32, out: usize): u32 {
  store<u32>(out, 0);
  for (let i: u32 = 1; i < count; i++) {
    const difference = load<f64>(values + i * 8) - load<f64>(values + i * 8 - 8) - 1;
    if (!(abs<f64>(difference) <= 2147483647.0)) return 0;
    const whole = <i32>difference;
    store<u32>(out + i * 4, (whole << 1) ^ (whole >> 31));
  }
  return 1;
}
