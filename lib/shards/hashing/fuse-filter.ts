/**
 * Binary fuse filters over 64-bit keys (Graf and Lemire, "Binary Fuse Filters: Fast and Smaller Than Xor Filters", 2022): a key
 * has three cells in neighbouring stretches of one array, whose xor is its fingerprint. About 1.15 cells per key, built once and
 * never changed. Senders may choose keys, so a secret seed places them; filters used together share it, so that a key is hashed
 * once.
 */
import { Lease, primitives } from '../../primitives/memory.ts';
import { mixHash } from './text-hash.ts';

/** Bytes of a cell: an absent key passes with a probability of 2^-16 or 2^-32. */
export type CellBytes = 2 | 4;

export interface FuseFilter {
  /** Usually the requested one. */
  readonly seed: number;
  /** Cells of a stretch, a power of two. */
  readonly stretch: number;
  readonly cells: Uint16Array | Uint32Array;
}

/** Keys in two halves, `count` in each array. */
export interface FilterKeys {
  readonly count: number;
  readonly high: Uint32Array;
  readonly low: Uint32Array;
}

/** Seeds to try. */
const MOST_TRIES = 100;
/**
 * After so many failures it is not chance: some keys are duplicates, or the cells are too few. The sizes of the paper suffice except
 * shortly after the stretch has doubled: of 11,500 keys in 14 stretches, one seed in a hundred finds places for all.
 */
const CHANCE = 2;
const MOST_STRETCH = 1 << 16;

/** Keys as filters of one seed see them. */
export interface KeyHashes {
  readonly seed: number;
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  readonly prints: Uint32Array;
}

/** Duplicate keys count once. @param seed A secret. */
export function makeFilter(keys: FilterKeys, bytes: CellBytes, seed: number): FuseFilter {
  let distinct = keys;
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const more = Math.max(0, tries - CHANCE - 1);
    const made = tryFilter(distinct, { ...sizeOf(distinct.count, more), bytes, seed: triedSeed(seed, tries) });
    if (made) return made;
    if (tries === CHANCE) distinct = distinctKeys(keys);
  }
  throw new Error(`no filter of ${keys.count} keys was found`);
}

/** Seeds far apart: under neighbouring seeds, counters have the same hashes as other counters, and fail alike. */
const triedSeed = (seed: number, tries: number): number => (tries === 1 ? seed >>> 0 : mixHash(seed ^ mixHash(tries)));

/** @param high The upper halves of the keys. @param low Their lower halves. */
export function hashKeys(high: ArrayLike<number>, low: ArrayLike<number>, seed: number): KeyHashes {
  const [a, b, prints] = [new Uint32Array(high.length), new Uint32Array(high.length), new Uint32Array(high.length)];
  for (let i = 0; i < a.length; i++) {
    a[i] = firstHash(high[i]!, low[i]!, seed);
    b[i] = secondHash(low[i]!, a[i]!, seed);
    prints[i] = fingerprint(a[i]!, b[i]!);
  }
  return { seed, a, b, prints };
}

/** The places of the keys that pass, ascending. @param hashes Made with the filter's seed. */
export function passingKeys({ stretch, cells }: FuseFilter, { a, b, prints }: KeyHashes): number[] {
  const range = cells.length - 2 * stretch;
  const mask = cells.BYTES_PER_ELEMENT === 2 ? 0xffff : 0xffffffff;
  const passing: number[] = [];
  for (let i = 0; i < a.length; i++) {
    const first = placeOf(a[i]!, range);
    const second = (first + stretch) ^ (b[i]! & (stretch - 1));
    const third = (first + 2 * stretch) ^ ((b[i]! >>> 16) & (stretch - 1));
    if (((prints[i]! ^ cells[first]! ^ cells[second]! ^ cells[third]!) & mask) === 0) passing.push(i);
  }
  return passing;
}

/** Whether cells and stretches fit together; in data from a file they may not. */
export function isFilter({ stretch, cells }: FuseFilter): boolean {
  const isPower = stretch > 0 && stretch <= MOST_STRETCH && (stretch & (stretch - 1)) === 0;
  return isPower && cells.length >= 3 * stretch && cells.length % stretch === 0;
}

interface Trial {
  readonly stretch: number;
  /** Cells in all. */
  readonly length: number;
  readonly bytes: CellBytes;
  readonly seed: number;
}

/** null if no order of the keys was found with this seed. */
function tryFilter({ count, high, low }: FilterKeys, { stretch, length, bytes, seed }: Trial): FuseFilter | null {
  using lease = new Lease();
  const room = lease.bytes(count * 16 + length * 13); // as `fillCells` lays out keys and cells
  const cells = bytes === 2 ? lease.halves(length) : lease.words(length);
  const [upper, lower] = [lease.hold(high), lease.hold(low)];
  const filled = primitives.fillCells(
    upper.byteOffset,
    lower.byteOffset,
    count,
    seed,
    stretch,
    length,
    room.byteOffset,
    cells.byteOffset,
    bytes,
  );
  return filled === 0 ? null : { seed, stretch, cells: cells.slice() };
}

/** Sizes as in the paper. @param more Further stretches. */
function sizeOf(count: number, more: number): Pick<Trial, 'stretch' | 'length'> {
  if (count < 2) return { stretch: 4, length: 12 };
  const stretch = Math.min(MOST_STRETCH, 2 ** Math.floor(Math.log(count) / Math.log(3.33) + 2.25));
  const cells = count * Math.max(1.125, 0.875 + (0.25 * Math.log(1_000_000)) / Math.log(count));
  return { stretch, length: (Math.max(3, Math.ceil(cells / stretch)) + more) * stretch };
}

function distinctKeys({ count, high, low }: FilterKeys): FilterKeys {
  const words = new Uint32Array(count * 2);
  for (let i = 0; i < count; i++) {
    words[i * 2] = low[i]!;
    words[i * 2 + 1] = high[i]!;
  }
  const sorted = new BigUint64Array(words.buffer).sort();
  const distinct = sorted.filter((key, i) => i === 0 || key !== sorted[i - 1]);
  const halves = new Uint32Array(distinct.buffer);
  const every = (from: number): Uint32Array =>
    Uint32Array.from({ length: distinct.length }, (_, i) => halves[i * 2 + from]!);
  return { count: distinct.length, low: every(0), high: every(1) };
}

/** No two keys share both hashes: each step is reversible. */
const firstHash = (high: number, low: number, seed: number): number => mixHash(high ^ mixHash(low ^ seed));
const secondHash = (low: number, first: number, seed: number): number =>
  mixHash(low ^ Math.imul(first, 0x9e3779b1) ^ ~seed);
const fingerprint = (a: number, b: number): number => mixHash(a ^ Math.imul(b, 0x85ebca6b));
const placeOf = (hash: number, range: number): number => Math.floor((hash / 4294967296) * range);
