/**
 * Sets of ids as bits: one array per time bucket, its slots side by side. Rows come in order of time, so usually one bucket's
 * array is in use and stays in the processor's cache; when its time is over it is counted and reused.
 */
import { primitives, Scratch, wordsAt } from '../../../primitives/memory.ts';
import type { CodedIds } from '../../groups/field-ids.ts';
import { rowsIn, type RowSpan } from '../../groups/positions.ts';
import type { Scan } from '../../groups/scan.ts';
import { NOWHERE, type Slots } from '../../groups/slots.ts';
import { eachBlock } from '../../groups/vectors.ts';
import type { BitsOfGroups, FoundSets } from '../metric-partial.ts';
import type { StateOwner } from '../state-array.ts';
import { threshold } from '../../../base/threshold.ts';

/** Bytes of one bucket's array, and of all: beyond these most bits would be clear, and pairs are smaller. */
const MAX_BUCKET_BYTES = threshold('bytes of the bit sets of a bucket', 1 << 25);
const MAX_BYTES = 1 << 28;
/** Every word is cleared and counted once per bucket: not worth it for far fewer rows than words. */
const WORDS_PER_ROW = threshold('words of bit sets a row', 16);

export interface IdsToAdd {
  readonly scan: Scan;
  readonly slots: Slots;
  readonly ids: CodedIds;
}

export class BitSets {
  readonly #owner: StateOwner;
  readonly #arrays = new Map<number, Uint32Array>();
  #spare: Uint32Array | null = null;
  #words = 0; // per set
  #inner = 0; // sets per bucket
  #bytes = 0;

  constructor(owner: StateOwner) {
    this.#owner = owner;
  }

  /** Makes room for ids below `ids` in this many slots of a bucket. False if another way takes less. */
  fit(perBucket: number | null, ids: number, spans: readonly RowSpan[]): boolean {
    if (perBucket === null) return false;
    const words = Math.max(this.#words, roomFor((ids + 31) >>> 5, this.#words));
    const perArray = words * perBucket * 4;
    const buckets = new Set([...this.#arrays.keys(), ...spans.map(({ bucket }) => bucket)]).size;
    if (
      perArray > MAX_BUCKET_BYTES.value ||
      perArray * buckets > Math.min(MAX_BYTES, this.#bytes + this.#owner.budget.left)
    ) {
      return false;
    }
    const rows = rowsIn(spans);
    if (this.#arrays.size === 0 && words * perBucket * buckets > rows * WORDS_PER_ROW.value) return false;
    if (words !== this.#words || perBucket !== this.#inner) this.#layOut(words, perBucket, (_, inner) => inner);
    return true;
  }

  /** Plain form: `set(slot(i)).add(id(i))`; id 0 is removed when sets are counted. */
  add({ scan, ids }: IdsToAdd): void {
    eachBlock(scan.selected(), scan.context, (vectors, bucket) => {
      const { byteOffset: bits } = this.#arrayOf(bucket);
      const own = vectors.ids(ids.codes, ids.table);
      if (scan.slots.length === 0) primitives.setBitsOfOne(own, vectors.count, bits);
      else primitives.setBits(own, vectors.slots(scan.slots, 0), vectors.count, bits, this.#words);
    });
  }

  buckets(): readonly number[] {
    return [...this.#arrays.keys()];
  }

  /** The count of a bucket with one set, which is then emptied. */
  take(bucket: number): number {
    const array = this.#arrays.get(bucket);
    if (array === undefined) return 0;
    const count = countHere(array);
    this.#arrays.delete(bucket);
    if (this.#spare !== null) this.#give(array);
    else this.#spare = array.fill(0);
    return count;
  }

  /** Slots of a bucket were renumbered; there are `perBucket` now. */
  remap(moved: Uint32Array, perBucket: number): void {
    if (this.#inner === 0) return;
    const old = this.#inner;
    this.#layOut(this.#words, perBucket, (bucket, inner) => {
      const to = moved[bucket * old + inner]!;
      return to === NOWHERE ? -1 : to - bucket * perBucket;
    });
  }

  /** Passes on every (slot, id) and releases the memory. */
  drain(to: (slot: number, id: number) => void): void {
    for (const [bucket, array] of this.#arrays) {
      for (let inner = 0; inner < this.#inner; inner++) {
        forBits(this.#set(array, inner), (id) => to(bucket * this.#inner + inner, id));
      }
    }
    this.#giveAll();
  }

  /** Returns the results; the sets are empty afterwards. */
  partial(slots: Uint32Array, open: Uint8Array): FoundSets {
    const counts = this.#owner.memory.floats(slots.length).fill(0);
    const each = this.#words;
    const words = new Uint32Array(each * open.reduce((sum, one) => sum + one, 0));
    let at = 0;
    for (let group = 0; group < slots.length; group++) {
      const slot = slots[group]!;
      const array = this.#arrays.get(Math.floor(slot / this.#inner));
      if (array !== undefined) {
        const set = this.#set(array, slot % this.#inner);
        counts[group] = countHere(set);
        if (open[group] === 1) {
          words.set(set, at);
          words[at]! &= ~1;
        }
      }
      if (open[group] === 1) at += each;
    }
    this.#giveAll();
    return { counts, bits: { each, words }, ends: null, ids: null };
  }

  #set(array: Uint32Array, inner: number): Uint32Array {
    return array.subarray(inner * this.#words, (inner + 1) * this.#words);
  }

  #arrayOf(bucket: number): Uint32Array {
    const known = this.#arrays.get(bucket);
    if (known !== undefined) return known;
    const array = this.#spare ?? this.#get(this.#words * this.#inner);
    this.#spare = null;
    this.#arrays.set(bucket, array);
    return array;
  }

  #layOut(words: number, perBucket: number, placeOf: (bucket: number, inner: number) => number): void {
    const oldWords = this.#words;
    for (const [bucket, old] of this.#arrays) {
      const array = this.#get(words * perBucket);
      for (let inner = 0; inner < this.#inner; inner++) {
        const place = placeOf(bucket, inner);
        if (place >= 0) array.set(old.subarray(inner * oldWords, (inner + 1) * oldWords), place * words);
      }
      this.#arrays.set(bucket, array);
      this.#give(old);
    }
    if (this.#spare !== null) this.#give(this.#spare);
    this.#spare = null;
    this.#words = words;
    this.#inner = perBucket;
  }

  #get(words: number): Uint32Array {
    this.#bytes += words * 4;
    this.#owner.budget.take(words * 4);
    return wordsAt(this.#owner.memory.take(words * 4), words).fill(0);
  }

  #give({ byteOffset, byteLength }: Uint32Array): void {
    this.#bytes -= byteLength;
    this.#owner.budget.release(byteLength);
    this.#owner.memory.give(byteOffset);
  }

  #giveAll(): void {
    for (const array of this.#arrays.values()) this.#give(array);
    if (this.#spare !== null) this.#give(this.#spare);
    this.#spare = null;
    this.#arrays.clear();
  }
}

/** The indices of the bits that are set, except 0, which belongs to nobody. */
export function forBits(words: Uint32Array, use: (bit: number) => void): void {
  for (let at = 0; at < words.length; at++) {
    for (let word = at === 0 ? words[0]! & ~1 : words[at]!; word !== 0; word &= word - 1) {
      use(at * 32 + 31 - Math.clz32(word & -word));
    }
  }
}

/** As `countIds`, for a set in the thread's memory. */
function countHere(words: Uint32Array): number {
  return primitives.countBits(words.byteOffset, words.length) - (words.length > 0 ? words[0]! & 1 : 0);
}

/** Calls with each open group and its set. */
export function forSets(
  { each, words }: BitsOfGroups,
  isOpen: (group: number) => boolean,
  groups: number,
  use: (group: number, set: Uint32Array) => void,
): void {
  let at = 0;
  for (let group = 0; group < groups; group++) if (isOpen(group)) use(group, words.subarray(at, (at += each)));
}

/** How many ids are in one of the sets. */
export function countUnion(sets: readonly Uint32Array[]): number {
  const words = sets.reduce((most, { length }) => Math.max(most, length), 0);
  const [all, own] = [rooms.all.of(words * 4), rooms.own.of(words * 4)];
  const [union, one] = [wordsAt(all, words).fill(0), wordsAt(own, words)];
  for (const set of sets) {
    one.set(set);
    one.fill(0, set.length); // of an earlier one that was longer
    primitives.orMasks(all, own, words * 4);
  }
  return countHere(union);
}

const rooms = { all: new Scratch(), own: new Scratch() };

/** How many bits are set, except bit 0. */
export function countIds(words: Uint32Array): number {
  let count = words.length > 0 ? -(words[0]! & 1) : 0;
  for (let at = 0; at < words.length; at++) count += bitsOf(words[at]!);
  return count;
}

/** How many bits are set. */
export function bitsOf(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Leaves room for later ids if they are numbered as they appear. */
function roomFor(words: number, before: number): number {
  return before === 0 || words <= before ? words : Math.ceil(words * 1.5);
}
