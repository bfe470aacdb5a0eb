/**
 * One query thread and the tasks that wait for it. Only one task is ever with the thread, so that ending it ends nobody
 * else's: those that wait, and those paused in it, run again in the next one.
 */
import { Piscina } from 'piscina';
import { FairQueue } from './fair-queue.ts';
import {
  CONTROL,
  CONTROL_LENGTH,
  type ForgetTask,
  type MergeTask,
  type PartTask,
  type Reply,
  type Task,
  type ThreadOptions,
} from './messages.ts';

/** Time that a stopped task has to leave by itself; then its thread is ended. Milliseconds. */
const GRACE = 200;
/** Memory of a thread's heap; typed arrays are outside and counted by the queries themselves. MiB. */
const HEAP = 2_048;

/** A task of a project. `drop` and the number of the run are the lane's. */
export type LaneTask = Omit<PartTask, 'drop'> | Omit<MergeTask, 'drop'> | Omit<ForgetTask, 'drop'>;

export interface Job {
  readonly project: string;
  readonly task: LaneTask;
  readonly buffers: readonly ArrayBuffer[];
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
  /** The thread in which it is paused. */
  pausedIn: number | null;
  stopped: boolean;
}

export interface LaneOptions {
  readonly cacheBytes: number;
  readonly filename: string;
  /** The thread is free and nothing waits: the lane may be given another's work. */
  readonly onIdle: () => void;
}

export class Lane {
  readonly #options: LaneOptions;
  readonly #control = new Int32Array(new SharedArrayBuffer(CONTROL_LENGTH * 4));
  readonly #queue = new FairQueue<Job>();
  readonly #drop: number[] = [];
  readonly #pool: Piscina<Task, Reply>;
  #running: {
    readonly job: Job;
    readonly abort: AbortController;
    readonly since: number;
    end: NodeJS.Timeout | null;
  } | null = null;
  #closed = false;
  /** The number of the thread; counts its restarts. */
  generation = 0;

  constructor(options: LaneOptions) {
    this.#options = options;
    const data: ThreadOptions = { control: control(this.#control), cacheBytes: options.cacheBytes };
    this.#pool = new Piscina<Task, Reply>({
      filename: options.filename,
      minThreads: 1,
      maxThreads: 1,
      concurrentTasksPerWorker: 1,
      recordTiming: false,
      resourceLimits: { maxOldGenerationSizeMb: HEAP },
      workerData: data,
    });
    // A thread that dies while it is idle is replaced; what was paused in it runs again.
    this.#pool.on('error', () => this.generation++);
  }

  /** Tasks that wait. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Since when the task at hand runs; null while the thread is free. */
  get busySince(): number | null {
    return this.#running?.since ?? null;
  }

  add(job: Job): void {
    this.#queue.push(job.project, job);
    this.#tellWaiting();
    this.#next();
  }

  /** Gives away a task that waits and is not bound to the thread. */
  give(): Job | undefined {
    const kept: Job[] = [];
    let found: Job | undefined;
    for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) {
      if (found === undefined && job.pausedIn === null && job.task.kind !== 'forget') found = job;
      else kept.push(job);
    }
    for (const job of kept) this.#queue.push(job.project, job);
    this.#tellWaiting();
    return found;
  }

  /** Nobody waits for the job any more: it is taken out of the queue, or its thread is told, and ended if it does not hear. */
  stop(job: Job): void {
    job.stopped = true;
    if (job.pausedIn === this.generation) this.#drop.push(job.task.run);
    if (this.#queue.remove(job)) {
      this.#tellWaiting();
      job.resolve({ kind: 'stopped' });
      return;
    }
    const running = this.#running;
    if (running?.job !== job || running.end !== null) return;
    Atomics.store(this.#control, CONTROL.stop, job.task.run);
    running.end = setTimeout(() => running.abort.abort(), GRACE);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) job.resolve({ kind: 'stopped' });
    if (this.#running !== null) this.stop(this.#running.job);
    await this.#pool.close({ force: false });
  }

  #next(): void {
    if (this.#running !== null || this.#closed) return;
    const job = this.#queue.shift();
    this.#tellWaiting();
    if (job === undefined) this.#options.onIdle();
    else void this.#run(job);
  }

  /** What is with the thread is not counted: it need not make room for itself. */
  #tellWaiting(): void {
    Atomics.store(this.#control, CONTROL.waiting, this.#queue.size);
  }

  async #run(job: Job): Promise<void> {
    const abort = new AbortController();
    const running = { job, abort, since: performance.now(), end: null as NodeJS.Timeout | null };
    this.#running = running;
    const resumed = job.pausedIn === this.generation;
    const drop = this.#drop.splice(0);
    const task: Task = resumed ? { kind: 'resume', run: job.task.run, drop } : { ...job.task, drop };
    try {
      const reply = await this.#pool.run(task, { signal: abort.signal, transferList: [...job.buffers] });
      this.#took(job, reply);
    } catch (error) {
      // The thread is gone, and with it what was paused in it.
      this.generation++;
      if (job.stopped) job.resolve({ kind: 'stopped' });
      else job.reject(error instanceof Error ? error : new Error(String(error)));
    } finally {
      if (running.end !== null) clearTimeout(running.end);
      this.#running = null;
      this.#next();
    }
  }

  #took(job: Job, reply: Reply): void {
    if (reply.kind !== 'paused') {
      job.resolve(reply);
      return;
    }
    job.pausedIn = this.generation;
    if (job.stopped || this.#closed) {
      this.#drop.push(job.task.run);
      job.resolve({ kind: 'stopped' });
    } else {
      this.#queue.push(job.project, job);
    }
  }
}

function control({ buffer }: Int32Array): SharedArrayBuffer {
  if (buffer instanceof SharedArrayBuffer) return buffer;
  throw new Error('a control array is shared');
}
