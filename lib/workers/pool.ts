/** The query threads, a lane each. */
import type { Tenant } from '../project.ts';
import { Lane, type Job, type LaneOptions, type LaneTask } from './lane.ts';
import type { Reply } from './messages.ts';
import { threadFile } from '../thread-file.ts';

/** What a thread's heap needs at most: objects of answers and small maps. What grows with the data is counted by queries. */
const HEAP_BYTES = 2 ** 31;
/** A task that waits longer for its own lane may run on a free one, though nothing is warm there. Milliseconds. */
const PATIENCE = 50;

const WORKER = threadFile(new URL('./worker.js', import.meta.url)).href;

export interface PoolOptions {
  readonly threads: number;
  /** Bytes of decoded columns, of all threads together. */
  readonly cacheBytes: number;
  /** Bytes of a thread's heap; HEAP_BYTES when left out. */
  readonly heapBytes?: number;
  /** Entry of a thread: another in tests. */
  readonly filename?: string;
}

export interface RunOptions {
  /** That go over with the task. */
  readonly buffers?: readonly ArrayBuffer[];
  /** It is over soon: it need not wait for those that are not. */
  readonly small?: boolean;
}

/** A task at work. */
export interface Running {
  readonly reply: Promise<Reply>;
  stop(): void;
}

export class Pool {
  /** One for each thread, and last the one for small tasks, once it was needed. */
  readonly #lanes: Lane[];
  readonly #threads: number;
  readonly #options: Omit<LaneOptions, 'onIdle'>;
  #timer: NodeJS.Timeout | null = null;
  /** Where jobs are: some move. */
  readonly #places = new WeakMap<Job, Lane>();

  constructor({ threads, cacheBytes, heapBytes = HEAP_BYTES, filename = WORKER }: PoolOptions) {
    this.#threads = threads;
    const options = (this.#options = { cacheBytes: Math.floor(cacheBytes / threads), heapBytes, filename });
    this.#lanes = Array.from({ length: threads }, (_, at) => new Lane({ ...options, onIdle: () => this.#helpOut(at) }));
  }

  /** Lanes whose threads were started. */
  started(): readonly number[] {
    return [...this.#lanes.keys()].filter((lane) => this.#lanes[lane]!.isStarted);
  }

  areUp(lanes: readonly number[]): boolean {
    return lanes.every((lane) => this.#lanes[lane]!.isUp);
  }

  /** Starts the thread of a lane, where it is not; else it starts with its first task. */
  start(lane: number): void {
    this.#lanes[lane]!.start();
  }

  /** Threads that had to be ended, or died. */
  get restarts(): number {
    return this.#lanes.reduce((sum, { generation }) => sum + generation, 0);
  }

  /**
   * Runs a task on its lane, or on a free one when it has waited long for its own; a small one at once, on its lane, a free one,
   * or a thread that large tasks never come to. Rejects when threads die of it: with
   * AppError `bad_query` when it filled their heaps.
   */
  run(lane: number, tenant: Tenant, task: LaneTask, { buffers = [], small = false }: RunOptions = {}): Running {
    let made: Job | null = null;
    const reply = new Promise<Reply>((resolve, reject) => {
      made = { tenant, small, task, buffers, resolve, reject, pausedIn: null, stopped: false, deaths: 0, since: 0 };
    });
    const job: Job = made!;
    this.#put(job, small ? this.#laneForSmall(lane) : this.#homeOf(lane));
    return { reply, stop: () => this.#places.get(job)!.stop(job) };
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }

  /** Its own lane, or before that has a thread another that has, where it is free. */
  #homeOf(lane: number): Lane {
    const own = this.#lanes[lane]!;
    return own.isStarted ? own : (this.#freeLane() ?? own);
  }

  #freeLane(): Lane | undefined {
    return this.#lanes.find((lane) => lane.isFree && lane.isUp);
  }

  #laneForSmall(home: number): Lane {
    const own = this.#homeOf(home);
    if (own.isFree) return own;
    const free = this.#freeLane();
    if (free !== undefined) return free;
    const reserved = this.#unstarted() ?? this.#reserved();
    reserved.start();
    return reserved.isUp ? reserved : own; // a thread may take long to start where there is much to do
  }

  #unstarted(): Lane | undefined {
    return this.#lanes.slice(0, this.#threads).find(({ isStarted }) => !isStarted);
  }

  #reserved(): Lane {
    return (this.#lanes[this.#threads] ??= new Lane({
      ...this.#options,
      onIdle: () => this.#helpOut(this.#threads),
    }));
  }

  #put(job: Job, lane: Lane): void {
    this.#places.set(job, lane);
    lane.add(job);
    if (lane.waiting === 0) return;
    this.#unstarted()?.start(); // it may help out soon
    this.#lookAgain();
  }

  /** Some task waits: when its patience is over, a free lane may take it. */
  #lookAgain(): void {
    if (this.#lanes.length < 2 || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#lanes.forEach((_, at) => this.#helpOut(at));
      if (this.#lanes.some(({ waiting }) => waiting > 0)) this.#lookAgain();
    }, PATIENCE);
    this.#timer.unref();
  }

  /** A free lane takes over what has waited elsewhere for long. */
  #helpOut(at: number): void {
    const free = this.#lanes[at];
    if (!free?.isFree || !free.isUp) return;
    const which = at === this.#threads ? 'small' : 'any'; // where small tasks run, no large one may stand in their way
    for (const lane of this.#lanes) {
      const job = lane === free ? undefined : lane.give(performance.now() - PATIENCE, which);
      if (job === undefined) continue;
      this.#put(job, free);
      return;
    }
  }
}
