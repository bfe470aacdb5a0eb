/**
 * Takes up, project by project, what only the journal has, from an earlier run or set aside to save memory: before a project's
 * first message is processed, otherwise one after the other while nobody waits (`idle`). Large ones are read in slices of time,
 * like bodies (slicing.ts); messages of the project wait for the end.
 */
import { monotonic } from '../../base/monotonic.ts';
import type { Tenant } from '../../base/project.ts';
import type { Away } from './away.ts';
import type { Backlog, WaitingRecord } from '../journal/backlog.ts';
import type { Errand } from '../seal/errand.ts';
import type { GroupCommit } from './group-commit.ts';
import { projectOf } from './held-back.ts';
import { indexTexts } from '../seal/index-texts.ts';
import { unpackedBody } from '../journal/record-head.ts';
import { FIRST_INGEST_RULES } from '../request.ts';
import type { Sealing } from './sealing.ts';
import type { ShardSet } from './shard-set.ts';
import type { ShardWriter } from './shard-writer.ts';
import { SLICE } from './slicing.ts';
import { runStoreTask } from '../seal/store-tasks.ts';
import type { Storing } from '../seal/storer.ts';
import type { Taking } from './taking.ts';
import type { TakeUpMessage, WriterMessage } from '../writer-messages.ts';

/**
 * From the first of these fractions of the journal's limit on, the oldest records are taken up first, since they keep the files,
 * and the fuller it is the sooner, up to the second.
 */
const PRESSED = 1 / 2;
const FULL = 3 / 4;

export interface TakingUpOptions {
  readonly backlog: Backlog;
  readonly shards: ShardSet;
  readonly taking: Taking;
  readonly sealing: Sealing;
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
  #last: WriterMessage[] = [];

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
      if (!backlog.has(project) || message.op === 'drop') return false;
      const begun = this.#begin(typeof message.project === 'string' ? nobody(project) : message.project);
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

  /** Keeps a message until nothing is being taken up; false if nothing is now. */
  holdUntilDone(message: WriterMessage): boolean {
    if (this.#jobs.size === 0) return false;
    this.#last.push(message);
    return true;
  }

  /** Takes up everything at once; nobody is waiting for anything else. */
  all(): void {
    const { backlog, shards, sealing } = this.#options;
    for (let project = backlog.oldest(); project !== undefined; project = backlog.oldest()) {
      const job = this.#begin(nobody(project));
      try {
        for (const step of job.steps) {
          if (step === 'index') indexTexts(shards.connection(project));
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
   * Takes up a project that nobody has asked for, and has the store thread seal it. Of an earlier run, the one with the newest
   * events comes first, because nobody knows yet that they are billed; otherwise, or if the journal is full, one that has kept
   * files the longest. Call it now and then. Returns how much the journal needs its room, from 0 to 1; false if nothing waits.
   */
  idle(): number | false {
    const { backlog, away } = this.#options;
    if (backlog.size === 0) return false;
    const pressure = this.#pressure;
    if (this.#jobs.size === 0 && away.size === 0) {
      const project = (pressure > 0 ? null : backlog.newest()) ?? backlog.oldest();
      if (project !== undefined) this.#goOn(this.#begin(nobody(project)));
    }
    return pressure;
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

  /** Indexes the texts of a large shard that was never indexed. */
  #index(job: Job): void {
    const shard = { project: job.project, tenant: job.message.project, away: false, frozenBytes: 0 };
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
    if (shard) shard.paused = false;
    if (shard?.unsealed && (!job.wanted || this.#pressure > 0)) sealing.later.add(shard);
    const messages = job.waiting.splice(0);
    if (this.#jobs.size === 0) messages.push(...this.#last.splice(0));
    if (messages.length > 0) again(messages);
  }

  *#steps(project: string): Job['steps'] {
    const { backlog, shards, sealing } = this.#options;
    if (shards.lacksIndex(project)) yield 'index';
    const shard = shards.get(project);
    for (let record = backlog.next(project); record !== null; record = backlog.next(project)) {
      shard.paused = true; // keeps the shard loaded, and from being sealed half read
      // Skips records that the shard already has.
      if (record.head.arrival >= shard.state.nextArrival) yield* this.#take(shard, record);
      if (sealing.isDue(shard, monotonic())) {
        shard.paused = false;
        yield 'seal';
      } else yield 'slice';
    }
  }

  *#take(shard: ShardWriter, { head, body, place }: WaitingRecord): Generator<Step, void, undefined> {
    const { taking, sealing } = this.#options;
    shard.state.nextArrival = head.arrival;
    const scope = taking.scope({ ...head, context: { rules: FIRST_INGEST_RULES, ...head.context } });
    const unpacked = unpackedBody(head, body);
    const bytes = unpacked.byteLength;
    const steps = taking.take(head.kind, unpacked, shard, scope);
    for (let step = steps.next(); step.done !== true; step = steps.next()) yield step.value ?? 'slice';
    shard.commit(scope, { place, bytes });
    sealing.took(shard, bytes);
  }
}

/** The tenant, if it is not known. */
const nobody = (project: string): Tenant => ({ id: project, orgId: project, weight: 1 });
