/**
 * Takes up, project by project, what only the journal has, from an earlier run or set aside to save memory: before a project's
 * first message is processed, otherwise one after the other while nobody waits (`idle`). Large ones are read in slices of time,
 * like bodies (slicing.ts); messages of the project wait for the end.
 */
import { monotonic } from '../../base/monotonic.ts';
import type { Tenant } from '../../base/project.ts';
import { unloaded, type Away } from './away.ts';
import type { Backlog } from '../journal/backlog.ts';
import type { Compaction } from './compaction.ts';
import type { Errand, Steps } from '../seal/errand.ts';
import type { GroupCommit } from './group-commit.ts';
import { projectOf } from './held-back.ts';
import { indexShard } from '../seal/index-shard.ts';
import type { Sealing } from './sealing.ts';
import type { ShardSet } from './shard-set.ts';
import { SET_ASIDE_BYTES, unknownTenant } from './shard-writer.ts';
import { SLICE } from './slicing.ts';
import { runStoreTask } from '../seal/store-tasks.ts';
import type { Storing } from '../storer.ts';
import type { Taking } from './taking.ts';
import type { UsageReport } from './usage-report.ts';
import type { TakeUpMessage, WriterMessage } from '../writer-messages.ts';

/**
 * From the first of these fractions of the journal's limit on, the oldest records are taken up first, since they keep the files,
 * and the fuller it is the sooner, up to the second.
 */
const PRESSED = 1 / 2;
const FULL = 3 / 4;

export interface TakingUpOptions {
  /** The journal. */
  readonly folder: string;
  readonly backlog: Backlog;
  readonly shards: ShardSet;
  readonly taking: Taking;
  readonly sealing: Sealing;
  readonly compaction: Compaction;
  readonly usageReport: UsageReport;
  readonly away: Away;
  readonly storing: Storing;
  readonly commits: Pick<GroupCommit, 'settle'>;
  /** Delivers messages again, in this order. */
  readonly again: (messages: readonly WriterMessage[]) => void;
  /** Called with a project that could not be taken up, before it is removed here. */
  readonly failed: (project: string, error: unknown) => void;
}

/** What a project needs to continue: another slice of time, or work that another thread may do. */
type Step = 'slice' | 'index' | 'seal' | Errand;

interface Job {
  readonly project: string;
  /** Delivered again for each slice. */
  readonly message: TakeUpMessage;
  readonly steps: Generator<Step, void, undefined>;
  /** Messages waiting for the end, and whether any ever came: if so, the project is not sealed unasked. */
  readonly waiting: WriterMessage[];
  wanted: boolean;
}

export class TakingUp {
  readonly #options: TakingUpOptions;
  readonly #jobs = new Map<string, Job>();
  /** Projects that the store thread takes up. Their messages are held back. */
  readonly #unloaded = new Set<string>();

  constructor(options: TakingUpOptions) {
    this.#options = options;
  }

  /** Keeps a message of a project that is not taken up yet, and starts doing so; false if the message may continue now. */
  holds(message: Exclude<WriterMessage, { op: 'close' }>): boolean {
    const { backlog } = this.#options;
    if (backlog.size === 0) return false;
    const project = projectOf(message);
    if (!this.#jobs.has(project)) {
      // A project being deleted need not be taken up first.
      if (!backlog.has(project) || message.op === 'drop' || this.#unloaded.has(project)) return false;
      const begun = this.#begin(typeof message.project === 'string' ? unknownTenant(project) : message.project);
      begun.wanted = true;
      this.#goOn(begun);
    }
    const job = this.#jobs.get(project);
    if (job === undefined) return false;
    job.wanted = true;
    job.waiting.push(message);
    return true;
  }

  /** Whether a project is being taken up. */
  has(project: string): boolean {
    return this.#jobs.has(project);
  }

  /** Runs the next slice of a project. */
  work({ project }: TakeUpMessage): void {
    const job = this.#jobs.get(project.id);
    if (job) this.#goOn(job);
  }

  /** Number of projects that are being taken up in this thread. */
  get size(): number {
    return this.#jobs.size;
  }

  /** Takes up everything at once; nobody is waiting for anything else. */
  all(): void {
    const { backlog, shards, sealing } = this.#options;
    for (let project = backlog.oldest(); project !== undefined; project = backlog.oldest()) {
      const job = this.#begin(unknownTenant(project));
      try {
        for (const step of job.steps) {
          if (step === 'index') shards.writing(project, () => indexShard(shards.connection(project)));
          else if (step === 'seal') sealing.trySeal(shards.get(project), monotonic());
          else if (step !== 'slice')
            step.outcome = { ok: true, value: runStoreTask(shards.fileOf(project), step.task) };
        }
      } catch (error) {
        this.#options.failed(project, error);
      }
      this.#end(job);
      sealing.boundPending(monotonic());
    }
  }

  /**
   * Has the store thread take up and seal a project that nobody has asked for. Of an earlier run, the one with the newest
   * events comes first, because nobody knows yet that they are billed; otherwise, or if the journal is full, one that has kept
   * files the longest. Call it now and then. Returns how much the journal needs its room, from 0 to 1; false if nothing waits.
   */
  idle(): number | false {
    const { backlog, away } = this.#options;
    if (backlog.size === 0) return false;
    const pressure = this.#pressure;
    if (this.#jobs.size === 0 && away.size === 0) {
      const project = (pressure > 0 ? null : backlog.newest()) ?? backlog.oldest();
      if (project !== undefined && !this.#takesUpUnloaded(project)) this.#goOn(this.#begin(unknownTenant(project)));
    }
    return pressure;
  }

  /** Has the store thread take up all of a project; false if that is much, which is taken up in slices. */
  #takesUpUnloaded(project: string): boolean {
    const { folder, backlog, shards, sealing, compaction, usageReport, away, commits } = this.#options;
    if (shards.has(project) || backlog.bytesOf(project) > SET_ASIDE_BYTES) return false;
    commits.settle(project); // what was deferred is one of its records then
    shards.closeFile(project); // whoever closes it last waits for the disk
    const file = backlog.firstFile(project);
    const begun = performance.now();
    this.#unloaded.add(project);
    away.run<'take_up'>(
      unloaded(project),
      { op: 'take_up', project, folder, places: backlog.placesOf(project) },
      {
        done: ({ days, isCompactable }) => {
          this.#unloaded.delete(project);
          backlog.forget(project);
          usageReport.takenUp(project, days);
          sealing.sealedUnloaded(file, begun);
          if (isCompactable) compaction.want(shards.get(project), false);
        },
        failed: () => {
          this.#unloaded.delete(project);
          this.#goOn(this.#begin(unknownTenant(project))); // which finds moved records, and reports what is wrong
        },
      },
    );
    return true;
  }

  get #pressure(): number {
    return Math.min(1, Math.max(0, (this.#options.sealing.fullness - PRESSED) / (FULL - PRESSED)));
  }

  #begin(tenant: Tenant): Job {
    const { id: project } = tenant;
    this.#options.commits.settle(project); // what was deferred is one of its records then
    const message = { op: 'take_up', id: 0, project: tenant } as const;
    const job = { project, message, steps: this.#steps(project), waiting: [], wanted: false };
    this.#jobs.set(project, job);
    return job;
  }

  #goOn(job: Job): void {
    const until = performance.now() + SLICE.value;
    let step: IteratorResult<Step, void>;
    try {
      do step = job.steps.next();
      while (step.value === 'slice' && performance.now() < until);
    } catch (error) {
      this.#options.failed(job.project, error);
      return this.#end(job);
    } finally {
      this.#options.backlog.rest();
    }
    if (step.done === true) return this.#end(job);
    if (step.value === 'index') return this.#index(job);
    if (step.value === 'seal') return this.#seal(job);
    if (step.value !== 'slice') return this.#run(job, step.value);
    this.#options.again([job.message]);
  }

  #run({ project, message }: Job, errand: Errand): void {
    const { storing, shards, again } = this.#options;
    storing.run(message.project, shards.fileOf(project), errand.task, (outcome) => {
      errand.outcome = outcome;
      again([message]);
    });
  }

  /** Indexes a shard that was never indexed. */
  #index(job: Job): void {
    const shard = unloaded(job.project, job.message.project);
    const failed = (error: Error): void => {
      this.#options.failed(job.project, error);
      this.#end(job);
    };
    this.#options.away.run<'index'>(shard, { op: 'index' }, { done: () => undefined, failed, next: job.message });
  }

  /** Seals as much as one seal takes before more is read. */
  #seal({ project, message: next }: Job): void {
    const { sealing, shards, again } = this.#options;
    const shard = shards.get(project);
    const failed = (error: Error): void => {
      sealing.failed(shard, error);
      again([next]);
    };
    if (sealing.sealElsewhere(project, { next, failed })) return;
    sealing.trySeal(shard, monotonic());
    again([next]);
  }

  #end(job: Job): void {
    const { backlog, shards, sealing, again } = this.#options;
    this.#jobs.delete(job.project);
    backlog.forget(job.project);
    backlog.rest();
    const shard = shards.peek(job.project);
    if (shard) shard.paused = shard.takingUp = false;
    if (shard?.unsealed && (!job.wanted || this.#pressure > 0)) sealing.later.add(shard);
    again(job.waiting.splice(0));
  }

  *#steps(project: string): Job['steps'] {
    const { backlog, shards, sealing, taking } = this.#options;
    if (shards.lacksIndex(project)) yield 'index';
    const shard = shards.get(project);
    shard.takingUp = true; // keeps the shard loaded, between seals too
    for (let record = backlog.next(project); record !== null; record = backlog.next(project)) {
      shard.paused = true; // keeps the shard from being sealed half read
      const bytes = yield* slices(taking.takeRecord(shard, record));
      if (bytes !== null) sealing.took(shard, bytes);
      if (sealing.isDue(shard, monotonic())) {
        shard.paused = false;
        yield 'seal';
      } else yield 'slice';
    }
  }
}

/** Each step without an errand is a point to serve others. */
function* slices<T>(steps: Steps<T>): Generator<Step, T, undefined> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield step.value ?? 'slice';
  }
}
