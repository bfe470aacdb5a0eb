/**
 * Which insert ids arrived in the last 7 days, of those that are sealed. A segment has a filter over its ids; what passes it is
 * looked for among the segment's own ids, so that two different ids are never taken for one, and equal ones are always found.
 * Client ids are random: anything sorted by them would be written all over for every batch.
 */
import { hashKey, passesFilter, type FuseFilter, type KeyHash } from './fuse-filter.ts';
import { indexCache } from './index-cache.ts';
import type { SoughtId } from './insert-key.ts';
import { INSERT_FILTER, INSERT_ID, RECEIVED } from './segment/columns.ts';
import { IdLookup } from './segment/id-lookup.ts';
import { decodeFilter, decodeReceived } from './segment/insert-filter.ts';
import { decodeInsertIds } from './segment/insert-ids.ts';
import { guarded, prepared, type Connection } from './shard-file.ts';
import type { SegmentEntry } from './shard-state.ts';
import { bytesOf, type StoredBytes } from './stored-bytes.ts';

/** An id that arrived this long ago, or longer, may come again. Milliseconds. */
export const WINDOW = 7 * 86_400_000;

export interface SealedIdsOptions {
  /** Memory of filters; those that find no room in it are read again. */
  readonly bytes: number;
  readonly secret: () => readonly [number, number];
}

interface Entry {
  readonly segment: number;
  readonly first: number;
  readonly last: number;
  /** null: not needed yet, or without room. */
  filter: FuseFilter | null;
}

let instances = 0;

export class SealedIds {
  readonly #options: SealedIdsOptions;
  /** Begins the keys of this shard's columns in the cache. */
  readonly #prefix = `${++instances}/`;
  #segments: readonly SegmentEntry[] = [];
  #entries: Entry[] = [];
  #memory = 0;
  readonly #hash: KeyHash = { seed: 0, a: 0, b: 0, print: 0 };

  constructor(options: SealedIdsOptions) {
    this.#options = options;
  }

  /** Bytes of memory held by filters. */
  get memory(): number {
    return this.#memory;
  }

  /** Whether the id arrived less than WINDOW before `now`. @param segments Those of the shard at this moment. */
  has(connection: () => Connection, segments: readonly SegmentEntry[], id: SoughtId, now: number): boolean {
    if (segments !== this.#segments) this.#take(segments);
    const key = this.#hash;
    let hashed = false;
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      const entry = this.#entries[i]!;
      if (entry.last <= now - WINDOW) continue;
      const filter = entry.filter ?? this.#read(connection, entry);
      if (!hashed || filter.seed !== key.seed) hashKey(id.high, id.low, filter.seed, key);
      hashed = true;
      if (passesFilter(filter, key) && this.#isIn(connection, entry, id, now)) return true;
    }
    return false;
  }

  #take(segments: readonly SegmentEntry[]): void {
    const known = new Map(this.#entries.map((entry) => [entry.segment, entry]));
    this.#segments = segments;
    this.#entries = segments.flatMap(({ id, ids }) =>
      ids === null ? [] : [known.get(id) ?? { segment: id, ...ids, filter: null }],
    );
    this.#memory = this.#entries.reduce((sum, { filter }) => sum + (filter?.cells.byteLength ?? 0), 0);
    const live = new Set(this.#entries.map(({ segment }) => segment));
    for (const id of known.keys()) if (!live.has(id)) indexCache.forget(`${this.#prefix}${id}/`);
  }

  #read(connection: () => Connection, entry: Entry): FuseFilter {
    const filter = this.#cached(entry, 'filter', () => {
      const value = decodeFilter(column(connection(), entry.segment, INSERT_FILTER));
      return { value, bytes: value.cells.byteLength };
    });
    const { byteLength } = filter.cells;
    if (this.#memory + byteLength <= this.#options.bytes) {
      entry.filter = filter;
      this.#memory += byteLength;
      indexCache.forget(this.#key(entry, 'filter'));
    }
    return filter;
  }

  #isIn(connection: () => Connection, entry: Entry, id: SoughtId, now: number): boolean {
    const ids = this.#cached(entry, 'ids', () => {
      const value = new IdLookup(
        decodeInsertIds(column(connection(), entry.segment, INSERT_ID)),
        this.#options.secret(),
      );
      return { value, bytes: value.bytes };
    });
    return ids.some(id, (row) => this.#received(connection, entry, row) > now - WINDOW);
  }

  #received(connection: () => Connection, entry: Entry, row: number): number {
    const times = this.#cached(entry, 'received', () => {
      const value = decodeReceived(column(connection(), entry.segment, RECEIVED), entry);
      return { value, bytes: value.byteLength };
    });
    return times[row]!;
  }

  #cached<T>(entry: Entry, name: string, make: () => { readonly value: T; readonly bytes: number }): T {
    return indexCache.get(this.#key(entry, name), () => guarded('insert ids', make));
  }

  #key({ segment }: Entry, name: string): string {
    return `${this.#prefix}${segment}/${name}`;
  }
}

function column(connection: Connection, segment: number, field: number): Buffer {
  const row = prepared<[number, number], StoredBytes>(
    connection,
    'SELECT data, sum FROM columns WHERE segment = ? AND field = ?',
  ).get(segment, field);
  if (!row) throw new Error(`segment ${segment} lacks column ${field}`);
  return bytesOf(row);
}

/** Segments whose ids may all come again. */
export const expiredIds = (segments: readonly SegmentEntry[], now: number): number[] =>
  segments.flatMap(({ id, ids }) => (ids !== null && ids.last <= now - WINDOW ? [id] : []));

/**
 * Ids that arrived after this must be known from now on; Infinity: there are none. Where one arrived by a clock that was ahead,
 * the present one counts.
 */
export const sinceOf = (segments: readonly SegmentEntry[], now: number): number => {
  const last = segments.reduce((most, { ids }) => Math.max(most, ids?.last ?? -Infinity), -Infinity);
  return last === -Infinity ? Infinity : Math.min(last, now) - WINDOW;
};
