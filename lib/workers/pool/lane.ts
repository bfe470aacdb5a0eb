/** Query threads of one kind, and the tasks that wait for them. */
import { AppError, codeOf, messageOf } from '../../base/errors.ts';
import { Lru } from '../../base/lru.ts';
import type { Tenant } from '../../base/project.ts';
import { TaskTurns } from '../../base/task-turns.ts';
import { GRACE, ThreadPool, type ReadSource } from '../../base/thread-pool.ts';
import { outOfMemory } from '../budget.ts';
import { newStop, type TaskReply, type Task, type ThreadOptions, type ThreadReply } from './protocol.ts';

/** A task as the engine makes it: the lane adds what stops it. */
export type ThreadTask = WithoutStop<Task>;
type WithoutStop<T> = T extends unknown ? Omit<T, 'stop'> : never; // of each kind of task

export interface RunOptions {
  /** Transferred with the task. */
  readonly buffers?: readonly ArrayBuffer[];
  /** A thread that has read it has it decoded. */
  readonly source?: ReadSource;
}

/** A task that runs or waits. */
export interface Running {
  readonly reply: Promise<TaskReply>;
  /** Nobody waits for the reply any longer: a task that does not come back ends with its thread. */
  stop(): void;
}

export interface LaneOptions extends ThreadOptions {
  /** Threads at most, started as tasks need them. */
  readonly threads: number;
  /** Threads that are up again after one was ended. */
  readonly least: number;
  /** How many of them an organization may have at once. */
  readonly ofOne: number;
  readonly filename: string;
  /** Bytes of a thread's heap; typed arrays lie outside it, and queries count them. */
  readonly heapBytes: number;
  /** Without a task for so long a thread ends, and its memory, which never shrinks, is given back. Milliseconds. */
  readonly restAfter: number;
}

export class Lane {
  readonly #turns: TaskTurns;
  readonly #pool: ThreadPool<Task, ThreadReply>;
  /** What threads had after their last task, by id. */
  readonly #had: Lru<number, Pick<ThreadReply, 'kept' | 'cacheBytes'>>;
  readonly #least: number;
  #closed = false;
  /** Since the last probe. */
  #hasRun = false;
  readonly #running = new Set<Running>();

  constructor({ threads, least, ofOne, filename, heapBytes, restAfter, ...workerData }: LaneOptions) {
    this.#least = least;
    this.#had = new Lru(2 * threads); // ended ones, too
    this.#turns = new TaskTurns({ atOnce: { all: threads, organization: ofOne } });
    this.#pool = new ThreadPool<Task, ThreadReply>({
      filename,
      maxThreads: threads,
      idleTimeout: restAfter,
      closeTimeout: GRACE,
      resourceLimits: { maxOldGenerationSizeMb: Math.ceil(heapBytes / 2 ** 20) },
      workerData,
    });
  }

  /** Threads that are up. */
  get up(): number {
    return this.#pool.threads.length;
  }

  /** Tasks that run. */
  get busy(): number {
    return this.#turns.load.running;
  }

  /** Threads that died or were replaced. */
  get restarts(): number {
    return this.#pool.lost;
  }

  /** What the threads have that are up, and their ids. */
  get had(): readonly (Pick<ThreadReply, 'kept' | 'cacheBytes'> & { readonly thread: number })[] {
    return this.#pool.threads.map((thread) => ({ thread, ...(this.#had.peek(thread) ?? NOTHING) }));
  }

  /** Starts threads, unless as many are up or start; without this call tasks start them. */
  start(threads: number): void {
    if (this.#closed) return;
    const idle = Math.max(0, this.up - this.busy); // they will run a probe, too
    for (let more = threads - this.#pool.size; more > -idle && this.#pool.size < threads; more--) this.#probe();
  }

  /** Resolves once a thread is up, and rejects if none can start. */
  async started(): Promise<void> {
    await this.#pool.run({ kind: 'probe', stop: newStop() });
  }

  /** Runs a task in its tenant's turn. Rejects when threads die of it: with AppError `bad_query` if it filled their heaps. */
  run(tenant: Tenant, task: ThreadTask, options: RunOptions = {}): Running {
    const stop = newStop();
    const leaving = new AbortController();
    const reply = this.#reply(tenant, { ...task, stop }, options, leaving.signal).finally(() =>
      this.#running.delete(running),
    );
    const running: Running = {
      reply,
      stop: () => {
        if (!this.#running.has(running)) return; // an exception for nobody takes as long as a message
        Atomics.store(stop, 0, 1);
        leaving.abort();
      },
    };
    this.#running.add(running);
    return running;
  }

  /** Runs a task about the thread itself in each that is up. One that replies with a bug is replaced; so does one that dies. */
  async runInAll(task: ThreadTask): Promise<readonly TaskReply[]> {
    const replies: TaskReply[] = [];
    const ran = this.#pool.runInAll({ ...task, stop: newStop() }, ({ reply }, end) => {
      replies.push(reply);
      if (reply.kind === 'bug') end();
    });
    await ran.catch((error: unknown) => replies.push({ kind: 'bug', message: messageOf(error), stack: '' }));
    this.start(this.#least);
    return replies;
  }

  /** Has each thread do something small. Where nothing has run since, threads that may end are left alone: they would never rest. */
  async probe(): Promise<readonly TaskReply[]> {
    if (this.#least === 0 && !this.#hasRun) return [];
    this.#hasRun = false;
    return this.runInAll({ kind: 'probe' });
  }

  /** Ends a thread that has no task; false if it has one. */
  end(thread: number): boolean {
    if (!this.#pool.end(thread)) return false;
    this.start(this.#least);
    return true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const running of this.#running) running.stop();
    await this.#pool.close();
  }

  async #reply(
    tenant: Tenant,
    task: Task,
    { buffers = [], source }: RunOptions,
    signal: AbortSignal,
  ): Promise<TaskReply> {
    this.#hasRun = true;
    const options = { signal, buffers, ...(source === undefined ? {} : { source }) };
    for (let deaths = 1; ; deaths++) {
      try {
        const { reply, thread, kept, cacheBytes } = await this.#turns.run(
          tenant,
          () => this.#pool.run(task, options),
          signal,
        );
        this.#had.set(thread, { kept, cacheBytes });
        return reply;
      } catch (error) {
        if (signal.aborted) return { kind: 'stopped' };
        // The first thread that died may have had another reason.
        if (deaths === 2 || buffers.length > 0) throw deathOf(error);
      }
    }
  }

  #probe(): void {
    void this.started().catch(() => undefined); // the next task finds out
  }
}

const NOTHING = { kept: 0, cacheBytes: 0 };

/** A full heap is the query's own fault; anything else is our bug. */
function deathOf(error: unknown): Error {
  if (error instanceof AppError) return error;
  if (codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY') return outOfMemory();
  return new Error('a query thread died', { cause: error });
}
