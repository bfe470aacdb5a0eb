/**
 * The writer: owns the shards of its projects and their shared journal, in its own thread (writer-thread.ts). Its projects take
 * turns; in each, one does one thing (acts.ts). Requests of many turns share one sync of the disk.
 */
import path from 'node:path';
import { makeFolderOnDisk } from '../../base/files/make-folders.ts';
import { lockedFile } from '../../base/files/locked-file.ts';
import { monotonic } from '../../base/monotonic.ts';
import { answerOf, failure, stuck } from '../seal/answers.ts';
import type { StoreCall } from '../steps.ts';
import { damaged } from '../file/shard-file.ts';
import { placesIn, RecordReader, UnsealedRecords } from '../journal/unsealed-records.ts';
import { fileBytesFor, Journal } from '../journal/journal.ts';
import { type JournalFile, journalFiles, partitionOf } from '../journal/names.ts';
import type { RecordHead } from '../journal/record-head.ts';
import type { Storing } from '../storer.ts';
import type { WriterAnswer, WriterMessage, WriterOptions, WriterReply } from '../writer-messages.ts';
import { Acts } from './acts.ts';
import { ColdAppends } from './cold-appends.ts';
import { Compaction } from './compaction.ts';
import { FileTasks } from './file-tasks.ts';
import { GroupCommit, StreamOrder } from './group-commit.ts';
import { Loading } from './loading.ts';
import { type ProjectActor, projectIdOf } from './project-actor.ts';
import { ProjectTurns } from './project-turns.ts';
import { ProjectActors } from './project-actors.ts';
import { ProjectRemoval } from './removal.ts';
import { RequestReader, RequestSteps } from './request-steps.ts';
import { Sealing } from './sealing.ts';
import { ShardFiles } from './shard-files.ts';
import { UsageReport } from './usage-report.ts';

/** A shard is tidied up after this time without events. Milliseconds. */
const IDLE = 5_000;
/**
 * Compactions of few segments begun in a round while requests come: each writes to its file three times, and the journal's syncs
 * wait for that.
 */
const COMPACTED = 2;

export interface WriterHooks {
  readonly post: (reply: WriterReply) => void;
  /** Called when something is to be done, outside of `work`. */
  readonly wake: () => void;
  readonly storing: Storing;
  /** Whether requests wait for this writer; omitted: never. */
  readonly more?: () => boolean;
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #hooks: WriterHooks;
  readonly #files: ShardFiles;
  readonly #projects: ProjectActors;
  readonly #journal: Journal<RecordHead>;
  readonly #tasks: FileTasks;
  readonly #sealing: Sealing;
  readonly #compaction: Compaction;
  readonly #requests: RequestSteps;
  readonly commits: GroupCommit;
  readonly streams = new StreamOrder();
  readonly usageReport: UsageReport;
  readonly loading: Loading;
  readonly #acts: Acts;
  readonly #turns = new ProjectTurns();
  /** Answers that need no disk. */
  #answers: WriterAnswer[] = [];
  #isWorking = false;
  /** The message that ends the writer, once nothing is under way. */
  #ending: Extract<WriterMessage, { op: 'close' }> | null = null;

  /** Finds what an earlier run left in the journal, then posts `ready`. Throws if the folder or a setting cannot be used. */
  constructor(options: WriterOptions, hooks: WriterHooks) {
    this.#options = options;
    this.#hooks = hooks;
    const { post, storing, more = () => false } = hooks;
    const { partition, partitions, bodyLimit } = options;
    const folder = path.join(options.folder, 'journal');
    makeFolderOnDisk(folder);
    const old = journalFiles(folder);
    const reader = new RequestReader(options);
    const files = new ShardFiles({ ...options, letGo: (project) => post({ op: 'let_go', project }) });
    const journal = new Journal<RecordHead>(folder, options, fileBytesFor(options.journalBytes));
    const tasks = new FileTasks({ storing, files, ended: (project) => this.#taskEnded(project) });
    const projects = new ProjectActors({
      ...{ ...options, files },
      spilling: (project) => this.#sealing.dropped(project),
    });
    const isOwn = (project: string): boolean => partitionOf(project, partitions) === partition;
    for (const [id, places] of placesIn(folder, old, isOwn))
      projects.of(id).records = new UnsealedRecords(places, null, true);
    const records = new RecordReader(folder, () => projects.unsealed());
    const commits = new GroupCommit({
      ...{ journal, lock: lockedFile(options.folder), streams: this.streams, post, more },
      failing: () => this.#startOver(),
    });
    const compaction = new Compaction({ ...options, projects, files, tasks, post });
    const sealing = new Sealing(
      options,
      { projects, files, tasks, journal },
      {
        before: (project) => commits.settle(project),
        after: (project, oldest) => {
          this.#release(oldest);
          compaction.want(project, false);
        },
        failed: (project, error) => post({ op: 'trouble', what: 'seal', project, error: error.data }),
        release: (oldest) => this.#release(oldest),
        thin: (afresh) => this.#thin(afresh),
      },
    );
    const usageReport = new UsageReport({
      ...{ projects, files, sealing, compaction, journal, post },
      mustWait: (id) => projects.find(id)?.isWhole === false,
    });
    const call = (project: ProjectActor, storeCall: StoreCall): void => this.#call(project, storeCall);
    const { streams } = this;
    const cold = new ColdAppends({ records, projects, files, sealing, usageReport });
    const requests = new RequestSteps({
      ...{ reader, journal, commits, sealing, streams, cold, bodyLimit, call },
      answer: (answer) => this.#answers.push(answer),
      flush: () => this.#flush(),
    });
    const loading = new Loading({
      ...{ folder, records, projects, files, tasks, reader, sealing, compaction, usageReport, commits, call },
      wake: (project) => this.#schedule(project),
      failed: (project, error, isLost) => this.#notLoaded(project, error, isLost),
    });
    const removal = new ProjectRemoval({ projects, files, sealing, usageReport, tasks, journal });
    this.#acts = new Acts({
      ...{ cold, commits, compaction, files, loading, projects, removal, requests, sealing, tasks },
      turns: this.#turns,
      answer: (answer) => this.#post(answer),
    });
    this.#files = files;
    this.#projects = projects;
    this.#journal = journal;
    this.#tasks = tasks;
    this.#sealing = sealing;
    this.#compaction = compaction;
    this.commits = commits;
    this.usageReport = usageReport;
    this.#requests = requests;
    this.loading = loading;
    this.#start(old);
    sealing.mayGoElsewhere = true;
  }

  /** Adds a message to the inbox of its project, whose turn will come. */
  deliver(message: WriterMessage): void {
    if (message.op === 'close') {
      this.#ending = message;
      return this.#wake();
    }
    const project = this.#projects.of(projectIdOf(message));
    project.receive(message);
    this.#schedule(project);
  }

  /** Whether a project is ready. */
  get isReady(): boolean {
    return this.#turns.any;
  }

  /** Has projects take their turns while any is ready and `goesOn` allows it: their requests are a group. */
  work(goesOn: () => boolean = () => true): void {
    if (this.#isWorking) return;
    this.#isWorking = true;
    while (goesOn()) {
      const project = this.#turns.next();
      if (project === undefined) break;
      this.#acts.act(project);
      this.#turns.add(project);
      this.#projects.settle(project);
    }
    this.#flush();
    this.#sealing.sealFull(monotonic());
    this.#sealing.boundJournal(monotonic());
    this.commits.pump();
    this.#isWorking = false;
    if (this.#ending !== null && !this.isReady) this.#end(this.#ending);
  }

  /**
   * What is done about once a second besides messages. Each step takes a few milliseconds; messages may be processed between two.
   * @param now By `monotonic()`.
   * @param isQuiet Whether no requests come.
   */
  *housekeeping(now: number, isQuiet = true): Generator<undefined, void> {
    this.usageReport.usage(); // projects may only be evicted once their usage is reported
    this.#projects.evictIdle();
    yield;
    this.#sealing.tick(now);
    yield;
    let tidied = 0;
    let compactions = isQuiet ? Infinity : COMPACTED;
    for (const project of [...this.#projects.loaded()]) {
      if (this.#tidy(project, now) && compactions > 0 && this.#compaction.want(project, true)) compactions--;
      if (++tidied % 128 === 0) yield;
    }
    this.usageReport.stats();
  }

  /** Returns whether nothing has come for the project for a while: few segments are then enough for a compaction. */
  #tidy(project: ProjectActor, now: number): boolean {
    const { shard } = project;
    if (shard === null || shard.lastAppend > now - IDLE) return false;
    // Counters of refused requests, and identities, do not wait for an event.
    if ((shard.unsealed && shard.pendingRows === 0) || shard.state.unindexed) this.#sealing.trySeal(project, now);
    return true;
  }

  #wake(): void {
    if (!this.#isWorking) this.#hooks.wake();
  }

  #post(answer: WriterAnswer): void {
    this.#hooks.post({ op: 'done', answers: [answer] });
  }

  #schedule(project: ProjectActor): void {
    this.#turns.add(project);
    this.#wake();
  }

  /** Has the store thread do what a request or the loading of a project waits for. */
  #call(project: ProjectActor, call: StoreCall): void {
    project.call = call;
    this.#hooks.storing.run(project.tenant, this.#files.fileOf(project.id), call.task, (outcome) => {
      if (project.call !== call) return; // the request has started over
      project.call = null;
      call.outcome = outcome;
      this.#schedule(project);
    });
  }

  #taskEnded(project: ProjectActor): void {
    this.#turns.add(project);
    this.#turns.uncrowd();
    this.#projects.settle(project);
    this.#wake(); // the end may wait for it
  }

  /** Requests on which others built were not kept: these start over. */
  #startOver(): void {
    for (const project of this.#projects.loaded()) {
      this.#requests.startOver(project);
      this.#schedule(project);
    }
  }

  /** A message that needed the project gets the error; if acknowledged records are affected, all get it from now on. */
  #notLoaded(project: ProjectActor, error: unknown, isLost: boolean): void {
    if (isLost) {
      const reported = damaged(error, project.id);
      project.state = { kind: 'broken', error: reported };
      this.#hooks.post({ op: 'trouble', what: 'replay', project: project.id, error: reported.data });
    } else if (project.next !== undefined) this.#post(failure(project.take().id, error));
  }

  /** Posts answers that need no disk, and starts writing what was read. */
  #flush(): void {
    const answers = this.#answers;
    this.#answers = [];
    if (answers.length > 0) this.#hooks.post({ op: 'done', answers });
    this.commits.pump();
  }

  /** Releases journal files before the one that seals need first, and returns the first that stays. */
  #release(oldest: number): number {
    const first = Math.min(oldest, this.#projects.neededFile);
    this.#journal.release(first);
    return first;
  }

  /** Removes sealed records from journal files that cannot be released because something in them cannot be sealed. */
  #thin(afresh: boolean): void {
    const waiting = new Set([...Array.from(this.#projects.unsealed(), ({ id }) => id), ...this.#sealing.needy()]);
    this.#journal.thin((head) => !waiting.has(head.project.id), afresh);
  }

  /**
   * What an earlier run acknowledged but did not seal is replayed when needed (loading.ts), and its files in this partition are
   * released by its seals. Files of an earlier run with another number of writers hold records of several partitions: then
   * everything is sealed at once, and the store removes them when all writers are ready without an error.
   */
  #start(old: readonly JournalFile[]): void {
    const isForeign = old.some((file) => file.partitions !== this.#options.partitions);
    if (isForeign || this.#options.offline === true) this.loading.all();
    const loaded = [...this.#projects.loaded()];
    let error = [...this.#projects.all()].flatMap(({ state }) => (state.kind === 'broken' ? state.error : []))[0];
    if (isForeign) {
      for (const project of loaded)
        if (project.loaded.unsealed && !this.#sealing.trySeal(project, monotonic())) error ??= stuck();
    }
    this.#release(this.#sealing.oldestFile());
    this.usageReport.usage();
    const unsealed = [...this.#projects.all()].filter(({ records, shard }) => records !== null || shard?.unsealed);
    this.#hooks.post({ op: 'ready', error: error?.data ?? null, unsealed: unsealed.map(({ id }) => id) });
  }

  /** Ends the writer, unless something is under way that ends by itself. */
  #end({ id }: { readonly id: number }): void {
    this.#sealing.mayGoElsewhere = false;
    if (this.#tasks.running > 0) return;
    for (const project of this.#projects.all()) if (project.isUnderWay) return;
    this.#ending = null;
    const answer = answerOf(id, () => this.#close());
    if (!answer.ok) return this.#post(answer);
    this.#hooks.storing.close(() => this.#post(answer));
  }

  /**
   * Seals what is pending if that is quick. Otherwise it stays in the journal, just as safe, and the next start replays it.
   * Usage is reported in any case.
   */
  #close(): void {
    this.commits.settle();
    if (this.#options.offline === true || this.#sealing.hasLittle) this.#sealing.sealAll();
    this.usageReport.usage();
    this.#files.closeAll();
    this.#sealing.unsynced.syncNow();
    const oldest = this.#release(this.#sealing.oldestFile());
    this.#journal.close(oldest === Infinity);
  }
}
