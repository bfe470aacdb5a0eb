/** Threads that start with a task, and end when they have rested. */
import { Piscina, queueOptionsSymbol, type TaskQueue } from 'piscina';
import { AppError, messageOf } from './errors.ts';
import { Lru } from './lru.ts';

type PoolOptions = NonNullable<ConstructorParameters<typeof Piscina>[0]>;
type LoadBalancer = NonNullable<PoolOptions['loadBalancer']>;
type Thread = Parameters<LoadBalancer>[1][number];
type QueuedTask = Parameters<TaskQueue['push']>[0];

/**
 * A thread waits for its next task on its event loop. Piscina's own way, `Atomics.wait`, never lets it turn, and Node releases what
 * native modules hold there alone: each erasure would leave 40 KB of prepared statements of a closed file.
 */
const EVENT_LOOP = 'disabled';
/**
 * Time for a task to leave by itself once nobody waits for it, before its thread is ended, milliseconds. On a machine with more to
 * do than it can, a thread may not run for a good while; ending it then would cost still more.
 */
export const GRACE = 1_000;
/** Node aborts the whole process when a thread is ended while it loads modules: it gets this time to finish. Milliseconds. */
const START_PATIENCE = 30_000;

export interface ThreadPoolOptions extends Pick<PoolOptions, 'closeTimeout' | 'resourceLimits' | 'workerData'> {
  /** Module whose default export runs a task. */
  readonly filename: string;
  readonly maxThreads: number;
  /** Milliseconds without a task after which a thread ends. */
  readonly idleTimeout: number;
}

export interface ThreadTaskOptions {
  /** Aborted when nobody waits any longer: a task without a thread leaves, and a thread that does not come back is ended. */
  readonly signal?: AbortSignal;
  /** Transferred with the task. */
  readonly buffers?: readonly ArrayBuffer[];
  readonly source?: ReadSource;
}

/**
 * What a task reads: it gets the thread that read the same part last, or else one whose last task read the same whole, if one of
 * them is free.
 */
export interface ReadSource {
  readonly whole: string;
  readonly part: number;
}

/** Where a task is, or may go. */
class Place {
  readonly source: ReadSource | null;
  /** The only thread that may run it; null: any. */
  readonly only: Thread | null;
  /** Piscina leaves a task waiting for which no thread can start. */
  readonly refused = Promise.withResolvers<never>();
  thread: Thread | null = null;

  constructor(source: ReadSource | null, only: Thread | null) {
    this.source = source;
    this.only = only;
  }
}

/**
 * One Piscina whose tasks go to threads that have read the same before. Tasks that wait have no order to rely on: whoever wants
 * one gives the pool no more tasks than it has threads.
 */
export class ThreadPool<Task extends object, Result> {
  readonly #pool: Piscina<Task, Result>;
  /** Those that have loaded their programs, the one that has had no task for longest first. */
  readonly #threads = new Set<Thread>();
  readonly #waiting: QueuedTask[] = [];
  readonly #readers = new Lru<string, Thread>(512); // sources whose last reader is known
  /** The whole that each read last. */
  readonly #read = new WeakMap<Thread, string>();
  /** Threads that get their own task next, and how many of these wait. */
  readonly #claims = new Map<Thread, number>();
  /** Ids of threads that were told to end, and have not yet. */
  readonly #ended = new Set<number>();
  #settled: (() => void)[] = [];
  #failure: unknown = null;
  /** Threads that died of a task, or were of no use. */
  lost = 0;

  constructor(options: ThreadPoolOptions) {
    this.#pool = new Piscina<Task, Result>({
      ...options,
      minThreads: 0,
      concurrentTasksPerWorker: 1,
      atomics: EVENT_LOOP,
      recordTiming: false,
      // Piscina tries `require` before `import`. Ending a thread while Node requires an ES module aborts the process.
      execArgv: ['--no-experimental-require-module'],
      taskQueue: this.#taskQueue(),
      loadBalancer: (task) => this.#place(task),
    });
    this.#pool.on('workerCreate', (thread: Thread) => this.#threads.add(thread));
    this.#pool.on('workerDestroy', () => queueMicrotask(() => this.#lostThread()));
    this.#pool.on('error', (error: unknown) => {
      this.#failure = error;
    });
  }

  /** The ids of threads that are up. */
  get threads(): readonly number[] {
    return [...this.#threads].map(({ id }) => id);
  }

  /** Threads that are up or start. */
  get size(): number {
    return this.#pool.threads.filter(({ threadId }) => !this.#ended.has(threadId)).length;
  }

  /**
   * Rejects with what the task throws or its thread dies of, with the reason of an aborted signal, and with
   * AppError('storage_unavailable') if no thread can start.
   */
  run(task: Task, options: ThreadTaskOptions = {}): Promise<Result> {
    return this.#run(task, new Place(options.source ?? null, null), options);
  }

  /** Runs a task in each thread that is up, once it has nothing else to do. `use` gets the result, and what ends the thread. */
  async runInAll(task: Task, use?: (result: Result, end: () => void) => void): Promise<void> {
    const runs = [...this.#threads].map(async (thread) => {
      const result = await this.#runIn(thread, task);
      if (result === null) return;
      use?.(result, () => {
        this.lost++;
        this.#end(thread);
      });
    });
    for (const ran of await Promise.allSettled(runs)) if (ran.status === 'rejected') throw ran.reason;
  }

  /** Ends a thread that has no task; false if it has one. */
  end(id: number): boolean {
    const thread = [...this.#threads].find((one) => one.id === id);
    if (thread === undefined || thread.currentUsage > 0) return false;
    this.#end(thread);
    return true;
  }

  /** Ends all threads; those that run a task have `closeTimeout` to finish it. */
  async close(): Promise<void> {
    const until = performance.now() + START_PATIENCE;
    while (this.#threads.size < this.size && performance.now() < until)
      await new Promise((look) => setTimeout(look, 5));
    this.#refuseWaiting();
    await this.#pool.close({ force: false });
  }

  /** Ends the threads, whatever they do. */
  destroy(): Promise<void> {
    return this.#pool.destroy();
  }

  async #run(task: Task, place: Place, { signal, buffers = [] }: ThreadTaskOptions): Promise<Result> {
    signal?.throwIfAborted();
    let timer: NodeJS.Timeout | null = null;
    const leave = (): void => {
      const { thread } = place;
      if (thread === null) this.#remove(place, signal?.reason);
      else timer = setTimeout(() => this.#end(thread), GRACE);
    };
    signal?.addEventListener('abort', leave, { once: true });
    try {
      const ran = this.#pool.run({ ...task, [queueOptionsSymbol]: place }, { transferList: [...buffers] });
      return await Promise.race([ran, place.refused.promise]);
    } catch (error) {
      if (place.thread?.destroyed === true) this.lost++;
      throw signal?.aborted ? signal.reason : error;
    } finally {
      signal?.removeEventListener('abort', leave);
      if (timer !== null) clearTimeout(timer);
      for (const tell of this.#settled.splice(0)) tell();
    }
  }

  /** Runs a task when the thread has none, before any other; null: the thread has ended. */
  async #runIn(thread: Thread, task: Task): Promise<Result | null> {
    this.#claims.set(thread, (this.#claims.get(thread) ?? 0) + 1);
    while (thread.currentUsage > 0) await new Promise<void>((resolve) => this.#settled.push(resolve));
    const result = thread.destroyed ? null : this.#run(task, new Place(null, thread), {});
    const others = this.#claims.get(thread)! - 1; // now that it has this one
    if (others > 0) this.#claims.set(thread, others);
    else this.#claims.delete(thread);
    return result;
  }

  /** Piscina starts a thread for each task that it takes out and cannot place: so it sees only those that have a thread. */
  #taskQueue(): TaskQueue {
    const waiting = this.#waiting;
    const next = (): number => waiting.findIndex((task) => this.#threadFor(placeOf(task)) !== null);
    return {
      get size() {
        return next() < 0 ? 0 : 1;
      },
      push: (task) => void waiting.push(task),
      shift: () => waiting.splice(next(), 1)[0] ?? null,
      remove: (task) => this.#remove(placeOf(task), null),
    };
  }

  #place(task: QueuedTask): Thread | null {
    const place = placeOf(task);
    const { source } = place;
    const thread = (place.thread = this.#threadFor(place));
    if (thread === null) return null;
    this.#threads.delete(thread);
    this.#threads.add(thread);
    if (source !== null) {
      this.#readers.set(nameOf(source), thread);
      this.#read.set(thread, source.whole);
    }
    return thread;
  }

  #threadFor({ source, only }: Place): Thread | null {
    const isFree = (thread: Thread): boolean =>
      thread.currentUsage === 0 && (only === null ? !this.#claims.has(thread) : thread === only);
    const free = [...this.#threads].filter(isFree);
    const reader = source === null ? undefined : this.#readers.get(nameOf(source));
    if (reader !== undefined && free.includes(reader)) return reader;
    return free.find((thread) => this.#read.get(thread) === source?.whole) ?? free[0] ?? null;
  }

  #end(thread: Thread): void {
    this.#threads.delete(thread);
    this.#ended.add(thread.id);
    void this.#pool.threads.find(({ threadId }) => threadId === thread.id)?.terminate();
  }

  #lostThread(): void {
    for (const thread of this.#threads) if (thread.destroyed) this.#threads.delete(thread);
    const { threads } = this.#pool;
    for (const id of this.#ended) if (!threads.some(({ threadId }) => threadId === id)) this.#ended.delete(id);
    if (threads.length === 0) this.#refuseWaiting(); // Piscina starts no other one
  }

  #refuseWaiting(): void {
    for (const task of [...this.#waiting]) this.#remove(placeOf(task), noThread(this.#failure));
  }

  #remove(place: Place, reason: unknown): void {
    const at = this.#waiting.findIndex((task) => placeOf(task) === place);
    if (at >= 0) this.#waiting.splice(at, 1);
    place.refused.reject(reason);
  }
}

const nameOf = ({ whole, part }: ReadSource): string => `${part} ${whole}`;

function placeOf(task: QueuedTask): Place {
  const place = task[queueOptionsSymbol];
  if (!(place instanceof Place)) throw new Error('a task came to the threads without its place');
  return place;
}

function noThread(error: unknown): AppError {
  return new AppError('storage_unavailable', 'the server cannot start a thread for this request at the moment', {
    hints: ['try again in a minute'],
    cause: messageOf(error),
  });
}
