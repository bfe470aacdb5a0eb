/** The cells of a binary fuse filter (lib/shards/hashing/fuse-filter.ts). */
import { mix } from './mix';

/** Bytes of what is known of a cell: the numbers of its keys, xored, and how many they are. */
const CELL: u32 = 8;

/**
 * `room` has, by stretch, where its keys begin; by key, its two hashes, and the pairs of a key and its cell in the order in which
 * they are taken out; what is known of each cell; and the cells with one key left.
 */
export function fillCells(
  high: usize,
  low: usize,
  count: u32,
  seed: u32,
  stretch: u32,
  length: u32,
  room: usize,
  cells: usize,
  width: u32,
): u32 {
  const range = length - 2 * stretch;
  const starts = room;
  const hashes = starts + (length / stretch) * 4;
  const order = hashes + count * 8;
  const known = order + count * 8;
  const alone = known + length * CELL;
  memory.fill(starts, 0, (length / stretch) * 4);
  memory.fill(known, 0, length * CELL);
  memory.fill(cells, 0, length * width);
  // By the stretch of their first cell, keys next to each other have cells next to each other.
  for (let i: u32 = 0; i < count; i++) {
    const a = firstHash(load<u32>(high + i * 4), load<u32>(low + i * 4), seed);
    const at = starts + (placeOf(a, range) / stretch) * 4;
    store<u32>(at, load<u32>(at) + 1);
  }
  let sum: u32 = 0;
  for (let at = starts; at < hashes; at += 4) {
    const keys = load<u32>(at);
    store<u32>(at, sum);
    sum += keys;
  }
  for (let i: u32 = 0; i < count; i++) {
    const own = load<u32>(low + i * 4);
    const a = firstHash(load<u32>(high + i * 4), own, seed);
    const b = mix(own ^ (a * 0x9e3779b1) ^ ~seed);
    const at = starts + (placeOf(a, range) / stretch) * 4;
    const key = load<u32>(at);
    store<u32>(at, key + 1);
    store<u32>(hashes + key * 8, a);
    store<u32>(hashes + key * 8, b, 4);
  }
  for (let key: u32 = 0; key < count; key++) {
    const b = load<u32>(hashes + key * 8, 4);
    const place = placeOf(load<u32>(hashes + key * 8), range);
    use(known, place, key);
    use(known, secondPlace(place, b, stretch), key);
    use(known, thirdPlace(place, b, stretch), key);
  }
  // A cell with one key left is that key's. Removing the key leaves others alone in a cell, until no key is left.
  let waiting: u32 = 0;
  for (let cell: u32 = 0; cell < length; cell++) {
    if (load<u32>(known + cell * CELL, 4) == 1) store<u32>(alone + waiting++ * 4, cell);
  }
  let placed: u32 = 0;
  while (waiting > 0) {
    const cell = load<u32>(alone + --waiting * 4);
    if (load<u32>(known + cell * CELL, 4) != 1) continue;
    const key = load<u32>(known + cell * CELL);
    store<u32>(order + placed * 8, key);
    store<u32>(order + placed * 8, cell, 4);
    placed++;
    const b = load<u32>(hashes + key * 8, 4);
    const place = placeOf(load<u32>(hashes + key * 8), range);
    waiting = leave(known, place, key, alone, waiting);
    waiting = leave(known, secondPlace(place, b, stretch), key, alone, waiting);
    waiting = leave(known, thirdPlace(place, b, stretch), key, alone, waiting);
  }
  if (placed < count) return 0;
  while (placed > 0) {
    placed--;
    const key = load<u32>(order + placed * 8);
    const cell = load<u32>(order + placed * 8, 4);
    const a = load<u32>(hashes + key * 8);
    const b = load<u32>(hashes + key * 8, 4);
    const place = placeOf(a, range);
    const second = secondPlace(place, b, stretch);
    const third = thirdPlace(place, b, stretch);
    const print = mix(a ^ (b * 0x85ebca6b));
    // The key's own cell is still 0.
    if (width == 2) {
      const others = load<u16>(cells + place * 2) ^ load<u16>(cells + second * 2) ^ load<u16>(cells + third * 2);
      store<u16>(cells + cell * 2, (<u16>print) ^ others);
    } else {
      const others = load<u32>(cells + place * 4) ^ load<u32>(cells + second * 4) ^ load<u32>(cells + third * 4);
      store<u32>(cells + cell * 4, print ^ others);
    }
  }
  return 1;
}

function use(known: usize, cell: u32, key: u32): void {
  const at = known + cell * CELL;
  store<u32>(at, load<u32>(at) ^ key);
  store<u32>(at, load<u32>(at, 4) + 1, 4);
}

/** Returns how many cells wait in `alone`. */
function leave(known: usize, cell: u32, key: u32, alone: usize, waiting: u32): u32 {
  const at = known + cell * CELL;
  const left = load<u32>(at, 4) - 1;
  store<u32>(at, load<u32>(at) ^ key);
  store<u32>(at, left, 4);
  if (left != 1) return waiting;
  store<u32>(alone + waiting * 4, cell);
  return waiting + 1;
}

function firstHash(high: u32, low: u32, seed: u32): u32 {
  return mix(high ^ mix(low ^ seed));
}

/** In floats, as whoever looks for a key computes it. */
function placeOf(hash: u32, range: u32): u32 {
  return <u32>((<f64>hash / 4294967296.0) * <f64>range);
}

function secondPlace(first: u32, b: u32, stretch: u32): u32 {
  return (first + stretch) ^ (b & (stretch - 1));
}

function thirdPlace(first: u32, b: u32, stretch: u32): u32 {
  return (first + 2 * stretch) ^ ((b >> 16) & (stretch - 1));
}
