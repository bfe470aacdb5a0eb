/**
 * The writer: owns the shards of its projects and their shared journal, in its own thread (writer-thread.ts). It processes
 * messages in groups, each with one sync of the disk.
 */
import { monotonic } from '../../base/monotonic.ts';
import fs from 'node:fs';
import path from 'node:path';
import { answerOf, failure, stuck } from '../seal/answers.ts';
import { Away } from './away.ts';
import { Backlog } from '../journal/backlog.ts';
import { Compaction } from './compaction.ts';
import type { Snapshot } from '../shard-reader.ts';
import { Deferring } from './deferring.ts';
import { GroupCommit } from './group-commit.ts';
import { HeldBack, projectOf } from './held-back.ts';
import { lockedFile } from '../../base/files/locked-file.ts';
import type { Place } from '../journal/entry.ts';
import { fileBytesFor, Journal } from '../journal/journal.ts';
import { journalFiles, type JournalFile } from '../journal/names.ts';
import { partitionOf } from './partition.ts';
import { keepHouse } from './housekeeping.ts';
import { ReadElsewhere } from './read-elsewhere.ts';
import { LARGE, Reading } from './reading.ts';
import type { RecordHead } from '../journal/record-head.ts';
import { Removal } from './removal.ts';
import { Sealing } from './sealing.ts';
import { ShardSet } from './shard-set.ts';
import type { ShardWriter } from './shard-writer.ts';
import { Slicing } from './slicing.ts';
import { StreamOrder } from './stream-order.ts';
import type { Storing } from '../storer.ts';
import { Taking } from './taking.ts';
import { TakingUp } from './taking-up.ts';
import { withoutSync } from '../file/unsynced.ts';
import { UsageReport } from './usage-report.ts';
import { Unreplayed } from './unreplayed.ts';
import type { Answer, AppendMessage, WriterMessage, WriterOptions, WriterReply } from '../writer-messages.ts';
import type { Again } from './writer-turns.ts';

/**
 * Work after which a group goes to disk although more has arrived: its senders can make their next requests while the rest is
 * read; otherwise all would wait for the whole, and then the writer for all of them. Milliseconds.
 */
const GROUP_TIME = 0.3;

/** Messages that read a shard. */
const NEEDS_SHARD: ReadonlySet<WriterMessage['op']> = new Set(['catalog', 'extent', 'device', 'freeze', 'purge']);

export interface WriterHooks {
  readonly post: (reply: WriterReply) => void;
  readonly again: Again;
  readonly storing: Storing;
  /** Whether requests wait for this writer; omitted: never. */
  readonly more?: () => boolean;
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #post: WriterHooks['post'];
  readonly #shards: ShardSet;
  readonly #journal: Journal<RecordHead>;
  readonly commits: GroupCommit;
  readonly #taking: Taking;
  readonly #held = new HeldBack();
  readonly streams = new StreamOrder();
  readonly #slicing: Slicing;
  readonly #away: Away;
  readonly #storing: Storing;
  readonly #sealing: Sealing;
  readonly #deferring: Deferring;
  readonly #reading: Reading;
  readonly #elsewhere: ReadElsewhere;
  readonly #compaction: Compaction;
  readonly usageReport: UsageReport;
  readonly #removal: Removal;
  readonly #backlog: Backlog;
  readonly takingUp: TakingUp;
  readonly #unreplayed = new Unreplayed();
  /** The message to end, while it waits for whatever is under way; delivered again with everything that goes on. */
  #ending: WriterMessage | null = null;

  /** Finds what an earlier run left in the journal, then posts `ready`. Throws if the folder or a setting cannot be used. */
  constructor(options: WriterOptions, { post, again: deliver, storing, more = () => false }: WriterHooks) {
    const again: Again = (messages, as) => {
      const all = this.#ending === null ? messages : [...messages, this.#ending];
      this.#ending = null;
      if (all.length > 0) deliver(all, as);
    };
    this.#options = options;
    this.#post = post;
    this.#storing = storing;
    this.#taking = new Taking(options);
    this.#shards = new ShardSet({
      ...options,
      setAside: (shard, places) => this.#setAside(shard, places),
      letGo: (project) => post({ op: 'let_go', project }),
    });
    const folder = path.join(options.folder, 'journal');
    fs.mkdirSync(folder, { recursive: true });
    const old = journalFiles(folder);
    const { partition, partitions } = options;
    this.#backlog = new Backlog(folder, old, (project) => partitionOf(project, partitions) === partition);
    this.#journal = new Journal(folder, options, fileBytesFor(options.journalBytes));
    this.commits = new GroupCommit({
      ...{ journal: this.#journal, lock: lockedFile(options.folder), streams: this.streams, post, more },
      failing: () => this.#slicing.startOver(),
    });
    const fileOf = (project: string): string => this.#shards.fileOf(project);
    this.#slicing = new Slicing({ storing, held: this.#held, streams: this.streams, fileOf, again });
    this.#away = new Away({ storing, held: this.#held, shards: this.#shards, again });
    this.#elsewhere = new ReadElsewhere({ shards: this.#shards, away: this.#away, commits: this.commits, post });
    this.#compaction = new Compaction({ ...options, shards: this.#shards, away: this.#away, post });
    this.#sealing = new Sealing(
      options,
      { shards: this.#shards, journal: this.#journal, away: this.#away },
      {
        before: (project) => this.commits.settle(project),
        after: (shard, oldest) => {
          this.#release(oldest);
          this.#compaction.want(shard, false);
        },
        failed: (project, error) => post({ op: 'trouble', what: 'seal', project, error: error.data }),
        release: (oldest) => this.#release(oldest),
        thin: (afresh) => this.#thin(afresh),
      },
    );
    this.#deferring = new Deferring({
      ...{ backlog: this.#backlog, shards: this.#shards, taking: this.#taking, held: this.#held },
      ...{ sealing: this.#sealing, unreplayed: this.#unreplayed },
      ...{ takingUp: () => this.takingUp, usageReport: () => this.usageReport },
    });
    this.#reading = new Reading({
      ...{ shards: this.#shards, journal: this.#journal, commits: this.commits, taking: this.#taking },
      ...{ slicing: this.#slicing, sealing: this.#sealing, unreplayed: this.#unreplayed },
      ...{ deferring: this.#deferring, bodyLimit: options.bodyLimit },
      answer: (answers) => this.#answer(answers),
    });
    this.usageReport = new UsageReport({
      ...{ shards: this.#shards, sealing: this.#sealing, compaction: this.#compaction },
      ...{ journal: this.#journal, post },
      isHeld: (project) => this.#held.isHeld(project) || this.#backlog.has(project),
    });
    this.#removal = new Removal({
      ...{ shards: this.#shards, sealing: this.#sealing, usageReport: this.usageReport, held: this.#held, again },
      ...{ away: this.#away, journal: this.#journal },
    });
    this.takingUp = new TakingUp({
      ...{ backlog: this.#backlog, shards: this.#shards, taking: this.#taking },
      ...{ sealing: this.#sealing, compaction: this.#compaction, usageReport: this.usageReport },
      ...{ folder, away: this.#away, commits: this.commits, storing, again },
      failed: (project, error) => {
        const told = this.#unreplayed.add(project, error, this.#backlog.firstFile(project));
        post({ op: 'trouble', what: 'take_up', project, error: told.data });
      },
    });
    this.#takeUp(old);
    this.#sealing.mayGoElsewhere = true;
  }

  /** What is done once a second, in steps: see `keepHouse`. */
  housekeeping(now: number, isQuiet = true): ReturnType<typeof keepHouse> {
    const parts = { shards: this.#shards, sealing: this.#sealing, compaction: this.#compaction };
    const neededFile = (): number => this.#firstWaiting;
    return keepHouse({ ...parts, usageReport: this.usageReport, neededFile }, now, isQuiet);
  }

  /** A shard is dropped with pending rows: they are only in the journal from then on. */
  #setAside({ project, journalBytes, state }: ShardWriter, places: readonly Place[]): void {
    this.#backlog.add(project, places, state.nextArrival);
    this.#sealing.journalBytes -= journalBytes;
  }

  /** The first journal file with something not taken up. */
  get #firstWaiting(): number {
    return Math.min(this.#backlog.neededFile, this.#unreplayed.neededFile);
  }

  /** Releases journal files before the one that seals need first, and returns the first that stays. */
  #release(oldest: number): number {
    const first = Math.min(oldest, this.#firstWaiting);
    this.#journal.release(first);
    return first;
  }

  /** Removes sealed records from journal files that cannot be released because something in them cannot be sealed. */
  #thin(afresh: boolean): void {
    const waiting = new Set([...this.#unreplayed.projects, ...this.#backlog.projects(), ...this.#sealing.needy()]);
    this.#journal.thin((head) => !waiting.has(head.project.id), afresh);
  }

  /** Processes messages in order. Successive appends share one sync, and are answered after it. */
  process(messages: Iterable<WriterMessage>): void {
    const answers: Answer[] = [];
    let begun = performance.now();
    for (const message of messages) {
      if (message.op === 'take_up') {
        this.takingUp.work(message);
        continue;
      }
      const paused = this.#slicing.isPaused(message);
      const deferred = !paused && message.op === 'append' && this.#deferring.admits(message);
      if (!paused && !deferred && (this.#mustTakeUp(message) || this.#held.holds(message))) continue;
      if (message.op === 'append') {
        if (!paused && this.#sealing.mustWait(message.project)) {
          this.#away.waitForRoom(message.project.id);
          this.#held.holds(message);
          continue;
        }
        if (message.body.byteLength > LARGE) this.#answer(answers);
        if (deferred) this.#reading.defer(message, answers);
        else if (paused || !this.#elsewhere.reads(message)) this.#reading.read(message, answers);
        if (performance.now() - begun < GROUP_TIME) continue;
        this.#sealing.sealHeavy(message.project.id, monotonic());
        this.#answer(answers);
        begun = performance.now();
      } else {
        this.commits.settleFor(message);
        this.#work(message);
      }
    }
    this.#answer(answers);
    this.#sealing.sealFull(monotonic());
    this.#sealing.boundJournal(monotonic());
    this.commits.pump();
  }

  /** Posts answers that need no disk, and starts writing what was read. */
  #answer(answers: Answer[]): void {
    if (answers.length > 0) this.#post({ op: 'done', answers: answers.splice(0) });
    this.commits.pump();
  }

  /** Whether a message must wait until its project is taken up. */
  #mustTakeUp(message: WriterMessage): boolean {
    if (message.op === 'close' || message.op === 'thaw') return false;
    if (message.op === 'retain' && this.#keepsAll(message)) return false;
    return this.takingUp.holds(message);
  }

  /**
   * Whether a project that is not taken up has nothing sealed to drop; false if that cannot be read. The file of a project held
   * back is not opened: it may be replaced meanwhile.
   */
  #keepsAll({ project, now }: Extract<WriterMessage, { op: 'retain' }>): boolean {
    if (!this.#backlog.has(project.id) || this.#held.isHeld(project.id)) return false;
    try {
      return !this.#compaction.reads(project, now);
    } catch {
      return false; // taking it up will report why
    }
  }

  /** Executes a message, or has the store thread do so and answers then. */
  #work(message: Exclude<WriterMessage, AppendMessage>): void {
    try {
      if (message.op !== 'drop' && message.op !== 'replace' && message.op !== 'thaw' && message.op !== 'close')
        this.#unreplayed.check(projectOf(message));
      if (this.#workElsewhere(message)) return;
    } catch (error) {
      return this.#post({ op: 'done', answers: [failure(message.id, error)] });
    }
    // At once: changes by a later message must not be reported before it.
    this.#post({ op: 'done', answers: [answerOf(message.id, () => this.#do(message))] });
  }

  /** Whether the store thread does it, or something that it needs first. */
  #workElsewhere(message: Exclude<WriterMessage, AppendMessage>): boolean {
    if (message.op !== 'close' && NEEDS_SHARD.has(message.op) && this.#elsewhere.reads(message)) return true;
    const told = (error: Error | null): void => {
      const { id } = message;
      this.#post({ op: 'done', answers: [error ? failure(id, error) : { id, ok: true, value: undefined }] });
    };
    switch (message.op) {
      case 'snapshot':
      case 'freeze':
        return this.#sealing.sealElsewhere(message.project, { next: message, failed: told });
      case 'retain': {
        const { id } = message.project;
        if (this.#compaction.reads(message.project, message.now) && this.#elsewhere.reads(message)) return true;
        if (this.#compaction.expires(message.project, message.now)) {
          if (this.#sealing.sealElsewhere(id, { next: message, failed: told })) return true;
          this.#sealing.seal(this.#shards.get(id));
        }
        this.#compaction.retain(message.project, message.now, told);
        return true;
      }
      case 'thaw':
        this.#removal.thaw(message.project, told);
        return true;
      case 'drop':
        this.#unreplayed.forget(message.project);
        this.#backlog.forget(message.project);
        this.#removal.drop(message.project, told);
        return true;
      case 'replace':
        this.#removal.replace(message, this.#unreplayed.has(message.project), told);
        return true;
      case 'purge':
        this.#compaction.purge(message.project, message.segments, told);
        return true;
      case 'compacted':
      case 'merged_texts':
        this.#compaction.take(message, told);
        return true;
      case 'catalog':
        return this.#elsewhere.readsCatalog(message, told);
      case 'close':
        this.#sealing.mayGoElsewhere = false;
        if (this.#away.size + this.#slicing.size + this.takingUp.size > 0) {
          this.#ending = message;
          return true;
        }
        this.#close();
        this.#storing.close(() => told(null));
        return true;
      default:
        return false;
    }
  }

  #do(message: WriterMessage): unknown {
    switch (message.op) {
      case 'snapshot':
        return this.#snapshot(message.project);
      case 'catalog':
        return this.#shards.get(message.project.id).catalog();
      case 'extent':
        return this.#shards.get(message.project).extent();
      case 'device':
        return this.#shards.get(message.project.id).bindings.device(message.deviceId);
      case 'freeze':
        return this.#removal.freeze(message.project);
      default:
        throw new Error(`the writer does not do ${message.op} itself`);
    }
  }

  #snapshot(project: string): { snapshot: Snapshot; retired: readonly number[] } {
    const stored = this.#shards.storedSnapshot(project);
    if (stored) return { snapshot: stored, retired: [] };
    const shard = this.#shards.get(project);
    if (shard.unsealed) this.#sealing.seal(shard, withoutSync);
    this.#shards.makeFile(project);
    return { snapshot: this.#shards.snapshot(shard), retired: shard.retired };
  }

  /**
   * Seals what is pending if that is quick. Otherwise it stays in the journal, just as safe, and the next start takes it up.
   * Usage is reported in any case.
   */
  #close(): void {
    if (this.#options.offline === true || this.#sealing.hasLittle) this.#sealing.sealAll();
    this.usageReport.usage();
    this.#shards.closeAll();
    this.#sealing.unsynced.syncNow();
    const oldest = this.#release(this.#sealing.oldestFile());
    this.#journal.close(oldest === Infinity);
  }

  /**
   * What an earlier run acknowledged but did not seal is taken up when needed (taking-up.ts), and its files in this partition are
   * released by its seals. Files of an earlier run with another number of writers hold records of several partitions: then
   * everything is sealed at once, and the store removes them when all writers are ready without an error.
   */
  #takeUp(old: readonly JournalFile[]): void {
    const isForeign = old.some((file) => file.partitions !== this.#options.partitions);
    if (isForeign || this.#options.offline === true) this.takingUp.all();
    let { error } = this.#unreplayed;
    if (isForeign) {
      for (const shard of this.#shards.known())
        if (shard.unsealed && !this.#sealing.trySeal(shard, monotonic())) error ??= stuck();
    }
    this.#release(this.#sealing.oldestFile());
    this.usageReport.usage();
    this.#post({ op: 'ready', error: error?.data ?? null, unsealed: this.#unsealed() });
  }

  /** The projects of which the journal, or memory, has something that their files lack. */
  #unsealed(): string[] {
    const loaded = [...this.#shards.known()].filter((shard) => shard.unsealed).map(({ project }) => project);
    return [...this.#backlog.projects(), ...this.#unreplayed.projects, ...loaded];
  }
}
