/** The query threads, a lane each. */
import { Lane, type Job, type LaneTask } from './lane.ts';
import type { Reply } from './messages.ts';

/** A task whose lane is busy for longer may run on another one, though nothing is warm there. Milliseconds. */
const PATIENCE = 50;

export interface PoolOptions {
  readonly threads: number;
  /** Bytes of decoded columns, of all threads together. */
  readonly cacheBytes: number;
  /** Entry of a thread: another in tests. */
  readonly filename?: string;
}

/** A task at work. */
export interface Running {
  readonly reply: Promise<Reply>;
  stop(): void;
}

export class Pool {
  readonly #lanes: readonly Lane[];
  /** Where jobs are, for those that moved. */
  readonly #places = new WeakMap<Job, Lane>();

  constructor({ threads, cacheBytes, filename = new URL('./worker.js', import.meta.url).href }: PoolOptions) {
    this.#lanes = Array.from(
      { length: threads },
      (_, at) => new Lane({ cacheBytes: Math.floor(cacheBytes / threads), filename, onIdle: () => this.#helpOut(at) }),
    );
  }

  get size(): number {
    return this.#lanes.length;
  }

  /** Threads that had to be ended, or died. */
  get restarts(): number {
    return this.#lanes.reduce((sum, { generation }) => sum + generation, 0);
  }

  /** Runs a task on its lane, or on a free one where its own would keep it waiting. Rejects when the thread dies of it. */
  run(lane: number, project: string, task: LaneTask, buffers: readonly ArrayBuffer[] = []): Running {
    let made: Job | null = null;
    const reply = new Promise<Reply>((resolve, reject) => {
      made = { project, task, buffers, resolve, reject, pausedIn: null, stopped: false };
    });
    const job: Job = made!;
    const place = task.kind === 'forget' ? this.#lanes[lane]! : this.#choose(this.#lanes[lane]!);
    this.#places.set(job, place);
    place.add(job);
    return { reply, stop: () => this.#places.get(job)!.stop(job) };
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }

  #choose(own: Lane): Lane {
    if (!isStuck(own)) return own;
    return this.#lanes.find((lane) => lane.busySince === null && lane.waiting === 0) ?? own;
  }

  /** A free lane takes over what waits behind a task that runs for long. */
  #helpOut(at: number): void {
    const free = this.#lanes[at];
    if (free === undefined) return; // while lanes are being made
    for (const lane of this.#lanes) {
      const job = lane !== free && isStuck(lane) ? lane.give() : undefined;
      if (job === undefined) continue;
      this.#places.set(job, free);
      free.add(job);
      return;
    }
  }
}

function isStuck({ busySince }: Lane): boolean {
  return busySince !== null && performance.now() - busySince > PATIENCE;
}
