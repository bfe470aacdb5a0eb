/** Decides when pending rows are sealed: on request, or when they are many, old, or hold much of the journal. */
import type { Journal } from '../journal/journal.ts';
import type { AppError } from '../../base/errors.ts';
import { monotonic } from '../../base/monotonic.ts';
import { stuck } from '../seal/answers.ts';
import type { Away } from './away.ts';
import { damaged } from '../file/shard-file.ts';
import { LaterSeals } from './later-seals.ts';
import { OpenFiles } from './open-files.ts';
import { isFull, isHeavy } from './seal-limits.ts';
import type { ShardSet } from './shard-set.ts';
import type { ShardWriter } from './shard-writer.ts';
import { UnsyncedShards } from './unsynced-shards.ts';
import type { withoutSync } from '../file/unsynced.ts';
import type { WriterMessage, WriterOptions } from '../writer-messages.ts';

/** Pause after a failed seal. Milliseconds. */
const RETRY = 5_000;
/** After this time without events of any project, the journal frees its space. Milliseconds. */
const REST = 60_000;

/** A project with more than 1/MANY of the bytes that may wait holds much. */
const MANY = 16;
/** Sealed before the service ends: some tenths of a second on a slow disk. Projects, and bytes of journal. */
const FEW_PROJECTS = 16;
const FEW_BYTES = 16 << 20;

/** Milliseconds before the oldest file of thousands of projects is looked for again, unless a seal may have changed the answer. */
const OLDEST_EVERY = 100;

type SealingOptions = Pick<WriterOptions, 'sealRows' | 'sealBytes' | 'sealAge' | 'pendingBytes' | 'journalBytes'>;

interface SealingParts {
  readonly shards: ShardSet;
  readonly journal: Pick<Journal<never>, 'heldBytes' | 'file' | 'rest'>;
  readonly away: Away;
}

export interface SealingHooks {
  /** Writes a project's rows to the journal before its seal, so nothing sealed can be rolled back; all before the journal rests. */
  readonly before: (project?: string) => void;
  /** Called with a shard that has a new segment, and the oldest journal file still needed (Infinity if none). */
  readonly after: (shard: ShardWriter, oldest: number) => void;
  /** Called with the oldest needed journal file; earlier ones are not needed. */
  readonly release: (oldest: number) => void;
  /** Called for a project that could not be sealed; it is retried. */
  readonly failed: (project: string, error: AppError) => void;
  /** Removes sealed records from one old journal file: the next, or the oldest if `afresh`. */
  readonly thin: (afresh: boolean) => void;
}

export class Sealing {
  readonly stats = { seals: 0, sealSeconds: 0 };
  /** Shards sealed for a query. */
  readonly unsynced: UnsyncedShards;
  /** Bytes of journal held by pending rows. */
  journalBytes = 0;
  readonly #options: SealingOptions;
  readonly #shards: ShardSet;
  readonly #hooks: SealingHooks;
  readonly #journal: Pick<Journal<never>, 'heldBytes' | 'file' | 'rest'>;
  readonly #away: Away;
  readonly #files: OpenFiles;
  #thinAfter = 0;
  /** When a shard that pins the oldest file is looked for again, after none was found. */
  #lookAfter = 0;
  /** Shards that may be due for a seal, or whose seal failed; the others need no check. */
  readonly #grown = new Set<ShardWriter>();
  /** The oldest needed file, and when that was determined. */
  #oldest = { file: 0, at: -Infinity };
  /** Small seals that nobody waits for. */
  readonly later: LaterSeals;
  /** Whether long seals go to the store thread. Not at the start and the end, when nobody waits. */
  mayGoElsewhere = false;

  constructor(options: SealingOptions, { shards, journal, away }: SealingParts, hooks: SealingHooks) {
    this.#options = options;
    this.#shards = shards;
    this.#away = away;
    this.#journal = journal;
    this.#hooks = hooks;
    this.later = new LaterSeals({
      mayBegin: () => this.mayGoElsewhere,
      isWanted: (shard) => shards.peek(shard.project) === shard && shard.unsealed && this.#maySeal(shard, monotonic()),
      begin: (shard, ended) => this.#beginLater(shard, ended),
    });
    this.#files = new OpenFiles({ shards, away, failed: hooks.failed });
    this.unsynced = new UnsyncedShards({
      fileOf: (project) => shards.fileOf(project),
      synced: (file) => hooks.release(this.#oldestAfter(file)),
      failed: (project, error) => hooks.failed(project, damaged(error, project)),
    });
  }

  /** Bytes of journal files, as a fraction of their limit. */
  get fullness(): number {
    return this.#journal.heldBytes / this.#options.journalBytes;
  }

  /** Counts a request that is in the journal and whose rows are pending. */
  took(shard: ShardWriter, bytes: number): void {
    this.journalBytes += bytes;
    this.#oldest.file = Math.min(this.#oldest.file, shard.journalFile); // what is taken up is older than what was known
    this.#grown.add(shard);
  }

  /**
   * Whether a project must wait until running seals have made room: first those that could fill another seal, then those that
   * hold much, then all.
   */
  mustWait({ id }: { readonly id: string }): boolean {
    const { pendingBytes } = this.#options;
    if (this.stuck && this.#away.size === 0) this.#makeRoom();
    if (this.#away.size === 0) return false;
    if (this.stuck) return true;
    const shard = this.#shards.peek(id);
    if (shard === undefined) return false;
    if (shard.away && isFull(shard, this.#options)) return true;
    return this.journalBytes > pendingBytes && shard.journalBytes > pendingBytes / MANY;
  }

  /** Whether seals are so far behind that no more events should be accepted. */
  get stuck(): boolean {
    const { pendingBytes, journalBytes } = this.#options;
    return this.journalBytes > pendingBytes * 2 || this.#journal.heldBytes > journalBytes * 2;
  }

  /** Seals what is too much before more is read: one group may bring it. Throws AppError('storage_unavailable') if that fails. */
  checkRoom(): void {
    if (this.stuck) this.#makeRoom();
    if (this.stuck) throw stuck();
  }

  #makeRoom(): void {
    const now = monotonic();
    this.sealFull(now);
    this.boundJournal(now);
  }

  /** Whether a project's own seals fail and it has reached its limit; others continue. */
  isStuck(shard: ShardWriter): boolean {
    return shard.sealAfter > 0 && shard.journalBytes >= this.#options.sealBytes;
  }

  /**
   * Seals a shard at once, in this thread. Throws AppError('storage_unavailable') without changing anything. @param run
   * withoutSync for whoever only reads what is sealed: until the disk has it, the journal does.
   */
  seal(shard: ShardWriter, run?: typeof withoutSync): void {
    this.#hooks.before(shard.project);
    const begun = performance.now();
    const { journalBytes: bytes, journalFile: file } = shard;
    try {
      this.#shards.writing(shard.project, () => shard.seal(run));
    } catch (error) {
      this.journalBytes -= bytes - shard.journalBytes;
      throw damaged(error, shard.project);
    } finally {
      if (run) this.unsynced.add(shard.project, file);
    }
    this.#sealed(shard, { bytes, file, begun });
    if (this.mayGoElsewhere) this.#files.makeRoom(shard.project);
  }

  /** Has the store thread seal a project if that takes long; false if not. */
  sealElsewhere(project: string, follow: { next: WriterMessage; failed: (error: Error) => void }): boolean {
    const shard = this.#shards.peek(project);
    if (!shard?.unsealed || !this.#goesElsewhere(shard)) return false;
    this.#sealAway(shard, follow);
    return true;
  }

  #goesElsewhere(shard: ShardWriter): boolean {
    return this.mayGoElsewhere && shard.heavy;
  }

  #sealAway(
    shard: ShardWriter,
    follow: {
      readonly next?: WriterMessage;
      readonly admits?: 'appends';
      readonly ended?: () => void;
      readonly failed: (error: Error) => void;
    },
  ): void {
    this.#hooks.before(shard.project);
    const begun = performance.now();
    const file = shard.journalFile;
    const task = { op: 'seal', batch: shard.batch() } as const;
    const bytes = shard.frozenBytes;
    this.#away.run<'seal'>(shard, task, {
      ...follow,
      done: (sealed) => {
        shard.sealed(sealed);
        this.#sealed(shard, { bytes, file, begun });
        follow.ended?.();
      },
    });
  }

  /** Counts a project that the store thread has sealed by itself, and gives up journal files. @param file The first that it needed. */
  sealedUnloaded(file: number, begun: number): void {
    this.#count(begun);
    this.#hooks.release(this.#oldestAfter(file));
  }

  #count(begun: number): void {
    this.stats.seals++;
    this.stats.sealSeconds += (performance.now() - begun) / 1000;
  }

  #sealed(shard: ShardWriter, { bytes, file, begun }: { bytes: number; file: number; begun: number }): void {
    this.journalBytes -= bytes;
    shard.sealAfter = 0;
    this.#count(begun);
    this.#hooks.after(shard, this.#oldestAfter(file));
  }

  /** `oldestFile` after sealing what began in `file`; if that was not the oldest, a value from a moment ago. */
  #oldestAfter(file: number): number {
    const now = monotonic();
    if (file <= this.#oldest.file || now > this.#oldest.at + OLDEST_EVERY) {
      this.#oldest = { file: this.oldestFile(), at: now };
    }
    return this.#oldest.file;
  }

  /** The first journal file with pending rows or unsynced shards; Infinity if none. */
  oldestFile(): number {
    let oldest = this.unsynced.neededFile;
    for (const { journalFile } of this.#shards.known()) oldest = Math.min(oldest, journalFile);
    return oldest;
  }

  /**
   * Seals a shard, or starts to, unless a seal has just failed or is running. Failures are retried later; a query that needs the
   * seal gets the error.
   */
  trySeal(shard: ShardWriter, now: number): boolean {
    if (!this.#maySeal(shard, now)) return false;
    if (this.#goesElsewhere(shard)) {
      this.#sealAway(shard, { failed: (error) => this.failed(shard, error), admits: 'appends' });
      return true;
    }
    try {
      this.seal(shard);
      return true;
    } catch (error) {
      this.failed(shard, error);
      return false;
    }
  }

  /** Whether a seal may begin: none is running, and none has just failed. */
  #maySeal({ away, paused, sealAfter }: ShardWriter, now: number): boolean {
    return !away && !paused && sealAfter <= now;
  }

  #beginLater(shard: ShardWriter, ended: () => void): void {
    const failed = (error: Error): void => {
      this.failed(shard, error);
      ended();
    };
    // Whoever closes the file last checkpoints its log, which waits for the disk: let that be the store thread.
    this.#shards.closeFile(shard.project);
    this.#sealAway(shard, { ended, failed, admits: 'appends' });
  }

  /** Reports a failed seal and schedules a retry. */
  failed(shard: ShardWriter, error: unknown): void {
    this.#hooks.failed(shard.project, damaged(error, shard.project));
    shard.sealAfter = monotonic() + RETRY;
    this.#grown.add(shard);
  }

  /** Whether everything pending is little enough to seal soon. */
  get hasLittle(): boolean {
    let projects = 0;
    for (const { unsealed } of this.#shards.known()) if (unsealed) projects++;
    return projects <= FEW_PROJECTS && this.journalBytes <= FEW_BYTES;
  }

  sealAll(): void {
    for (const shard of this.#shards.known()) if (shard.unsealed) this.seal(shard);
  }

  /** Seals what has become too much, in one project or in total. */
  sealFull(now: number): void {
    const isLarge = (shard: ShardWriter): boolean => shard.frozenBytes > 0 || isFull(shard, this.#options);
    for (const shard of this.#grown) {
      const isThere = this.#shards.peek(shard.project) === shard; // neither dropped nor replaced
      if (isThere && isLarge(shard)) this.trySeal(shard, now);
      if (!isThere || !isLarge(shard)) this.#grown.delete(shard);
    }
    this.boundPending(now);
  }

  /** Bounds the pending rows of all projects: seals the oldest. */
  boundPending(now: number): void {
    const { pendingBytes } = this.#options;
    while (this.journalBytes - this.#away.bytes > pendingBytes) if (!this.#sealOldest(now, Infinity)) break;
  }

  /** Whether a shard has enough for a seal, and its last seal has not just failed. */
  isDue(shard: ShardWriter, now: number): boolean {
    return shard.sealAfter <= now && isFull(shard, this.#options);
  }

  /**
   * Bounds the journal's files: has whatever pins the oldest sealed, from half the limit on by the store thread, one project at a
   * time, so that nobody waits for it. If that fails, only what could not be sealed stays in the files.
   */
  boundJournal(now: number): void {
    const bound = this.#options.journalBytes;
    const { file } = this.#journal;
    if (this.#journal.heldBytes > bound / 2 && this.later.isIdle) this.#sealOldestLater(now, file);
    while (this.#journal.heldBytes > bound) if (!this.#sealOldest(now, file)) break;
    if (this.#journal.heldBytes <= bound) return;
    for (const { away, paused } of this.#shards.known()) if (away || paused) return; // the oldest files may soon be free
    const afresh = now >= this.#thinAfter;
    if (afresh) this.#thinAfter = now + RETRY;
    this.#hooks.thin(afresh);
  }

  #sealOldestLater(now: number, file: number): void {
    if (now < this.#lookAfter) return;
    const oldest = this.#oldestBefore(file, now);
    if (oldest !== null) this.later.add(oldest);
    else this.#lookAfter = now + OLDEST_EVERY;
  }

  /** Seals the project that pins the oldest journal file. False if no project can be sealed, or it is being sealed. */
  #sealOldest(now: number, file: number): boolean {
    const oldest = this.#oldestBefore(file, now);
    return oldest !== null && this.trySeal(oldest, now);
  }

  /** The project that pins the oldest journal file, if that is before `file` and no seal has just failed; null if none. */
  #oldestBefore(file: number, now: number): ShardWriter | null {
    let oldest: ShardWriter | null = null;
    for (const shard of this.#shards.known()) {
      if (shard.journalFile >= Math.min(file, oldest?.journalFile ?? Infinity) || shard.sealAfter > now) continue;
      oldest = shard;
    }
    return oldest;
  }

  /** Seals a project that already holds much, before reading more of a group. */
  sealHeavy(project: string, now: number): void {
    const shard = this.#shards.peek(project);
    if (shard && isHeavy(shard, this.#options)) this.trySeal(shard, now);
  }

  /** Loaded projects with data that only the journal has. */
  *needy(): Iterable<string> {
    for (const { unsealed, project } of this.#shards.known()) if (unsealed) yield project;
    yield* this.unsynced.projects();
  }

  /** Called about once a second. @param replaying The first journal file still to be replayed, asked once nothing is in flight. */
  tick(now: number, replaying: () => number): void {
    this.#sealOld(now);
    this.boundJournal(now);
    void this.unsynced.sync();
    for (const { lastAppend } of this.#shards.known()) if (lastAppend > now - REST) return;
    this.#hooks.before();
    this.#journal.rest(Math.min(this.oldestFile(), replaying()));
  }

  /** Has old rows sealed, and those for which there is no memory. */
  #sealOld(now: number): void {
    for (const shard of this.#shards.known())
      if (shard.pendingSince <= now - this.#options.sealAge) this.later.add(shard);
    for (const shard of this.#shards.crowding()) this.later.add(shard);
  }
}
