/** The query threads. */
import { Lru } from '../../base/lru.ts';
import type { Tenant } from '../../base/project.ts';
import { isAboutThread, QueryThread, type Job, type ThreadTask } from './query-thread.ts';
import type { Reply } from './protocol.ts';
import { threadFile } from '../../base/thread-file.ts';

/** What a thread's heap needs at most: objects of answers and small maps. Queries count what grows with the data. */
const HEAP_BYTES = 2 ** 31;
const READ_SHARDS = 16;
/**
 * Bytes of decoded columns of the thread for small tasks, whose columns take it little time to decode again: with hundreds of
 * projects most would be of some that nobody asks soon.
 */
const SMALL_CACHE_BYTES = 16 << 20;
const RELIEF_CACHE_BYTES = 64 << 20;
/** A task that waits longer for its own thread may run on a free one, although nothing is cached there. Milliseconds. */
const PATIENCE = 50;
/**
 * Tasks pause between segments, which may each take half a second, and merging them longer; small ones may take half a second, too.
 * So a task that waits longer for another project's runs on a relief thread. Milliseconds: longer than tasks commonly take until
 * they pause.
 */
const RELIEF_PATIENCE = 20;
/** A thread busy with another project's task for so long may not pause soon. Milliseconds; while a relief thread is up, 0. */
const HELD = 8;
/** Relief threads: as many organizations may need one at a time, since each gets one. */
const RELIEFS = 2;
/**
 * Steps by which threads for large tasks are less urgent than others. The system lets a thread finish its slice of some milliseconds
 * before another one that wakes, unless that is much more urgent: with five steps a twentieth of small queries beside large ones
 * waited four times as long as alone, with fifteen twice. Beside other programs that leave no processor idle, large queries get 3 %
 * of one. A relief thread gets three times as much of a processor as the one it relieves.
 */
const YIELDS = { large: 15, relief: 10, small: 0 };
/**
 * Starting a thread takes a processor as long as many questions, and some 25 MB for as long as it lives. So while the thread for
 * small tasks runs large ones in its stead, it starts only once they have taken START_WORTH, or if one takes START_AFTER.
 * Milliseconds. An hour's first few large questions do not count: each millisecond that passes takes DRAIN off their sum.
 */
const START_AFTER = 100;
const START_WORTH = 500;
const DRAIN = 0.05;
/**
 * A thread for large tasks that has none for so long ends, and with it the memory of its columns. A dashboard that asks every few
 * minutes finds them. Milliseconds.
 */
const REST_AFTER = 600_000;
const RELIEF_REST_AFTER = 60_000;
/**
 * Bytes that each thread may keep on average besides decoded columns: the program, texts, and what V8 has not collected. Where all
 * together keep more, those of them that are idle end, since the next large question may make another thread as large as they are.
 */
const KEPT = 64 << 20;
/** An answer gets through the event loop first. Milliseconds. */
const START_AFTER_ANSWER = 5;

const WORKER = threadFile(new URL('./worker.js', import.meta.url)).href;

export interface PoolOptions {
  readonly threads: number;
  /** Bytes of decoded columns, for all threads together: those for large tasks get the same each, the others share as much. */
  readonly cacheBytes: number;
  /** Shard files that a thread may keep open; READ_SHARDS by default. */
  readonly readShards?: number;
  /** Bytes of a thread's heap; HEAP_BYTES by default. */
  readonly heapBytes?: number;
  /** Entry of a thread; tests pass another. */
  readonly filename?: string;
  /** REST_AFTER by default, and RELIEF_REST_AFTER. */
  readonly restAfter?: number;
  /** KEPT by default. */
  readonly keptBytes?: number;
  /** START_WORTH by default. */
  readonly startWorth?: number;
}

export interface RunOptions {
  /** Transferred with the task. */
  readonly buffers?: readonly ArrayBuffer[];
  /** It ends soon, so it need not wait for long ones. */
  readonly small?: boolean;
}

/** A task that runs or waits. */
export interface Running {
  readonly reply: Promise<Reply>;
  /** The thread it is on. */
  thread(): number;
  stop(): void;
}

export class Pool {
  /** Those for large tasks, then one for small tasks, which large ones do not use once their own are up, then relief threads. */
  readonly #threads: QueryThread[];
  readonly #large: number;
  #timer: NodeJS.Timeout | null = null;
  /** Threads to start once there is enough for them to do. */
  readonly #wanted = new Set<QueryThread>();
  readonly #startWorth: number;
  /** Bytes that all threads together may keep between tasks. */
  readonly #mostKept: number;
  /** Milliseconds that large tasks have taken of late, and when they were last counted. */
  #largeWork = 0;
  #countedAt = 0;
  #starting: { readonly timer: NodeJS.Timeout; readonly afterAnswer: boolean } | null = null;
  /** Which thread each job is on: some move. */
  readonly #places = new WeakMap<Job, QueryThread>();
  /** The threads that read projects last: about as many as have their files open. */
  readonly #readers: Lru<string, QueryThread>;

  constructor({ threads, cacheBytes, ...rest }: PoolOptions) {
    const { readShards = READ_SHARDS, heapBytes = HEAP_BYTES, filename = WORKER, restAfter = REST_AFTER } = rest;
    this.#large = threads;
    this.#startWorth = rest.startWorth ?? START_WORTH;
    this.#readers = new Lru(threads * readShards);
    this.#mostKept = cacheBytes + (threads + 1 + RELIEFS) * (rest.keptBytes ?? KEPT);
    const share = Math.floor(cacheBytes / (threads + 1));
    const ofSmall = Math.min(share, SMALL_CACHE_BYTES);
    const ofRelief = Math.min(Math.floor((share - ofSmall) / RELIEFS), RELIEF_CACHE_BYTES);
    const kinds = [
      ...new Array<'large'>(threads).fill('large'),
      'small' as const,
      ...new Array<'relief'>(RELIEFS).fill('relief'),
    ];
    const bytes = { large: share, small: ofSmall, relief: ofRelief };
    const rests = { large: restAfter, small: null, relief: Math.min(restAfter, RELIEF_REST_AFTER) };
    this.#threads = kinds.map((kind, at) => {
      const own = { cacheBytes: bytes[kind], restAfter: rests[kind], yields: YIELDS[kind] };
      const events = { onRan: (job: Job, ms: number) => this.#ran(job, ms), onIdle: () => this.#idle(at) };
      return new QueryThread({ ...own, ...events, readShards, heapBytes, filename });
    });
  }

  /** Threads that have been started and did not end. */
  started(): readonly number[] {
    return [...this.#threads.keys()].filter((thread) => this.#threads[thread]!.isStarted);
  }

  areUp(threads: readonly number[]): boolean {
    return threads.every((thread) => this.#threads[thread]!.isUp);
  }

  /** Whether another project holds one of the threads. */
  areHeld(threads: readonly number[], tenant: Tenant): boolean {
    return threads.some((thread) => this.#isHeld(this.#threads[thread]!, tenant));
  }

  /** Whether the thread runs a task of another project. */
  isHeld(thread: number, tenant: Tenant): boolean {
    return this.#threads[thread]!.isHeldFrom(tenant, 0);
  }

  /** Starts a thread that is not started; without this call it starts with its first task. */
  start(thread: number): void {
    this.#threads[thread]!.start();
  }

  /** Starts threads that are not started if the running task takes long, or once large tasks have taken long together. */
  startSoon(threads: readonly number[]): void {
    for (const thread of threads) this.#want(this.#threads[thread]!);
  }

  get busy(): number {
    return this.#threads.filter((thread) => thread.isBusy).length;
  }

  /** The thread for small tasks. */
  get small(): number {
    return this.#large;
  }

  /** Threads that were ended or died. */
  get restarts(): number {
    return this.#threads.reduce((sum, { generation }) => sum + generation, 0);
  }

  /**
   * Runs a task on its thread, or on a free one once it has waited long; a small task on the thread for these, or on a free one.
   * Rejects when threads die of it: with AppError `bad_query` if it filled their heaps.
   */
  run(thread: number, tenant: Tenant, task: ThreadTask, { buffers = [], small = false }: RunOptions = {}): Running {
    let made: Job | null = null;
    const reply = new Promise<Reply>((resolve, reject) => {
      made = { tenant, small, task, buffers, resolve, reject, pausedIn: null, stopped: false, deaths: 0, since: 0 };
    });
    const job: Job = made!;
    if (isAboutThread(task)) this.#put(job, this.#threads[thread]!);
    else this.#put(job, small ? this.#threadForSmall(tenant) : this.#threadForLarge(thread, tenant));
    const placed = (): QueryThread => this.#places.get(job)!;
    return { reply, thread: () => this.#threads.indexOf(placed()), stop: () => placed().stop(job) };
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#starting !== null) clearTimeout(this.#starting.timer);
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  /** The thread for a large task; until it is up, the thread for small tasks if that is idle. */
  #threadForLarge(thread: number, tenant: Tenant): QueryThread {
    const own = this.#threads[thread]!;
    const relief = this.#reliefFor(tenant, own);
    if (relief !== undefined) return relief;
    if (own.isUp || !this.#small.isFree || !this.#small.isStarted) return own;
    this.#want(own);
    return this.#small; // a thread may take long to start
  }

  /** A free relief thread, if the organization may have one because another project holds its own. */
  #reliefFor(tenant: Tenant, own: QueryThread): QueryThread | undefined {
    return this.#needsRelief(tenant, own) ? this.#reliefs.find(({ isUp, isFree }) => isUp && isFree) : undefined;
  }

  get #reliefs(): readonly QueryThread[] {
    return this.#threads.slice(this.#large + 1);
  }

  #want(thread: QueryThread): void {
    if (thread.isStarted) return;
    this.#wanted.add(thread);
    if (this.#starting === null) this.#startIn(START_AFTER, false);
  }

  #startIn(ms: number, afterAnswer: boolean): void {
    if (this.#starting !== null) clearTimeout(this.#starting.timer);
    const timer = setTimeout(() => {
      this.#starting = null;
      for (const thread of this.#wanted) thread.start();
      this.#wanted.clear();
    }, ms);
    this.#starting = { timer: timer.unref(), afterAnswer };
  }

  #ran({ small, task }: Job, ms: number): void {
    if (small || isAboutThread(task)) return;
    const now = performance.now();
    this.#largeWork = Math.max(0, this.#largeWork - (now - this.#countedAt) * DRAIN) + ms;
    this.#countedAt = now;
  }

  #idle(at: number): void {
    this.#giveBack();
    if (this.#starting?.afterAnswer === false) this.#startIfWorth(this.#starting.timer);
    this.#steal(at);
  }

  /** Ends idle threads, the one that keeps most first, while all together keep too much. */
  #giveBack(): void {
    let kept = this.#threads.reduce((sum, thread) => sum + thread.kept, 0);
    if (kept <= this.#mostKept) return;
    const idle = this.#threads.filter(({ isUp, isFree }) => isUp && isFree).sort((a, b) => b.kept - a.kept);
    for (const thread of idle) {
      if (kept <= this.#mostKept) return;
      kept -= thread.kept;
      thread.end();
      if (thread === this.#small) thread.start(); // a small task would wait for it
    }
  }

  #startIfWorth(timer: NodeJS.Timeout): void {
    if (this.#largeWork >= this.#startWorth) return this.#startIn(START_AFTER_ANSWER, true);
    clearTimeout(timer);
    this.#starting = null;
    this.#wanted.clear();
  }

  /** While nothing else runs, the thread that has the project's columns and has run more of its code; else the more urgent one. */
  #threadForSmall(tenant: Tenant): QueryThread {
    const reader = this.busy === 0 ? this.#readers.get(tenant.id) : undefined;
    if (reader?.isUp) return reader;
    if (this.#small.isFree) return this.#small;
    const large = this.#threads.slice(0, this.#large);
    return large.find((thread) => thread.isFree && thread.isUp) ?? this.#reliefFor(tenant, this.#small) ?? this.#small;
  }

  get #small(): QueryThread {
    return this.#threads[this.#large]!;
  }

  #put(job: Job, thread: QueryThread): void {
    this.#places.set(job, thread);
    if (!isAboutThread(job.task)) this.#readers.set(job.tenant.id, thread);
    thread.add(job);
    if (thread.waiting === 0) return;
    this.#threads
      .slice(0, this.#large + 1)
      .find(({ isStarted }) => !isStarted)
      ?.start(); // it may steal soon
    this.#lookAgain();
  }

  /** A task waits: once its patience is over, an idle thread may steal it. */
  #lookAgain(): void {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#threads.forEach((_, at) => this.#steal(at));
      this.#startRelief();
      if (this.#threads.some(({ waiting }) => waiting > 0)) this.#lookAgain();
    }, RELIEF_PATIENCE);
    this.#timer.unref();
  }

  /** An idle thread steals a task that has waited too long elsewhere. */
  #steal(at: number): void {
    const free = this.#threads[at];
    if (!free?.isFree || !free.isUp) return;
    for (const thread of this.#threads) {
      const job = thread === free ? undefined : this.#offer(thread, at);
      if (job === undefined) continue;
      thread.give(job);
      this.#put(job, free);
      return;
    }
  }

  /** What a thread may steal from another: none for small tasks a large one, which would block it, and a relief thread only what needs it. */
  #offer(thread: QueryThread, to: number): Job | undefined {
    const now = performance.now();
    if (to > this.#large) return thread.offer(now - RELIEF_PATIENCE, ({ tenant }) => this.#needsRelief(tenant, thread));
    return thread.offer(now - PATIENCE, ({ small }) => small || to !== this.#large);
  }

  #needsRelief(tenant: Tenant, from: QueryThread): boolean {
    return this.#isHeld(from, tenant) && !this.#reliefs.some((relief) => relief.serves(tenant));
  }

  #isHeld(thread: QueryThread, tenant: Tenant): boolean {
    return thread.isHeldFrom(tenant, this.#reliefs.some(({ isUp }) => isUp) ? 0 : HELD);
  }

  /** Starts a relief thread if a task needs one and none is free. */
  #startRelief(): void {
    const first = this.#large + 1;
    const isNeeded = this.#threads.some((thread) => this.#offer(thread, first) !== undefined);
    if (isNeeded && this.#reliefs.every((relief) => relief.isUp || !relief.isStarted))
      this.#reliefs.find((relief) => !relief.isStarted)?.start();
  }
}
