import { setImmediate } from 'node:timers/promises';
import { sql, type SelectQueryBuilder } from 'kysely';
import type { Soon } from '../../base/soon.ts';
import { type ControlConnection, CompiledOnce } from '../storage/connection.ts';
import type { Tables } from '../storage/tables.ts';
import { type Batch, type Flusher, inOrder } from '../storage/flusher.ts';
import { billFields, type Price } from './price.ts';
import { USAGE_COUNTERS, type UsageCounter, type UsageMonth, type UsageRow } from '../types.ts';
import { daysOf, type UsageRange } from './usage-range.ts';
import { type UsageTotals } from '../../base/usage-totals.ts';
import {
  addingQueries,
  addingTotals,
  COUNTERS,
  raisingTotals,
  settingTotals,
  type QueryCounts,
} from './usage-writes.ts';
import { utcDay } from '../../base/day.ts';

/** Rows written in one transaction, some milliseconds of work; between two of them requests are answered. */
const AT_ONCE = 64;

type ProjectIds = SelectQueryBuilder<Tables, 'all_projects', { id: string }>;

/** Daily usage of projects, and sums for an organization. New counters wait in memory for `takeNews`. */
export class Usage {
  readonly #connection: ControlConnection;
  #totals = new Map<string, UsageTotals>();
  #queries = new Map<string, QueryCounts>();
  readonly #settingTotals: CompiledOnce<unknown>;
  readonly #raisingTotals: CompiledOnce<unknown>;
  readonly #addingTotals: CompiledOnce<unknown>;
  readonly #addingQueries: CompiledOnce<unknown>;
  readonly #price: Price | null;
  readonly #flusher: Flusher;

  constructor(connection: ControlConnection, price: Price | null, flusher: Flusher) {
    this.#connection = connection;
    this.#settingTotals = new CompiledOnce(connection, settingTotals);
    this.#raisingTotals = new CompiledOnce(connection, raisingTotals);
    this.#addingTotals = new CompiledOnce(connection, addingTotals);
    this.#addingQueries = new CompiledOnce(connection, addingQueries);
    this.#price = price;
    this.#flusher = flusher;
  }

  /** Sets the day's counters of a project, or adds to them; on disk within a second. */
  record(totals: UsageTotals): void {
    const key = `${totals.project} ${totals.date}`;
    this.#totals.set(key, together(this.#totals.get(key), totals));
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

  takeNews(): Batch[] {
    const [totals, queries] = [piecesOf(this.#totals), piecesOf(this.#queries)];
    this.#totals = new Map();
    this.#queries = new Map();
    return [
      ...totals.map((piece) => ({
        write: () => inTurn(piece, ([, each]) => this.#writingOf(each).run({ ...each })),
        putBack: () => {
          for (const [key, older] of piece) {
            const newer = this.#totals.get(key);
            this.#totals.set(key, newer === undefined ? older : together(older, newer));
          }
        },
      })),
      ...queries.map((piece) => ({
        write: () => inTurn(piece, ([, each]) => this.#addingQueries.run({ ...each })),
        putBack: () => {
          for (const [, { project, date, count, ms }] of piece) this.addQueries(project, date, count, ms);
        },
      })),
    ];
  }

  #writingOf({ isMore, onlyGrows }: UsageTotals): CompiledOnce<unknown> {
    if (isMore === true) return this.#addingTotals;
    return onlyGrows === true ? this.#raisingTotals : this.#settingTotals;
  }

  /** A project holds no bytes from today on. Inside a transaction of the caller. */
  async forgetBytes(projectId: string): Promise<void> {
    const { db, now } = this.#connection;
    const insert = db.insertInto('usage').values({ project_id: projectId, date: utcDay(now()), bytes_stored: 0 });
    await insert.onConflict((day) => day.columns(['project_id', 'date']).doUpdateSet({ bytes_stored: 0 })).execute();
  }

  /** A row for every day of the range. For ranges of requests see `parseUsageRange`. */
  async ofProject(projectId: string, range: UsageRange): Promise<UsageRow[]> {
    await this.#flusher.flush();
    return this.#days([projectId], range);
  }

  /** Sums over an organization's projects, including deleted ones; `months` are whole months. */
  async ofOrg(orgId: string, range: UsageRange): Promise<{ days: UsageRow[]; months: UsageMonth[] }> {
    const months = await this.monthsOfOrg(orgId, range);
    return { days: await this.#days(this.#projectsOf(orgId), range), months };
  }

  /** The whole months of `ofOrg` alone; others get their turn of the event loop after each. */
  async monthsOfOrg(orgId: string, range: UsageRange): Promise<UsageMonth[]> {
    await this.#flusher.flush();
    const months: UsageMonth[] = [];
    for (const month of new Set(daysOf(range).map((day) => day.slice(0, 7)))) {
      const { stored } = await this.#ofMonth(orgId, month);
      months.push({ month, events_stored: stored, ...billFields(stored, this.#price) });
      await setImmediate();
    }
    return months;
  }

  /** Events of an organization in the current UTC month, accepted and stored, as far as they were reported. */
  async thisMonth(orgId: string): Promise<{ month: string; ingested: number; stored: number }> {
    const month = utcDay(this.#connection.now()).slice(0, 7);
    return { month, ...(await this.#ofMonth(orgId, month)) };
  }

  async #ofMonth(orgId: string, month: string): Promise<{ ingested: number; stored: number }> {
    const zero = sql.lit(0);
    return this.#connection.db
      .selectFrom('usage')
      .select(({ fn }) => [
        fn.coalesce(fn.sum<number>('events_ingested'), zero).as('ingested'),
        fn.coalesce(fn.sum<number>('events_stored'), zero).as('stored'),
      ])
      .where('project_id', 'in', this.#projectsOf(orgId))
      .where('date', '>=', `${month}-01`)
      .where('date', '<=', `${month}-31`)
      .executeTakeFirstOrThrow();
  }

  /** Ids of its projects, deleted ones too. */
  #projectsOf(orgId: string): ProjectIds {
    return this.#connection.db.selectFrom('all_projects').select('id').where('org_id', '=', orgId);
  }

  async #days(projects: readonly string[] | ProjectIds, range: UsageRange): Promise<UsageRow[]> {
    const today = utcDay(this.#connection.now());
    const usage = this.#connection.db.selectFrom('usage').where('project_id', 'in', projects);
    const days = await usage
      .select('date')
      .select(({ fn }) => USAGE_COUNTERS.map((name) => fn.sum<number>(name).as(name)))
      .where('date', '>=', range.from)
      .where('date', '<=', range.to)
      .groupBy('date')
      .execute();
    const counters = new Map(days.map((row) => [row.date, row]));
    // Sizes are reported only on days with events: each day adds up how much every project changed.
    const delta = sql<number>`bytes_stored - lag(bytes_stored, 1, 0) OVER (PARTITION BY project_id ORDER BY date)`;
    const sizes = usage.select(['date', delta.as('delta')]).where('bytes_stored', 'is not', null);
    const changes = await this.#connection.db
      .selectFrom(sizes.where('date', '<=', range.to).as('sizes'))
      .select(({ fn }) => ['date', fn.sum<number>('delta').as('delta')])
      .groupBy('date')
      .orderBy('date')
      .execute();
    let next = 0;
    let bytes = 0;
    return daysOf(range).map((date) => {
      for (; next < changes.length && (changes[next]?.date ?? '') <= date; next++) bytes += changes[next]?.delta ?? 0;
      const row = counters.get(date) ?? { date, ...NO_USAGE };
      return { ...row, query_ms: Math.round(row.query_ms), bytes_stored: date <= today ? bytes : 0 };
    });
  }
}

/** Counters of a day on which nothing happened. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has all of them
export const NO_USAGE = Object.fromEntries(USAGE_COUNTERS.map((name) => [name, 0])) as Readonly<
  Record<UsageCounter, number>
>;

/** What two reports say, the newer one last. */
function together(older: UsageTotals | undefined, newer: UsageTotals): UsageTotals {
  if (older === undefined || newer.isMore !== true) return newer;
  const sum = { ...older };
  for (const [, name] of COUNTERS) sum[name] += newer[name];
  return sum;
}

function piecesOf<Row>(rows: ReadonlyMap<string, Row>): (readonly [key: string, row: Row])[][] {
  const sorted = inOrder(rows);
  const pieces = Math.ceil(sorted.length / AT_ONCE);
  return Array.from({ length: pieces }, (_, nth) => sorted.slice(nth * AT_ONCE, (nth + 1) * AT_ONCE));
}

async function inTurn<Row>(rows: readonly Row[], write: (row: Row) => Soon<unknown>): Promise<void> {
  for (const row of rows) {
    const written = write(row);
    if (written instanceof Promise) await written;
  }
}
