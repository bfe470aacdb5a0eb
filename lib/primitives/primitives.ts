/**
 * The primitives of the engine: what wasm/ compiles to, and what each does. They know addresses in the memory of the thread and
 * trust what they are told; arrays are followed by SLACK bytes that may be read.
 */
import { readFileSync } from 'node:fs';

/** Bytes behind an array that a primitive may read, and behind an array that it makes that it may write. */
export const SLACK = 16;

/** Bytes of a code: what its column's largest needs. */
export type CodeSize = 1 | 2 | 4;

export interface Primitives {
  /** Once per memory. */
  setUpUnpacking(): void;
  /**
   * An upper bound of the integers of an encoded column; -1 where it is damaged: cut off, or with widths that there are not.
   * @param length Bytes of the column.
   */
  boundOfIntegers(column: number, length: number): number;
  /**
   * An encoded column → its integers, whole blocks of 256. Returns how many are meant.
   * @param size Bytes of each: at least what `boundOfIntegers` needs.
   */
  unpackIntegers(column: number, out: number, size: CodeSize): number;
  /** The largest of some integers; 0 of none. */
  largest(values: number, size: CodeSize, count: number): number;
  /** Differences of 0 and more (words) → 64-bit floats that begin with `first`. */
  sumRising(differences: number, count: number, first: number, out: number): void;
  /** Zigzagged differences less one (words) → 64-bit floats that begin with `first`. */
  sumNearlyConsecutive(differences: number, count: number, first: number, out: number): void;
  /** Differences → ascending rows, in their place (words). */
  sumRows(rows: number, count: number): void;
  /** `out[i] = (base + offsets[i]) / scale`: words → 64-bit floats. */
  scaleNumbers(offsets: number, count: number, base: number, scale: number, out: number): void;

  // Masks: a byte a row, 1 where it passes and else 0. Those that change a mask may change SLACK bytes behind it.

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
  /** How many are 1. */
  countMask(mask: number, count: number): number;
  /** `if (mask[i]) out[n++] = first + i`; also writes where the next one would stand. Returns n. */
  pickPlaces(mask: number, count: number, first: number, out: number): number;
  /** `if (mask[i]) out[n++] = words[i]`; also writes where the next one would stand. Returns n. */
  pickWords(mask: number, count: number, words: number, out: number): number;
  /** `if (keys[i] !== 0) out[n++] = values[i]` of words or 64-bit floats; also writes where the next one would stand. Returns n. */
  pickSome(keys: number, count: number, values: number, size: 4 | 8, out: number): number;
  /** `out[i] = values[rows[i]]` of values of 1, 2, 4 or 8 bytes. */
  gather(values: number, size: number, rows: number, count: number, out: number): void;

  // Slots: a word a row.

  /** `out[i] = value`, words. */
  fillWords(out: number, count: number, value: number): void;
  /** `out[i] += codes[i]` */
  addCodes(codes: number, size: CodeSize, count: number, out: number): void;
  /** `out[i] += table[codes[i]]`, words. */
  addTable(codes: number, size: CodeSize, count: number, table: number, out: number): void;
  /**
   * `counts[codes[i]]++`, words. Adding to one place four times in a row waits each time: with `apart` every second, third and
   * fourth row is counted so many, twice and three times so many places further on.
   */
  countCodes(codes: number, size: CodeSize, count: number, counts: number, apart: number): void;
  /** `counts[codes[i]] += mask[i]`, with `apart` as above. */
  countMasked(codes: number, size: CodeSize, mask: number, count: number, counts: number, apart: number): void;
  /** Adds what was counted apart: `out[s] += counts[s] + counts[s + slots] + …` */
  sumApart(counts: number, slots: number, out: number): void;
  /** The numbers of each slot added up, with what rounding loses beside them (64-bit floats), and counted (words). */
  sumBySlot(values: number, slots: number, count: number, sums: number, errors: number, counts: number): void;
  /** As `sumBySlot`, of numbers that are all of one slot, which are not counted. */
  sumOne(values: number, count: number, sum: number, error: number): void;
  /** `best = max(best, values[i] * sign)`; what is no number is passed over. */
  greatest(values: number, count: number, sign: number, best: number): void;
  /** `best[slot] = max(best[slot], values[i] * sign)`; what is no number is passed over. */
  greatestBySlot(values: number, slots: number, count: number, sign: number, best: number): void;

  /** `out[rows[i]] = words[i]` */
  scatterWords(words: number, rows: number, count: number, out: number): void;

  // Pairs of words.

  /**
   * Numbers pairs as they appear, by a hash table (workers/groups/pair-ids.ts), and writes their numbers to `out`, unless that is 0.
   * With `some` pairs whose second part is 0 are passed over. Returns how many were looked at before the table was full.
   */
  addPairs(table: number, firsts: number, seconds: number, count: number, some: 0 | 1, out: number): number;

  // Persons.

  /** `out[code] = bound[code] || code` for codes up to `count`, of which the first `known` may be bound (words). */
  ownPersons(bound: number, known: number, count: number, out: number): void;
  /** `out[i] = words[i] || out[i]`; may change SLACK bytes behind. */
  preferWords(words: number, count: number, out: number): void;

  /** `masks[persons[i]] |= bit`, masks of 2 or 4 bytes. */
  markPersons(persons: number, count: number, bit: number, masks: number, size: 2 | 4): void;
  /** `cohorts[p] = min(cohorts[p] || cohort, cohort)` of each person, cohorts of 1 or 4 bytes. */
  earliestCohorts(persons: number, count: number, cohort: number, cohorts: number, size: 1 | 4): void;
  /**
   * Keeps the cohort (1 or 4 bytes), the time and the arrival (64-bit floats) of each person's first start: where the cohort is 0,
   * or the row is before what is known. Writes the places of rows that were kept to `out`; returns how many there are.
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
   * Buckets count from 1. Of each person but nobody whose `last[p]` is not the bucket it becomes the bucket, and one is added to
   * the first of three words where it was 0, to the second where it was the bucket before, else to the third.
   */
  countReturns(persons: number, count: number, bucket: number, last: number, states: number): void;
  /** `if (last[p] !== bucket) { last[p] = bucket; counts[p]++ }`, words. */
  countBuckets(persons: number, count: number, bucket: number, last: number, counts: number): void;

  // Sessions (wasm/sessions.ts says what places are).

  /**
   * `if (counts[place]++ === 0) out[n++] = row; lasts[place] = row`, words; also writes where the next one would stand. Returns n.
   * `counts[0]` is to be more than 0, so that rows in no session begin none.
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
  /** `out[i] = pages[codes[i] >>> bits] + (codes[i] & (2 ** bits - 1))` */
  placesInPages(codes: number, size: CodeSize, count: number, pages: number, bits: number, out: number): void;

  // Sets of ids as bits.

  /** Sets bit `ids[i]` of the set of `slots[i]`, a set having so many words. */
  setBits(ids: number, slots: number, count: number, bits: number, words: number): void;
  /** Sets bit `ids[i]`. */
  setBitsOfOne(ids: number, count: number, bits: number): void;
  /** How many bits are set. */
  countBits(bits: number, words: number): number;

  // Events that are spelled as others before them (wasm/shapes.ts says what a tree of steps is).

  /** What hashes begin with and are mixed with, and 48 bytes for each of `count` codes of texts, a power of two. */
  setUpShapes(seed: number, secret: number, codes: number, count: number): void;
  /**
   * Walks a tree of steps along the event at an address, and fills the record of a scanned event (shards/ingest/scan/
   * scanned-event.ts), in which offsets count from `base`. Returns the address behind the event; 0: it is spelled as none before,
   * or has a value that is left to others.
   */
  scanShape(root: number, at: number, end: number, base: number, record: number): number;
  /** Keeps the code of a text property of the event that was scanned last, if it is short, for later ones of the same owner. */
  keepCode(record: number, space: 0 | 1, place: number, code: number): void;
}

let compiled: WebAssembly.Module | null = null;

/** Throws where the machine, or this build of Node, has no SIMD. */
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
