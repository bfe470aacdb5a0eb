/** How many queries run at once: each project and each organization has a queue, so a busy one delays only itself. */
import PQueue from 'p-queue';
import { AppError } from '../../base/errors.ts';
import { ORGANIZATION_SHARE, type Tenant } from '../../base/project.ts';

/** Queries of a project that may wait. More would only be refused later. */
const MAX_WAITING = 256;

export class Admission {
  readonly #concurrency: number;
  readonly #waitMs: number;
  readonly #projects = new Map<string, PQueue>();
  /** Queries that their project admits: at most as many of each project as may run. */
  readonly #organizations = new Map<string, PQueue>();

  /** Runs `concurrency` queries of a project at once (0: any number); more wait up to `waitMs`. */
  constructor(concurrency: number, waitMs: number) {
    this.#concurrency = concurrency;
    this.#waitMs = waitMs;
  }

  /**
   * Runs `task` when its turn comes. Rejects with 429 if that takes too long, and with the reason of `signal` if it is aborted
   * while the task waits; a running task must check the signal itself.
   */
  async run<T>({ id, orgId, weight }: Tenant, task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#concurrency === 0) return task();
    const own = queueOf(this.#projects, id, this.#concurrency);
    const shared = queueOf(this.#organizations, orgId, this.#concurrency * ORGANIZATION_SHARE * weight);
    if (own.size >= MAX_WAITING) throw this.#refusal();
    const free = [own, shared].every((queue) => queue.size === 0 && queue.pending < queue.concurrency);
    return free ? own.add(() => shared.add(task)) : this.#wait([own, shared], task, signal);
  }

  /** Running and waiting queries of all projects. */
  get load(): { readonly running: number; readonly waiting: number } {
    let running = 0;
    let admitted = 0;
    let waiting = 0;
    for (const queue of this.#projects.values()) {
      admitted += queue.pending;
      waiting += queue.size;
    }
    for (const queue of this.#organizations.values()) running += queue.pending;
    return { running, waiting: waiting + admitted - running };
  }

  /** The same for one project. A query that waits for its organization counts as running here. */
  loadOf(projectId: string): { readonly running: number; readonly waiting: number } {
    const queue = this.#projects.get(projectId);
    return { running: queue?.pending ?? 0, waiting: queue?.size ?? 0 };
  }

  async #wait<T>([own, shared]: readonly [PQueue, PQueue], task: () => Promise<T>, signal: AbortSignal): Promise<T> {
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
    const until = { signal: gaveUp.signal };
    try {
      return await own.add(() => shared.add(started, until), until);
    } finally {
      stop();
    }
  }

  #refusal(): AppError {
    return new AppError(
      'rate_limited',
      `${this.#concurrency} queries of this project, or ${ORGANIZATION_SHARE} times as many of its organization, are running already.`,
      { hints: ['Send queries one after another, or wait for the seconds in Retry-After.'] },
    );
  }
}

/** The limit may have changed. */
function queueOf(queues: Map<string, PQueue>, id: string, concurrency: number): PQueue {
  const known = queues.get(id);
  if (known !== undefined) {
    known.concurrency = concurrency;
    return known;
  }
  const made = new PQueue({ concurrency });
  made.once('idle', () => queues.delete(id));
  queues.set(id, made);
  return made;
}
