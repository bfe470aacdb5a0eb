import type { ControlConnection } from '../storage/connection.ts';
import type { Flusher } from '../storage/flusher.ts';
import { billFields, type Price } from './price.ts';
import type { UsageMonth, UsageRow } from '../types.ts';
import { daysOf, utcDay, type UsageRange } from './usage-range.ts';
import { type UsageTotals } from '../../base/usage-totals.ts';

interface Queries {
  readonly project: string;
  readonly date: string;
  count: number;
  ms: number;
}

type Counters = Omit<UsageRow, 'bytes_stored'>;

/** Daily usage of projects, and sums for an organization. New counters wait in memory for `write`. */
export class Usage {
  readonly #connection: ControlConnection;
  readonly #totals = new Map<string, UsageTotals>();
  readonly #queries = new Map<string, Queries>();
  readonly #price: Price | null;
  readonly #flusher: Flusher;

  constructor(connection: ControlConnection, price: Price | null, flusher: Flusher) {
    this.#connection = connection;
    this.#price = price;
    this.#flusher = flusher;
  }

  /** Sets the day's counters of a project; on disk within a second. */
  record(totals: UsageTotals): void {
    this.#totals.set(`${totals.project} ${totals.date}`, totals);
    this.#flusher.schedule();
  }

  /** Adds queries and their milliseconds to a day (YYYY-MM-DD, UTC). */
  addQueries(project: string, date: string, count: number, ms: number): void {
    const key = `${project} ${date}`;
    const known = this.#queries.get(key) ?? { project, date, count: 0, ms: 0 };
    known.count += count;
    known.ms += ms;
    this.#queries.set(key, known);
    this.#flusher.schedule();
  }

  get hasNews(): boolean {
    return this.#totals.size + this.#queries.size > 0;
  }

  /** Writes what is pending, inside a transaction of the caller; `forgetNews` once it has committed. */
  write(): void {
    for (const totals of this.#totals.values()) this.#connection.run(UPSERT, totals);
    for (const queries of this.#queries.values()) this.#connection.run(ADD_QUERIES, queries);
  }

  forgetNews(): void {
    this.#totals.clear();
    this.#queries.clear();
  }

  /** A project holds no bytes from today on. Inside a transaction of the caller. */
  forgetBytes(projectId: string): void {
    const sql = `INSERT INTO usage (project_id, date, bytes_stored) VALUES (?, ?, 0)
      ON CONFLICT (project_id, date) DO UPDATE SET bytes_stored = 0`;
    this.#connection.run(sql, projectId, utcDay(this.#connection.now()));
  }

  /** A row for every day of the range. For ranges of requests see `parseUsageRange`. */
  ofProject(projectId: string, range: UsageRange): UsageRow[] {
    this.#flusher.flush();
    return this.#days('project_id = ?', projectId, range);
  }

  /** Sums over an organization's projects, including deleted ones; `months` are whole months. */
  ofOrg(orgId: string, range: UsageRange): { days: UsageRow[]; months: UsageMonth[] } {
    this.#flusher.flush();
    const stored = this.#stored(orgId, range.from.slice(0, 7), range.to.slice(0, 7));
    const asked = new Set(daysOf(range).map((day) => day.slice(0, 7)));
    return {
      days: this.#days(OF_ORG, orgId, range),
      months: [...asked].map((month) => this.#month(month, stored.get(month) ?? 0)),
    };
  }

  /** Events stored by an organization in the current UTC month. */
  storedThisMonth(orgId: string): number {
    const month = utcDay(this.#connection.now()).slice(0, 7);
    return this.#stored(orgId, month, month).get(month) ?? 0;
  }

  /** Events by month. */
  #stored(orgId: string, first: string, last: string): ReadonlyMap<string, number> {
    const rows = this.#connection.rows<{ month: string; stored: number }>(MONTHS, orgId, `${first}-01`, `${last}-31`);
    return new Map(rows.map(({ month, stored }) => [month, stored]));
  }

  #month(month: string, stored: number): UsageMonth {
    return { month, events_stored: stored, ...billFields(stored, this.#price) };
  }

  #days(condition: string, scope: string, range: UsageRange): UsageRow[] {
    const today = utcDay(this.#connection.now());
    const days = this.#connection.rows<Counters>(
      `SELECT date, ${SUMS} FROM usage WHERE ${condition} AND date BETWEEN ? AND ? GROUP BY date`,
      ...[scope, range.from, range.to],
    );
    const counters = new Map(days.map((row) => [row.date, row]));
    // Sizes are reported only on days with events: each day adds up how much every project changed.
    const changes = this.#connection.rows<{ date: string; delta: number }>(
      `SELECT date, sum(delta) AS delta FROM (
         SELECT date, bytes_stored - lag(bytes_stored, 1, 0) OVER (PARTITION BY project_id ORDER BY date) AS delta
         FROM usage WHERE ${condition} AND bytes_stored IS NOT NULL AND date <= ?)
       GROUP BY date ORDER BY date`,
      ...[scope, range.to],
    );
    let next = 0;
    let bytes = 0;
    return daysOf(range).map((date) => {
      for (; next < changes.length && (changes[next]?.date ?? '') <= date; next++) bytes += changes[next]?.delta ?? 0;
      const row = counters.get(date) ?? { date, ...NOTHING };
      return { ...row, query_ms: Math.round(row.query_ms), bytes_stored: date <= today ? bytes : 0 };
    });
  }
}

const NOTHING: Omit<Counters, 'date'> = {
  events_ingested: 0,
  events_stored: 0,
  events_rejected: 0,
  events_duplicate: 0,
  events_dropped: 0,
  values_trimmed: 0,
  ids_ignored: 0,
  queries_run: 0,
  query_ms: 0,
};

const SUMS = Object.keys(NOTHING)
  .map((column) => `sum(${column}) AS ${column}`)
  .join(', ');

const OF_ORG = 'project_id IN (SELECT id FROM all_projects WHERE org_id = ?)';

const MONTHS = `
  SELECT substr(date, 1, 7) AS month, sum(events_stored) AS stored FROM usage
  WHERE ${OF_ORG} AND date BETWEEN ? AND ? GROUP BY month ORDER BY month`;

/** A deleted project holds no bytes, whatever a late writer reports. A project that never existed gets no row. */
const UPSERT = `
  INSERT INTO usage (project_id, date, events_ingested, events_stored, events_rejected, events_duplicate,
    events_dropped, values_trimmed, ids_ignored, bytes_stored)
  SELECT @project, @date, @eventsIngested, @eventsStored, @eventsRejected, @eventsDuplicate,
    @eventsDropped, @valuesTrimmed, @idsIgnored, iif(deleted, 0, @bytesStored)
  FROM all_projects WHERE id = @project
  ON CONFLICT (project_id, date) DO UPDATE SET
    events_ingested = excluded.events_ingested, events_stored = excluded.events_stored,
    events_rejected = excluded.events_rejected, events_duplicate = excluded.events_duplicate,
    events_dropped = excluded.events_dropped, values_trimmed = excluded.values_trimmed,
    ids_ignored = excluded.ids_ignored, bytes_stored = excluded.bytes_stored`;

const ADD_QUERIES = `
  INSERT INTO usage (project_id, date, queries_run, query_ms)
  SELECT @project, @date, @count, @ms FROM all_projects WHERE id = @project
  ON CONFLICT (project_id, date) DO UPDATE SET
    queries_run = queries_run + excluded.queries_run, query_ms = query_ms + excluded.query_ms`;
