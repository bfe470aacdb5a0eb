/** The query threads: two for small tasks, and less urgent ones for large tasks. */
import type { Tenant } from '../../base/project.ts';
import { threadFile } from '../../base/thread-file.ts';
import { Lane, type Running, type RunOptions, type ThreadTask } from './lane.ts';
import type { TaskReply } from './protocol.ts';

/** What a thread's heap needs at most: objects of answers and small maps. Queries count what grows with the data. */
const HEAP_BYTES = 2 ** 31;
const READ_SHARDS = 16;
/** The second one is for when a large task stands in, or a task is not as small as its estimate. */
const SMALL_THREADS = 2;
/**
 * Bytes of decoded columns of a thread for small tasks, whose columns take it little time to decode again: with hundreds of
 * projects most would be of some that nobody asks soon.
 */
const SMALL_CACHE_BYTES = 16 << 20;
/** There are so many times the threads that an organization may have at once, so that others find one. */
const TIMES = 2;
/**
 * A thread for large tasks that has none for so long ends, and with it the memory of its columns. A dashboard that asks every few
 * minutes finds them. Milliseconds.
 */
const REST_AFTER = 600_000;
/**
 * Bytes that each thread may keep on average besides decoded columns: the program, texts, and what V8 has not collected. Where all
 * together keep more, those of them that are idle end, since the next large question may make another thread as large as they are.
 */
const KEPT = 64 << 20;

const WORKER = threadFile(new URL('./worker.js', import.meta.url)).href;

export interface PoolOptions {
  /** How many threads a query may use at once, and an organization for large tasks. */
  readonly threads: number;
  /** Bytes of decoded columns, for all threads together. */
  readonly cacheBytes: number;
  /** Shard files that a thread may keep open where `threads` and one for small tasks run; READ_SHARDS by default. */
  readonly readShards?: number;
  /** Bytes of a thread's heap; HEAP_BYTES by default. */
  readonly heapBytes?: number;
  /** Entry of a thread; tests pass another. */
  readonly filename?: string;
  /** REST_AFTER by default. */
  readonly restAfter?: number;
  /** KEPT by default. */
  readonly keptBytes?: number;
}

export interface TaskOptions extends RunOptions {
  /** It ends soon, so it need not wait for long ones. */
  readonly small?: boolean;
  /** It takes longer than a thread to start, so none stands in. */
  readonly long?: boolean;
}

export class Pool {
  readonly #small: Lane;
  readonly #large: Lane;
  readonly #lanes: readonly Lane[];
  readonly #threads: number;
  /** Bytes that all threads together may keep between tasks. */
  readonly #mostKept: number;
  #started: Promise<void> | null = null;

  constructor({ threads, cacheBytes, ...rest }: PoolOptions) {
    const { readShards = READ_SHARDS, heapBytes = HEAP_BYTES, filename = WORKER, restAfter = REST_AFTER } = rest;
    const ofSmall = Math.min(Math.floor(cacheBytes / (SMALL_THREADS + threads)), SMALL_CACHE_BYTES);
    const share = Math.floor((cacheBytes - SMALL_THREADS * ofSmall) / threads);
    const both = { readShards: Math.ceil(readShards / TIMES), heapBytes, filename };
    this.#threads = threads;
    this.#small = new Lane({
      ...{ threads: SMALL_THREADS, least: 1, ofOne: 1, yields: false, restAfter: Infinity },
      cacheBytes: ofSmall,
      ...both,
    });
    const most = TIMES * threads;
    this.#large = new Lane({
      ...{ threads: most, least: 0, ofOne: threads, yields: true, restAfter },
      cacheBytes: share,
      ...both,
    });
    this.#lanes = [this.#small, this.#large];
    this.#mostKept = cacheBytes + (most + SMALL_THREADS) * (rest.keptBytes ?? KEPT);
  }

  /** Starts the thread that the first query would wait for; resolves once it is up, and rejects if it cannot start. */
  started(): Promise<void> {
    return (this.#started ??= this.#small.started());
  }

  /** Threads that are up, for small and for large tasks. */
  get up(): { readonly small: number; readonly large: number } {
    return { small: this.#small.up, large: this.#large.up };
  }

  /** Starts the threads that a query may use at once; else each starts with a task that finds none. */
  startLarge(): void {
    this.#large.start(this.#threads);
  }

  /** Tasks that run. */
  get busy(): number {
    return this.#sum(({ busy }) => busy);
  }

  /** Threads that were ended or died. */
  get restarts(): number {
    return this.#sum(({ restarts }) => restarts);
  }

  /** Bytes of decoded columns in all threads. */
  get cacheBytes(): number {
    return this.#sum(({ had }) => had.reduce((sum, { cacheBytes }) => sum + cacheBytes, 0));
  }

  /**
   * Runs a task in its tenant's turn: a small one on threads that large ones do not use once their own are up. Until then a large
   * one runs there if nothing else does, as a thread may take long to start: one does so after it, since those for small tasks
   * would decode what large ones read again and again. A long one waits for its thread at once. Rejects when threads die of it: with AppError
   * `bad_query` if it filled their heaps.
   */
  run(tenant: Tenant, task: ThreadTask, { small = false, long = false, ...options }: TaskOptions = {}): Running {
    const standsIn = !small && !long && this.#large.up === 0 && this.#small.up > 0 && this.#small.busy === 0;
    const by = standsIn ? { ...tenant, weight: 2 * tenant.weight } : tenant; // its organization's small ones have a turn, too
    const running = (small || standsIn ? this.#small : this.#large).run(by, task, options);
    const over = (): void => {
      this.#giveBack();
      if (standsIn) setImmediate(() => this.#large.start(1)); // behind the answer
    };
    return { ...running, reply: running.reply.finally(over) };
  }

  /** Runs a task about the thread itself in each that is up. */
  async runInAll(task: ThreadTask): Promise<readonly TaskReply[]> {
    return (await Promise.all(this.#lanes.map((lane) => lane.runInAll(task)))).flat();
  }

  /** Has the threads do something small, to find out whether they work. */
  async probe(): Promise<readonly TaskReply[]> {
    return (await Promise.all(this.#lanes.map((lane) => lane.probe()))).flat();
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }

  /** Ends idle threads, the one that keeps most first, while all together keep too much. */
  #giveBack(): void {
    const all = this.#lanes.flatMap((lane) => lane.had.map((had) => ({ lane, ...had })));
    let kept = all.reduce((sum, one) => sum + one.kept, 0);
    for (const { lane, thread, kept: own } of all.sort((a, b) => b.kept - a.kept)) {
      if (kept <= this.#mostKept) return;
      if (lane.end(thread)) kept -= own;
    }
  }

  #sum(of: (lane: Lane) => number): number {
    return this.#lanes.reduce((sum, lane) => sum + of(lane), 0);
  }
}
