/** When pending rows become segments: asked for, or when they are many, old, or hold much of the journal. */
import type { Journal } from '../journal/journal.ts';
import type { AppError } from '../../base/errors.ts';
import { monotonic } from '../../base/monotonic.ts';
import { stuck } from '../seal/answers.ts';
import type { Away } from './away.ts';
import { damaged } from '../file/shard-file.ts';
import type { ShardSet } from './shard-set.ts';
import type { ShardWriter } from './shard-writer.ts';
import { UnsyncedShards } from './unsynced-shards.ts';
import type { withoutSync } from '../file/unsynced.ts';
import type { WriterMessage } from '../writer-messages.ts';

/** After a seal failed, the next try waits so long. Milliseconds. */
const RETRY = 5_000;
/** Where nothing was taken of any project for so long, the journal gives its room back. Milliseconds. */
const REST = 60_000;

/** Text of a project that is sealed without being asked: a seal deflates it, and the other projects wait meanwhile. Bytes. */
const SEAL_TEXT = 4 << 20;

/** A project that holds more than one in this many of the bytes that may wait holds much. */
const MANY = 16;
/** What is sealed before the service ends: some tenths of a second on a slow disk. Projects, and bytes of journal. */
const FEW_PROJECTS = 16;
const FEW_BYTES = 16 << 20;

/** The oldest file of thousands of projects is looked for no more often, where a seal cannot have changed it. Milliseconds. */
const OLDEST_EVERY = 100;

/** Profiles and bindings of a project that are sealed without being asked. */
const SEAL_IDENTITIES = 16_384;

export interface SealingOptions {
  readonly sealRows: number;
  readonly sealBytes: number;
  readonly sealAge: number; // milliseconds
  readonly pendingBytes: number;
  readonly journalBytes: number;
}

interface SealingParts {
  readonly shards: ShardSet;
  readonly journal: Pick<Journal<never>, 'heldBytes' | 'file' | 'rest'>;
  readonly away: Away;
}

export interface SealingHooks {
  /** Called before a seal: brings every row to the journal, so that nothing is sealed that may still be rolled back. Also before the journal rests. */
  readonly before: () => void;
  /** Called with a shard that has a new segment, and the oldest journal file that is still needed (Infinity: none). */
  readonly after: (shard: ShardWriter, oldest: number) => void;
  /** Called when only these files are needed: from a number on. */
  readonly release: (oldest: number) => void;
  /** Told of a project that could not be sealed; it is tried again. */
  readonly failed: (error: AppError) => void;
  /** Takes what is sealed already out of one of the old journal files: the next, or the oldest when that is `afresh`. */
  readonly thin: (afresh: boolean) => void;
}

export class Sealing {
  readonly stats = { seals: 0, sealSeconds: 0 };
  /** Shards that were sealed for a question. */
  readonly unsynced: UnsyncedShards;
  /** Bytes of journal that pending rows hold. */
  journalBytes = 0;
  readonly #options: SealingOptions;
  readonly #shards: ShardSet;
  readonly #hooks: SealingHooks;
  readonly #journal: Pick<Journal<never>, 'heldBytes' | 'file' | 'rest'>;
  readonly #away: Away;
  #thinAfter = 0;
  /** Shards that may hold as much as a seal takes, or whose seal failed: the others need not be looked at. */
  readonly #grown = new Set<ShardWriter>();
  /** The oldest file that was needed, as it was at a time. */
  #oldest = { file: 0, at: -Infinity };
  /** Shards that are sealed when nobody waits, and whether one is. */
  readonly #later = new Set<ShardWriter>();
  #sealing = false;
  /** Long seals are another thread's. Not at the start and the end, when nobody waits. */
  mayGoElsewhere = false;

  constructor(options: SealingOptions, { shards, journal, away }: SealingParts, hooks: SealingHooks) {
    this.#options = options;
    this.#shards = shards;
    this.#away = away;
    this.#journal = journal;
    this.#hooks = hooks;
    this.unsynced = new UnsyncedShards({
      fileOf: (project) => shards.fileOf(project),
      synced: (file) => hooks.release(this.#oldestAfter(file)),
      failed: (project, error) => hooks.failed(damaged(error, project)),
    });
  }

  /** Journal files on disk, as a share of what they may be. */
  get fullness(): number {
    return this.#journal.heldBytes / this.#options.journalBytes;
  }

  /** A request is in the journal, and its rows wait. */
  took(shard: ShardWriter, bytes: number): void {
    this.journalBytes += bytes;
    this.#grown.add(shard);
  }

  /**
   * Whether a project waits until seals that are under way have made room: one that has brought the next seal together already,
   * then who holds much of it, then all.
   */
  mustWait({ id }: { readonly id: string }): boolean {
    const { pendingBytes } = this.#options;
    if (this.stuck && this.#away.size === 0) this.#makeRoom();
    if (this.#away.size === 0) return false;
    if (this.stuck) return true;
    const shard = this.#shards.peek(id);
    if (shard === undefined) return false;
    if (shard.away && this.#isFull(shard)) return true;
    return this.journalBytes > pendingBytes && shard.journalBytes > pendingBytes / MANY;
  }

  /** Whether seals have fallen so far behind that no more events should be taken. */
  get stuck(): boolean {
    const { pendingBytes, journalBytes } = this.#options;
    return this.journalBytes > pendingBytes * 2 || this.#journal.heldBytes > journalBytes * 2;
  }

  /** Seals what is too much before more is taken: one group may bring it. Throws AppError('storage_unavailable') when it stays. */
  checkRoom(): void {
    if (this.stuck) this.#makeRoom();
    if (this.stuck) throw stuck();
  }

  #makeRoom(): void {
    const now = monotonic();
    this.sealFull(now);
    this.boundJournal(now);
  }

  /** Whether a project's own seals fail and it has as much waiting as it may: others go on. */
  isStuck(shard: ShardWriter): boolean {
    return shard.sealAfter > 0 && shard.journalBytes >= this.#options.sealBytes;
  }

  /**
   * Seals a shard, here and now. Throws AppError('storage_unavailable'), and nothing has changed. @param run withoutSync for whoever
   * only reads what is sealed: the journal has it until the disk does.
   */
  seal(shard: ShardWriter, run?: typeof withoutSync): void {
    this.#hooks.before();
    const begun = performance.now();
    const { journalBytes: bytes, journalFile: file } = shard;
    try {
      shard.seal(run);
    } catch (error) {
      this.journalBytes -= bytes - shard.journalBytes;
      throw damaged(error, shard.project);
    } finally {
      if (run) this.unsynced.add(shard.project, file);
    }
    this.#sealed(shard, { bytes, file, begun });
    this.#makeRoomForFile(shard);
  }

  /**
   * A file that was sealed here is closed to make room for another. Whoever closes it last brings its log into it and waits for the
   * disk, twice: the other thread does that before, as soon as no more files may be open.
   */
  #makeRoomForFile(sealed: ShardWriter): void {
    const project = this.mayGoElsewhere ? this.#shards.closedNext : null;
    if (project === null || project === sealed.project) return;
    const shard = this.#shards.peek(project);
    if (shard?.away === true || shard?.paused === true) return;
    const unknown = { project, tenant: { id: project, orgId: project, weight: 1 }, away: false, frozenBytes: 0 };
    this.#away.run<'checkpoint'>(
      shard ?? unknown,
      { op: 'checkpoint' },
      {
        admits: 'appends',
        done: () => this.#shards.closeFile(project),
        failed: (error) => this.#hooks.failed(damaged(error, project)),
      },
    );
  }

  /** Has the other thread seal a project where that takes long; false where it does not. */
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
    this.#hooks.before();
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

  #sealed(shard: ShardWriter, { bytes, file, begun }: { bytes: number; file: number; begun: number }): void {
    this.journalBytes -= bytes;
    shard.sealAfter = 0;
    this.stats.seals++;
    this.stats.sealSeconds += (performance.now() - begun) / 1000;
    this.#hooks.after(shard, this.#oldestAfter(file));
  }

  /** `oldestFile` after a seal of what began in a file; where that was not the oldest, what was so a moment ago. */
  #oldestAfter(file: number): number {
    const now = monotonic();
    if (file <= this.#oldest.file || now > this.#oldest.at + OLDEST_EVERY) {
      this.#oldest = { file: this.oldestFile(), at: now };
    }
    return this.#oldest.file;
  }

  /** The first journal file that pending rows are in, or such as the disk does not have; Infinity when none is. */
  oldestFile(): number {
    let oldest = this.unsynced.neededFile;
    for (const { journalFile } of this.#shards.known()) oldest = Math.min(oldest, journalFile);
    return oldest;
  }

  /**
   * Seals, or begins to, unless a seal failed a moment ago or one is under way. What failed is tried again later; a query that
   * needs it gets the error.
   */
  trySeal(shard: ShardWriter, now: number): boolean {
    if (shard.away || shard.paused || shard.sealAfter > now) return false;
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

  /** Has the other thread seal a project, however little it has: nobody waits for it, and one of these is done at a time. */
  sealLater(shard: ShardWriter): void {
    this.#later.add(shard);
    this.#sealNext();
  }

  #sealNext(): void {
    for (const shard of this.#later) {
      if (this.#sealing || !this.mayGoElsewhere) return;
      this.#later.delete(shard);
      const isThere = this.#shards.peek(shard.project) === shard;
      if (!isThere || !shard.unsealed || shard.away || shard.paused || shard.sealAfter > monotonic()) continue;
      this.#sealing = true;
      const ended = (): void => {
        this.#sealing = false;
        this.#sealNext();
      };
      const failed = (error: Error): void => {
        this.failed(shard, error);
        ended();
      };
      // Whoever closes the file last brings its log into it, which waits for the disk: that is the other thread then.
      this.#shards.closeFile(shard.project);
      this.#sealAway(shard, { ended, failed, admits: 'appends' });
    }
  }

  /** A shard could not be sealed. */
  failed(shard: ShardWriter, error: unknown): void {
    this.#hooks.failed(damaged(error, shard.project));
    shard.sealAfter = monotonic() + RETRY;
    this.#grown.add(shard);
  }

  /** Whether all that waits is so little that it is soon sealed. */
  get hasLittle(): boolean {
    let projects = 0;
    for (const { unsealed } of this.#shards.known()) if (unsealed) projects++;
    return projects <= FEW_PROJECTS && this.journalBytes <= FEW_BYTES;
  }

  sealAll(): void {
    for (const shard of this.#shards.known()) if (shard.unsealed) this.seal(shard);
  }

  /** Seals what has become too much, of one project or of all together. */
  sealFull(now: number): void {
    const isLarge = (shard: ShardWriter): boolean => shard.frozenBytes > 0 || this.#isFull(shard);
    for (const shard of this.#grown) {
      const isThere = this.#shards.peek(shard.project) === shard; // not dropped, or replaced
      if (isThere && isLarge(shard)) this.trySeal(shard, now);
      if (!isThere || !isLarge(shard)) this.#grown.delete(shard);
    }
    this.boundPending(now);
  }

  /** Holds what waits of all projects to its bound: the oldest are sealed. */
  boundPending(now: number): void {
    const { pendingBytes } = this.#options;
    while (this.journalBytes - this.#away.bytes > pendingBytes) if (!this.#sealOldest(now, Infinity)) break;
  }

  /** Whether a shard has as much as a seal takes, and its last one did not fail a moment ago. */
  isDue(shard: ShardWriter, now: number): boolean {
    return shard.sealAfter <= now && this.#isFull(shard);
  }

  /** Whether what the next seal takes is as much as it may be. */
  #isFull(shard: ShardWriter): boolean {
    return shard.fresh.rows >= this.#options.sealRows || this.#isHeavy(shard);
  }

  #isHeavy({ fresh }: ShardWriter): boolean {
    const { sealBytes } = this.#options;
    return fresh.journalBytes >= sealBytes || fresh.text >= SEAL_TEXT || fresh.identities >= SEAL_IDENTITIES;
  }

  /**
   * Holds the journal's files to their bound: what pins the oldest is sealed, one project at a time from half of the bound on,
   * so that nobody waits for many seals at once. Where that fails, only what could not be sealed stays in the files.
   */
  boundJournal(now: number): void {
    const bound = this.#options.journalBytes;
    const { file } = this.#journal;
    if (this.#journal.heldBytes > bound / 2) this.#sealOldest(now, file);
    while (this.#journal.heldBytes > bound) if (!this.#sealOldest(now, file)) break;
    if (this.#journal.heldBytes <= bound) return;
    for (const { away, paused } of this.#shards.known()) if (away || paused) return; // the oldest files may be free soon
    const afresh = now >= this.#thinAfter;
    if (afresh) this.#thinAfter = now + RETRY;
    this.#hooks.thin(afresh);
  }

  /**
   * Seals the project that pins the oldest journal file, of those whose file is before `file`. False when there is none that
   * can be, or it is being sealed.
   */
  #sealOldest(now: number, file: number): boolean {
    let oldest: ShardWriter | null = null;
    for (const shard of this.#shards.known()) {
      if (shard.journalFile >= Math.min(file, oldest?.journalFile ?? Infinity) || shard.sealAfter > now) continue;
      oldest = shard;
    }
    return oldest !== null && this.trySeal(oldest, now);
  }

  /** Seals a project that holds much already, before more of a group is taken. */
  sealHeavy(project: string, now: number): void {
    const shard = this.#shards.peek(project);
    if (shard && this.#isHeavy(shard)) this.trySeal(shard, now);
  }

  /** Projects of which the journal has what is nowhere else, as far as they are known. */
  *needy(): Iterable<string> {
    for (const { unsealed, project } of this.#shards.known()) if (unsealed) yield project;
    yield* this.unsynced.projects();
  }

  /** What time brings. @param replaying The first journal file that is to be replayed. */
  tick(now: number, replaying: number): void {
    this.#sealOld(now);
    this.boundJournal(now);
    void this.unsynced.sync();
    for (const { lastAppend } of this.#shards.known()) if (lastAppend > now - REST) return;
    this.#hooks.before();
    this.#journal.rest(Math.min(this.oldestFile(), replaying));
  }

  /** Has sealed what has waited for long, and what there is no memory for. */
  #sealOld(now: number): void {
    for (const shard of this.#shards.known())
      if (shard.pendingSince <= now - this.#options.sealAge) this.sealLater(shard);
    for (const shard of this.#shards.crowding()) this.sealLater(shard);
  }
}
