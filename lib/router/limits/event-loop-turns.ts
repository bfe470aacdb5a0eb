/**
 * Turns of requests to the management APIs and the console, and of queries that take long to read. The work of the former (SQLite,
 * JSON) is done by the event loop, which everybody waits for: so each owner, an organization or an account, has one request running.
 */
import { AppError } from '../../base/errors.ts';
import { monotonic } from '../../base/monotonic.ts';
import type { Tenant } from '../../base/project.ts';
import { TaskTurns } from '../../base/task-turns.ts';

/** Requests of an owner that may wait. */
export const MAX_WAITING = 64;

interface Place {
  readonly owner: string;
  /** Ends its turn; null: it has none. */
  end: (() => void) | null;
}

export class EventLoopTurns {
  readonly #turns: TaskTurns;
  readonly #places = new WeakMap<object, Place>();

  /**
   * @param what Those that wait, for messages. @param now A clock, for tests. @param pause The event loop has as much time for others
   * as a turn took, but at most so many milliseconds before the next one; 0 for work of other threads.
   */
  constructor(what = 'requests to the management API', now: () => number = monotonic, pause = 100) {
    this.#turns = new TaskTurns({
      // Requests of different owners that run at once: more than one where they wait for a database elsewhere.
      atOnce: { all: 4, organization: 1 },
      waiting: { organization: MAX_WAITING },
      refusal: () =>
        new AppError('rate_limited', `${MAX_WAITING} ${what} are waiting already.`, {
          hints: ['Send them one after another: they do not run at the same time.'],
        }),
      pause,
      now,
    });
  }

  /**
   * Runs `task` when it is the owner's turn, which ends with it. Rejects with 429 if too many of the owner's requests wait. A task
   * of a request that has its turn already runs at once. @param request Or whatever else stands for the work.
   */
  async run<T>(request: object, owner: string, task: () => T | Promise<T>): Promise<T> {
    if (this.#places.has(request)) return task();
    const { end } = await this.#turns.begin(tenantOf(owner));
    this.#places.set(request, { owner, end });
    try {
      return await task();
    } finally {
      this.leave(request);
      this.#places.delete(request);
    }
  }

  /** Ends the turn of a request early: it will wait for something slow. Not inside a transaction, if it is to `enter` again. */
  leave(request: object): void {
    const place = this.#places.get(request);
    place?.end?.();
    if (place) place.end = null;
  }

  /** Waits for another turn of a request that left the one it had. Rejects like `run`. */
  async enter(request: object): Promise<void> {
    const place = this.#places.get(request);
    if (place?.end === null) place.end = (await this.#turns.begin(tenantOf(place.owner))).end;
  }

  /** Whose request it is, while `run` has it. */
  ownerOf(request: object): string | null {
    return this.#places.get(request)?.owner ?? null;
  }
}

/** All owners have the same share. */
const tenantOf = (owner: string): Tenant => ({ id: owner, orgId: owner, weight: 1 });
