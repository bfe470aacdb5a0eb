/** Columns of integers as lib/shards/segment/encoding/integers.ts lays them out. */
import { BLOCK, setUpUnpacking, unpackBlock } from './unpack';

export { setUpUnpacking };

/** Addresses of the parts of an encoded column. */
let count: u32 = 0;
let blocks: u32 = 0;
let bases: usize = 0;
let widths: usize = 0;
let exceptionCounts: usize = 0;
let words: usize = 0;

function open(column: usize): void {
  count = load<u32>(column);
  blocks = (count + BLOCK - 1) / BLOCK;
  bases = column + 4;
  widths = bases + blocks * 4;
  exceptionCounts = widths + blocks;
  words = aligned(exceptionCounts + blocks);
}

export function unpackIntegers(column: usize, out: usize, size: u32): u32 {
  open(column);
  let from = words;
  let total: u32 = 0;
  for (let b: u32 = 0; b < blocks; b++) {
    const width: u32 = load<u8>(widths + b);
    const base = load<u32>(bases + b * 4);
    const to = out + b * BLOCK * size;
    if (size == 1) unpackBlock<u8>(from, width, base, to);
    else if (size == 2) unpackBlock<u16>(from, width, base, to);
    else unpackBlock<u32>(from, width, base, to);
    from += width * (BLOCK / 8);
    total += load<u8>(exceptionCounts + b);
  }
  if (total > 0) putExceptions(from, aligned(from + total), out, size);
  return count;
}

/** Writes the values that are too large for their block's width. */
function putExceptions(places: usize, values: usize, out: usize, size: u32): void {
  let e: u32 = 0;
  for (let b: u32 = 0; b < blocks; b++) {
    for (const until = e + load<u8>(exceptionCounts + b); e < until; e++) {
      const at = b * BLOCK + load<u8>(places + e);
      const value = load<u32>(values + e * 4);
      if (size == 1) store<u8>(out + at, <u8>value);
      else if (size == 2) store<u16>(out + at * 2, <u16>value);
      else store<u32>(out + at * 4, value);
    }
  }
}

export function boundOfIntegers(column: usize, length: u32): f64 {
  if (length < 4) return -1;
  open(column);
  // Check that so many blocks exist before reading their widths.
  if (<u64>count > <u64>length * BLOCK || words - column > length) return -1;
  let most: u64 = 0;
  let total: u32 = 0;
  let packed: u32 = 0;
  for (let b: u32 = 0; b < blocks; b++) {
    const width: u32 = load<u8>(widths + b);
    if (width > 32) return -1;
    most = max<u64>(most, <u64>load<u32>(bases + b * 4) + ((<u64>1) << width) - 1);
    packed += width * (BLOCK / 8);
    total += load<u8>(exceptionCounts + b);
  }
  const values = total == 0 ? words + packed : aligned(words + packed + total);
  if (values + total * 4 - column > length) return -1;
  for (let e: u32 = 0; e < total; e++) most = max<u64>(most, load<u32>(values + e * 4));
  return <f64>min<u64>(most, 0xffffffff);
}

function aligned(address: usize): usize {
  return (address + 3) & ~3;
}
