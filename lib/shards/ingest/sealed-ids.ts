/**
 * Which sealed insert ids arrived in the last 7 days, and which are of imports, however old. A segment has a filter over its ids; ids that pass are looked up among the
 * segment's own ids, so two different ids are never confused, and equal ones are always found. Client ids are random: anything
 * sorted by them would be rewritten all over for every batch.
 */
import { elsewhere, type Steps } from '../steps.ts';
import { hashForFilter, passesFilter, type FuseFilter, type KeyHash } from '../hashing/fuse-filter.ts';
import type { IdLooks } from './request-scope.ts';
import { indexCache } from '../segment/column-cache.ts';
import { ID_WINDOW } from '../event.ts';
import { emptySought, type SoughtId } from '../segment/insert-ids/insert-key.ts';
import { COLUMN } from '../segment/columns.ts';
import { decodeFilter, isOfMuchText, type IdSpan } from '../segment/insert-ids/insert-filter.ts';
import type { IdPlace } from '../segment/insert-ids/insert-ids.ts';
import { segmentColumn } from '../segment/store.ts';
import {
  FOUND,
  readInsertIds,
  readReceived,
  seekText,
  SegmentIds,
  type Look,
} from '../segment/insert-ids/segment-ids.ts';
import { guarded, type Connection } from '../file/shard-file.ts';
import type { SegmentEntry } from '../segment/shard-meta.ts';
import type { Secret } from '../hashing/text-hash.ts';

/** An id that may be a repeat. */
export interface AskedId {
  readonly id: SoughtId;
  /** All of it. */
  readonly text: IdPlace;
  /** Whether its event is of an import. */
  readonly isImported: boolean;
}

/** A request whose ids may be repeats. */
export interface IdQuestion {
  readonly context: { readonly receivedAt: number };
  readonly looks: IdLooks;
}

export interface SealedIdsOptions {
  /** Memory for filters; those that do not fit are read again. */
  readonly bytes: number;
  readonly secret: () => Secret;
}

interface Entry extends IdSpan {
  readonly segment: number;
  /** null: not needed yet, or no room. */
  filter: FuseFilter | null;
}

let instances = 0;
/** Seeds are whole numbers, so this matches no filter: nothing is hashed yet. */
const UNHASHED = -1;

export class SealedIds {
  readonly #options: SealedIdsOptions;
  /** Prefix of this shard's keys in the cache. */
  readonly #prefix = `${++instances}/`;
  #segments: readonly SegmentEntry[] = [];
  #entries: Entry[] = [];
  #memory = 0;
  readonly #hash: KeyHash = { seed: UNHASHED, a: 0, b: 0, print: 0 };

  constructor(options: SealedIdsOptions) {
    this.#options = options;
  }

  /** Bytes held by filters. */
  get memory(): number {
    return this.#memory;
  }

  /**
   * Whether the id arrived less than ID_WINDOW before the request, or is of an import and that of another, as far as known without
   * reading: `looks` has what was read, and notes what must be. @param segments The shard's current segments.
   */
  has(segments: readonly SegmentEntry[], { id, text, isImported }: AskedId, { context, looks }: IdQuestion): boolean {
    if (segments !== this.#segments) this.#take(segments);
    const since = context.receivedAt - ID_WINDOW;
    const counting = isImported ? FOUND.recent | FOUND.imported : FOUND.recent;
    this.#hash.seed = UNHASHED;
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      const entry = this.#entries[i]!;
      if (entry.last <= since && !(isImported && entry.imports)) continue;
      const filter = entry.filter ?? indexCache.peek<FuseFilter>(this.#key(entry, 'filter'));
      if (filter && !this.#passes(filter, id)) continue;
      const ids = filter && indexCache.peek<SegmentIds>(this.#key(entry, 'ids'));
      const told = ids ? ids.found(id, since) : looks.told(entry.segment, text);
      if (told === undefined) looks.ask(entry.segment, text);
      else if ((told & counting) !== 0) return true;
    }
    return false;
  }

  /** Looks up the ids noted in `looks`, segment by segment: all ids of one at once, and elsewhere if it takes long. */
  *read(connection: () => Connection, segments: readonly SegmentEntry[], { context, looks }: IdQuestion): Steps<void> {
    if (segments !== this.#segments) this.#take(segments);
    const since = context.receivedAt - ID_WINDOW;
    const sought = emptySought();
    for (const [segment, ids] of looks.take()) {
      const entry = this.#entries.find((one) => one.segment === segment);
      if (!entry) continue; // nobody will ask for it again
      const secret = this.#options.secret();
      const filter = entry.filter ?? this.#read(connection, entry);
      const passing: string[] = [];
      for (const id of ids) {
        this.#hash.seed = UNHASHED;
        if (this.#passes(filter, seekText(id, secret, sought))) passing.push(id);
        else looks.tell(segment, id, 0);
      }
      yield;
      if (passing.length === 0) continue;
      const look = { ids: passing, since };
      const source = { segment, first: entry.first };
      const found = isOfMuchText(filter)
        ? yield* elsewhere<'insert_ids'>({ op: 'insert_ids', source, look, secret })
        : yield* this.#find(connection, entry, look);
      for (const [i, id] of passing.entries()) looks.tell(segment, id, found[i]!);
      yield;
    }
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
      const value = decodeFilter(segmentColumn(connection(), entry.segment, COLUMN.insertFilter));
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

  /** Which ids a segment has; its own stay cached for the next lookup. Each step takes some milliseconds in a large segment. */
  *#find(connection: () => Connection, entry: Entry, look: Look): Steps<number[]> {
    const known = this.#readIds(connection, entry);
    yield;
    return known.find(look, this.#options.secret());
  }

  #readIds(connection: () => Connection, entry: Entry): SegmentIds {
    return this.#cached(entry, 'ids', () => {
      const received = (): Float64Array => guarded('insert ids', () => readReceived(connection(), entry));
      const value = new SegmentIds(readInsertIds(connection(), entry), received);
      return { value, bytes: value.bytes };
    });
  }

  #passes(filter: FuseFilter, { high, low }: SoughtId): boolean {
    const key = this.#hash;
    if (key.seed !== filter.seed) hashForFilter(high, low, filter.seed, key);
    return passesFilter(filter, key);
  }

  #cached<T>(entry: Entry, name: string, make: () => { readonly value: T; readonly bytes: number }): T {
    return indexCache.get(this.#key(entry, name), () => guarded('insert ids', make));
  }

  #key({ segment }: Entry, name: string): string {
    return `${this.#prefix}${segment}/${name}`;
  }
}

/** Segments whose ids have all expired: those of imports never do. */
export const expiredIds = (segments: readonly SegmentEntry[], now: number): number[] =>
  segments.flatMap(({ id, ids }) => (ids !== null && !ids.imports && ids.last <= now - ID_WINDOW ? [id] : []));

/**
 * Ids that arrived after this must be known from now on; Infinity if there are none. If one arrived by a clock that was ahead,
 * the current time counts.
 */
export const sinceOf = (segments: readonly SegmentEntry[], now: number): number => {
  const last = segments.reduce((most, { ids }) => Math.max(most, ids?.last ?? -Infinity), -Infinity);
  return last === -Infinity ? Infinity : Math.min(last, now) - ID_WINDOW;
};
