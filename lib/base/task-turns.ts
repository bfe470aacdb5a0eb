/** Tasks that run when it is their tenant's turn (turns.ts), so many at once. */
import type { AppError } from './errors.ts';
import { monotonic } from './monotonic.ts';
import type { Tenant } from './project.ts';
import { Turns } from './turns.ts';

/** Numbers of tasks: of all, of an organization, of a project. Omitted: any number. */
interface Most {
  readonly all?: number;
  /** Times its weight. */
  readonly organization?: number;
  readonly project?: number;
}

export interface TaskTurnsOptions {
  /** Most that run at once. */
  readonly atOnce: Most;
  /** Most that wait; others are refused. */
  readonly waiting?: Most;
  /** Milliseconds that one may wait before it is refused. */
  readonly patience?: number;
  /** Why one is refused. @param by Whose limit is reached; null: it waited too long. */
  readonly refusal?: (by: keyof Most | null) => AppError;
  /**
   * For work of the event loop, which everybody waits for: before the next task begins, all else has as much time as those before it
   * took, but never longer than this. Milliseconds. Omitted: the next one begins at once.
   */
  readonly pause?: number;
  /** A clock, for tests. */
  readonly now?: () => number;
}

export class TaskTurns {
  readonly #options: TaskTurnsOptions;
  readonly #now: () => number;
  /** Each begins a task. */
  readonly #waiting = new Turns<() => void>();
  /** Running tasks, by organization and by project. */
  readonly #running = new Map<string, { count: number; readonly most: number }>();
  #all = 0;
  /** What tasks took since the last pause, milliseconds. */
  #owed = 0;
  #isPausing = false;

  constructor(options: TaskTurnsOptions) {
    this.#options = options;
    this.#now = options.now ?? monotonic;
  }

  /** Running and waiting tasks. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#all, waiting: this.#waiting.size };
  }

  /** The same of one project. */
  loadOf(project: string): { readonly running: number; readonly waiting: number } {
    return { running: this.#countOf(project), waiting: this.#waiting.waitingOf(project) };
  }

  /**
   * Runs a task in its tenant's turn, which ends with it. Rejects with the refusal, and with the reason of `signal` if that is
   * aborted while the task waits; a running task must check the signal itself.
   */
  async run<T>(tenant: Tenant, task: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    const { end } = await this.begin(tenant, signal);
    try {
      return await task();
    } finally {
      end();
    }
  }

  /** Resolves when it is the tenant's turn, which lasts until `end`. Rejects like `run`. */
  begin(tenant: Tenant, signal?: AbortSignal): Promise<{ readonly end: () => void }> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        stopWaiting();
        const begun = this.#now();
        this.#count(tenant, 1);
        resolve({ end: () => this.#end(tenant, this.#now() - begun) });
      };
      const leave = (reason: unknown): void => {
        stopWaiting();
        if (this.#waiting.remove(begin)) reject(reason instanceof Error ? reason : new Error(String(reason)));
      };
      const aborted = (): void => leave(signal?.reason);
      let timer: NodeJS.Timeout | undefined;
      const stopWaiting = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', aborted);
      };
      const { pause, patience, refusal } = this.#options;
      if (pause === undefined && this.#waiting.size === 0 && this.#mayBegin(tenant)) return begin();
      const full = this.#isFull(tenant);
      if (full !== null) return reject(this.#refusal(full));
      this.#waiting.push(tenant, begin, 0);
      if (patience !== undefined && refusal) timer = setTimeout(() => leave(refusal(null)), patience);
      signal?.addEventListener('abort', aborted, { once: true });
      this.#next();
    });
  }

  #refusal(by: keyof Most): Error {
    return this.#options.refusal?.(by) ?? new Error(`too many tasks wait: the limit is that of ${by}`);
  }

  /** Whose limit of waiting tasks is reached; null: nobody's. */
  #isFull(tenant: Tenant): keyof Most | null {
    const { all = Infinity, organization = Infinity, project = Infinity } = this.#options.waiting ?? {};
    if (this.#waiting.waitingOf(tenant.id) >= project) return 'project';
    if (this.#waiting.waitingOf(tenant.orgId) >= organization) return 'organization';
    return this.#waiting.size >= all ? 'all' : null;
  }

  #mayBegin({ id, orgId }: Tenant): boolean {
    return this.#all < (this.#options.atOnce.all ?? Infinity) && this.#isFree(id) && this.#isFree(orgId);
  }

  #isFree(id: string): boolean {
    const running = this.#running.get(id);
    return running === undefined || running.count < running.most;
  }

  #countOf(id: string): number {
    return this.#running.get(id)?.count ?? 0;
  }

  #count({ id, orgId, weight }: Tenant, change: 1 | -1): void {
    const { organization = Infinity, project = Infinity } = this.#options.atOnce;
    this.#all += change;
    const mosts = new Map([[orgId, organization * weight]]);
    mosts.set(id, Math.min(mosts.get(id) ?? Infinity, project));
    for (const [who, most] of mosts) {
      const count = this.#countOf(who) + change;
      if (count > 0) this.#running.set(who, { count, most });
      else this.#running.delete(who);
    }
  }

  #end(tenant: Tenant, took: number): void {
    this.#count(tenant, -1);
    this.#owed += took;
    this.#waiting.charge(tenant, took);
    this.#next();
  }

  #next(): void {
    if (this.#options.pause === undefined) {
      while (this.#start());
      return;
    }
    if (this.#isPausing || this.#waiting.size === 0) return;
    this.#isPausing = true;
    setImmediate(() => this.#afterPause(this.#options.pause ?? 0));
  }

  #afterPause(most: number): void {
    const pause = Math.min(this.#owed, most);
    this.#owed = 0;
    if (pause >= 1) return void setTimeout(() => this.#afterPause(most), pause);
    this.#isPausing = false;
    if (this.#start()) this.#next();
  }

  /** Begins the next task; false if none may. */
  #start(): boolean {
    if (this.#all >= (this.#options.atOnce.all ?? Infinity)) return false;
    const begin = this.#waiting.shift((id) => this.#isFree(id));
    begin?.();
    return begin !== undefined;
  }
}
