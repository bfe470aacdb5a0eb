/**
 * The primitives of the engine: what wasm/ compiles to, and what each does. They take addresses in the thread's memory and trust
 * their arguments; arrays are followed by SLACK bytes that may be read.
 */
import { readFileSync } from 'node:fs';

/** Bytes after an array that a primitive may read, and after an array that it makes that it may write. */
export const SLACK = 16;

/** Bytes per code: what its column's largest needs. */
export type CodeSize = 1 | 2 | 4;

/** Sign, exponent and the first bit of the fraction of a 64-bit float. */
export const LEADING_BITS = 13;

export interface Primitives {
  /** Once per memory. */
  setUpUnpacking(): void;
  /**
   * An upper bound of the integers of an encoded column; -1 if it is damaged: cut off, or with impossible widths.
   * @param length Bytes of the column.
   */
  boundOfIntegers(column: number, length: number): number;
  /**
   * An encoded column → its integers, in whole blocks of 256. Returns how many are valid.
   * @param size Bytes of each: at least what `boundOfIntegers` needs.
   */
  unpackIntegers(column: number, out: number, size: CodeSize): number;
  /**
   * Integers (words) → an encoded column. Returns its bytes, at most 1,030 for each block of 256, and 8.
   * @param mostExceptions Of a block, up to 255.
   */
  packIntegers(values: number, count: number, mostExceptions: number, out: number): number;
  /** The largest of some integers; 0 if there are none. */
  largest(values: number, size: CodeSize, count: number): number;
  /** The least of some integers that is not 0; 0 if there is none. */
  leastSome(values: number, size: CodeSize, count: number): number;
  /** Differences that are not negative (words) → 64-bit floats that begin with `first`. */
  sumRising(differences: number, count: number, first: number, out: number): void;
  /** Zigzagged differences minus one (words) → 64-bit floats that begin with `first`. */
  sumNearlyConsecutive(differences: number, count: number, first: number, out: number): void;
  /** 64-bit floats → differences that are not negative (words), 0 for the first. 0 if one is not such a word, else 1. */
  differencesOfRising(values: number, count: number, out: number): 0 | 1;
  /** 64-bit floats → zigzagged differences minus one (words), 0 for the first. 0 if one is longer than 31 bits, else 1. */
  differencesOfConsecutive(values: number, count: number, out: number): 0 | 1;
  /** Differences → ascending rows, in place (words). */
  sumRows(rows: number, count: number): void;
  /** `out[i] = (base + offsets[i]) / scale`: words → 64-bit floats. */
  scaleNumbers(offsets: number, count: number, base: number, scale: number, out: number): void;

  // Masks: a byte per row, 1 if it passes, else 0. Primitives that change a mask may change SLACK bytes after it.

  /** `out[i] = passes[codes[i]]` */
  testCodes(codes: number, size: CodeSize, count: number, passes: number, out: number): void;
  /** `out[i] = codes[i] === code` */
  equalCodes(codes: number, size: CodeSize, count: number, code: number, out: number): void;
  /** `mask[i] &= other[i]` */
  andMasks(mask: number, other: number, count: number): void;
  /** `mask[i] |= other[i]` */
  orMasks(mask: number, other: number, count: number): void;
  /** `mask[i] ^= 1` */
  turnMask(mask: number, count: number): void;
  /** Counts the ones. */
  countMask(mask: number, count: number): number;
  /** `if (mask[i]) out[n++] = first + i`; also writes to the next free position. Returns n. */
  pickPlaces(mask: number, count: number, first: number, out: number): number;
  /** `if (least <= values[i] && values[i] <= most) out[n++] = rows[i]`; also writes to the next free position. Returns n. */
  pickBetween(values: number, rows: number, count: number, least: number, most: number, out: number): number;
  /** `if (words[i] !== 0) out[n++] = i`; also writes to the next free position. Returns n. */
  pickUsed(words: number, count: number, out: number): number;
  /**
   * Of what two ascending lists (words) have in common: `first` and the place in `rows`. Also writes to the next free position.
   * Returns how many.
   * @param list Not empty. @param rows None is before the first or behind the last of `list`.
   * @param room 12 bytes for each 64 rows from the first to the last, and for those left over.
   */
  placesOfCommon(
    list: number,
    length: number,
    rows: number,
    count: number,
    first: number,
    room: number,
    out: number,
  ): number;
  /** `if (mask[i]) out[n++] = words[i]`; also writes to the next free position. Returns n. */
  pickWords(mask: number, count: number, words: number, out: number): number;
  /** `if (keys[i] !== 0) out[n++] = values[i]` for words or 64-bit floats; also writes to the next free position. Returns n. */
  pickSome(keys: number, count: number, values: number, size: 4 | 8, out: number): number;
  /** `out[i] = values[rows[i]]` for values of 1, 2, 4 or 8 bytes. */
  gather(values: number, size: number, rows: number, count: number, out: number): void;

  // Slots: a word per row.

  /** `out[i] = value`, words. */
  fillWords(out: number, count: number, value: number): void;
  /** `out[i] += codes[i]` */
  addCodes(codes: number, size: CodeSize, count: number, out: number): void;
  /** `out[i] += table[codes[i]]`, words. */
  addTable(codes: number, size: CodeSize, count: number, table: number, out: number): void;
  /**
   * `counts[codes[i]]++`, words. Four increments of one count in a row wait for each other: with `apart`, every second, third and
   * fourth row counts that many positions further on, or two or three times as many.
   */
  countCodes(codes: number, size: CodeSize, count: number, counts: number, apart: number): void;
  /** `counts[codes[i]] += mask[i]`, with `apart` as above. */
  countMasked(codes: number, size: CodeSize, mask: number, count: number, counts: number, apart: number): void;
  /** Adds up what was counted apart: `out[s] += counts[s] + counts[s + slots] + …` */
  sumApart(counts: number, slots: number, out: number): void;
  /** Sums the numbers of each slot, keeping what rounding loses beside them (64-bit floats), and counts them (words). */
  sumBySlot(values: number, slots: number, count: number, sums: number, errors: number, counts: number): void;
  /** Like `sumBySlot` for numbers that are all of one slot, without counting. */
  sumOne(values: number, count: number, sum: number, error: number): void;
  /** `best = max(best, values[i] * sign)`; skips NaN. */
  greatest(values: number, count: number, sign: number, best: number): void;
  /** `best[slot] = max(best[slot], values[i] * sign)`; skips NaN. */
  greatestBySlot(values: number, slots: number, count: number, sign: number, best: number): void;

  /** `out[next[slots[i]]++] = values[i]`: words, and 64-bit floats. */
  layOutNumbers(values: number, slots: number, count: number, next: number, out: number): void;
  /** `counts[b]++` for the first LEADING_BITS bits b of each 64-bit float, words. */
  countLeading(values: number, count: number, counts: number): void;
  /**
   * `if (wanted[b]) out[n++] = values[i]` with b as above and a byte for each b, 1 or 0; also writes to the next free position.
   * Returns n.
   */
  pickLeading(values: number, count: number, wanted: number, out: number): number;

  /**
   * The cells of a filter (shards/hashing/fuse-filter.ts) over keys in two halves (words). 1; or 0 if no order of the keys was
   * found with this seed.
   * @param length Cells, of `width` bytes.
   * @param room 16 bytes for each key, and 13 for each cell.
   */
  fillCells(
    high: number,
    low: number,
    count: number,
    seed: number,
    stretch: number,
    length: number,
    room: number,
    cells: number,
    width: 2 | 4,
  ): 0 | 1;

  /** `out[rows[i]] = words[i]` */
  scatterWords(words: number, rows: number, count: number, out: number): void;

  // Raw rows of a segment that is being made.

  /**
   * Splits rows into a run in order of (time, arrival), 64-bit floats, none twice, and the ones that come too late for it. Returns
   * the length of the run.
   */
  inOrder(times: number, arrivals: number, count: number, run: number, late: number): number;
  /** `const rank = ranks[rows[i]]; if (rank !== 0) out[rank - 1] = i + 1`. Returns how many it wrote. */
  placeValues(rows: number, count: number, ranks: number, out: number): number;
  /**
   * Numbers the triples of rows from 0 as they appear. Writes the first row of each and the number of every row; returns how many
   * there are.
   * @param slots `size` words of 0: a power of two, more than there are rows.
   */
  numberTriples(
    users: number,
    devices: number,
    sessions: number,
    count: number,
    slots: number,
    size: number,
    firsts: number,
    out: number,
  ): number;
  /** `if (codes[i] !== table[triples[i]]) out[n++] = i`. Returns n; if it is more than `most`, `most + 1` without the rest. */
  pickUnlike(codes: number, count: number, table: number, triples: number, most: number, out: number): number;

  // Pairs of words.

  /**
   * Numbers pairs as they appear, by a hash table (workers/groups/pair-ids.ts), and writes the numbers to `out` unless that is 0.
   * Returns how many were processed before the table was full.
   */
  addPairs(table: number, firsts: number, seconds: number, count: number, out: number): number;

  /** Appends pairs of words whose second is not 0: each as one of 64 bits, the first above the second. Returns how many; may change SLACK bytes after them. */
  appendPairs(firsts: number, seconds: number, count: number, out: number): number;
  /**
   * Sorts such pairs and leaves each once. Returns how many they are then.
   * @param spare Room for as many pairs. @param places Room for 256 words.
   */
  distinctPairs(pairs: number, count: number, spare: number, places: number): number;

  // Persons.

  /** `out[code] = bound[code] || code` for codes below `count`, of which only those below `known` may be bound (words). */
  ownPersons(bound: number, known: number, count: number, out: number): void;
  /** `out[i] = words[i] || out[i]`; may change SLACK bytes after it. */
  preferWords(words: number, count: number, out: number): void;

  /** `masks[persons[i]] |= bit`, with masks of 2 or 4 bytes. */
  markPersons(persons: number, count: number, bit: number, masks: number, size: 2 | 4): void;
  /** `cohorts[p] = min(cohorts[p] || cohort, cohort)` for each person, with cohorts of 1 or 4 bytes. */
  earliestCohorts(persons: number, count: number, cohort: number, cohorts: number, size: 1 | 4): void;
  /**
   * Keeps the cohort (1 or 4 bytes), time and arrival (64-bit floats) of each person's first start: where the cohort is 0, or the
   * row is earlier. Writes the positions of kept rows to `out`; returns how many there are.
   */
  earlierStarts(
    persons: number,
    times: number,
    arrivals: number,
    count: number,
    cohort: number,
    cohorts: number,
    size: 1 | 4,
    firstTimes: number,
    firstArrivals: number,
    out: number,
  ): number;
  /** `const k = bucket - cohorts[p]; if (cohorts[p] !== 0 && 0 <= k && k <= most) masks[p] |= 1 << k`, words. */
  markPeriods(
    persons: number,
    count: number,
    bucket: number,
    cohorts: number,
    size: 1 | 4,
    most: number,
    masks: number,
  ): void;
  /** `out[i] = (times[i], arrivals[i]) is not before (firstTimes[p], firstArrivals[p]) ? p : 0` */
  notBefore(
    persons: number,
    times: number,
    arrivals: number,
    count: number,
    firstTimes: number,
    firstArrivals: number,
    out: number,
  ): void;
  /**
   * Buckets count from 1. For each person except nobody whose `last[p]` is not the bucket, sets it to that and increments the first
   * of three words if it was 0, the second if it was the bucket before, else the third.
   */
  countReturns(persons: number, count: number, bucket: number, last: number, states: number): void;
  /** `if (last[p] !== bucket) { last[p] = bucket; counts[p]++ }`, words. */
  countBuckets(persons: number, count: number, bucket: number, last: number, counts: number): void;

  // Sessions (wasm/sessions.ts explains places).

  /**
   * `if (counts[place]++ === 0) out[n++] = row; lasts[place] = row`, words; also writes to the next free position. Returns n.
   * `counts[0]` must be more than 0, so that rows in no session begin none.
   */
  formSessions(
    keys: number,
    low: number,
    rows: number,
    first: number,
    count: number,
    counts: number,
    lasts: number,
    out: number,
  ): number;
  /** `if (mask[i] && (last || found[place] === 0)) found[place] = row + 1`, words. */
  findInSessions(
    keys: number,
    low: number,
    rows: number,
    first: number,
    count: number,
    mask: number,
    last: 0 | 1,
    found: number,
  ): void;
  /** `if (devices[i] !== 0) { if (first[place] === 0) first[place] = devices[i]; else if (first[place] !== devices[i]) several[place] = 1 }`, words. */
  findDevices(
    keys: number,
    low: number,
    devices: number,
    size: CodeSize,
    count: number,
    first: number,
    several: number,
  ): void;
  /** `out[i] = pages[codes[i] >>> bits] + (codes[i] & (2 ** bits - 1))` */
  placesInPages(codes: number, size: CodeSize, count: number, pages: number, bits: number, out: number): void;

  // Sets of ids as bits.

  /** Sets bit `ids[i]` of the set of `slots[i]`; each set has so many words. */
  setBits(ids: number, slots: number, count: number, bits: number, words: number): void;
  /** Sets bit `ids[i]`. */
  setBitsOfOne(ids: number, count: number, bits: number): void;
  /** Counts the bits that are set. */
  countBits(bits: number, words: number): number;

  // Events.

  /** What hashes begin with and are mixed with, and the fields of events (wasm/scan.ts). */
  setUpScan(seed: number, secret: number, fields: number, count: number): void;
  /**
   * Scans the event at an address, and fills the record of a scanned event (shards/ingest/scan/scanned-event.ts), in which offsets
   * count from `base`. Returns the address behind the event; 0: it is left to JSON.parse.
   * @param isLine Whether a newline ends it.
   */
  scanEvent(at: number, end: number, base: number, isLine: 0 | 1, record: number): number;
}

let compiled: WebAssembly.Module | null = null;

/** Throws if the machine, or this build of Node, has no SIMD. */
export function primitivesIn(memory: WebAssembly.Memory): Primitives {
  compiled ??= compile();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a test holds the two together
  return new WebAssembly.Instance(compiled, { env: { memory } }).exports as unknown as Primitives;
}

function compile(): WebAssembly.Module {
  const bytes = readFileSync(new URL('./primitives.wasm', import.meta.url));
  try {
    return new WebAssembly.Module(bytes);
  } catch (cause) {
    const needed = 'Windlass needs WebAssembly with SIMD and threads, which this machine or this build of Node lacks';
    throw new Error(needed, { cause });
  }
}
