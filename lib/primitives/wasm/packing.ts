/** Integers → columns as lib/shards/segment/encoding/integers.ts lays them out. */
import { BLOCK } from './unpack';

/** Bits that an exception costs: its position and its value. */
const EXCEPTION_BITS: u32 = 40;

/** By bits of a difference, how many of the block's have so many. */
const COUNTS: usize = memory.data(33 * 4, 16);

export function packIntegers(values: usize, count: u32, mostExceptions: u32, out: usize): u32 {
  const blocks = (count + BLOCK - 1) / BLOCK;
  const bases = out + 4;
  const widths = bases + blocks * 4;
  const exceptionCounts = widths + blocks;
  const words = padded(exceptionCounts + blocks);
  store<u32>(out, count);
  let packed: u32 = 0;
  let total: u32 = 0;
  for (let b: u32 = 0; b < blocks; b++) {
    const from = values + b * BLOCK * 4;
    const length = min<u32>(BLOCK, count - b * BLOCK);
    const base = least(from, length);
    const width = bestWidth(from, length, base, mostExceptions);
    let exceptions: u32 = 0;
    for (let wider = width + 1; wider <= 32; wider++) exceptions += load<u32>(COUNTS + wider * 4);
    store<u32>(bases + b * 4, base);
    store<u8>(widths + b, <u8>width);
    store<u8>(exceptionCounts + b, <u8>exceptions);
    packed += width * (BLOCK / 8);
    total += exceptions;
  }
  let place = words + packed;
  let exception = total == 0 ? place : padded(place + total);
  let to = words;
  for (let b: u32 = 0; b < blocks; b++) {
    const from = values + b * BLOCK * 4;
    const length = min<u32>(BLOCK, count - b * BLOCK);
    const base = load<u32>(bases + b * 4);
    const width: u32 = load<u8>(widths + b);
    let bits: u64 = 0;
    let filled: u32 = 0; // bits used in `bits`
    for (let i: u32 = 0; i < BLOCK; i++) {
      let difference: u64 = i < length ? load<u32>(from + i * 4) - base : 0;
      if (difference >> width != 0) {
        store<u8>(place++, <u8>i);
        store<u32>(exception, load<u32>(from + i * 4));
        exception += 4;
        difference = 0;
      }
      bits |= difference << filled;
      filled += width;
      if (filled < 32) continue;
      store<u32>(to, <u32>bits);
      to += 4;
      bits >>= 32;
      filled -= 32;
    }
  }
  return <u32>(exception - out);
}

function least(values: usize, count: u32): u32 {
  let found = load<u32>(values);
  for (let i: u32 = 1; i < count; i++) found = min<u32>(found, load<u32>(values + i * 4));
  return found;
}

/** The width that takes the fewest bits, including exceptions. */
function bestWidth(values: usize, count: u32, base: u32, mostExceptions: u32): u32 {
  memory.fill(COUNTS, 0, 33 * 4);
  for (let i: u32 = 0; i < count; i++) {
    const at = COUNTS + (32 - clz<u32>(load<u32>(values + i * 4) - base)) * 4;
    store<u32>(at, load<u32>(at) + 1);
  }
  let best: u32 = 32;
  let fewest: u32 = 32 * BLOCK;
  let above: u32 = 0; // values wider than `width`
  for (let width: i32 = 32; width >= 0; width--) {
    if (above > mostExceptions) break;
    const bits = <u32>width * BLOCK + above * EXCEPTION_BITS;
    if (bits < fewest) {
      fewest = bits;
      best = width;
    }
    above += load<u32>(COUNTS + <u32>width * 4);
  }
  return best;
}

/** The next multiple of 4, with zeros before it. */
function padded(address: usize): usize {
  const end = (address + 3) & ~3;
  for (let at = address; at < end; at++) store<u8>(at, 0);
  return end;
}
