/** What the writer knows of one shard: dictionaries, fields, segments, versions. Read from the file when first needed. */
import { randomInt } from 'node:crypto';
import { storedTexts } from '../dictionary/chunks.ts';
import type { Steps } from '../steps.ts';
import { indexCache } from '../segment/column-cache.ts';
import { PendingField, type FieldRoom } from './rows/pending-field.ts';
import { textOf } from '../hashing/hash.ts';
import { SealedIds, type IdQuestion } from './sealed-ids.ts';
import { COLUMN, FIRST_FIELD } from '../segment/columns.ts';
import type { GroupFilter } from '../segment/insert-ids/insert-filter.ts';
import type { Connection } from '../file/shard-file.ts';
import { smallTable } from '../file/small-tables.ts';
import { readMeta, readSegments, WORD_VALUES, type SegmentEntry } from '../segment/shard-meta.ts';
import { textPlaceOf, SharedTexts } from '../dictionary/shared-texts.ts';
import type { TextRunHead } from '../dictionary/text-runs.ts';
import type { StateBatch } from '../state-batch.ts';
import { TextTable } from '../dictionary/text-table.ts';
import { UsageCounters, type DayCounts } from '../file/usage-counters.ts';
import type { Secret } from '../hashing/text-hash.ts';

/** Limit of columns for a project's event and user properties; further keys share one overflow column per space. */
export const MAX_COLUMNS = 2000;
/** Properties that always get a column: `_url`, `_title`, `_referrer` and their parts come from them. */
const ALWAYS_A_COLUMN: ReadonlySet<string> = new Set(['url', 'title', 'referrer']);

/** The spaces of field keys. The table of keys uses these numbers as types. */
export const SPACE = { event: 0, user: 1, enriched: 2 } as const;
const PREFIXES = ['p:', 'u:', ''] as const;
type KeySpace = (typeof SPACE)[keyof typeof SPACE];

/** The state of a shard's file once it holds everything up to a moment. */
export interface AfterSeal {
  /** How often bindings and profiles changed. */
  readonly identityVersion: number;
  readonly profileVersion: number;
  readonly nextArrival: number;
  readonly usage: readonly DayCounts[];
}

export class ShardState {
  /** Texts of user and device ids. */
  readonly ids: SharedTexts;
  readonly sessions: SharedTexts;
  readonly types: SharedTexts;
  readonly usage = new UsageCounters();
  /** A new array whenever they change. */
  segments: readonly SegmentEntry[] = [];
  /** The arrival number of the next event; sealed ones are smaller. */
  nextArrival = 1;
  /** The same in the file. */
  storedArrival = 1;
  identityVersion = 0;
  profileVersion = 0;
  /** When the shard began to keep the dates of changes to profiles, milliseconds since the epoch; -Infinity: it always has. */
  datedSince = -Infinity;
  /** Distinguishes this file from another of the same name. */
  incarnation = randomInt(WORD_VALUES);
  /** The key for hashing insert ids; fixed for the life of the shard. */
  idSecret: Secret = [randomInt(WORD_VALUES), randomInt(WORD_VALUES)];
  readonly #keys = new TextTable();
  readonly #fields: PendingField[] = []; // by code of #keys - 1
  #propertyColumns = 0;
  #nextField = FIRST_FIELD;
  #unsavedFields: PendingField[] = [];
  /** How many of them the next seal stores. */
  #takenFields = 0;
  readonly #room: FieldRoom;
  readonly #sealedIds: SealedIds;

  /**
   * @param dictionaryBytes Limit for dictionaries: three eighths for ids, a quarter for all properties, three eighths for the
   *   filters that tell new ids and sessions from earlier ones, of two bytes each: without one, every new id is looked up on disk.
   *   Twice as much for the filters of insert ids: a request asks all of them.
   */
  constructor(dictionaryBytes: number) {
    const secret = (): Secret => this.idSecret;
    const room = { left: (dictionaryBytes * 3) / 8 };
    const shared = (field: number, bytes: number): SharedTexts =>
      new SharedTexts({ field, bytes, secret, cache: indexCache, room });
    this.ids = shared(COLUMN.userId, (dictionaryBytes * 3) / 8);
    this.sessions = shared(COLUMN.sessionId, dictionaryBytes / 8);
    this.types = shared(COLUMN.eventType, dictionaryBytes / 16);
    this.#room = { left: dictionaryBytes / 4, fresh: 0 };
    this.#sealedIds = new SealedIds({ bytes: 2 * dictionaryBytes, secret });
  }

  /** Reads the small parts. A property's dictionary is read when its first value arrives. */
  load(open: () => Connection): void {
    const connection = open();
    const meta = readMeta(connection);
    this.nextArrival = this.storedArrival = meta.nextArrival;
    this.identityVersion = meta.identityVersion;
    this.profileVersion = meta.profileVersion;
    this.datedSince = meta.datedSince;
    this.incarnation = meta.incarnation ?? this.incarnation;
    this.idSecret = meta.idSecret ?? this.idSecret;
    this.segments = readSegments(connection);
    for (const texts of this.#shared) texts.load(connection);
    for (const [id, key] of smallTable(connection, 'fields')) {
      this.#register(new PendingField(id, key, this.#room, () => loadTable(open(), id)));
      this.#nextField = id + 1;
    }
    this.usage.load(connection);
  }

  /** Looks for repeats of sealed insert ids: see `SealedIds.findRepeats`. */
  findRepeats(connection: () => Connection, question: IdQuestion): Steps<boolean> {
    return this.#sealedIds.findRepeats(connection, this.segments, question);
  }

  /** Segments that should get a filter of insert ids in common: see `SealedIds.ungrouped`. */
  get ungroupedIds(): readonly number[] | null {
    return this.#sealedIds.ungrouped(this.segments);
  }

  groupIds(group: GroupFilter): void {
    this.#sealedIds.group(this.segments, group);
  }

  get fields(): readonly PendingField[] {
    return this.#fields;
  }

  /** Bytes of text that the next seal compresses for the dictionaries. */
  get freshText(): number {
    return this.#room.fresh + this.ids.freshBytes + this.sessions.freshBytes + this.types.freshBytes;
  }

  /** The dictionaries with an index. */
  get #shared(): readonly SharedTexts[] {
    return [this.ids, this.sessions, this.types];
  }

  /** The dictionary of a core field. */
  sharedTexts(field: number): SharedTexts {
    const found = this.#shared.find((texts) => texts.field === field);
    if (!found) throw new Error(`field ${field} has no shared dictionary`);
    return found;
  }

  /** Whether a save would add texts to an index, even if none is new. */
  get unindexed(): boolean {
    return this.#shared.some((texts) => texts.unindexed);
  }

  /** Runs to merge, of the first dictionary whose index has any. */
  mergeableTexts(): { readonly field: number; readonly runs: readonly number[] } | null {
    for (const { field, index } of this.#shared) {
      const runs = index.mergeable();
      if (runs.length > 0) return { field, runs };
    }
    return null;
  }

  get memory(): number {
    let bytes = this.#sealedIds.memory;
    for (const texts of this.#shared) bytes += texts.memory;
    for (const field of this.#fields) bytes += field.memory;
    return bytes;
  }

  /** The field of a property's key; null if the project has reached its column limit. */
  propertyField(
    space: typeof SPACE.event | typeof SPACE.user,
    bytes: Uint8Array,
    start: number,
    end: number,
    hash: number,
  ): PendingField | null {
    const known = this.#keys.find(bytes, start, end, hash, space);
    if (known !== 0) return this.#fields[known - 1]!;
    const key = textOf(bytes, start, end);
    const hasRoom = this.#propertyColumns < MAX_COLUMNS || (space === SPACE.event && ALWAYS_A_COLUMN.has(key));
    return hasRoom ? this.#create(space, key) : null;
  }

  /** The field of a key whatever the limit: of an enriched column (`_browser`), or of the keys of a space beyond the limit. */
  unlimitedField(space: KeySpace, key: string): PendingField {
    const { bytes, start, end, hash } = textPlaceOf(key);
    const code = this.#keys.find(bytes, start, end, hash, space);
    return code === 0 ? this.#create(space, key) : this.#fields[code - 1]!;
  }

  /** Sets aside what a seal stores; what follows is for the next one. */
  freeze(): void {
    this.#takenFields = this.#unsavedFields.length;
    this.#room.fresh = 0;
    for (const texts of this.#shared) texts.freeze();
    for (const field of this.#fields) field.freeze();
  }

  /**
   * What was frozen besides rows, bindings and profiles: the same each time, as a disk may have what it said that it does not.
   * Call `saved` once it is stored. @param after The state after the seal.
   */
  batch({ identityVersion, profileVersion, nextArrival, usage }: AfterSeal): StateBatch {
    const { incarnation, idSecret: secret } = this;
    return {
      meta: {
        next_arrival: nextArrival,
        identity_version: identityVersion,
        profile_version: profileVersion,
        incarnation,
        id_secret_1: secret[0],
        id_secret_2: secret[1],
      },
      secret,
      fields: this.#unsavedFields.slice(0, this.#takenFields).map(({ id, key }) => ({ id, key })),
      shared: this.#shared.map((texts) => texts.batch()),
      properties: this.#fields.flatMap((field) => field.freshTexts() ?? []),
      usage,
    };
  }

  /** @param textRuns Runs added to indexes. */
  saved(textRuns: readonly TextRunHead[]): void {
    this.#unsavedFields = this.#unsavedFields.slice(this.#takenFields);
    for (const texts of this.#shared) texts.saved(textRuns.find(({ field }) => field === texts.field));
    for (const field of this.#fields) field.saved();
    this.usage.saved();
  }

  #create(space: KeySpace, key: string): PendingField {
    const field = new PendingField(this.#nextField++, PREFIXES[space] + key, this.#room);
    this.#unsavedFields.push(field);
    return this.#register(field);
  }

  #register(field: PendingField): PendingField {
    const space = field.key.startsWith('p:') ? SPACE.event : field.key.startsWith('u:') ? SPACE.user : SPACE.enriched;
    if (space !== SPACE.enriched) this.#propertyColumns++;
    const { bytes, start, end, hash } = textPlaceOf(field.key.slice(PREFIXES[space].length));
    this.#keys.code(bytes, start, end, hash, space);
    this.#fields.push(field);
    return field;
  }
}

function loadTable(connection: Connection, field: number): TextTable {
  const table = new TextTable();
  for (const { list } of storedTexts(connection, field)) table.load(list);
  return table;
}
