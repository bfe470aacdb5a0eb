/**
 * Filters over all insert ids that were read into a project since its shard was loaded. Most ids are new, and one look here says so
 * for every segment whose ids are all in them; the segments' own filters would be looked at one by one, each in memory that no
 * cache holds. Segments stored before are still asked.
 */
import { threshold } from '../../base/threshold.ts';
import {
  addToFilter,
  bitHash,
  blockHash,
  emptyFilter,
  inFilter,
  prefetchFilter,
  type BlockFilter,
} from '../hashing/block-filter.ts';
import type { SoughtId } from '../segment/insert-ids/insert-key.ts';
import type { SegmentEntry } from '../segment/shard-meta.ts';
import type { PendingRows } from './rows/pending-rows.ts';

/** A project with fewer rows needs no sieves. */
const FEW = threshold('rows of a project without sieves', 16_384);
/** Ids of a sieve. Each has room for GROWTH times as many as all before it, so that there are few. */
const LEAST = 65_536;
const MOST = 4 << 20;
const GROWTH = 3;
/** A byte for each id: half of what block filters are made for, as a segment's filter decides about those that pass by chance. */
const SHARE = 2;

type Key = Pick<SoughtId, 'high' | 'low'>;

interface Sieve {
  readonly filter: BlockFilter;
  /** Ids that it still takes. */
  left: number;
  /** Segments that have ids in it. */
  readonly segments: Set<number>;
}

export class IdSieves {
  readonly #bytes: number;
  #sieves: Sieve[] = [];
  /** Takes the ids that are read; null: none does. */
  #current: Sieve | null = null;
  /** Those that have the ids of the rows being read; null: not all are in sieves. */
  #reading: Set<Sieve> | null = null;
  /** The same of the rows being sealed. */
  #sealing: Set<Sieve> | null = null;

  /** @param bytes Most memory. */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  get memory(): number {
    return this.#sieves.reduce((bytes, { filter }) => bytes + filter.byteLength, 0);
  }

  /** Adds the id of a row. It stays if the row is rolled back, which does no harm. */
  add({ high, low }: Key): void {
    const sieve = this.#current?.left === 0 ? this.#next() : this.#current;
    if (sieve === null) return;
    sieve.left--;
    addToFilter(sieve.filter, high, low);
  }

  /** Begins where many rows were read without sieves. */
  catchUp(rows: Pick<PendingRows, 'length' | 'eachKey'>): void {
    if (this.#current !== null || rows.length < FEW.value) return;
    this.#reading = new Set();
    if (this.#next() !== null) rows.eachKey((key) => this.add(key));
  }

  /** Whether a segment that `covers` tells of may have the id. */
  passes({ high, low }: Key): boolean {
    if (this.#sieves.length === 0) return false;
    const a = blockHash(high, low);
    const b = bitHash(low, a);
    for (const { filter } of this.#sieves) if (inFilter(filter, a, b)) return true;
    return false;
  }

  /** Reads ahead what `passes` reads of keys with these values of `blockHash` (rows/prefetch.ts). The value means nothing. */
  prefetch(hashes: Int32Array, count: number): number {
    let read = 0;
    for (const { filter } of this.#sieves) read ^= prefetchFilter(filter, hashes, count);
    return read;
  }

  /** Whether all ids of a segment are here. */
  covers(segment: number): boolean {
    return this.#sieves.some(({ segments }) => segments.has(segment));
  }

  /** All rows read so far are set aside to be sealed; `sealed` follows. @param segments Those before. */
  freeze(rows: number, segments: readonly SegmentEntry[]): void {
    this.#sealing = this.#reading;
    this.#reading = new Set();
    if (this.#current !== null) this.#reading.add(this.#current);
    else if (segments.reduce((sum, segment) => sum + segment.rows, rows) < FEW.value) this.#reading = null;
    else this.#next();
  }

  /** The rows set aside are a segment; null: there were none. */
  sealed(segment: number | null): void {
    if (segment !== null) for (const { segments } of this.#sealing ?? []) segments.add(segment);
    this.#sealing = null;
  }

  /** Segments were made from others. */
  compacted(gone: readonly SegmentEntry[], made: readonly SegmentEntry[]): void {
    const isCovered = gone.every(({ id, ids }) => ids === null || this.covers(id));
    for (const { segments } of this.#sieves) {
      const had = gone.filter(({ id }) => segments.delete(id));
      if (isCovered && had.length > 0) for (const { id } of made) segments.add(id);
    }
  }

  /** Frees what no segment needs any more. @param live Segments with ids. */
  keep(live: ReadonlySet<number>): void {
    this.#sieves = this.#sieves.filter((sieve) => {
      for (const segment of sieve.segments) if (!live.has(segment)) sieve.segments.delete(segment);
      return sieve.segments.size > 0 || this.#reading?.has(sieve) === true || this.#sealing?.has(sieve) === true;
    });
  }

  /** Has a further sieve take ids; null if there is no room for it. */
  #next(): Sieve | null {
    const { memory } = this; // as many bytes as ids
    const ids = Math.min(MOST, Math.max(LEAST, GROWTH * memory), this.#bytes - memory);
    if (ids < LEAST) {
      this.#current = this.#reading = null;
      return null;
    }
    const sieve = { filter: emptyFilter(ids / SHARE), left: ids, segments: new Set<number>() };
    this.#sieves.push(sieve);
    this.#reading?.add(sieve);
    return (this.#current = sieve);
  }
}
