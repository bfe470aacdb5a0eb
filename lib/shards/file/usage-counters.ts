/** A project's counters by day (UTC) of arrival. Stored in the transaction that seals the events, so the two never diverge. */
import { kept } from '../../base/kept.ts';
import type { Connection } from './shard-file.ts';
import { DAY_MS, utcDay } from '../../base/day.ts';
import { smallTable } from './small-tables.ts';

export const COUNTERS = ['ingested', 'stored', 'rejected', 'duplicate', 'dropped', 'trimmed', 'idsIgnored'] as const;

export type Counts = Record<(typeof COUNTERS)[number], number>;

export interface UsageRow {
  readonly date: string;
  readonly counts: Counts;
}

export const noCounts = (): Counts => ({
  ingested: 0,
  stored: 0,
  rejected: 0,
  duplicate: 0,
  dropped: 0,
  trimmed: 0,
  idsIgnored: 0,
});

export function addCounts(to: Counts, more: Readonly<Counts>): void {
  for (const name of COUNTERS) to[name] += more[name];
}

/** The day asked for last, counted from the epoch: requests mostly come on the same one. */
let lastDay = { day: NaN, date: '' };

/** The day (UTC) of a time in milliseconds. */
export function dateOf(time: number): string {
  const day = Math.floor(time / DAY_MS);
  if (day !== lastDay.day) lastDay = { day, date: utcDay(time) };
  return lastDay.date;
}

/** Newest days to report again when a shard is read: the last report may have been lost in a crash. */
const RETOLD = 3;

/** The stored days, the newest first. */
export function readUsage(connection: Connection): UsageRow[] {
  const days = smallTable(connection, 'usage').map(
    ([date, ingested, stored, rejected, duplicate, dropped, trimmed, idsIgnored]) => ({
      date,
      counts: { ingested, stored, rejected, duplicate, dropped, trimmed, idsIgnored },
    }),
  );
  return days.reverse();
}

/** The stored days that may not have been reported. */
export const latestUsage = (connection: Connection): UsageRow[] => readUsage(connection).slice(0, RETOLD);

/** Must run inside the caller's transaction. */
export function saveUsage(connection: Connection, rows: readonly UsageRow[]): void {
  const upsert = connection.prepare(
    'INSERT OR REPLACE INTO usage (date, ingested, stored, rejected, duplicate, dropped, trimmed, ids_ignored) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  for (const { date, counts: c } of rows)
    upsert.run(date, c.ingested, c.stored, c.rejected, c.duplicate, c.dropped, c.trimmed, c.idsIgnored);
}

export class UsageCounters {
  readonly #days = new Map<string, Counts>();
  #unsaved = new Set<string>();
  /** Those of them that changed since `takeUnsaved`. */
  #since = new Set<string>();
  readonly #untold = new Set<string>();

  get unsaved(): boolean {
    return this.#unsaved.size > 0;
  }

  /** Whether a day has changed since its last report. */
  get untold(): boolean {
    return this.#untold.size > 0;
  }

  load(connection: Connection): void {
    readUsage(connection).forEach(({ date, counts }, i) => {
      this.#days.set(date, counts);
      if (i < RETOLD) this.#untold.add(date);
    });
  }

  add(date: string, counts: Counts): void {
    addCounts(kept(this.#days, date, noCounts), counts);
    this.#unsaved.add(date);
    this.#since.add(date);
    this.#untold.add(date);
  }

  /** Days that changed since they were stored. */
  takeUnsaved(): UsageRow[] {
    this.#since = new Set();
    return [...this.#unsaved].map((date) => ({ date, counts: { ...this.#days.get(date)! } }));
  }

  /** Call it once what `takeUnsaved` returned is stored. */
  saved(): void {
    this.#unsaved = new Set(this.#since);
  }

  /** Days that changed since the last call, with their totals. */
  takeUntold(): UsageRow[] {
    const told = [...this.#untold].map((date) => ({ date, counts: { ...this.#days.get(date)! } }));
    this.#untold.clear();
    return told;
  }
}
