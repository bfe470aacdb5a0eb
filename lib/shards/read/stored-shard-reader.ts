/** The read side of one shard in one thread: segments, dictionaries, identity and profiles at the versions of a snapshot. */
import { storedColumn } from '../segment/store.ts';
import { kept } from '../../base/kept.ts';
import { makeColumn, retireColumns, WORDS } from '../../primitives/columns.ts';
import { addressOfArray, primitives, Scratch } from '../../primitives/memory.ts';
import { NOBODY_BOUND, readBindings } from '../file/bindings.ts';
import { readProfile } from '../file/profile-table.ts';
import { briefColumns } from '../segment/brief-columns.ts';
import { ColumnCache, type CachedValue, MOST_CACHED } from '../segment/column-cache.ts';
import {
  StaleSnapshot,
  type Dictionary,
  type Identity,
  type Profile,
  type ShardCatalog,
  type ShardReader,
  type Snapshot,
} from '../shard-reader.ts';
import type { ConnectionPool } from '../file/connections.ts';
import { keyOfColumn, keyOfTexts, keyOfTypes, type Chunk, type KeptShard } from '../file/read-connections.ts';
import { COLUMN, FIRST_FIELD, RARELY_READ } from '../segment/columns.ts';
import { isLongCatalog, readCatalog } from './catalog.ts';
import { StoredSegment, type SegmentSource } from '../segment/stored-segment.ts';
import { guarded, prepared, type Connection } from '../file/shard-file.ts';
import { fieldNumbers, readMeta, segmentSummary } from '../segment/shard-meta.ts';
import { checkedBytes, type StoredBytes } from '../file/stored-bytes.ts';
import { decodeTexts, describeTexts } from '../segment/encoding/texts.ts';
import { NO_PROPERTIES, readStoredProfiles, type StoredProfiles } from './stored-profiles.ts';
import { LazyProfile, rowsOfUsers, SeenTimes } from './seen-times.ts';
import { textCache, StoredDictionary, type DictionarySource } from './stored-dictionary.ts';
import { TextIndex } from '../dictionary/text-index.ts';
import type { Secret } from '../hashing/text-hash.ts';

/** Texts of stored dictionaries, for all shards of the thread; separate from the columns, so as not to evict them. */
const texts = textCache(MOST_CACHED);
/** Estimated size of a person's profile without its properties, and of a character of their JSON once parsed. */
const BYTES_PER_PERSON = 200;
const BYTES_PER_CHARACTER = 4;
/** Of a stored profile in the lists of all: who, when first and last, and a reference to the properties. */
const BYTES_PER_ROW = 32;
/** For a single lookup, nothing is worth caching. */
const NO_CACHE = new ColumnCache(0);

/** Where the connections come from, and the bytes kept of files that were closed. */
interface ShardConnections extends Pick<ConnectionPool, 'get' | 'close'> {
  kept?(file: string): KeptShard | null;
}

export class StoredShardReader implements ShardReader, SegmentSource {
  readonly #file: string;
  readonly #connections: ShardConnections;
  readonly #cache: ColumnCache;
  /** Prefix of this shard's keys in the cache, and of its dictionaries' keys. */
  readonly name: string;
  readonly #segments = new Map<number, StoredSegment>();
  readonly #dictionaries = new Map<number, StoredDictionary>();
  /** Dictionaries read since the last new segment; the others may lack texts that came with it. */
  readonly #current = new Set<number>();
  #fields: Map<string, number> | null = null;
  #fieldsOf = 0; // the newest segment when #fields was read
  #identity: Identity | null = null;
  #bound = NOBODY_BOUND;

  constructor(snapshot: Snapshot, connections: ShardConnections, cache: ColumnCache) {
    this.#file = snapshot.file;
    this.#connections = connections;
    this.#cache = cache;
    this.name = `${snapshot.project}/${snapshot.incarnation}/`;
  }

  segment(id: number): StoredSegment {
    return kept(this.#segments, id, () => {
      const summary = this.read((connection) => segmentSummary(connection, id));
      if (!summary) throw new StaleSnapshot();
      return new StoredSegment(this, summary);
    });
  }

  typesOf(segment: number): string {
    const types = this.#stored(keyOfTypes(segment), (connection) =>
      prepared<[number], StoredBytes>(
        connection,
        'SELECT CAST(types AS BLOB) AS data, sum FROM segments WHERE id = ?',
      ).get(segment),
    );
    if (types === null) throw new StaleSnapshot();
    return types.toString('utf8');
  }

  firstId(segment: number): number | null {
    return this.read((connection) => {
      const sql = 'SELECT ids_first AS first FROM segments WHERE id = ?';
      return prepared<[number], { first: number | null }>(connection, sql).get(segment)?.first ?? null;
    });
  }

  ids(): Dictionary {
    return this.dictionary(COLUMN.userId);
  }

  /** For compaction: the key for hashing insert ids. Every shard with segments has one. */
  idSecret(): Secret {
    const { idSecret } = this.read(readMeta);
    if (!idSecret) throw new Error('the shard has no secret');
    return idSecret;
  }

  eventTypes(): Dictionary {
    return this.dictionary(COLUMN.eventType);
  }

  names(): ShardCatalog | null {
    const columns = [...this.read(fieldNumbers).keys()];
    const rest = { types: [], storedTypes: this.eventTypes().size, columns, profileKeys: [] };
    return isLongCatalog(rest) ? null : this.read((connection) => readCatalog(connection, rest));
  }

  sharedDictionary(key: string): Dictionary | null {
    const field = key.startsWith(this.name) ? key.slice(this.name.length) : '';
    return /^\d+$/.test(field) ? this.dictionary(Number(field)) : null;
  }

  identity(version: number): Identity {
    // New segments bring new ids without new bindings, and new bindings bring ids without new segments.
    const ids = this.#bound.version === version ? this.ids() : this.#refresh(COLUMN.userId);
    const size = ids.size + 1;
    if (this.#identity?.version === version && this.#identity.size === size) return this.#identity;
    if (this.#bound.version !== version)
      this.#bound = this.read((connection) => readBindings(connection, version, this.#bound));
    const { codes } = this.#bound;
    this.#forgetIdentity();
    this.#identity = { version, size, personOfDevice: personsOf(codes, size) };
    return this.#identity;
  }

  boundAt(version: number): Float64Array {
    this.identity(version);
    return this.#bound.dates;
  }

  /** Gives back its memory, once no query that may know it runs any more. */
  #forgetIdentity(): void {
    if (this.#identity !== null) retireColumns([this.#identity.personOfDevice]);
    this.#identity = null;
  }

  /** Estimated memory of all people but their properties, known before they are read. */
  bytesOfPeople(): number {
    return this.#refresh(COLUMN.userId).size * BYTES_PER_PERSON;
  }

  /** Estimated memory of all stored profiles (`storedProfiles`), known before they are read. */
  bytesOfProperties(version: number): number {
    return this.cached(`bytes of properties/${version}`, () => {
      const sql = 'SELECT count(*) AS rows, coalesce(sum(length(properties)), 0) AS characters FROM profiles';
      const read = (connection: Connection): { rows: number; characters: number } | undefined =>
        connection.prepare<[], { rows: number; characters: number }>(sql).get();
      const { rows, characters } = this.read(read) ?? { rows: 0, characters: 0 };
      return { value: rows * BYTES_PER_ROW + characters * BYTES_PER_CHARACTER, bytes: 0 };
    });
  }

  /** The profile of one person, found without reading the others; null if there is none. */
  profile(snapshot: Snapshot, person: number): Profile | null {
    let firstSeen = Infinity;
    let lastSeen = -Infinity;
    for (const { id } of snapshot.segments) {
      const segment = this.segment(id);
      const row = segment.column('user_id')?.codes?.indexOf(person) ?? -1;
      if (row < 0) continue;
      firstSeen = Math.min(firstSeen, segment.times()[row]!);
      lastSeen = Math.max(lastSeen, segment.times()[segment.column('user_id')!.codes!.lastIndexOf(person)]!);
    }
    const stored = this.read((connection) => readProfile(connection, person));
    firstSeen = Math.min(firstSeen, stored.firstSeen ?? Infinity);
    lastSeen = Math.max(lastSeen, stored.lastSeen ?? -Infinity);
    if (lastSeen === -Infinity) return null;
    return { person, firstSeen, lastSeen, properties: stored.properties };
  }

  /** Switches to another snapshot: drops segments it no longer has, and will look for texts that new ones brought. */
  keepOnly(snapshot: Snapshot): void {
    this.#current.clear();
    const live = new Set(snapshot.segments.map((segment) => segment.id));
    for (const id of this.#segments.keys()) {
      if (live.has(id)) continue;
      this.#segments.delete(id);
      this.#cache.forget(`${this.name}${id}/`);
    }
  }

  /** Drops everything of the shard from the caches of the thread, which would keep and count it for good. */
  forget(): void {
    this.#segments.clear();
    this.#forgetIdentity();
    briefColumns.forget();
    this.#cache.forget(this.name);
    for (const dictionary of this.#dictionaries.values()) dictionary.forget();
    this.#connections.close(this.#file);
  }

  read<T>(use: (connection: Connection) => T): T {
    return guarded(this.#file, () => use(this.#connections.get(this.#file)));
  }

  /** Bytes that are kept in memory, or else in the file; null if there are none. @param key null: they are never kept. */
  #stored(key: string | null, select: (connection: Connection) => StoredBytes | undefined): Buffer | null {
    return guarded(this.#file, () => {
      const kept = key === null ? undefined : this.#connections.kept?.(this.#file)?.bytes;
      const row = kept === undefined ? select(this.#connections.get(this.#file)) : kept.get(key!);
      return row === undefined ? null : checkedBytes(row);
    });
  }

  cached<T>(key: string, make: () => CachedValue<T>): T {
    return this.#cache.get(this.name + key, make);
  }

  isCached(key: string): boolean {
    return this.#cache.has(this.name + key);
  }

  columnBytes(segment: number, field: number): Buffer | null {
    return this.#stored(RARELY_READ.includes(field) ? null : keyOfColumn(segment, field), (connection) =>
      storedColumn(connection, segment, field),
    );
  }

  eachTextColumn(segment: number, use: (data: Buffer) => void): void {
    this.read((connection) => {
      const columns = connection
        .prepare<[number, number, number], Buffer>(
          'SELECT data FROM columns WHERE segment = ? AND (field = ? OR field >= ?)',
        )
        .pluck();
      for (const data of columns.iterate(segment, COLUMN.insertId, FIRST_FIELD)) use(data);
    });
  }

  fieldNumber(key: string, segment: number): number | null {
    if (!this.#fields || this.#fieldsOf < segment) {
      this.#fields = this.read(fieldNumbers);
      this.#fieldsOf = segment;
    }
    return this.#fields.get(key) ?? null;
  }

  fieldKeys(segment: number): ReadonlyMap<string, number> {
    this.fieldNumber('', segment);
    return this.#fields!;
  }

  dictionary(field: number): StoredDictionary {
    const known = this.#dictionaries.get(field);
    return known && known.size > 0 && this.#current.has(field) ? known : this.#refresh(field);
  }

  #refresh(field: number): StoredDictionary {
    const dictionary = kept(
      this.#dictionaries,
      field,
      () => new StoredDictionary(`${this.name}${field}`, this.#source(field), texts),
    );
    dictionary.refresh();
    this.#current.add(field);
    return dictionary;
  }

  #source(field: number): DictionarySource {
    const bytes = (first: number): Buffer => {
      const stored = this.#stored(keyOfTexts(field, first), (connection) =>
        prepared<[number, number], StoredBytes>(
          connection,
          'SELECT data, sum FROM dictionaries WHERE field = ? AND first = ?',
        ).get(field, first),
      );
      if (stored === null) throw new StaleSnapshot();
      return stored;
    };
    return {
      chunks: (first) => {
        const kept = this.#connections.kept?.(this.#file) ?? null;
        if (kept !== null) return (kept.chunks.get(field) ?? []).filter((chunk) => chunk.first >= first);
        return this.read((connection) =>
          prepared<[number, number], Chunk>(
            connection,
            'SELECT first, count FROM dictionaries WHERE field = ? AND first >= ? ORDER BY first',
          ).all(field, first),
        );
      },
      texts: (first) => decodeTexts(bytes(first)),
      // Ids, sessions and event types are strings; no row has erased ones.
      onlyStrings: (first) => field < FIRST_FIELD || describeTexts(bytes(first)).onlyStrings,
      find: (text) => (field < FIRST_FIELD ? this.#findIndexed(field, text) : null),
    };
  }

  #findIndexed(field: number, text: Buffer): { code: number; indexed: number } | null {
    return this.read((connection) => {
      const { idSecret } = readMeta(connection);
      if (!idSecret) return null;
      const index = new TextIndex({ field, secret: () => idSecret, room: { left: 0 }, cache: NO_CACHE });
      index.load(connection);
      return { code: index.find(() => connection, text, 0, text.length), indexed: index.indexed };
    });
  }

  /** @param stored As `storedProfiles` answers for the snapshot's version. */
  profiles(snapshot: Snapshot, stored = this.storedProfiles(snapshot.profileVersion)): readonly Profile[] {
    const size = this.#refresh(COLUMN.userId).size + 1;
    const segments = snapshot.segments.map(({ id }) => this.segment(id));
    const seen = rowsOfUsers(segments, size);
    const times = new SeenTimes(segments, size);
    const { persons, firstSeen, lastSeen, properties } = stored;
    const profiles: Profile[] = [];
    for (let person = 1, at = 0; person < size; person++) {
      const isStored = persons[at] === person;
      if (isStored) times.add(person, firstSeen[at]!, lastSeen[at]!);
      if (seen[person]! > 0 || (isStored && lastSeen[at]! > -Infinity))
        profiles.push(new LazyProfile(person, isStored ? properties[at]! : NO_PROPERTIES, times));
      if (isStored) at++;
    }
    return profiles;
  }

  /** Throws StaleSnapshot if the shard has moved on from the version. */
  storedProfiles(version: number): StoredProfiles {
    return this.#inVersion(version, readStoredProfiles);
  }

  /** What is read of these persons' properties, found without those of others. Throws as `storedProfiles`. */
  fromProperties<T>(version: number, persons: Uint32Array, read: (properties: Profile['properties']) => T): T[] {
    return this.#inVersion(version, (connection) =>
      Array.from(persons, (person) => read(readProfile(connection, person).properties)),
    );
  }

  #inVersion<T>(version: number, read: (connection: Connection) => T): T {
    return this.read((connection) =>
      connection.transaction(() => {
        if (readMeta(connection).profileVersion !== version) throw new StaleSnapshot();
        return read(connection);
      })(),
    );
  }
}

/** By device code: the user it is bound to, else the device itself. */
function personsOf(bound: Uint32Array, size: number): Uint32Array {
  const known = Math.min(bound.length, size);
  return makeColumn(WORDS, { room: size, length: size }, (out) => {
    primitives.ownPersons(addressOfArray(bound, boundRoom), known, size, out);
  });
}

const boundRoom = new Scratch();
