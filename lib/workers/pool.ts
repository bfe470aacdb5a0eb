/** The query threads, a lane each. */
import type { Tenant } from '../project.ts';
import { isAboutThread, Lane, type Job, type LaneTask } from './lane.ts';
import type { Reply } from './messages.ts';
import { threadFile } from '../thread-file.ts';

/** What a thread's heap needs at most: objects of answers and small maps. What grows with the data is counted by queries. */
const HEAP_BYTES = 2 ** 31;
const READ_SHARDS = 16;
/** A task that waits longer for its own lane may run on a free one, though nothing is warm there. Milliseconds. */
const PATIENCE = 50;

const WORKER = threadFile(new URL('./worker.js', import.meta.url)).href;

export interface PoolOptions {
  readonly threads: number;
  /** Bytes of decoded columns, of all threads together. */
  readonly cacheBytes: number;
  /** Shard files that a thread may have open; READ_SHARDS when left out. */
  readonly readShards?: number;
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
  /** Where it is. */
  lane(): number;
  stop(): void;
}

export class Pool {
  /** One for each thread, and last one for small tasks, which large ones do not come to while their own are up. */
  readonly #lanes: Lane[];
  readonly #threads: number;
  #timer: NodeJS.Timeout | null = null;
  /** Where jobs are: some move. */
  readonly #places = new WeakMap<Job, Lane>();

  constructor({ threads, cacheBytes, ...rest }: PoolOptions) {
    const { readShards = READ_SHARDS, heapBytes = HEAP_BYTES, filename = WORKER } = rest;
    this.#threads = threads;
    const options = { cacheBytes: Math.floor(cacheBytes / (threads + 1)), readShards, heapBytes, filename };
    this.#lanes = Array.from({ length: threads + 1 }, (_, at) => {
      return new Lane({ ...options, small: at === threads, onIdle: () => this.#helpOut(at) });
    });
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

  /** Threads at work. */
  get busy(): number {
    return this.#lanes.filter((lane) => lane.isBusy).length;
  }

  /** The lane of small tasks. */
  get small(): number {
    return this.#threads;
  }

  /** Threads that had to be ended, or died. */
  get restarts(): number {
    return this.#lanes.reduce((sum, { generation }) => sum + generation, 0);
  }

  /**
   * Runs a task on its lane, or on a free one when it has waited long for its own; a small one on the lane for these, or a free one.
   * Rejects when threads die of it: with AppError `bad_query` when it filled their heaps.
   */
  run(lane: number, tenant: Tenant, task: LaneTask, { buffers = [], small = false }: RunOptions = {}): Running {
    let made: Job | null = null;
    const reply = new Promise<Reply>((resolve, reject) => {
      made = { tenant, small, task, buffers, resolve, reject, pausedIn: null, stopped: false, deaths: 0, since: 0 };
    });
    const job: Job = made!;
    this.#put(job, isAboutThread(task) ? this.#lanes[lane]! : small ? this.#laneForSmall() : this.#laneForLarge(lane));
    const placed = (): Lane => this.#places.get(job)!;
    return { reply, lane: () => this.#lanes.indexOf(placed()), stop: () => placed().stop(job) };
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }

  /** The lane of a large task; until that has a thread, the one for small tasks where it has nothing to do. */
  #laneForLarge(lane: number): Lane {
    const own = this.#lanes[lane]!;
    if (own.isUp) return own;
    own.start();
    return this.#small.isFree && this.#small.isStarted ? this.#small : own; // a thread may take long to start
  }

  #laneForSmall(): Lane {
    if (this.#small.isFree) return this.#small;
    return this.#lanes.find((lane) => lane.isFree && lane.isUp) ?? this.#small;
  }

  get #small(): Lane {
    return this.#lanes[this.#threads]!;
  }

  #put(job: Job, lane: Lane): void {
    this.#places.set(job, lane);
    lane.add(job);
    if (lane.waiting === 0) return;
    this.#lanes.find(({ isStarted }) => !isStarted)?.start(); // it may help out soon
    this.#lookAgain();
  }

  /** Some task waits: when its patience is over, a free lane may take it. */
  #lookAgain(): void {
    if (this.#timer !== null) return;
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
