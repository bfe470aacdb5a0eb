/**
 * One query thread and the tasks waiting for it. The thread has only one task at a time, so ending it ends nobody else's: waiting
 * tasks, and those paused in it, run again in the next one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Piscina } from 'piscina';
import { outOfMemory } from '../budget.ts';
import { FairQueue } from '../../base/fair-queue.ts';
import { expectThread } from '../../base/v8-flags.ts';
import type { Tenant } from '../../base/project.ts';
import { CONTROL, CONTROL_LENGTH, type Reply, type ResumeTask, type Task, type ThreadOptions } from './protocol.ts';
import { codeOf } from '../../base/errors.ts';

const MIB = 1_048_576;
/**
 * Time for a stopped task to leave by itself before its thread is ended, milliseconds. It looks at the clock every few, but on a
 * machine with more to do than it can, a thread may not run for a good while; ending it then would cost still more.
 */
const GRACE = 1_000;
/** Time that a closing thread gives its running task to leave before it is ended. Milliseconds. */
const CLOSING = 1_000;
/** Time that a thread may take to start before it is ended anyway, and how often to check. Milliseconds. */
const START_PATIENCE = 30_000;
const START_POLL = 5;
/** How many threads may die of one task: what others left paused in the first may have been the cause. */
const MAX_DEATHS = 2;

/** Tasks about the thread itself: no other can do them. */
const ITS_OWN: ReadonlySet<ThreadTask['kind']> = new Set(['forget', 'probe', 'end']);

export function isAboutThread({ kind }: ThreadTask): boolean {
  return ITS_OWN.has(kind);
}

/** A task of a project. The thread adds `drop`. */
export type ThreadTask = WithoutDrop<Exclude<Task, ResumeTask>>;
type WithoutDrop<T> = T extends unknown ? Omit<T, 'drop'> : never; // of each kind of task

export interface Job {
  readonly tenant: Tenant;
  /** It ends soon. */
  readonly small: boolean;
  readonly task: ThreadTask;
  readonly buffers: readonly ArrayBuffer[];
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
  /** The thread in which it is paused. */
  pausedIn: number | null;
  stopped: boolean;
  /** Threads that died while running it. */
  deaths: number;
  /** When it began to wait, by the clock of `performance`. */
  since: number;
}

/** The task that the thread runs. */
interface Running {
  readonly job: Job;
  readonly abort: AbortController;
  /** When the thread got it, by the clock of `performance`. */
  readonly since: number;
  end: NodeJS.Timeout | null;
}

export interface QueryThreadOptions {
  /** Steps by which it is less urgent than others when processors are short. */
  readonly yields: number;
  readonly cacheBytes: number;
  readonly readShards: number;
  readonly filename: string;
  /** Bytes of the thread's heap; typed arrays lie outside it, and queries count them. */
  readonly heapBytes: number;
  /** A task has run for so many milliseconds, to its end or until it paused. */
  readonly onRan: (job: Job, ms: number) => void;
  /** The thread is free and nothing waits: it may take another's work. */
  readonly onIdle: () => void;
  /** Without a task of a project for so long it ends, and its memory, which never shrinks, is given back. Milliseconds; null: never. */
  readonly restAfter: number | null;
}

export class QueryThread {
  readonly #options: QueryThreadOptions;
  readonly #control = new Int32Array(new SharedArrayBuffer(CONTROL_LENGTH * 4));
  readonly #queue = new FairQueue<Job>();
  /** Waiting small tasks: they go first. They come here only until there is a thread for them. */
  readonly #small = new FairQueue<Job>();
  readonly #drop: number[] = [];
  /** A pool of one thread; null: there was nothing to do yet. */
  #pool: Piscina<Task, Reply> | null = null;
  #running: Running | null = null;
  /** Until it ends for want of tasks. */
  #resting: NodeJS.Timeout | null = null;
  #closed = false;
  /** The number of the thread; counts its restarts. */
  generation = 0;

  constructor(options: QueryThreadOptions) {
    this.#options = options;
  }

  get isStarted(): boolean {
    return this.#pool !== null;
  }

  /** Starts the thread unless it is started. */
  start(): Piscina<Task, Reply> {
    if (this.#pool !== null) return this.#pool;
    const { filename, heapBytes, cacheBytes, readShards, yields } = this.#options;
    const data: ThreadOptions = { control: this.#control.buffer, cacheBytes, readShards, yields };
    expectThread(() => this.isUp);
    const pool = new Piscina<Task, Reply>({
      filename,
      minThreads: 1,
      maxThreads: 1,
      concurrentTasksPerWorker: 1,
      recordTiming: false,
      closeTimeout: CLOSING,
      // Piscina tries `require` before `import`. Ending a thread while Node requires an ES module aborts the process.
      execArgv: ['--no-experimental-require-module'],
      resourceLimits: { maxOldGenerationSizeMb: Math.ceil(heapBytes / MIB) },
      workerData: data,
    });
    pool.on('error', () => this.#lostIdle(pool));
    this.#pool = pool;
    if (this.#running === null) this.#rest();
    return pool;
  }

  /** Waiting tasks. */
  get waiting(): number {
    return this.#queue.size + this.#small.size;
  }

  /** Whether its thread has started. */
  get isUp(): boolean {
    return Atomics.load(this.#control, CONTROL.up) === 1;
  }

  get isBusy(): boolean {
    return this.#running !== null;
  }

  get isFree(): boolean {
    return this.#running === null && this.waiting === 0;
  }

  /** Bytes that it kept after its last task; 0: it has ended. */
  get kept(): number {
    return Atomics.load(this.#control, CONTROL.kept) * MIB;
  }

  add(job: Job): void {
    this.#enqueue(job);
    this.#tellWaiting();
    this.#next();
  }

  /** Whether it has been busy with another project's task for so many milliseconds. */
  isHeldFrom({ id }: Tenant, atLeast: number): boolean {
    if (this.#running === null) return false;
    const { job, since } = this.#running;
    return !isAboutThread(job.task) && job.tenant.id !== id && performance.now() - since >= atLeast;
  }

  /** Whether it runs a task of the organization. */
  serves({ orgId }: Tenant): boolean {
    return this.#running?.job.tenant.orgId === orgId;
  }

  /** A task that has waited since before `time` and is not bound to the thread, if another one `wants` it. */
  offer(time: number, wants: (job: Job) => boolean): Job | undefined {
    const isOffered = (job: Job): boolean =>
      job.since < time && job.pausedIn !== this.generation && !isAboutThread(job.task) && wants(job);
    return this.#small.find(isOffered) ?? this.#queue.find(isOffered);
  }

  /** Gives away a task that it offers. */
  give(job: Job): void {
    this.#queueOf(job).remove(job);
    this.#tellWaiting();
  }

  /** Nobody waits for the job any longer: removes it from the queue, or tells its thread, which is ended if it does not react. */
  stop(job: Job): void {
    job.stopped = true;
    if (job.pausedIn === this.generation) this.#drop.push(job.task.run);
    if (this.#queueOf(job).remove(job)) {
      this.#tellWaiting();
      job.resolve({ kind: 'stopped' });
      return;
    }
    const running = this.#running;
    if (running?.job !== job || running.end !== null) return;
    Atomics.store(this.#control, CONTROL.stop, job.task.run);
    this.#endSoon(running);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wake();
    for (let job = this.#shift(); job !== undefined; job = this.#shift()) job.resolve({ kind: 'stopped' });
    if (this.#running !== null) this.stop(this.#running.job);
    if (this.#pool === null) return;
    await this.#whenUp();
    await this.#pool.close({ force: false });
  }

  /** Node aborts the whole process when a thread is ended while it loads modules: it gets the time to finish. */
  async #whenUp(): Promise<void> {
    const until = performance.now() + START_PATIENCE;
    while (Atomics.load(this.#control, CONTROL.up) === 0 && performance.now() < until) await sleep(START_POLL);
  }

  /** A thread that is still starting is not stuck in the task: it will see by itself that it must stop. */
  #endSoon(running: Running): void {
    running.end = setTimeout(() => {
      if (Atomics.load(this.#control, CONTROL.up) === 1) running.abort.abort();
      else this.#endSoon(running);
    }, GRACE);
  }

  #next(): void {
    if (this.#running !== null || this.#closed) return;
    const job = this.#shift();
    this.#tellWaiting();
    if (job !== undefined) return void this.#run(job);
    this.#rest();
    this.#options.onIdle();
  }

  #rest(): void {
    const { restAfter } = this.#options;
    if (restAfter !== null && this.#pool !== null) this.#resting ??= setTimeout(() => this.end(), restAfter).unref();
  }

  #wake(): void {
    if (this.#resting !== null) clearTimeout(this.#resting);
    this.#resting = null;
  }

  /** If it is free. Its memory is given back; the next task starts another thread. */
  end(): void {
    this.#wake();
    const pool = this.#pool;
    if (pool === null || !this.isFree || !this.isUp) return;
    this.#pool = null;
    this.#gone();
    void pool.close({ force: false });
  }

  #gone(): void {
    Atomics.store(this.#control, CONTROL.up, 0);
    Atomics.store(this.#control, CONTROL.kept, 0);
  }

  #queueOf({ small }: Job): FairQueue<Job> {
    return small ? this.#small : this.#queue;
  }

  #shift(): Job | undefined {
    return this.#small.shift() ?? this.#queue.shift();
  }

  /** The running task is not counted: it need not make room for itself. */
  #tellWaiting(): void {
    Atomics.store(this.#control, CONTROL.waiting, this.waiting);
  }

  async #run(job: Job): Promise<void> {
    const abort = new AbortController();
    const running: Running = { job, abort, since: performance.now(), end: null };
    this.#running = running;
    if (!isAboutThread(job.task)) this.#wake();
    const resumed = job.pausedIn === this.generation;
    const drop = this.#drop.splice(0);
    const task: Task = resumed ? { kind: 'resume', run: job.task.run, drop } : { ...job.task, drop };
    try {
      const reply = await this.start().run(task, { signal: abort.signal, transferList: [...job.buffers] });
      this.#took(job, reply);
    } catch (error) {
      this.#lostThread();
      this.#died(job, error);
    } finally {
      const ms = performance.now() - running.since;
      this.#queueOf(job).charge(job.tenant, ms);
      this.#options.onRan(job, ms);
      if (running.end !== null) clearTimeout(running.end);
      this.#running = null;
      this.#next();
    }
  }

  /** The task runs once more in the next thread, where nothing else is. Buffers sent with it are lost. */
  #died(job: Job, error: unknown): void {
    job.deaths++;
    if (job.stopped || this.#closed) job.resolve({ kind: 'stopped' });
    else if (job.deaths < MAX_DEATHS && job.buffers.length === 0) this.#enqueue(job);
    else job.reject(deathOf(error));
  }

  /** The thread cannot work; the next may. Nobody waits for it to end. */
  #replace({ tenant, task }: Job): void {
    const end: ThreadTask = { kind: 'end', run: task.run };
    const ignore = (): void => undefined;
    const rest = { buffers: [], pausedIn: null, stopped: true, deaths: 0, since: 0 };
    this.#enqueue({ tenant, small: true, task: end, resolve: ignore, reject: ignore, ...rest });
  }

  /**
   * Piscina replaces a thread that dies while it is idle; what was paused in it runs again. Of threads that die while they start
   * it replaces none, and a task would wait there for ever: it is given back, and the next begins anew.
   */
  #lostIdle(pool: Piscina<Task, Reply>): void {
    if (this.#pool !== pool) return; // it was given up
    const { isUp } = this;
    this.#lostThread();
    if (isUp) return;
    this.#pool = null;
    void pool.destroy();
  }

  /** What was paused in it is gone with it. */
  #lostThread(): void {
    this.generation++;
    this.#gone();
  }

  #took(job: Job, reply: Reply): void {
    if (job.task.kind === 'probe' && reply.kind === 'bug') this.#replace(job);
    if (reply.kind !== 'paused' && reply.kind !== 'lost') {
      job.resolve(reply);
      return;
    }
    job.pausedIn = reply.kind === 'paused' ? this.generation : null;
    if (job.stopped || this.#closed) {
      this.#drop.push(job.task.run);
      job.resolve({ kind: 'stopped' });
    } else {
      this.#enqueue(job);
    }
  }

  #enqueue(job: Job): void {
    job.since = performance.now();
    this.#queueOf(job).push(job.tenant, job, 0);
  }
}

/** A full heap is the query's own fault; anything else is our bug. */
function deathOf(error: unknown): Error {
  if (codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY') return outOfMemory();
  return new Error('a query thread died', { cause: error });
}
