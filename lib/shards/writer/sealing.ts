/** Decides when pending rows are sealed: on request, or when they are many, old, or hold much of the journal. */
import type { Journal } from '../journal/journal.ts';
import type { AppError } from '../../base/errors.ts';
import { monotonic } from '../../base/monotonic.ts';
import { stuck } from '../seal/answers.ts';
import { damaged } from '../file/shard-file.ts';
import type { AfterTask, FileTasks } from './file-tasks.ts';
import type { ProjectActor } from './project-actor.ts';
import type { ProjectActors } from './project-actors.ts';
import { isFull } from './shard-writer.ts';
import type { ShardFiles } from './shard-files.ts';
import { UnsyncedShards } from './unsynced-shards.ts';
import type { withoutSync } from '../file/unsynced.ts';
import type { WriterOptions } from '../writer-messages.ts';

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
  readonly projects: ProjectActors;
  readonly files: ShardFiles;
  readonly tasks: FileTasks;
  readonly journal: Pick<Journal<never>, 'heldBytes' | 'file' | 'rest'>;
}

export interface SealingHooks {
  /** Writes a project's rows to the journal before its seal, so nothing sealed can be rolled back; all before the journal rests. */
  readonly before: (project?: string) => void;
  /** Called with a project that has a new segment, and the oldest journal file still needed (Infinity if none). */
  readonly after: (project: ProjectActor, oldest: number) => void;
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
  readonly #parts: SealingParts;
  readonly #hooks: SealingHooks;
  #thinAfter = 0;
  /** When a project that pins the oldest file is looked for again, after none was found. */
  #lookAfter = 0;
  /** Projects that may be due for a seal, or whose seal failed; the others need no check. */
  readonly #grown = new Set<ProjectActor>();
  /** The oldest needed file, and when that was determined. */
  #oldest = { file: 0, at: -Infinity };
  /** Projects to be sealed by the store thread, one at a time: nobody waits for these. */
  readonly #soon = new Set<ProjectActor>();
  #isSealingSoon = false;
  /** Whether long seals go to the store thread. Not at the start and the end, when nobody waits. */
  mayGoElsewhere = false;

  constructor(options: SealingOptions, parts: SealingParts, hooks: SealingHooks) {
    this.#options = options;
    this.#parts = parts;
    this.#hooks = hooks;
    this.unsynced = new UnsyncedShards({
      fileOf: (project) => parts.files.fileOf(project),
      synced: (file) => hooks.release(this.#oldestAfter(file)),
      failed: (project, error) => hooks.failed(project, damaged(error, project)),
    });
  }

  /** Bytes of journal files, as a fraction of their limit. */
  get fullness(): number {
    return this.#parts.journal.heldBytes / this.#options.journalBytes;
  }

  /** Counts a request that is in the journal and whose rows are pending. */
  took(project: ProjectActor, bytes: number): void {
    this.journalBytes += bytes;
    this.#oldest.file = Math.min(this.#oldest.file, project.loaded.journalFile); // what is replayed is older than what was known
    this.#grown.add(project);
  }

  /** The pending rows of a project leave the memory without a seal. */
  dropped({ shard }: ProjectActor): void {
    if (shard !== null) this.journalBytes -= shard.journalBytes;
  }

  /**
   * Whether a project's events must wait until running seals have made room: first those that could fill another seal, then those
   * that hold much, then all.
   */
  mustWait({ state, shard }: ProjectActor): boolean {
    const { pendingBytes } = this.#options;
    const { tasks } = this.#parts;
    if (this.stuck && tasks.running === 0) this.#makeRoom();
    if (tasks.running === 0) return false;
    if (this.stuck) return true;
    if (shard === null) return false;
    if (state.kind === 'busy' && isFull(shard, this.#options)) return true;
    return this.journalBytes > pendingBytes && shard.journalBytes > pendingBytes / MANY;
  }

  /** Whether seals are so far behind that no more events should be accepted. */
  get stuck(): boolean {
    const { pendingBytes, journalBytes } = this.#options;
    return this.journalBytes > pendingBytes * 2 || this.#parts.journal.heldBytes > journalBytes * 2;
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
  isStuck(project: ProjectActor): boolean {
    return project.sealAfter > 0 && project.loaded.journalBytes >= this.#options.sealBytes;
  }

  /**
   * Seals a project at once, in this thread. Throws AppError('storage_unavailable') without changing anything. @param run
   * withoutSync for whoever only reads what is sealed: until the disk has it, the journal does.
   */
  seal(project: ProjectActor, run?: typeof withoutSync): void {
    this.#hooks.before(project.id);
    const begun = performance.now();
    const shard = project.loaded;
    const { journalBytes: bytes, journalFile: file } = shard;
    try {
      this.#parts.files.writing(project.id, () => shard.seal(run));
    } catch (error) {
      this.journalBytes -= bytes - shard.journalBytes;
      throw damaged(error, project.id);
    } finally {
      if (run) this.unsynced.add(project.id, file);
    }
    this.#sealed(project, { bytes, file, begun });
    const { tasks, projects } = this.#parts;
    const failed = (id: string, error: Error): void => this.#hooks.failed(id, damaged(error, id));
    if (this.mayGoElsewhere) tasks.closeFiles(projects, project, failed);
  }

  /** The same; a failure is reported and retried later. Returns whether it was sealed. */
  sealNow(project: ProjectActor): boolean {
    try {
      this.seal(project);
      return true;
    } catch (error) {
      this.failed(project, error);
      return false;
    }
  }

  /** Has the store thread seal a project if that takes long; false if not. */
  sealElsewhere(project: ProjectActor, after: Pick<AfterTask<'seal'>, 'next' | 'failed'>): boolean {
    if (project.shard?.unsealed !== true || !this.#goesElsewhere(project)) return false;
    this.#sealElsewhere(project, after);
    return true;
  }

  #goesElsewhere(project: ProjectActor): boolean {
    return this.mayGoElsewhere && project.loaded.heavy;
  }

  #sealElsewhere(
    project: ProjectActor,
    after: Omit<AfterTask<'seal'>, 'done'> & { readonly ended?: () => void },
  ): void {
    this.#hooks.before(project.id);
    const begun = performance.now();
    const shard = project.loaded;
    const file = shard.journalFile;
    const task = { op: 'seal', batch: shard.batch() } as const;
    const bytes = shard.frozenBytes;
    this.#parts.tasks.run<'seal'>(project, task, {
      ...after,
      done: (sealed) => {
        shard.sealed(sealed);
        this.#sealed(project, { bytes, file, begun });
        after.ended?.();
      },
    });
  }

  /** Counts a project that the store thread has sealed by itself, and releases journal files. @param file The first that it needed. */
  sealedUnloaded(file: number, begun: number): void {
    this.#count(begun);
    this.#hooks.release(this.#oldestAfter(file));
  }

  #count(begun: number): void {
    this.stats.seals++;
    this.stats.sealSeconds += (performance.now() - begun) / 1000;
  }

  #sealed(project: ProjectActor, { bytes, file, begun }: { bytes: number; file: number; begun: number }): void {
    this.journalBytes -= bytes;
    project.sealAfter = 0;
    this.#count(begun);
    this.#hooks.after(project, this.#oldestAfter(file));
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
    for (const { loaded } of this.#parts.projects.loaded()) oldest = Math.min(oldest, loaded.journalFile);
    return oldest;
  }

  /**
   * Seals a project, or starts to, unless a seal has just failed or something is under way. Failures are retried later; a query
   * that needs the seal gets the error.
   */
  trySeal(project: ProjectActor, now: number): boolean {
    if (!project.isIdle || project.sealAfter > now) return false;
    if (!this.#goesElsewhere(project)) return this.sealNow(project);
    this.#sealElsewhere(project, { failed: (error) => this.failed(project, error), admits: 'appends' });
    return true;
  }

  /** Has the store thread seal a project, however little it has, when those before it are sealed. */
  sealSoon(project: ProjectActor): void {
    this.#soon.add(project);
    this.#sealNext();
  }

  #sealNext(): void {
    for (const project of this.#soon) {
      if (this.#isSealingSoon || !this.mayGoElsewhere) return;
      this.#soon.delete(project);
      if (!project.isIdle || !project.loaded.unsealed || project.sealAfter > monotonic()) continue;
      // Whoever closes the file last checkpoints its log, which waits for the disk: let that be the store thread.
      this.#parts.files.close(project.id);
      this.#isSealingSoon = true;
      const ended = (): void => {
        this.#isSealingSoon = false;
        this.#sealNext();
      };
      const failed = (error: Error): void => {
        this.failed(project, error);
        ended();
      };
      this.#sealElsewhere(project, { ended, failed, admits: 'appends' });
    }
  }

  /** Reports a failed seal and schedules a retry. */
  failed(project: ProjectActor, error: unknown): void {
    this.#hooks.failed(project.id, damaged(error, project.id));
    project.sealAfter = monotonic() + RETRY;
    this.#grown.add(project);
  }

  /** Whether everything pending is little enough to seal soon. */
  get hasLittle(): boolean {
    let unsealed = 0;
    for (const { loaded } of this.#parts.projects.loaded()) if (loaded.unsealed) unsealed++;
    return unsealed <= FEW_PROJECTS && this.journalBytes <= FEW_BYTES;
  }

  sealAll(): void {
    for (const project of this.#parts.projects.loaded()) if (project.loaded.unsealed) this.seal(project);
  }

  /** Seals what has become too much, in one project or in total. */
  sealFull(now: number): void {
    for (const project of this.#grown) {
      const { shard } = project; // null: it was evicted
      const isLarge = shard !== null && (shard.frozenBytes > 0 || isFull(shard, this.#options));
      if (isLarge) this.trySeal(project, now);
      else this.#grown.delete(project);
    }
    this.boundPending(now);
  }

  /** Bounds the pending rows of all projects: seals the oldest. */
  boundPending(now: number): void {
    const { pendingBytes } = this.#options;
    while (this.journalBytes - this.#parts.tasks.sealingBytes > pendingBytes)
      if (!this.#sealOldest(now, Infinity)) break;
  }

  /** Whether a project has enough for a seal, and its last seal has not just failed. */
  isDue(project: ProjectActor, now: number): boolean {
    return project.sealAfter <= now && isFull(project.loaded, this.#options);
  }

  /**
   * Bounds the journal's files: has whatever pins the oldest sealed, from half the limit on by the store thread, one project at a
   * time, so that nobody waits for it. If that fails, only what could not be sealed stays in the files.
   */
  boundJournal(now: number): void {
    const bound = this.#options.journalBytes;
    const { journal, projects } = this.#parts;
    const { file } = journal;
    if (journal.heldBytes > bound / 2 && !this.#isSealingSoon && this.#soon.size === 0) this.#sealOldestSoon(now, file);
    while (journal.heldBytes > bound) if (!this.#sealOldest(now, file)) break;
    if (journal.heldBytes <= bound) return;
    for (const project of projects.loaded()) if (!project.isIdle) return; // the oldest files may soon be free
    const afresh = now >= this.#thinAfter;
    if (afresh) this.#thinAfter = now + RETRY;
    this.#hooks.thin(afresh);
  }

  #sealOldestSoon(now: number, file: number): void {
    if (now < this.#lookAfter) return;
    const oldest = this.#oldestBefore(file, now);
    if (oldest !== null) this.sealSoon(oldest);
    else this.#lookAfter = now + OLDEST_EVERY;
  }

  /** Seals the project that pins the oldest journal file. False if no project can be sealed, or it is being sealed. */
  #sealOldest(now: number, file: number): boolean {
    const oldest = this.#oldestBefore(file, now);
    return oldest !== null && this.trySeal(oldest, now);
  }

  /** The project that pins the oldest journal file, if that is before `file` and no seal has just failed; null if none. */
  #oldestBefore(file: number, now: number): ProjectActor | null {
    let oldest: ProjectActor | null = null;
    let first = file;
    for (const project of this.#parts.projects.loaded()) {
      const { journalFile } = project.loaded;
      if (journalFile >= first || project.sealAfter > now) continue;
      [oldest, first] = [project, journalFile];
    }
    return oldest;
  }

  /** Loaded projects with data that only the journal has. */
  *needy(): Iterable<string> {
    for (const { loaded, id } of this.#parts.projects.loaded()) if (loaded.unsealed) yield id;
    yield* this.unsynced.projects();
  }

  /** Called about once a second. */
  tick(now: number): void {
    const { projects, journal } = this.#parts;
    this.#sealOld(now);
    this.boundJournal(now);
    void this.unsynced.sync();
    for (const { loaded } of projects.loaded()) if (loaded.lastAppend > now - REST) return;
    this.#hooks.before();
    journal.rest(Math.min(this.oldestFile(), projects.neededFile));
  }

  /** Has old rows sealed, and those for which there is no memory. */
  #sealOld(now: number): void {
    const { projects } = this.#parts;
    for (const project of projects.loaded())
      if (project.loaded.pendingSince <= now - this.#options.sealAge) this.sealSoon(project);
    for (const project of projects.crowding()) this.sealSoon(project);
  }
}
