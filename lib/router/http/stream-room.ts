/**
 * Memory for what streams of lines hold before the store has it: lines that are not finished, bytes gathered while the store is
 * busy, and what inflates them. It is of the share for bodies being received; where that has no room, a stream waits, and its connection is not read.
 */
import type { Ledger } from '../../base/ledger.ts';
import { AppError } from '../../base/errors.ts';
import { monotonic } from '../../base/monotonic.ts';
import type { Tenant } from '../../base/project.ts';

/** Taken at once. */
const STEP_BYTES = 16 << 10;

interface Waiting {
  readonly since: number;
  /** Bytes that the stream needs by now, in all. */
  readonly needed: () => number;
  readonly room: StreamRoom;
  readonly goOn: () => void;
  readonly fail: (error: AppError) => void;
}

/** The rooms of all streams of a service. */
export class StreamRooms {
  readonly #shares: Ledger;
  /** The one that has waited for longest is the first. */
  readonly #waiting = new Set<Waiting>();
  #isSoon = false;

  constructor(shares: Ledger) {
    this.#shares = shares;
  }

  open(tenant: Tenant): StreamRoom {
    return new StreamRoom({ shares: this.#shares, waiting: this.#waiting, freed: () => this.freed() }, tenant);
  }

  /** Something was given back: those that wait try again, soon. */
  freed(): void {
    if (this.#isSoon || this.#waiting.size === 0) return;
    this.#isSoon = true;
    setImmediate(() => {
      this.#isSoon = false;
      for (const { room } of this.#waiting) room.tryAgain();
    });
  }

  /** Of each project's streams that have waited since then, ends the one that holds most: it may be enough for the others. */
  giveUp(since: number): void {
    const late = [...this.#waiting].filter((waiting) => waiting.since <= since);
    const ended = new Set<string>();
    for (const { room, fail } of late.sort((a, b) => b.room.held - a.room.held)) {
      if (room.tryAgain() || ended.has(room.tenant.id)) continue;
      ended.add(room.tenant.id);
      room.close();
      fail(
        new AppError('overloaded', 'Too many bodies are being received.', {
          hints: ['Send fewer streams at a time, or shorter lines; do not send accepted lines again.'],
        }),
      );
    }
  }
}

interface Common {
  readonly shares: Ledger;
  readonly waiting: Set<Waiting>;
  readonly freed: () => void;
}

/** Who inflaters of a tenant's streams count for: their own share, else they would leave no room for the lines that they inflate. */
export function inflatersOf({ id, orgId, weight }: Tenant): Tenant {
  return { id: `inflaters of ${id}`, orgId: `inflaters of ${orgId}`, weight };
}

/** The room of one stream. */
export class StreamRoom {
  readonly #common: Common;
  readonly tenant: Tenant;
  #counted = 0;
  /** Of what inflates it, which is held until it closes; null: nothing does. */
  #inflater: StreamRoom | null = null;
  #waits: Waiting | null = null;
  #isClosed = false;

  constructor(common: Common, tenant: Tenant) {
    this.#common = common;
    this.tenant = tenant;
  }

  /** Bytes, as counted. */
  get held(): number {
    return this.#counted;
  }

  /** Counts that what inflates the stream holds so many bytes until it ends, in the way of `cover`. */
  keep(bytes: number): Promise<void> | null {
    this.#inflater = new StreamRoom(this.#common, inflatersOf(this.tenant));
    return this.#inflater.cover(() => bytes);
  }

  /**
   * Counts that the stream holds what it will need. null: it may, at once; else it must hold no more until the promise resolves.
   * That rejects after a while without room.
   */
  cover(needed: () => number): Promise<void> | null {
    if (this.#take(needed())) return null;
    return new Promise((goOn, fail) => {
      this.#waits = { since: monotonic(), needed, room: this, goOn, fail };
      this.#common.waiting.add(this.#waits);
    });
  }

  /** The stream holds no more than this now. */
  shrink(bytes: number): void {
    const spare = this.#counted - stepsFor(bytes);
    if (spare > 0) this.#give(spare);
    if (this.#waits !== null) this.#common.freed(); // it may be itself that needs less now
  }

  /** True if it need not wait any more. */
  tryAgain(): boolean {
    if (this.#waits === null) return true;
    const { needed, goOn } = this.#waits;
    if (!this.#take(needed())) return false;
    this.#stopWaiting();
    goOn();
    return true;
  }

  /** The stream holds nothing any more, nor will it. */
  close(): void {
    this.#isClosed = true;
    this.#inflater?.close();
    this.#stopWaiting();
    this.#give(this.#counted);
  }

  #take(needed: number): boolean {
    const more = stepsFor(needed) - this.#counted;
    if (more <= 0 || this.#isClosed) return true;
    const { shares } = this.#common;
    const isAlone = shares.total === this.#counted + (this.#inflater?.held ?? 0);
    if (!isAlone && !this.#leavesRoom(more)) return false;
    shares.add(this.tenant, more);
    this.#counted += more;
    return true;
  }

  /** Streams take half of what a project may hold: they can wait, and its other bodies cannot. */
  #leavesRoom(more: number): boolean {
    const { shares } = this.#common;
    return shares.fits(this.tenant, more + shares.heldBy(this.tenant.id));
  }

  #give(bytes: number): void {
    if (bytes === 0) return;
    this.#common.shares.give(this.tenant, bytes);
    this.#counted -= bytes;
    this.#common.freed();
  }

  #stopWaiting(): void {
    if (this.#waits !== null) this.#common.waiting.delete(this.#waits);
    this.#waits = null;
  }
}

const stepsFor = (bytes: number): number => Math.ceil(bytes / STEP_BYTES) * STEP_BYTES;
