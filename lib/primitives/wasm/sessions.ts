/**
 * Sessions of rows. The place of a row is its key minus `low`, from 1. Rows whose key is 0 are in no session: their place is 0,
 * whose state belongs to none. Row i of a block is `rows[i]`, or `first + i` if `rows` is 0.
 */
import { codeAt } from './select';

export function formSessions(
  keys: usize,
  low: u32,
  rows: usize,
  first: u32,
  count: u32,
  counts: usize,
  lasts: usize,
  out: usize,
): u32 {
  let to = out;
  for (let i: u32 = 0; i < count; i++) {
    const at = placeOf(keys, i, low) * 4;
    const row = rows == 0 ? first + i : load<u32>(rows + i * 4);
    const before = load<u32>(counts + at);
    store<u32>(counts + at, before + 1);
    store<u32>(lasts + at, row);
    store<u32>(to, row);
    to += before == 0 ? 4 : 0;
  }
  return <u32>((to - out) >> 2);
}

export function findInSessions(
  keys: usize,
  low: u32,
  rows: usize,
  first: u32,
  count: u32,
  mask: usize,
  last: u32,
  found: usize,
): void {
  for (let i: u32 = 0; i < count; i++) {
    if (load<u8>(mask + i) == 0) continue;
    const at = found + placeOf(keys, i, low) * 4;
    if (last != 0 || load<u32>(at) == 0) store<u32>(at, 1 + (rows == 0 ? first + i : load<u32>(rows + i * 4)));
  }
}

export function findDevices(
  keys: usize,
  low: u32,
  devices: usize,
  size: u32,
  count: u32,
  first: usize,
  several: usize,
): void {
  for (let i: u32 = 0; i < count; i++) {
    const device = codeAt(devices, size, i);
    if (device == 0) continue;
    const at = placeOf(keys, i, low) * 4;
    const known = load<u32>(first + at);
    if (known == 0) store<u32>(first + at, device);
    else if (known != device) store<u32>(several + at, 1);
  }
}

function placeOf(keys: usize, i: u32, low: u32): u32 {
  const key = load<u32>(keys + i * 4);
  return key == 0 ? 0 : key - low + 1;
}

export function placesInPages(codes: usize, size: u32, count: u32, pages: usize, bits: u32, out: usize): void {
  const within: u32 = (1 << bits) - 1;
  for (let i: u32 = 0; i < count; i++) {
    const code = codeAt(codes, size, i);
    store<u32>(out + i * 4, load<u32>(pages + (code >> bits) * 4) + (code & within));
  }
}
