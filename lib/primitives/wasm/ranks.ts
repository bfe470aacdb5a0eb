/** Numbers by group, and those near a rank: what percentiles are found from. */

export function layOutNumbers(values: usize, slots: usize, count: u32, next: usize, out: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    const at = next + load<u32>(slots + i * 4) * 4;
    const place = load<u32>(at);
    store<f64>(out + place * 8, load<f64>(values + i * 8));
    store<u32>(at, place + 1);
  }
}

export function countLeading(values: usize, count: u32, counts: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    const at = counts + leadingBits(values + i * 8) * 4;
    store<u32>(at, load<u32>(at) + 1);
  }
}

export function pickLeading(values: usize, count: u32, wanted: usize, out: usize): u32 {
  const begin = out;
  for (let i: u32 = 0; i < count; i++) {
    const value = values + i * 8;
    store<f64>(out, load<f64>(value));
    out += <usize>load<u8>(wanted + leadingBits(value)) * 8;
  }
  return <u32>(out - begin) / 8;
}

/** The first 13 bits of a float: its lowest byte comes first. */
function leadingBits(value: usize): u32 {
  return (<u32>load<u16>(value, 6)) >> 3;
}
