/**
 * Turns of requests to the management APIs and the console, and of queries that take long to read. Their work (SQLite, JSON, regular
 * expressions) is done by the event loop, which everybody waits for: so each owner, an organization or an account, has one request
 * running, between two turns the event loop has as much time for all else, and the next turn is that of who has had the least.
 */
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../base/errors.ts';
import { FairQueue } from '../../base/fair-queue.ts';
import { monotonic } from '../../base/monotonic.ts';
import type { Tenant } from '../../base/project.ts';

/** Requests of an owner that may wait. */
export const MAX_WAITING = 64;

/** Requests of different owners that run at once: more than one where they wait for a database elsewhere. */
const AT_ONCE = 4;

/** The event loop has as much time for others as a turn took, but never longer than this before the next one. Milliseconds. */
const MAX_PAUSE = 100;

interface Owner {
  /** What to do when the turn comes; in order. */
  readonly waiting: (() => void)[];
  /** Whether one of its requests runs or is in the queue of all owners. */
  isTaken: boolean;
}

interface Place {
  readonly owner: string;
  /** When its turn began; null: it has none. */
  began: number | null;
}

export class EventLoopTurns {
  readonly #owners = new Map<string, Owner>();
  /** Owners with a waiting request and none that runs. */
  readonly #queue = new FairQueue<string>();
  readonly #places = new WeakMap<IncomingMessage, Place>();
  readonly #now: () => number;
  #running = 0;
  #isScheduled = false;
  /** What turns took since the last pause, ms. */
  #owed = 0;

  readonly #what: string;

  /** @param what Those that wait, for messages. @param now A clock, for tests. */
  constructor(what = 'requests to the management API', now: () => number = monotonic) {
    this.#what = what;
    this.#now = now;
  }

  /**
   * Runs `task` when it is the owner's turn, which ends with it. Rejects with 429 if too many of the owner's requests wait. A task
   * of a request that has its turn already runs at once.
   */
  async run<T>(request: IncomingMessage, owner: string, task: () => T | Promise<T>): Promise<T> {
    if (this.#places.has(request)) return task();
    await this.#turnOf(owner);
    this.#places.set(request, { owner, began: this.#now() });
    try {
      return await task();
    } finally {
      this.leave(request);
      this.#places.delete(request);
    }
  }

  /** Ends the turn of a request early: it will wait for something slow. Not inside a transaction, if it is to `enter` again. */
  leave(request: IncomingMessage): void {
    const place = this.#places.get(request);
    if (place === undefined || place.began === null) return;
    const took = this.#now() - place.began;
    place.began = null;
    this.#owed += took;
    this.#running--;
    this.#queue.charge(tenantOf(place.owner), took);
    const own = this.#owners.get(place.owner)!;
    own.isTaken = false;
    this.#offer(place.owner, own);
    this.#schedule();
  }

  /** Waits for another turn of a request that left the one it had. Rejects like `run`. */
  async enter(request: IncomingMessage): Promise<void> {
    const place = this.#places.get(request);
    if (place === undefined || place.began !== null) return;
    await this.#turnOf(place.owner);
    place.began = this.#now();
  }

  /** Whose request it is, while `run` has it. */
  ownerOf(request: IncomingMessage): string | null {
    return this.#places.get(request)?.owner ?? null;
  }

  #turnOf(owner: string): Promise<void> {
    const own = this.#owners.get(owner) ?? { waiting: [], isTaken: false };
    if (own.waiting.length >= MAX_WAITING) {
      throw new AppError('rate_limited', `${MAX_WAITING} ${this.#what} are waiting already.`, {
        hints: ['Send them one after another: they do not run at the same time.'],
      });
    }
    this.#owners.set(owner, own);
    return new Promise((resolve) => {
      own.waiting.push(resolve);
      this.#offer(owner, own);
    });
  }

  /** Puts an owner in the queue if it has something to do. */
  #offer(owner: string, own: Owner): void {
    if (own.isTaken) return;
    if (own.waiting.length === 0) return void this.#owners.delete(owner);
    own.isTaken = true;
    this.#queue.push(tenantOf(owner), owner, 0);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#running >= AT_ONCE || this.#queue.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => this.#go());
  }

  #go(): void {
    const pause = Math.min(this.#owed, MAX_PAUSE);
    this.#owed = 0;
    if (pause >= 1) return void setTimeout(() => this.#go(), pause);
    this.#isScheduled = false;
    this.#begin();
    this.#schedule();
  }

  #begin(): void {
    const owner = this.#queue.shift();
    const start = owner === undefined ? undefined : this.#owners.get(owner)?.waiting.shift();
    if (start === undefined) return;
    this.#running++;
    start();
  }
}

/** All owners have the same share. */
function tenantOf(owner: string): Tenant {
  return { id: owner, orgId: owner, weight: 1 };
}
