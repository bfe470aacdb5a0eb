/** How many queries run at once: a queue of each project, so that a busy one waits for itself and for nobody else. */
import PQueue from 'p-queue';
import { AppError } from '../errors.ts';

/** Queries of a project that may wait. More would only wait to be refused. */
const MAX_WAITING = 256;

export class Admission {
  readonly #concurrency: number;
  readonly #waitMs: number;
  readonly #queues = new Map<string, PQueue>();

  /** `concurrency` queries of a project at once (0: any number); more wait up to `waitMs`. */
  constructor(concurrency: number, waitMs: number) {
    this.#concurrency = concurrency;
    this.#waitMs = waitMs;
  }

  /**
   * Runs `task` when it is its turn. Rejects with 429 when that takes too long, and with the reason of `signal` when that
   * is aborted while the task waits; a running task has to look at the signal itself.
   */
  async run<T>(project: string, task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#concurrency === 0) return task();
    const queue = this.#queue(project);
    if (queue.size >= MAX_WAITING) throw this.#refusal();
    const free = queue.size === 0 && queue.pending < this.#concurrency;
    return free ? queue.add(task) : this.#wait(queue, task, signal);
  }

  /** Queries that run and that wait, of all projects. */
  get load(): { readonly running: number; readonly waiting: number } {
    let running = 0;
    let waiting = 0;
    for (const queue of this.#queues.values()) {
      running += queue.pending;
      waiting += queue.size;
    }
    return { running, waiting };
  }

  async #wait<T>(queue: PQueue, task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const gaveUp = new AbortController();
    const timer = setTimeout(() => gaveUp.abort(this.#refusal()), this.#waitMs);
    const forward = (): void => gaveUp.abort(signal.reason);
    signal.addEventListener('abort', forward, { once: true });
    const started = (): Promise<T> => {
      stop();
      return task();
    };
    const stop = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', forward);
    };
    try {
      return await queue.add(started, { signal: gaveUp.signal });
    } finally {
      stop();
    }
  }

  #queue(project: string): PQueue {
    const known = this.#queues.get(project);
    if (known !== undefined) return known;
    const made = new PQueue({ concurrency: this.#concurrency });
    made.once('idle', () => this.#queues.delete(project));
    this.#queues.set(project, made);
    return made;
  }

  #refusal(): AppError {
    return new AppError('rate_limited', `${this.#concurrency} queries of this project are running already.`, {
      hints: ['Send queries one after another, or wait for the seconds in Retry-After.'],
    });
  }
}
