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
