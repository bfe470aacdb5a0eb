import type { ControlConnection } from '../storage/connection.ts';
import type { Organizations } from '../organizations.ts';
import type { Project } from '../types.ts';
import type { Usage } from './usage.ts';

/**
 * Maximum age of a month's sum, ms, and the rows for each of which it may be older by one: to add up 300,000, of ten thousand projects,
 * takes the event loop 50 ms, and must not every second. What is accepted here, and a limit itself, is seen at once.
 */
const MAX_AGE_MS = 1000;
const ROWS_OF_MS = 50;

/** Limits cached; beyond that all are summed again. */
const MAX_REMEMBERED = 10_000;

/** A month's limit and how much of it is used: events that are stored, and those that were accepted here a moment ago. */
export interface MonthUse {
  readonly of: 'organization' | 'project';
  readonly limit: number;
  used: number;
}

interface Remembered {
  /** null: there is no limit. */
  readonly use: MonthUse | null;
  readonly until: number;
}

/** What was accepted here in a month, to be compared with usage, where it appears seconds later. */
interface Accepted {
  readonly month: string;
  /** In usage when counting began. */
  readonly before: number;
  events: number;
}

type Limited = Pick<Project, 'id' | 'orgId' | 'settings'>;

/** How many events an organization and a project may still store this month, checked with every request. */
export class Allowance {
  readonly #connection: ControlConnection;
  readonly #organizations: Organizations;
  readonly #usage: Usage;
  /** By id of the organization or project. */
  readonly #remembered = new Map<string, Remembered>();
  /** Of those with a limit. */
  readonly #accepted = new Map<string, Accepted>();
  #epoch = -1;

  constructor(connection: ControlConnection, organizations: Organizations, usage: Usage) {
    this.#connection = connection;
    this.#organizations = organizations;
    this.#usage = usage;
  }

  /** The limits that hold for a project, that of its organization first; none: unlimited. */
  async uses({ id, orgId, settings }: Limited): Promise<readonly MonthUse[]> {
    const of = await this.ofOrganization(orgId);
    const own = settings.eventsPerMonth === null ? null : await this.#use('project', id, settings.eventsPerMonth);
    return [of, own].filter((use) => use !== null);
  }

  /** null: unlimited. */
  ofOrganization(orgId: string): Promise<MonthUse | null> {
    return this.#use('organization', orgId, null);
  }

  /** Call for what was accepted after `uses` was asked. */
  accept({ id, orgId }: Pick<Project, 'id' | 'orgId'>, events: number): void {
    for (const holder of [orgId, id]) {
      const accepted = this.#accepted.get(holder);
      if (accepted === undefined) continue;
      accepted.events += events;
      const use = this.#remembered.get(holder)?.use;
      if (use) use.used += events;
    }
  }

  /** @param own The limit of a project; null: that of the organization is read. */
  async #use(of: MonthUse['of'], id: string, own: number | null): Promise<MonthUse | null> {
    const epoch = this.#connection.epoch();
    if (epoch !== this.#epoch || this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#epoch = epoch;
    const now = this.#connection.now();
    const known = this.#remembered.get(id);
    if (known !== undefined && (known.use === null || now < known.until)) return known.use;
    const limit = own ?? (await this.#organizations.get(id)).limits.eventsPerMonth;
    const { used, rows } = limit === null ? { used: 0, rows: 0 } : await this.#used(of, id);
    const use = limit === null ? null : { of, limit, used };
    if (epoch === this.#connection.epoch())
      this.#remembered.set(id, { use, until: now + MAX_AGE_MS + rows / ROWS_OF_MS });
    return use;
  }

  /** Events of this month, and how many rows of usage were added up to tell. */
  async #used(of: MonthUse['of'], id: string): Promise<{ readonly used: number; readonly rows: number }> {
    const { month, ingested, stored, rows } = await this.#usage.thisMonth(of, id);
    let accepted = this.#accepted.get(id);
    if (accepted?.month !== month) {
      accepted = { month, before: ingested, events: 0 };
      if (this.#accepted.size >= MAX_REMEMBERED) this.#accepted.clear();
      this.#accepted.set(id, accepted);
    }
    const unreported = Math.max(0, accepted.events - (ingested - accepted.before));
    return { used: stored + unreported, rows };
  }
}
