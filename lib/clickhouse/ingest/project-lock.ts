/** Who may add to a project: one at a time, on all nodes together, as what is stored depends on what was stored before. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../base/errors.ts';

export interface ProjectLock {
  /**
   * Runs `use` while nobody else adds to the project. `first`: the first of `count` arrival numbers that nobody has had; they
   * are larger than all before, on every node. Rejects with AppError if the lock cannot be had, and as `use` does.
   */
  hold<T>(project: string, count: number, use: (first: number) => Promise<T>): Promise<T>;
}

/** The last arrival number that a project has stored; 0 if it has none. */
type LastArrival = (project: string) => Promise<number>;

/** Those of one process, in order. */
class OneByOne {
  readonly #held = new Map<string, Promise<unknown>>();

  async run<T>(project: string, act: () => Promise<T>): Promise<T> {
    const before = this.#held.get(project) ?? Promise.resolve();
    const mine = before.then(act, act);
    this.#held.set(project, mine);
    try {
      return await mine;
    } finally {
      if (this.#held.get(project) === mine) this.#held.delete(project);
    }
  }
}

/** For the only node: the lock is in its memory, and what was stored says which number is next. */
export class LockInProcess implements ProjectLock {
  readonly #last: LastArrival;
  readonly #next = new Map<string, number>();
  readonly #oneByOne = new OneByOne();

  constructor(last: LastArrival) {
    this.#last = last;
  }

  hold<T>(project: string, count: number, use: (first: number) => Promise<T>): Promise<T> {
    return this.#oneByOne.run(project, async () => {
      const first = this.#next.get(project) ?? (await this.#last(project)) + 1;
      this.#next.set(project, first + count);
      return use(first);
    });
  }
}

/** What nodes share, with a clock of its own: `IngestTurns` of the control database. */
export interface SharedTurns {
  take(
    project: string,
    wanted: { readonly holder: string; readonly count: number; readonly lease: number },
  ): Promise<number | 'held' | 'unknown'>;
  begin(project: string, first: number): Promise<void>;
  renew(project: string, kept: { readonly holder: string; readonly lease: number }): Promise<boolean>;
  give(project: string, holder: string): Promise<void>;
}

export interface SharedLockOptions {
  readonly turns: SharedTurns;
  readonly last: LastArrival;
  /** A turn could not be kept or given back; others wait until its time is over. */
  readonly onTrouble: (error: unknown, what: string) => void;
}

/**
 * How long others wait for a node that was killed, milliseconds: longer than ClickHouse may take for an insert, so nothing of it
 * is stored after they have looked for its ids.
 */
const LEASE = 30_000;
const RENEWED_EVERY = LEASE / 3;
/** How long a request waits for other nodes, and between two looks, milliseconds. */
const PATIENCE = 10_000;
const LOOKS = { first: 2, most: 50 };

/** For several nodes: they take turns, each as long as its insert takes. */
export class SharedLock implements ProjectLock {
  readonly #options: SharedLockOptions;
  readonly #oneByOne = new OneByOne();

  constructor(options: SharedLockOptions) {
    this.#options = options;
  }

  hold<T>(project: string, count: number, use: (first: number) => Promise<T>): Promise<T> {
    return this.#oneByOne.run(project, async () => {
      const { turns, onTrouble } = this.#options;
      const holder = randomUUID();
      const first = await this.#take(project, count, holder);
      let isOver = false;
      const renewing = setInterval(() => {
        this.#renew(project, holder).catch((error: unknown) => {
          if (!isOver) onTrouble(error, 'the turn of a project was not renewed');
        });
      }, RENEWED_EVERY);
      try {
        return await use(first);
      } finally {
        isOver = true;
        clearInterval(renewing);
        await turns.give(project, holder).catch((error: unknown) => {
          onTrouble(error, 'the turn of a project was not given back');
        });
      }
    });
  }

  async #renew(project: string, holder: string): Promise<void> {
    if (!(await this.#options.turns.renew(project, { holder, lease: LEASE })))
      throw new Error('it was over, and another node may have had one meanwhile');
  }

  async #take(project: string, count: number, holder: string): Promise<number> {
    const { turns, last } = this.#options;
    const until = performance.now() + PATIENCE;
    for (let wait = LOOKS.first; performance.now() < until;) {
      const taken = await turns.take(project, { holder, count, lease: LEASE });
      if (typeof taken === 'number') return taken;
      if (taken === 'unknown') {
        await turns.begin(project, (await last(project)) + 1);
      } else {
        await pause(wait * (0.5 + Math.random()));
        wait = Math.min(2 * wait, LOOKS.most);
      }
    }
    throw new AppError(
      'storage_unavailable',
      'Another node was adding to the project; nothing of this request was stored.',
      {
        hints: ['Wait and send the same request again.'],
      },
    );
  }
}
