/**
 * Which sealed insert ids arrived in the last 7 days, and which are of imports, however old. A segment has a filter over its ids; ids that pass are looked up among the
 * segment's own ids, so two different ids are never confused, and equal ones are always found. Client ids are random: anything
 * sorted by them would be rewritten all over for every batch.
 */
import { elsewhere, type Steps } from '../steps.ts';
import { hashKeys, passingKeys, type FuseFilter, type KeyHashes } from '../hashing/fuse-filter.ts';
import type { IdLooks } from './id-looks.ts';
import { indexCache } from '../segment/column-cache.ts';
import { ID_WINDOW } from '../event.ts';
import { COLUMN } from '../segment/columns.ts';
import { decodeFilter, type GroupFilter, isOfMuchText, type IdSpan } from '../segment/insert-ids/insert-filter.ts';
import { segmentColumn } from '../segment/store.ts';
import { readInsertIds, readReceived, SegmentIds, type Look } from '../segment/insert-ids/segment-ids.ts';
import { guarded, type Connection } from '../file/shard-file.ts';
import { threshold } from '../../base/threshold.ts';
import type { SegmentEntry } from '../segment/shard-meta.ts';
import type { Secret } from '../hashing/text-hash.ts';

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

/** Ids that pass a filter, by their places in `looks`. */
interface Passing extends Pick<IdQuestion, 'looks'> {
  readonly filter: FuseFilter;
  readonly passing: readonly number[];
  readonly since: number;
}

interface Entry extends IdSpan {
  readonly segment: number;
  /** null: not needed yet, or no room, or a group's is asked. */
  filter: FuseFilter | null;
  group: GroupFilter | null;
}

let instances = 0;
/** Keys that ask filters in one step: some hundred microseconds. */
const STEP = 2_048;
/**
 * Segments that get a filter in common: a request asks a few large ones where it would wait for memory hundreds of times (a hundred
 * million events are four hundred segments).
 */
const GROUP = threshold('segments with one filter of insert ids', 16, { least: 1 });

const bytesOf = (filter: FuseFilter | null): number => filter?.cells.byteLength ?? 0;

export class SealedIds {
  readonly #options: SealedIdsOptions;
  /** Prefix of this shard's keys in the cache. */
  readonly #prefix = `${++instances}/`;
  #segments: readonly SegmentEntry[] = [];
  #entries: Entry[] = [];
  #memory = 0;

  constructor(options: SealedIdsOptions) {
    this.#options = options;
  }

  /** Bytes held by filters. */
  get memory(): number {
    return this.#memory;
  }

  /**
   * Looks for the ids that a reading of the request met: which of them arrived less than ID_WINDOW before it, or are of an import and
   * those of another. Returns whether any is, which `looks` then knows: the request is read again without them. Segment by segment,
   * for all ids at once, and elsewhere if it takes long. @param segments The shard's current segments.
   */
  *findRepeats(connection: () => Connection, segments: readonly SegmentEntry[], question: IdQuestion): Steps<boolean> {
    this.#follow(segments);
    const { context, looks } = question;
    if (looks.high.length === 0) return false;
    const since = context.receivedAt - ID_WINDOW;
    const all = new Asking(looks, null);
    const ofGroups = new Map<GroupFilter, Asking>();
    let anyFound = false;
    let asked = 0;
    for (const entry of this.#entries.toReversed()) {
      if (entry.last <= since && !(entry.imports && looks.anyImported)) continue;
      const { group } = entry;
      if (group !== null && !ofGroups.has(group)) ofGroups.set(group, new Asking(looks, all.passing(group.filter)));
      const asking = group === null ? all : ofGroups.get(group)!;
      if (asking.count === 0) continue;
      const filter = entry.filter ?? this.#read(connection, entry);
      const passing = asking.passing(filter);
      if (passing.length > 0 && (yield* this.#tell(connection, entry, { filter, passing, since, looks })))
        anyFound = true;
      asked += asking.count;
      if (asked < STEP) continue;
      asked = 0;
      yield;
    }
    return anyFound;
  }

  /** The oldest segments that should get a filter in common; null if there are too few, or it finds no room. */
  ungrouped(segments: readonly SegmentEntry[]): readonly number[] | null {
    this.#follow(segments);
    const tidy = new Set(segments.flatMap(({ id, tidy: isTidy }) => (isTidy ? [id] : [])));
    const chosen = this.#entries
      .filter(({ segment, group }) => group === null && tidy.has(segment))
      .slice(0, GROUP.value);
    if (chosen.length < GROUP.value) return null;
    const ids = new Set(chosen.map(({ segment }) => segment));
    const rows = segments.reduce((sum, { id, rows: own }) => sum + (ids.has(id) ? own : 0), 0);
    const held = chosen.reduce((sum, { filter }) => sum + bytesOf(filter), 0);
    return this.#memory - held + rows * FILTER_BYTES > this.#options.bytes ? null : [...ids];
  }

  /** Has these segments' filter asked in place of theirs. */
  group(segments: readonly SegmentEntry[], group: GroupFilter): void {
    this.#follow(segments);
    for (const entry of this.#entries) {
      if (!group.segments.includes(entry.segment)) continue;
      entry.group = group;
      entry.filter = null;
    }
    this.#count();
  }

  /** Looks up the ids that pass a filter. Returns whether one is a repeat. */
  *#tell(connection: () => Connection, entry: Entry, { filter, passing, since, looks }: Passing): Steps<boolean> {
    const { segment, first } = entry;
    const sought = passing.flatMap((at) => {
      const text = looks.sought(at, segment);
      return text === null ? [] : [{ at, text }];
    });
    if (sought.length === 0) return false;
    yield;
    const look = { ids: sought.map(({ text }) => text), since };
    const found = isOfMuchText(filter)
      ? yield* elsewhere<'insert_ids'>({
          op: 'insert_ids',
          source: { segment, first },
          look,
          secret: this.#options.secret(),
        })
      : yield* this.#find(connection, entry, look);
    let any = false;
    for (const [i, { at }] of sought.entries()) any = looks.tell(at, segment, found[i]!) || any;
    yield;
    return any;
  }

  #follow(segments: readonly SegmentEntry[]): void {
    if (segments === this.#segments) return;
    const known = new Map(this.#entries.map((entry) => [entry.segment, entry]));
    this.#segments = segments;
    this.#entries = segments.flatMap(({ id, ids }) =>
      ids === null ? [] : [known.get(id) ?? { segment: id, ...ids, filter: null, group: null }],
    );
    this.#dissolve();
    this.#count();
    const live = new Set(this.#entries.map(({ segment }) => segment));
    for (const id of known.keys()) if (!live.has(id)) indexCache.forget(`${this.#prefix}${id}/`);
  }

  /** Of groups of which less than half is left: the filter of one takes memory for all. */
  #dissolve(): void {
    const left = new Map<GroupFilter | null, number>();
    for (const { group } of this.#entries) left.set(group, (left.get(group) ?? 0) + 1);
    for (const entry of this.#entries)
      if (entry.group !== null && left.get(entry.group)! * 2 < entry.group.segments.length) entry.group = null;
  }

  #count(): void {
    const groups = new Set(this.#entries.map(({ group }) => group));
    const ofGroups = [...groups].reduce((sum, group) => sum + bytesOf(group?.filter ?? null), 0);
    this.#memory = this.#entries.reduce((sum, { filter }) => sum + bytesOf(filter), ofGroups);
  }

  #read(connection: () => Connection, entry: Entry): FuseFilter {
    const read = (): FuseFilter => decodeFilter(segmentColumn(connection(), entry.segment, COLUMN.insertFilter));
    // Of a group's it is asked about one id in thousands, by chance: kept, it would push out what is asked all the time.
    if (entry.group !== null) return guarded('insert ids', read);
    const filter = this.#cached(entry, 'filter', () => {
      const value = read();
      return { value, bytes: bytesOf(value) };
    });
    const bytes = bytesOf(filter);
    if (this.#memory + bytes <= this.#options.bytes) {
      entry.filter = filter;
      this.#memory += bytes;
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
      const value = new SegmentIds(readInsertIds(connection(), entry.segment), received);
      return { value, bytes: value.bytes };
    });
  }

  #cached<T>(entry: Entry, name: string, make: () => { readonly value: T; readonly bytes: number }): T {
    return indexCache.get(this.#key(entry, name), () => guarded('insert ids', make));
  }

  #key({ segment }: Entry, name: string): string {
    return `${this.#prefix}${segment}/${name}`;
  }
}

/** Of an id, in a filter of cells of two bytes. */
const FILTER_BYTES = 2.3;

/** Some ids of a request, which ask filters. */
class Asking {
  readonly #looks: IdLooks;
  readonly #places: readonly number[] | null;
  #hashes: KeyHashes | null = null;

  /** @param places Which of the ids; null: all. */
  constructor(looks: IdLooks, places: readonly number[] | null) {
    this.#looks = looks;
    this.#places = places;
  }

  get count(): number {
    return this.#places?.length ?? this.#looks.high.length;
  }

  /** The places of those that pass. */
  passing(filter: FuseFilter): readonly number[] {
    const places = this.#places;
    const { high, low } = this.#looks;
    if (this.#hashes?.seed !== filter.seed) {
      const own = (halves: readonly number[]): readonly number[] => places?.map((at) => halves[at]!) ?? halves;
      this.#hashes = hashKeys(own(high), own(low), filter.seed);
    }
    const passing = passingKeys(filter, this.#hashes);
    return places === null ? passing : passing.map((nth) => places[nth]!);
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
