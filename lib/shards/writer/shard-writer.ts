/**
 * One project in the thread that writes: takes requests into pending rows, rolls a failed one back, and seals the rows into a
 * segment. Nothing here waits; the thread's loop (writer.ts) says when.
 */
import { monotonic } from '../../base/monotonic.ts';
import { bindingsOfDevice, encodeBindings, heldBindings, undoing, type Binding } from '../file/bindings.ts';
import { PROFILES, readCatalog, type CatalogRest } from '../read/catalog.ts';
import type { Tenant } from '../../base/project.ts';
import { packFields } from '../seal/packed-fields.ts';
import { PendingRows } from '../ingest/rows/pending-rows.ts';
import { ProfileStore } from '../ingest/profile-store.ts';
import type { RequestScope } from '../ingest/request-scope.ts';
import { RowBuilder } from '../ingest/rows/row-builder.ts';
import { storeBatch, type SealBatch, type Sealed } from '../seal/seal-batch.ts';
import { hasRetired, purgeRetired } from '../segment/store.ts';
import { guarded, type Connection } from '../file/shard-file.ts';
import type { withoutSync } from '../file/unsynced.ts';
import { placeOf } from '../dictionary/shared-texts.ts';
import { JournalShare, type Frozen, type Recorded } from '../ingest/rows/frozen.ts';
import { ShardState } from '../ingest/shard-state.ts';
import type { Steps } from '../seal/errand.ts';
import type { DeviceBindings } from '../writer-messages.ts';
import { threshold } from '../../base/threshold.ts';

/**
 * What is more than this is sealed in another thread. Columns: fields of the project times the root of the rows, as a column
 * takes some time however few rows have it.
 */
const HEAVY_ROWS = threshold('rows of a seal that others wait for', 4_096);
const HEAVY_TEXT = 256 << 10;
const HEAVY_PROFILES = 256;
const HEAVY_BINDINGS = 16_384;
const HEAVY_COLUMNS = 8_192;

/** Journal of a project that is set aside, at most: to take it up again takes some milliseconds. Bytes. */
const SET_ASIDE_BYTES = 64 << 10;

/** Event types that wait to be sealed and stand in a catalog. */
const MOST_FRESH = 1_000;
/** A log of bindings that is longer is read in another thread. */
const LONG_LOG = threshold('bindings that others wait for', 262_144);

/** Changes of a device's binding that are told. */
const MOST_HISTORY = 1_000;

/** Give the shard's file, making it when it is not there: to be read alone, as it is until others write to it, or opened. */
export interface ShardConnections {
  readonly read: () => Connection;
  readonly write: () => Connection;
}

export interface ShardWriterOptions {
  /** Whether the file is there. */
  readonly stored: boolean;
  /** Memory of dictionaries, at most. */
  readonly dictionaryBytes: number;
}

export class ShardWriter {
  readonly project: string;
  readonly state: ShardState;
  /** Takes the events of the request that was begun last. */
  readonly events: RowBuilder;
  readonly #connection: () => Connection;
  readonly #writable: () => Connection;
  /** The file is there. A new project has none before its first seal: making one is slow, and an answer should not wait for it. */
  #stored: boolean;
  #rows = new PendingRows();
  readonly #profiles = new ProfileStore();
  #bindings: Binding[] = [];
  /** Stored bindings of a device, read elsewhere. */
  #read: { readonly device: number; readonly version: number; readonly bindings: readonly Binding[] } | null = null;
  /** Memory of the rows that were sealed last. */
  #spare: PendingRows | null = null;
  /** What is being sealed, or could not be; what came later is sealed after it. */
  #frozen: Frozen | null = null;
  /** Of what came later. */
  #journal = new JournalShare();
  /** When something was last taken, as `monotonic()` counts. */
  lastAppend = 0;
  /** After a seal failed: not before this time again. */
  sealAfter = 0;
  /** After a compaction failed: not before this time again. */
  compactAfter = 0;
  /** A compaction of its segments is under way. */
  compacting = false;
  /** Another thread works on its file: meanwhile nothing else is done with it. */
  away = false;
  /** A request is half taken: meanwhile nothing else is taken, or done with it. */
  paused = false;
  /** Whose it is; what is known before the first request names the project alone. */
  tenant: Tenant;
  /** Segments that were replaced and that queries may still read. */
  retired: number[] = [];
  /** Memory of the dictionaries, as long as nothing was taken or sealed since; NaN: it is not known. */
  #memory = NaN;
  /** Requests that were begun, and neither are on disk nor were rolled back. */
  #open = 0;

  constructor(project: string, { read, write }: ShardConnections, { stored, dictionaryBytes }: ShardWriterOptions) {
    this.project = project;
    this.tenant = { id: project, orgId: project, weight: 1 };
    this.state = new ShardState(dictionaryBytes);
    this.#connection = read;
    this.#writable = write;
    this.#stored = stored;
    if (stored) {
      this.state.load(read);
      if (hasRetired(read())) purgeRetired(write());
    }
    this.events = new RowBuilder(this.state, this.#rows, read);
  }

  /** Bytes of memory of the dictionaries. Thousands of shards are asked for it every second. */
  get memory(): number {
    if (Number.isNaN(this.#memory)) this.#memory = this.state.memory;
    return this.#memory;
  }

  get pendingRows(): number {
    return this.#rows.length + (this.#frozen?.rows.length ?? 0);
  }

  /** Bytes of journal that the pending rows hold. */
  get journalBytes(): number {
    return this.#journal.bytes + this.frozenBytes;
  }

  /** Bytes of journal of what is being sealed, or could not be. */
  get frozenBytes(): number {
    return this.#frozen?.journal.bytes ?? 0;
  }

  /** The first journal file that pending rows are in; Infinity when nothing waits. */
  get journalFile(): number {
    return Math.min(this.#journal.file, this.#frozen?.journal.file ?? Infinity);
  }

  /** When the oldest of what waits was taken, as `monotonic()` counts; Infinity when nothing waits. */
  get pendingSince(): number {
    return (this.#frozen?.journal ?? this.#journal).since;
  }

  /** Whether nothing is lost when it is forgotten and read from its file again. */
  get mayBeForgotten(): boolean {
    return !this.unsealed && this.#isAtRest;
  }

  /**
   * Whether it may be forgotten when what waits is taken from the journal again, which has few bytes of it: in order of arrival, the
   * places of all its records; null: it may not.
   */
  get placesAside(): JournalShare['places'] | null {
    const { places, bytes } = this.#journal;
    const isSmall = places.length > 0 && this.#frozen === null && bytes <= SET_ASIDE_BYTES;
    return isSmall && this.#isAtRest && this.retired.length === 0 ? places : null;
  }

  get #isAtRest(): boolean {
    return !(this.#open > 0 || this.compacting || this.away || this.paused || this.state.usage.untold);
  }

  /** Whether something acknowledged is not in the shard file yet. */
  get unsealed(): boolean {
    return (
      this.#frozen !== null ||
      this.#bindings.length > 0 ||
      this.#profiles.changed > 0 ||
      this.state.usage.unsaved ||
      this.#rows.length > 0
    );
  }

  /** What the next seal takes: of what is being sealed nothing. */
  get fresh(): Readonly<Record<'rows' | 'journalBytes' | 'text' | 'identities', number>> {
    const text = this.#rows.textBytes + this.state.freshText;
    const identities = this.#profiles.changed + this.#bindings.length;
    return { rows: this.#rows.length, journalBytes: this.#journal.bytes, text, identities };
  }

  /** Starts a request: where to roll back to. Takes an arrival number, so that every record of the journal has one of its own. */
  begin(scope: RequestScope): void {
    this.#memory = NaN;
    this.#open++;
    scope.firstArrival = this.state.nextArrival++;
    scope.firstRow = this.#rows.length;
  }

  /** Reads what only the file can tell of the ids of a request, which is then taken again. */
  *readIds(scope: RequestScope): Steps<void> {
    yield* this.state.readIds(this.#connection, scope);
    this.restart(scope);
  }

  /**
   * The request is taken: what it stores is counted before rows of the next follow. Reads the profiles that it changes, since
   * nothing may fail when it is on disk.
   */
  *end(scope: RequestScope): Steps<void> {
    const connection = this.#stored ? this.#connection : null;
    const { stored } = this.state.ids; // whoever came later has no profile on disk
    for (const { person } of scope.profileChanges)
      if (this.#profiles.read(person <= stored ? connection : null, person)) yield;
    scope.counts.stored = this.#rows.length - scope.firstRow;
  }

  /** The request is on disk: its identities and profiles take effect, its counters count. Returns what $add could not add. */
  commit(scope: RequestScope, recorded: Recorded): readonly string[] {
    this.#open--;
    const ignored: string[] = [];
    for (const { person, change, seen } of scope.profileChanges) {
      ignored.push(...this.#profiles.apply(this.#stored ? this.#connection : null, person, change, seen));
    }
    this.#bindings.push(...scope.bindings);
    this.state.usage.add(scope.date, scope.counts);
    this.#memory = NaN;
    this.lastAppend = monotonic();
    this.#journal.add(recorded, this.lastAppend);
    return ignored;
  }

  /** The request failed: its rows go. Texts that it brought stay in the dictionaries, which does no harm. Requests are rolled back last first. */
  rollback(scope: RequestScope): void {
    this.#open--;
    this.#truncate(scope.firstRow);
    this.state.nextArrival = scope.firstArrival;
  }

  /** The body is read again from its start: forgets what it brought so far. */
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

  /** Writes everything that waits into the shard file. Throws when it cannot; what is not written waits on. `run`: how a transaction is. */
  seal(run: typeof withoutSync = (_connection, store) => store()): void {
    const connection = this.#writable();
    do this.sealed(run(connection, () => storeBatch(connection, this.batch())));
    while (this.unsealed);
  }

  /** Whether a seal takes so long that others should not wait for it: some milliseconds. */
  get heavy(): boolean {
    const { rows, text } = this.fresh;
    return (
      this.#frozen !== null ||
      rows > HEAVY_ROWS.value ||
      text > HEAVY_TEXT ||
      this.#profiles.changed > HEAVY_PROFILES ||
      this.#bindings.length > HEAVY_BINDINGS ||
      this.state.fields.length * Math.sqrt(rows) > HEAVY_COLUMNS ||
      this.state.unindexed
    );
  }

  /**
   * Everything that waits, or what could not be stored before: when it is stored, tell `sealed`. Requests may be taken meanwhile,
   * but all that were must be in the journal.
   */
  batch(): SealBatch {
    const { rows, bindings, profiles, nextArrival, usage } = (this.#frozen ??= this.#freeze());
    const { identityVersion, profileVersion } = this.state;
    return {
      state: this.state.batch({
        identityVersion: identityVersion + bindings.length,
        profileVersion: profiles > 0 ? profileVersion + 1 : profileVersion,
        nextArrival,
        usage,
      }),
      rows: rows.length > 0 ? rows.raw() : null,
      fields: packFields(this.state.fields.flatMap((field) => field.raw() ?? [])),
      bindings: { version: identityVersion, data: encodeBindings(bindings) },
      profiles: this.#profiles.rows(),
    };
  }

  #freeze(): Frozen {
    const { nextArrival, usage, fields } = this.state;
    const frozen = {
      ...{ rows: this.#rows, bindings: this.#bindings, profiles: this.#profiles.freeze() },
      ...{ nextArrival, usage: usage.takeUnsaved(), journal: this.#journal },
    };
    for (const field of fields) field.freeze();
    this.#rows = this.#spare ?? new PendingRows();
    this.#spare = null;
    this.events.use(this.#rows, frozen.rows);
    this.#bindings = [];
    this.#journal = new JournalShare();
    return frozen;
  }

  /** The batch is in the shard file. */
  sealed({ segment, textRuns }: Sealed): void {
    const { state } = this;
    const frozen = this.#frozen;
    if (frozen === null) throw new Error(`${this.project} was sealed, and nothing had been taken for it`);
    this.#frozen = null;
    this.#stored = true;
    this.#memory = NaN;
    state.identityVersion += frozen.bindings.length;
    if (frozen.profiles > 0) state.profileVersion++;
    state.saved(textRuns);
    this.#profiles.saved();
    for (const field of state.fields) field.sealed();
    this.events.use(this.#rows, null);
    this.#spare = frozen.rows;
    this.#spare.clear();
    if (segment) state.segments = [...state.segments, segment];
  }

  /** Gives back memory that only many rows need: nothing has come for a while. */
  rest(): void {
    if (this.unsealed || this.#open > 0 || this.#spare === null) return;
    this.#spare = null;
    this.#rows = new PendingRows();
    this.events.use(this.#rows, null);
    for (const field of this.state.fields) field.rest();
    this.#memory = NaN;
  }

  /** What of the names that a project has is not in its file. */
  catalogRest(): CatalogRest {
    const { types, fields } = this.state;
    const fresh = Math.min(types.size - types.stored, MOST_FRESH);
    return {
      types: Array.from({ length: fresh }, (_, i) => types.text(this.#connection, types.stored + 1 + i)),
      storedTypes: types.stored,
      columns: fields.map(({ key }) => key),
      profileKeys: [...this.#profiles.keys(PROFILES)],
    };
  }

  /** The names that a project has: events with their stored rows, most frequent first, and property fields. */
  catalog(): { events: { name: string; rows: number }[]; fields: string[] } {
    return guarded(this.project, () => readCatalog(this.#connection(), this.catalogRest()));
  }

  /** How many events there are, sealed or not, and the times of the first and the last; null of none. */
  extent(): { rows: number; first: number; last: number } | null {
    const waiting = [this.#frozen?.rows, this.#rows].flatMap((rows) => (rows && rows.length > 0 ? rows.extent() : []));
    const spans = [...this.state.segments, ...waiting];
    if (spans.length === 0) return null;
    return {
      rows: spans.reduce((sum, { rows }) => sum + rows, 0),
      first: spans.reduce((least, { first }) => Math.min(least, first), Infinity),
      last: spans.reduce((most, { last }) => Math.max(most, last), -Infinity),
    };
  }

  /** The bindings of a device, null when it never had one. What waits to be sealed counts. */
  device(deviceId: string): DeviceBindings | null {
    const entries = this.#bindingsOf(deviceId);
    if (entries.length === 0) return null;
    const text = (user: number): string | null => (user === 0 ? null : this.state.ids.text(this.#connection, user));
    const held = heldBindings(entries).pop();
    const history = entries.slice(-MOST_HISTORY).map(({ at, undo, user }) => {
      return { at, action: undo ? ('undo' as const) : ('bind' as const), userId: text(user) };
    });
    return { userId: text(held?.user ?? 0), boundAt: held?.at ?? null, history };
  }

  /** Undoes the last binding of a device with the request; false when it is bound to nobody. Everything before must be committed. */
  undoBinding(deviceId: string, scope: RequestScope): boolean {
    const undo = undoing(this.#bindingsOf(deviceId), scope.context.receivedAt);
    if (undo) scope.bindings.push(undo);
    return undo !== null;
  }

  /** The device whose bindings must be read elsewhere before they are asked for; 0: the log is short, or they were. */
  deviceToRead(deviceId: string): number {
    const { identityVersion } = this.state;
    if (identityVersion <= LONG_LOG.value) return 0;
    const device = this.state.ids.find(this.#connection, placeOf(deviceId));
    return this.#read?.device === device && this.#read.version === identityVersion ? 0 : device;
  }

  /** Takes what was read elsewhere of a device. */
  setBindings(device: number, bindings: readonly Binding[]): void {
    this.#read = { device, version: this.state.identityVersion, bindings };
  }

  #bindingsOf(deviceId: string): Binding[] {
    const device = this.state.ids.find(this.#connection, placeOf(deviceId));
    if (device === 0) return [];
    const read = this.#read;
    const known = read?.device === device && read.version === this.state.identityVersion ? read.bindings : null;
    const sealed =
      known ?? (this.#stored ? guarded(this.project, () => bindingsOfDevice(this.#connection(), device)) : []);
    const waiting = [...(this.#frozen?.bindings ?? []), ...this.#bindings];
    return [...sealed, ...waiting.filter((binding) => binding.device === device)];
  }
}
