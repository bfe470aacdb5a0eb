/** How many queries run at once: each project and each organization has a queue, so a busy one delays only itself. */
import PQueue from 'p-queue';
import { AppError } from '../../base/errors.ts';
import { ORGANIZATION_SHARE, type Tenant } from '../../base/project.ts';

/** Queries of a project that may wait. More would only be refused later. */
const MAX_WAITING = 256;

export class Admission {
  readonly #concurrency: number;
  readonly #waitMs: number;
  readonly #projects = new Map<string, Turns>();
  /** Queries that their project admits: at most as many of each project as may run. */
  readonly #organizations = new Map<string, Turns>();

  /** Runs `concurrency` queries of a project at once (0: any number); more wait up to `waitMs`. */
  constructor(concurrency: number, waitMs: number) {
    this.#concurrency = concurrency;
    this.#waitMs = waitMs;
  }

  /**
   * Runs `task` when its turn comes. Rejects with 429 if that takes too long, and with the reason of `signal` if it is aborted
   * while the task waits; a running task must check the signal itself.
   */
  async run<T>(tenant: Tenant, task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#concurrency === 0) return task();
    const own = turnsOf(this.#projects, tenant.id, this.#concurrency);
    if (own.size >= MAX_WAITING) throw this.#refusal();
    const free = own.isFree && (this.#organizations.get(tenant.orgId)?.isFree ?? true);
    return free ? own.run(() => this.#ofOrganization(tenant).run(task)) : this.#wait(tenant, task, signal);
  }

  /** Running and waiting queries of all projects. */
  get load(): { readonly running: number; readonly waiting: number } {
    let running = 0;
    let admitted = 0;
    let waiting = 0;
    for (const turns of this.#projects.values()) {
      admitted += turns.pending;
      waiting += turns.size;
    }
    for (const turns of this.#organizations.values()) running += turns.pending;
    return { running, waiting: waiting + admitted - running };
  }

  /** The same for one project. A query that waits for its organization counts as running here. */
  loadOf(projectId: string): { readonly running: number; readonly waiting: number } {
    const turns = this.#projects.get(projectId);
    return { running: turns?.pending ?? 0, waiting: turns?.size ?? 0 };
  }

  /** Looked up when a query gets there: it is gone once it is idle. */
  #ofOrganization({ orgId, weight }: Tenant): Turns {
    return turnsOf(this.#organizations, orgId, this.#concurrency * ORGANIZATION_SHARE * weight);
  }

  async #wait<T>(tenant: Tenant, task: () => Promise<T>, signal: AbortSignal): Promise<T> {
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
      const own = turnsOf(this.#projects, tenant.id, this.#concurrency);
      return await own.run(() => this.#ofOrganization(tenant).run(started, until), until);
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
function turnsOf(all: Map<string, Turns>, id: string, concurrency: number): Turns {
  const known = all.get(id);
  if (known !== undefined) {
    known.limit(concurrency);
    return known;
  }
  const made = new Turns(concurrency, () => all.delete(id));
  all.set(id, made);
  return made;
}

/** Runs so many queries at once. Most projects send one at a time, which needs no queue: to make one takes a part of its time. */
class Turns {
  readonly #whenIdle: () => void;
  #concurrency: number;
  #queue: PQueue | null = null;
  /** The only query, as long as there is no queue. */
  #only: Promise<unknown> | null = null;

  constructor(concurrency: number, whenIdle: () => void) {
    this.#concurrency = concurrency;
    this.#whenIdle = whenIdle;
  }

  /** Running queries. */
  get pending(): number {
    return this.#queue?.pending ?? (this.#only === null ? 0 : 1);
  }

  /** Waiting queries. */
  get size(): number {
    return this.#queue?.size ?? 0;
  }

  /** Whether the next one may run at once. */
  get isFree(): boolean {
    return this.size === 0 && this.pending < this.#concurrency;
  }

  limit(concurrency: number): void {
    this.#concurrency = concurrency;
    if (this.#queue !== null) this.#queue.concurrency = concurrency;
  }

  /** Rejects with the reason of a signal that is aborted while the task waits. */
  run<T>(task: () => Promise<T>, until?: { readonly signal: AbortSignal }): Promise<T> {
    if (this.#queue === null && this.#only !== null) this.#queue = this.#queueBehind(this.#only);
    return this.#queue === null ? this.#runAlone(task) : this.#queue.add(task, until);
  }

  async #runAlone<T>(task: () => Promise<T>): Promise<T> {
    try {
      const only = task();
      this.#only = only;
      return await only;
    } finally {
      this.#only = null;
      if (this.#queue === null) this.#whenIdle();
    }
  }

  /** A queue in which a query runs that began without it. */
  #queueBehind(running: Promise<unknown>): PQueue {
    const queue = new PQueue({ concurrency: this.#concurrency });
    const failed = (): void => undefined; // whoever asked is told
    void queue.add(() => running.catch(failed));
    queue.once('idle', this.#whenIdle);
    return queue;
  }
}
