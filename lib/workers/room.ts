/**
 * The memory that all running queries share. Each task has a cell in it, as do its query, project and organization. The thread
 * that runs the task counts in them, in steps, what the task holds; whoever opened the room gives it back when the task is over,
 * even if the thread has died. How much one may hold depends on what is free, as in a Ledger.
 */
import { mayHold } from '../base/ledger.ts';
import type { Tenant } from '../base/project.ts';

/** What a thread must know of a task's room. Plain data; cells count MiB. */
export interface RoomShare {
  readonly cells: SharedArrayBuffer;
  readonly task: number;
  readonly query: number;
  readonly project: number;
  readonly organization: number;
  readonly weight: number;
  /** MiB for all queries together. */
  readonly limit: number;
}

/** The memory for queries does not suffice for one at the moment; `alone`: although no other query holds any. */
export class NoRoom extends Error {
  readonly alone: boolean;

  constructor(alone: boolean) {
    super('other queries hold the memory');
    this.alone = alone;
  }
}

/** Counted at once: counting every small piece would take longer than the work. */
const MIB = 2 ** 20;
/** How many times what is free an organization may hold, and a project: a query alone may hold nearly everything. */
const SHARES = { organization: 5, project: 4 };
const TOTAL = 0;

/** The room of one task, in the thread that runs it. */
export class Room {
  readonly #share: RoomShare;
  readonly #cells: Int32Array;
  readonly #onGrowth: () => void;
  #counted = 0;

  /** @param onGrowth Called when more is counted, so that other memory can shrink. */
  constructor(share: RoomShare, onGrowth: () => void = () => undefined) {
    this.#share = share;
    this.#cells = new Int32Array(share.cells);
    this.#onGrowth = onGrowth;
    giveBack(this.#cells, share); // left by a thread that died of it
  }

  /** Counts that the task holds this many bytes. Throws NoRoom if that is more than it may hold. */
  cover(bytes: number): void {
    const more = Math.ceil(bytes / MIB) - this.#counted;
    if (more <= 0) return;
    const { task, query, project, organization, weight, limit } = this.#share;
    const cells = this.#cells;
    const total = Atomics.load(cells, TOTAL);
    const [ofOrganization, ofProject] = [Atomics.load(cells, organization), Atomics.load(cells, project)];
    const holdings = { free: limit - total, organization: ofOrganization, project: ofProject, weight };
    const fits = mayHold(more, holdings, SHARES);
    if (!fits) throw new NoRoom(total === Atomics.load(cells, query));
    for (const cell of [TOTAL, organization, project, query, task]) Atomics.add(cells, cell, more);
    this.#counted += more;
    this.#onGrowth();
  }

  /** The share that no query holds, 0 to 1. */
  get free(): number {
    const { limit } = this.#share;
    return Math.max(0, limit - Atomics.load(this.#cells, TOTAL)) / limit;
  }
}

function giveBack(cells: Int32Array, { task, query, project, organization }: RoomShare): number {
  const held = Atomics.exchange(cells, task, 0);
  for (const cell of [TOTAL, organization, project, query]) Atomics.sub(cells, cell, held);
  return held;
}

/** Cells: tasks, queries, projects and organizations at once. Tasks beyond these are limited by their own bounds alone. */
const CELLS = 16_384;

/** The room of all queries, in the thread that starts them. */
export class Rooms {
  readonly #cells = new SharedArrayBuffer(CELLS * 4);
  readonly #view = new Int32Array(this.#cells);
  readonly #limit: number;
  /** Cells that were in use and are not; those from `next` on never were. */
  readonly #free: number[] = [];
  #next = TOTAL + 1;
  readonly #shared = new Map<string, { readonly cell: number; users: number }>();
  #freed: (() => void)[] = [];

  /** @param bytes For all queries together. */
  constructor(bytes: number) {
    this.#limit = Math.floor(bytes / MIB);
  }

  /** Bytes that running queries hold. */
  get held(): number {
    return Atomics.load(this.#view, TOTAL) * MIB;
  }

  /** Opens room for a task of a query; null if there are too many to count. Close it when the task is over. */
  open({ id, orgId, weight }: Tenant, nth: number): { readonly share: RoomShare; readonly close: () => void } | null {
    if (this.#free.length + CELLS - this.#next < 4) return null;
    const task = this.#free.pop() ?? this.#next++;
    const query = this.#join(`q${nth}`);
    const project = this.#join(`p${id}`);
    const organization = this.#join(`o${orgId}`);
    const share = { cells: this.#cells, task, query, project, organization, weight, limit: this.#limit };
    const close = (): void => {
      const held = giveBack(this.#view, share);
      this.#free.push(task);
      this.#leave(`q${nth}`);
      this.#leave(`p${id}`);
      this.#leave(`o${orgId}`);
      if (held > 0) for (const tell of this.#freed.splice(0)) tell();
    };
    return { share, close };
  }

  /** Resolves when a task that held memory is over. */
  freed(): Promise<void> {
    return new Promise((resolve) => this.#freed.push(resolve));
  }

  #join(name: string): number {
    const known = this.#shared.get(name);
    if (known) {
      known.users++;
      return known.cell;
    }
    const cell = this.#free.pop() ?? this.#next++;
    this.#shared.set(name, { cell, users: 1 });
    return cell;
  }

  #leave(name: string): void {
    const known = this.#shared.get(name)!;
    if (--known.users > 0) return;
    this.#shared.delete(name);
    this.#free.push(known.cell);
  }
}
