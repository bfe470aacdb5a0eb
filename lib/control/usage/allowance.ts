import type { ControlConnection } from '../storage/connection.ts';
import type { Organizations } from '../organizations.ts';
import type { Usage } from './usage.ts';

/**
 * Maximum age of a month's sum, ms, and the rows for each of which it may be older by one: to add up 300,000, of ten thousand projects,
 * takes the event loop 50 ms, and must not every second. What is accepted here, and a limit itself, is seen at once.
 */
const MAX_AGE_MS = 1000;
const ROWS_OF_MS = 50;

/** Organizations cached; beyond that all are summed again. */
const MAX_REMEMBERED = 10_000;

interface Remembered {
  remaining: number | null;
  readonly until: number;
}

/** What is left, and how many rows of usage were added up to tell. */
interface Counted {
  readonly left: number | null;
  readonly rows: number;
}

const UNLIMITED: Counted = { left: null, rows: 0 };

/** What was accepted here in a month, to be compared with usage, where it appears seconds later. */
interface Accepted {
  readonly month: string;
  /** In usage when counting began. */
  readonly before: number;
  events: number;
}

/** How many events an organization may still store this month, checked with every request. */
export class Allowance {
  readonly #connection: ControlConnection;
  readonly #organizations: Organizations;
  readonly #usage: Usage;
  readonly #remembered = new Map<string, Remembered>();
  /** Of organizations with a limit. */
  readonly #accepted = new Map<string, Accepted>();
  #epoch = -1;

  constructor(connection: ControlConnection, organizations: Organizations, usage: Usage) {
    this.#connection = connection;
    this.#organizations = organizations;
    this.#usage = usage;
  }

  /** null: unlimited. */
  async remaining(orgId: string): Promise<number | null> {
    const epoch = this.#connection.epoch();
    if (epoch !== this.#epoch || this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#epoch = epoch;
    const now = this.#connection.now();
    const known = this.#remembered.get(orgId);
    if (known !== undefined && (known.remaining === null || now < known.until)) return known.remaining;
    const { eventsPerMonth: limit } = (await this.#organizations.get(orgId)).limits;
    const { left, rows } = limit === null ? UNLIMITED : await this.#left(orgId, limit);
    const until = now + MAX_AGE_MS + rows / ROWS_OF_MS;
    if (epoch === this.#connection.epoch()) this.#remembered.set(orgId, { remaining: left, until });
    return left;
  }

  /** Call for what was accepted after `remaining` was asked. */
  accept(orgId: string, events: number): void {
    const accepted = this.#accepted.get(orgId);
    if (accepted === undefined) return;
    accepted.events += events;
    const known = this.#remembered.get(orgId);
    if (known !== undefined && known.remaining !== null) known.remaining = Math.max(0, known.remaining - events);
  }

  async #left(orgId: string, limit: number): Promise<Counted> {
    const { month, ingested, stored, rows } = await this.#usage.thisMonth(orgId);
    let accepted = this.#accepted.get(orgId);
    if (accepted?.month !== month) {
      accepted = { month, before: ingested, events: 0 };
      if (this.#accepted.size >= MAX_REMEMBERED) this.#accepted.clear();
      this.#accepted.set(orgId, accepted);
    }
    const unreported = Math.max(0, accepted.events - (ingested - accepted.before));
    return { left: Math.max(0, limit - stored - unreported), rows };
  }
}
