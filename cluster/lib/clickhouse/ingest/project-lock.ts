/** Who may add to a project: one at a time, on all nodes together, as what is stored depends on what was stored before. */
import { setTimeout as pause } from 'node:timers/promises';
import { AppError, type HeldTurn, monotonic, type SharedTurns } from '../../../../lib/seam.ts';
import type { ServerClock } from '../server-clock.ts';
/** An insert failed, or its answer did not come. Whoever holds a project keeps it until the insert is over (project-lock.ts). */
export class InsertFailed extends Error {
  /** For who waits for an answer. */
  readonly reason: unknown;
  /** Resolves once nothing of it can be stored any more; what was, can be read by then. */
  readonly over: Promise<void>;

  constructor(reason: unknown, over: Promise<void>) {
    super('an insert failed', { cause: reason });
    this.reason = reason;
    this.over = over;
  }
}

/** What is told of an error, whether it is of an insert or not. */
export const reasonOf = (error: unknown): unknown => (error instanceof InsertFailed ? error.reason : error);

/** Until when inserts under a lock may begin, by ClickHouse's clock, milliseconds. Later after each renewal. */
export type Deadline = () => number;

export interface ProjectLock {
  /**
   * Runs `use` while nobody else adds to the project. `first`: the first of `count` arrival numbers that nobody has had; they
   * are larger than all before, on every node. Rejects with AppError if the lock cannot be had, `not_found` where the project was
   * deleted, and as `use` does: with InsertFailed once that insert is over.
   */
  hold<T>(project: string, count: number, use: (first: number, deadline: Deadline) => Promise<T>): Promise<T>;
  /** The same for what removes a deleted project: nobody gets the lock after it. Can be repeated. */
  holdLast(project: string, use: () => Promise<void>): Promise<void>;
}

/** How long ClickHouse may take for an insert, milliseconds. */
export const INSERT_TIME = 20_000;

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

/** Waits until an insert that failed is over: only then may anyone look for its ids again. */
async function untilOver(error: unknown): Promise<void> {
  if (error instanceof InsertFailed) await error.over;
}

/** For the only node: the lock is in its memory, and what was stored says which number is next. */
export class LockInProcess implements ProjectLock {
  readonly #last: LastArrival;
  readonly #clock: ServerClock;
  readonly #next = new Map<string, number>();
  /** Ids are never used again. */
  readonly #deleted = new Set<string>();
  readonly #oneByOne = new OneByOne();

  constructor(last: LastArrival, clock: ServerClock) {
    this.#last = last;
    this.#clock = clock;
  }

  hold<T>(project: string, count: number, use: (first: number, deadline: Deadline) => Promise<T>): Promise<T> {
    return this.#oneByOne.run(project, async () => {
      if (this.#deleted.has(project)) throw wasDeleted();
      await this.#clock.sync();
      const first = this.#next.get(project) ?? (await this.#last(project)) + 1;
      this.#next.set(project, first + count);
      try {
        // What a server that stood still only hears of later may have been sent again: it refuses that.
        return await use(first, () => this.#clock.at(monotonic() + INSERT_TIME));
      } catch (error) {
        await untilOver(error);
        throw error;
      }
    });
  }

  holdLast(project: string, use: () => Promise<void>): Promise<void> {
    this.#deleted.add(project);
    return this.#oneByOne.run(project, use);
  }
}

export interface SharedLockOptions {
  readonly turns: SharedTurns;
  readonly last: LastArrival;
  readonly clock: ServerClock;
  /** Of this process; all its inserts have ids that begin with it. */
  readonly run: string;
  /** Ends all inserts of a run; resolves when they have ended. */
  readonly endInserts: (run: string) => Promise<void>;
  /** A turn could not be kept or given back; others wait until its time is over. */
  readonly onTrouble: (error: unknown, what: string) => void;
  /** How long a turn lasts without renewal: so long others wait for a node that was killed. Milliseconds. */
  readonly lease?: number;
}

/** Of a turn: arrival numbers, and whether it removes a deleted project. */
interface Wish {
  readonly count: number;
  readonly ofDeleted: boolean;
}

/** How long a request waits for other nodes, and between two looks, milliseconds. */
const PATIENCE = 10_000;
const LOOKS = { first: 2, most: 50 };
/** Between the name of a run and the number of a turn. */
const SEPARATOR = '/';

/**
 * For several nodes: they take turns, each as long as its insert takes. A node may stop at any moment, and what it has sent may be
 * late: so ClickHouse itself refuses inserts that begin after a turn's time, and whoever takes a turn over ends what has begun.
 */
export class SharedLock implements ProjectLock {
  readonly #options: SharedLockOptions;
  readonly #lease: number;
  readonly #oneByOne = new OneByOne();
  #turns = 0;

  constructor(options: SharedLockOptions) {
    this.#options = options;
    this.#lease = options.lease ?? 6_000;
  }

  hold<T>(project: string, count: number, use: (first: number, deadline: Deadline) => Promise<T>): Promise<T> {
    return this.#inTurn(project, { count, ofDeleted: false }, use);
  }

  holdLast(project: string, use: () => Promise<void>): Promise<void> {
    return this.#inTurn(project, { count: 1, ofDeleted: true }, use);
  }

  #inTurn<T>(project: string, of: Wish, use: (first: number, deadline: Deadline) => Promise<T>): Promise<T> {
    return this.#oneByOne.run(project, async () => {
      const { turns, onTrouble, run } = this.#options;
      const holder = `${run}${SEPARATOR}${this.#turns++}`;
      const { first, takenAt } = await this.#take(project, of, holder);
      let deadline = this.#deadline(takenAt);
      let isOver = false;
      const renewing = setInterval(() => {
        this.#renew(project, holder)
          .then((renewedAt) => (deadline = this.#deadline(renewedAt)))
          .catch((error: unknown) => {
            if (!isOver) onTrouble(error, 'the turn of a project was not renewed');
          });
      }, this.#lease / 4); // renewals in a lease
      try {
        const done = await use(first, () => deadline);
        if (of.ofDeleted && !(await turns.end(project, holder))) throw turnOver();
        return done;
      } catch (error) {
        // The turn runs out meanwhile: another node may take it over, and end the insert where this one reaches nobody.
        clearInterval(renewing);
        await untilOver(error);
        throw error;
      } finally {
        isOver = true;
        clearInterval(renewing);
        await turns.give(project, holder).catch((error: unknown) => {
          onTrouble(error, 'the turn of a project was not given back');
        });
      }
    });
  }

  /** @param since When the turn was asked for, on the monotonic clock: it was given later. */
  #deadline(since: number): number {
    // Inserts begin this part of a lease before its end: the clocks of ClickHouse's servers may differ by as much.
    return this.#options.clock.at(since + this.#lease * (1 - 1 / 6));
  }

  async #renew(project: string, holder: string): Promise<number> {
    const { turns, clock } = this.#options;
    await clock.sync();
    const askedAt = monotonic();
    if (!(await turns.renew(project, { holder, lease: this.#lease })))
      throw new Error('it was over, and another node may have had one meanwhile');
    return askedAt;
  }

  async #take(project: string, of: Wish, holder: string): Promise<{ first: number; takenAt: number }> {
    const { turns, last, clock, run, endInserts } = this.#options;
    const wanted = { holder, ofRun: `${run}${SEPARATOR}`, ...of, lease: this.#lease };
    const until = monotonic() + PATIENCE;
    let over: HeldTurn | null = null;
    for (let wait = LOOKS.first; monotonic() < until;) {
      await clock.sync();
      const takenAt = monotonic();
      const taken = await turns.take(project, { ...wanted, over });
      if (typeof taken === 'number') return { first: taken, takenAt };
      if (taken === 'deleted') throw wasDeleted();
      if (taken === 'unknown') {
        await turns.begin(project, (await last(project)) + 1);
      } else if (taken.isOver) {
        await endInserts(taken.holder.slice(0, taken.holder.lastIndexOf(SEPARATOR)));
        over = taken;
      } else {
        await pause(wait * (0.5 + Math.random()));
        wait = Math.min(2 * wait, LOOKS.most);
      }
    }
    throw turnOver();
  }
}

const turnOver = (): AppError =>
  new AppError('storage_unavailable', 'Another node is writing to this project; nothing of this request was stored.', {
    hints: ['Wait and send the same request again.'],
  });

const wasDeleted = (): AppError => new AppError('not_found', 'The project was deleted.');
