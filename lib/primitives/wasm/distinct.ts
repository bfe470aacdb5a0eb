/** Pairs of words as one of 64 bits, the first above the second: sorted by their bytes, from the last on, and without repeats. */

const BYTES: usize = 256;

export function appendPairs(firsts: usize, seconds: usize, count: u32, out: usize): u32 {
  let to = out;
  for (let i: u32 = 0; i < count; i++) {
    const second = load<u32>(seconds + i * 4);
    store<u32>(to, second);
    store<u32>(to, load<u32>(firsts + i * 4), 4);
    to += second != 0 ? 8 : 0;
  }
  return <u32>((to - out) >> 3);
}

export function distinctPairs(pairs: usize, count: u32, spare: usize, places: usize): u32 {
  if (count == 0) return 0;
  let last = load<u64>(pairs);
  let differ: u64 = 0;
  for (let i: u32 = 1; i < count; i++) differ |= load<u64>(pairs + i * 8) ^ last;
  let from = pairs;
  let to = spare;
  for (let shift: u64 = 0; shift < 64; shift += 8) {
    if (((differ >> shift) & 255) == 0) continue;
    sortByByte(from, to, count, shift, places);
    const sorted = to;
    to = from;
    from = sorted;
  }
  last = load<u64>(from);
  store<u64>(pairs, last);
  let size: u32 = 1;
  for (let i: u32 = 1; i < count; i++) {
    const pair = load<u64>(from + i * 8);
    store<u64>(pairs + size * 8, pair);
    size += pair != last ? 1 : 0;
    last = pair;
  }
  return size;
}

/** Pairs of the same byte stay in their order. */
function sortByByte(from: usize, to: usize, count: u32, shift: u64, places: usize): void {
  memory.fill(places, 0, BYTES * 4);
  for (let i: u32 = 0; i < count; i++) {
    const place = placeOf(from + i * 8, shift, places);
    store<u32>(place, load<u32>(place) + 1);
  }
  let next: u32 = 0;
  for (let place = places; place < places + BYTES * 4; place += 4) {
    const own = load<u32>(place);
    store<u32>(place, next);
    next += own;
  }
  for (let i: u32 = 0; i < count; i++) {
    const place = placeOf(from + i * 8, shift, places);
    const at = load<u32>(place);
    store<u32>(place, at + 1);
    store<u64>(to + at * 8, load<u64>(from + i * 8));
  }
}

function placeOf(pair: usize, shift: u64, places: usize): usize {
  return places + <usize>((load<u64>(pair) >> shift) & 255) * 4;
}
