/** A project's counters by day (UTC) of arrival. Stored in the transaction that seals the events, so the two never diverge. */
import { kept } from '../../base/kept.ts';
import type { Connection } from './shard-file.ts';
import { DAY_MS, utcDay } from '../../base/day.ts';
import { smallTable } from './small-tables.ts';

export const COUNTERS = [
  ...(['ingested', 'stored', 'rejected', 'duplicate', 'dropped', 'trimmed', 'idsIgnored'] as const),
  ...(['timesReplaced', 'fieldsIgnored'] as const),
] as const;

export type Counts = Record<(typeof COUNTERS)[number], number>;

export interface DayCounts {
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
  timesReplaced: 0,
  fieldsIgnored: 0,
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
const REPORTED_AGAIN = 3;

/** The stored days, the newest first. */
export function readUsage(connection: Connection): DayCounts[] {
  const days = smallTable(connection, 'usage').map(
    ([date, ingested, stored, rejected, duplicate, dropped, trimmed, idsIgnored, timesReplaced, fieldsIgnored]) => ({
      date,
      counts: { ingested, stored, rejected, duplicate, dropped, trimmed, idsIgnored, timesReplaced, fieldsIgnored },
    }),
  );
  return days.reverse();
}

/** The stored days that may not have been reported. */
export const latestUsage = (connection: Connection): DayCounts[] => readUsage(connection).slice(0, REPORTED_AGAIN);

/** Must run inside the caller's transaction. */
export function saveUsage(connection: Connection, rows: readonly DayCounts[]): void {
  const upsert = connection.prepare(
    `INSERT OR REPLACE INTO usage (date, ingested, stored, rejected, duplicate, dropped, trimmed, ids_ignored, times_replaced, fields_ignored)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const { date, counts } of rows) upsert.run(date, ...COUNTERS.map((name) => counts[name]));
}

export class UsageCounters {
  readonly #days = new Map<string, Counts>();
  #unsaved = new Set<string>();
  /** Those of them that changed since `takeUnsaved`. */
  #since = new Set<string>();
  readonly #unreported = new Set<string>();

  get unsaved(): boolean {
    return this.#unsaved.size > 0;
  }

  /** Whether a day has changed since its last report. */
  get unreported(): boolean {
    return this.#unreported.size > 0;
  }

  load(connection: Connection): void {
    readUsage(connection).forEach(({ date, counts }, i) => {
      this.#days.set(date, counts);
      if (i < REPORTED_AGAIN) this.#unreported.add(date);
    });
  }

  add(date: string, counts: Counts): void {
    addCounts(kept(this.#days, date, noCounts), counts);
    this.#unsaved.add(date);
    this.#since.add(date);
    this.#unreported.add(date);
  }

  /** Days that changed since they were stored. */
  takeUnsaved(): DayCounts[] {
    this.#since = new Set();
    return [...this.#unsaved].map((date) => ({ date, counts: { ...this.#days.get(date)! } }));
  }

  /** Call it once what `takeUnsaved` returned is stored. */
  saved(): void {
    this.#unsaved = new Set(this.#since);
  }

  /** Days that changed since the last call, with their totals. */
  takeUnreported(): DayCounts[] {
    const days = [...this.#unreported].map((date) => ({ date, counts: { ...this.#days.get(date)! } }));
    this.#unreported.clear();
    return days;
  }
}
