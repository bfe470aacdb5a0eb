/**
 * One project in the writer: reads requests into pending rows, rolls back failed ones, and seals the rows into a segment. Nothing
 * here waits; writer.ts decides when.
 */
import { MOST_PROFILES, tooManyProfiles } from '../ingest/enrich/profile.ts';
import { monotonic } from '../../base/monotonic.ts';
import { encodeBindings } from '../file/bindings.ts';
import { type CatalogRest, MOST_NAMES, readCatalog } from '../read/catalog.ts';
import { type Frozen, JournalShare, PendingRows, type Recorded } from '../ingest/rows/pending-rows.ts';
import type { Place } from '../journal/entry.ts';
import { ProfileStore } from '../ingest/profile-store.ts';
import type { RequestScope } from '../ingest/request-scope.ts';
import { RowBuilder } from '../ingest/rows/row-builder.ts';
import { type SealBatch, type Sealed, storeBatch } from '../seal/seal-batch.ts';
import { extentOf } from '../shard-reader.ts';
import { hasRetired, purgeRetired } from '../segment/store.ts';
import { type Connection, guarded } from '../file/shard-file.ts';
import type { withoutSync } from '../file/unsynced.ts';
import { ShardState } from '../ingest/shard-state.ts';
import type { Steps } from '../steps.ts';
import { ShardBindings } from './shard-bindings.ts';
import { threshold } from '../../base/threshold.ts';
import type { WriterOptions } from '../writer-messages.ts';

/**
 * Larger seals go to another thread. Columns: fields of the project times the square root of the rows, since a column takes some
 * time however few rows have it.
 */
const HEAVY_ROWS = threshold('rows of a seal that others wait for', 4_096);
const QUICK = { text: 256 << 10, profiles: 256, profileBytes: 256 << 10, bindings: 16_384, columns: 8_192 } as const;
/** With more the next seal is due, whatever the settings say, or others would wait for it too long. Identities: profiles, bindings. */
const DUE = { text: 4 << 20, identities: 16_384, profileBytes: 4 << 20 } as const;

/** Most bytes of journal of a project that is spilled: replaying them takes a few milliseconds. */
export const MOST_SPILLED = 64 << 10;

/** Return the shard's file, created if missing: for reading only, as long as nobody else writes to it, or opened for writing. */
export interface ShardConnections {
  readonly read: () => Connection;
  readonly write: () => Connection;
}

export interface ShardWriterOptions {
  /** Whether the file exists. */
  readonly stored: boolean;
  /** Most memory for dictionaries. */
  readonly dictionaryBytes: number;
}

export class ShardWriter {
  readonly project: string;
  readonly state: ShardState;
  /** Receives the events of the request begun last. */
  readonly events: RowBuilder;
  readonly bindings: ShardBindings;
  readonly #connection: () => Connection;
  readonly #writable: () => Connection;
  /** Whether the file exists. A new project gets it at its first seal: creating it is slow, and answers should not wait. */
  #stored: boolean;
  #rows = new PendingRows();
  readonly profiles: ProfileStore;
  /** What is being sealed, or could not be; later rows are sealed after it. */
  #frozen: Frozen | null = null;
  /** The journal's share of later rows. */
  #journal = new JournalShare();
  /** When a request was last committed, as `monotonic()` counts. */
  lastAppend = 0;
  /** Replaced segments that queries may still read. */
  retired: number[] = [];
  /** Memory of the dictionaries and profiles, valid until something is read or sealed; NaN if not known. */
  #memory = NaN;
  /** Number of requests begun that are neither on disk nor rolled back. */
  #open = 0;

  constructor(project: string, { read, write }: ShardConnections, { stored, dictionaryBytes }: ShardWriterOptions) {
    this.project = project;
    this.state = new ShardState(dictionaryBytes);
    this.profiles = new ProfileStore(() => this.state.datedSince);
    this.#connection = read;
    this.#writable = write;
    this.#stored = stored;
    this.bindings = new ShardBindings({
      ...{ project, state: this.state, connection: read },
      isStored: () => this.#stored,
    });
    if (stored) {
      this.state.load(read);
      if (hasRetired(read())) purgeRetired(write());
    }
    this.events = new RowBuilder(this.state, this.#rows, read);
  }

  /** Bytes of the dictionaries and profiles. It is read for thousands of shards every second. */
  get memory(): number {
    if (Number.isNaN(this.#memory)) this.#memory = this.state.memory + this.profiles.memory;
    return this.#memory;
  }

  get pendingRows(): number {
    return this.#rows.length + (this.#frozen?.rows.length ?? 0);
  }

  /** Bytes of journal held by the pending rows, with those of changed profiles: a few bytes may change a large one. */
  get journalBytes(): number {
    return this.#journal.bytes + this.frozenBytes;
  }

  /** Bytes of journal being sealed, or that could not be sealed. */
  get frozenBytes(): number {
    return this.#frozen?.journal.bytes ?? 0;
  }

  /** The first journal file with pending rows; Infinity if nothing is pending. */
  get journalFile(): number {
    return Math.min(this.#journal.file, this.#frozen?.journal.file ?? Infinity);
  }

  /** When the oldest pending row was committed, as `monotonic()` counts; Infinity if nothing is pending. */
  get pendingSince(): number {
    return (this.#frozen?.journal ?? this.#journal).since;
  }

  /**
   * The places of all its journal records in order of arrival, if it may be evicted and its pending rows, which take few bytes
   * there, be replayed; else null.
   */
  get spillable(): Place[] | null {
    const { places, bytes } = this.#journal;
    return places.length > 0 && this.#frozen === null && bytes <= MOST_SPILLED ? places : null;
  }

  /** Whether nothing is on its way to the disk or to a report, and no query may read replaced segments, which loading removes. */
  get isAtRest(): boolean {
    return this.#open === 0 && !this.state.usage.unreported && this.retired.length === 0;
  }

  /** Whether something acknowledged is not in the shard file yet. */
  get unsealed(): boolean {
    return (
      this.#frozen !== null ||
      this.bindings.fresh > 0 ||
      this.profiles.changed > 0 ||
      this.state.usage.unsaved ||
      this.#rows.length > 0
    );
  }

  /** What the next seal will store, without what is being sealed. */
  get fresh(): Readonly<Record<'rows' | 'journalBytes' | 'text' | 'identities' | 'profileBytes', number>> {
    const text = this.#rows.textBytes + this.state.freshText;
    const identities = this.profiles.changed + this.bindings.fresh;
    return {
      rows: this.#rows.length,
      journalBytes: this.#journal.bytes,
      text,
      identities,
      profileBytes: this.profiles.bytes,
    };
  }

  /** Begins a request: notes where to roll back to, and takes an arrival number, so that each journal record has its own. */
  begin(scope: RequestScope): void {
    this.#memory = NaN;
    this.#open++;
    scope.firstArrival = this.state.nextArrival++;
    scope.firstRow = this.#rows.length;
  }

  /** Looks for the ids of a request among sealed ones. Returns whether some are repeats: the request is then read again. */
  *findRepeats(scope: RequestScope): Steps<boolean> {
    const found = yield* this.state.findRepeats(this.#connection, scope);
    if (found) this.restart(scope);
    return found;
  }

  /**
   * Ends reading a request: counts what it stores before rows of the next request follow, and reads the profiles that it changes,
   * since nothing may fail once it is on disk. Throws AppError('payload_too_large') if they are too much to hold.
   */
  *end(scope: RequestScope): Steps<void> {
    if (scope.profileChanges.length > 0) yield* this.#readProfiles(scope);
    scope.counts.stored = this.#rows.length - scope.firstRow;
  }

  *#readProfiles(scope: RequestScope): Steps<void> {
    const connection = this.#stored ? this.#connection : null;
    const { stored } = this.state.ids; // later persons have no profile on disk
    const persons = new Set(scope.profileChanges.map(({ person }) => person));
    let bytes = 0;
    for (const person of persons) {
      if (this.profiles.read(person <= stored ? connection : null, person)) yield;
      bytes += this.profiles.bytesOf(person);
      if (bytes > MOST_PROFILES && persons.size > 1 && scope.mayBeRefused) throw tooManyProfiles();
    }
    this.#memory = NaN;
  }

  /**
   * Applies a request that is on disk: its identities, profiles and counters. Returns the properties that were ignored, and the
   * bytes that wait because of it: its own, and those of profiles.
   */
  commit(scope: RequestScope, recorded: Recorded): { readonly ignored: readonly string[]; readonly bytes: number } {
    this.#open--;
    const ignored: string[] = [];
    let { bytes } = recorded;
    for (const { person, change, seen } of scope.profileChanges) {
      const applied = this.profiles.apply(this.#stored ? this.#connection : null, person, change, seen);
      ignored.push(...applied.ignored);
      bytes += applied.grown;
      this.#memory = NaN;
    }
    if (this.#open === 0) this.profiles.forgetKnown();
    this.bindings.add(scope.bindings);
    this.state.usage.add(scope.date, scope.counts);
    this.lastAppend = monotonic();
    this.#journal.add({ ...recorded, bytes }, this.lastAppend);
    return { ignored, bytes };
  }

  /** Undoes a failed request, the last one first: removes its rows. Its texts stay in the dictionaries, which does no harm. */
  rollback(scope: RequestScope): void {
    this.#open--;
    if (this.#open === 0) this.profiles.forgetKnown();
    this.#memory = NaN;
    this.#truncate(scope.firstRow);
    this.state.nextArrival = scope.firstArrival;
  }

  /** Drops what the body has brought so far, as it will be read again from the start. */
  restart(scope: RequestScope): void {
    this.#truncate(scope.firstRow);
    this.state.nextArrival = scope.firstArrival + 1;
    scope.restart();
  }

  #truncate(rows: number): void {
    if (this.#rows.length === rows) return;
    this.#rows.truncate(rows);
    for (const field of this.state.fields) field.truncate(rows);
  }

  /** Writes everything pending to the shard file. Throws if it cannot; the rest stays pending. `run`: runs a transaction. */
  seal(run: typeof withoutSync = (_connection, store) => store()): void {
    const connection = this.#writable();
    do this.sealed(run(connection, () => storeBatch(connection, this.batch())));
    while (this.unsealed);
  }

  /** Whether a seal takes so long (some milliseconds) that others should not wait for it. */
  get heavy(): boolean {
    const { rows, text } = this.fresh;
    return (
      this.#frozen !== null ||
      rows > HEAVY_ROWS.value ||
      text > QUICK.text ||
      this.profiles.changed > QUICK.profiles ||
      this.profiles.bytes > QUICK.profileBytes ||
      this.bindings.fresh > QUICK.bindings ||
      this.state.fields.length * Math.sqrt(rows) > QUICK.columns ||
      this.state.unindexed
    );
  }

  /**
   * Everything pending, or what could not be stored before; call `sealed` once it is stored. Requests may be read meanwhile, but
   * all earlier ones must be in the journal.
   */
  batch(): SealBatch {
    const { rows, bindings, profiles, nextArrival, usage } = (this.#frozen ??= this.#freeze());
    const { identityVersion, profileVersion, storedArrival } = this.state;
    return {
      follows: storedArrival,
      state: this.state.batch({
        identityVersion: identityVersion + bindings.length,
        profileVersion: profiles > 0 ? profileVersion + 1 : profileVersion,
        nextArrival,
        usage,
      }),
      rows: rows.length > 0 ? rows.raw() : null,
      fields: this.state.fields.flatMap((field) => field.raw(rows.length) ?? []),
      bindings: { version: identityVersion, data: encodeBindings(bindings) },
      profiles: this.profiles.rows(),
    };
  }

  #freeze(): Frozen {
    const { nextArrival, usage } = this.state;
    const frozen = {
      ...{ rows: this.#rows, bindings: this.bindings.freeze(), profiles: this.profiles.freeze() },
      ...{ nextArrival, usage: usage.takeUnsaved(), journal: this.#journal },
    };
    this.state.freeze();
    this.#rows = new PendingRows();
    this.events.use(this.#rows, frozen.rows);
    this.#journal = new JournalShare();
    return frozen;
  }

  /** Call it once the batch is in the shard file. */
  sealed({ segment, textRuns }: Sealed): void {
    const { state } = this;
    const frozen = this.#frozen;
    if (frozen === null) throw new Error(`${this.project} was sealed, and nothing had been taken for it`);
    this.#frozen = null;
    this.#stored = true;
    this.#memory = NaN;
    state.storedArrival = frozen.nextArrival;
    state.identityVersion += frozen.bindings.length;
    if (frozen.profiles > 0) state.profileVersion++;
    state.saved(textRuns);
    this.profiles.saved();
    this.bindings.sealed();
    for (const field of state.fields) field.sealed();
    this.events.use(this.#rows, null);
    // A compaction may have found it in the file before.
    if (segment) state.segments = [...state.segments.filter(({ id }) => id !== segment.id), segment];
  }

  /** The names of a project that are not in its file. */
  catalogRest(): CatalogRest {
    const { types, fields } = this.state;
    const fresh = Math.min(types.size - types.stored, MOST_NAMES);
    return {
      types: Array.from({ length: fresh }, (_, i) => types.text(this.#connection, types.stored + 1 + i)),
      storedTypes: types.stored,
      columns: fields.map(({ key }) => key),
      profileKeys: [...this.profiles.keys(MOST_NAMES)],
    };
  }

  /** The names in a project: events with their stored rows, most frequent first, and property fields. */
  catalog(): { events: { name: string; rows: number }[]; fields: string[] } {
    return guarded(this.project, () => readCatalog(this.#connection(), this.catalogRest()));
  }

  /** The number of events, sealed or not, and the times of the first and the last; null if there are none. */
  extent(): ReturnType<typeof extentOf> {
    const waiting = [this.#frozen?.rows, this.#rows].flatMap((rows) => (rows && rows.length > 0 ? rows.extent() : []));
    return extentOf([...this.state.segments, ...waiting]);
  }
}

type SealLimits = Pick<WriterOptions, 'sealRows' | 'sealBytes'>;

/** Whether the next seal has reached its limit in rows, or in bytes or identities: with more, others would wait for it too long. */
export function isFull({ fresh }: Pick<ShardWriter, 'fresh'>, { sealRows, sealBytes }: SealLimits): boolean {
  const { rows, journalBytes, text, identities, profileBytes } = fresh;
  const isLarge = rows >= sealRows || journalBytes >= sealBytes || text >= DUE.text;
  return isLarge || identities >= DUE.identities || profileBytes >= DUE.profileBytes;
}
