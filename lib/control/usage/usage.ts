import { type RawBuilder, sql } from 'kysely';
import { CompiledOnce, type ControlConnection } from '../storage/connection.ts';
import { type FlushedRows, type Flusher, inKeyOrder } from '../storage/flusher.ts';
import { billFields, type Price } from './price.ts';
import { USAGE_COUNTERS, type UsageCounter, type UsageMonth, type ProjectUsageRow } from '../types.ts';
import { daysOf, type UsageRange } from './usage-range.ts';
import type { UsageTotals } from '../../base/usage-totals.ts';
import { DAY_MS, utcDay } from '../../base/day.ts';
import { giveWay } from '../../base/give-way.ts';
import { monotonic } from '../../base/monotonic.ts';
import {
  addingQueries,
  addingTotals,
  COUNTER_COLUMNS,
  type QueryCounts,
  raisingTotals,
  settingTotals,
} from './usage-statements.ts';

/** Rows written in one transaction, some milliseconds of work; between two of them requests are answered. */
const AT_ONCE = 64;

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

  takeNews(): FlushedRows[] {
    const [totals, queries] = [piecesOf(this.#totals), piecesOf(this.#queries)];
    this.#totals = new Map();
    this.#queries = new Map();
    return [
      ...totals.map((piece) => ({
        write: async () => {
          for (const [, each] of piece) await this.#writingOf(each).run({ ...each });
        },
        putBack: () => {
          for (const [key, older] of piece) {
            const newer = this.#totals.get(key);
            this.#totals.set(key, newer === undefined ? older : together(older, newer));
          }
        },
      })),
      ...queries.map((piece) => ({
        write: async () => {
          for (const [, each] of piece) await this.#addingQueries.run({ ...each });
        },
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
  async ofProject(projectId: string, range: UsageRange): Promise<ProjectUsageRow[]> {
    await this.#flusher.flush();
    return this.#days([projectId], range);
  }

  /** What these projects have stored lately, by id: of those that have stored anything. */
  async activity(projects: readonly string[]): Promise<ReadonlyMap<string, Activity>> {
    await this.#flusher.flush();
    const today = utcDay(this.#connection.now());
    const days = daysOf({ from: utcDay(Date.parse(today) - (ACTIVE_DAYS - 1) * DAY_MS), to: today });
    const range = { from: days[0]!, to: today };
    const found = new Map<string, Activity>();
    for await (const some of inSteps(projects, ACTIVE_DAYS)) {
      const all = this.#connection.db.selectFrom('all_projects').where('id', 'in', some);
      for (const { id, last } of await all.select(['id', lastDay().as('last')]).execute())
        if (last !== null) found.set(id, { days: days.map(() => 0), last });
      const rows = await this.#within(some, range).select(['project_id', 'date', 'events_stored']).execute();
      for (const { project_id: id, date, events_stored: stored } of rows) {
        const own = found.get(id);
        if (own !== undefined) own.days[days.indexOf(date)] = stored;
      }
    }
    return found;
  }

  /** The same of all projects of an organization together, deleted ones too; null: they have stored nothing. */
  async activityOfOrg(orgId: string): Promise<Activity | null> {
    const all = [...(await this.activity(await this.#projectsOf(orgId))).values()];
    const last = all
      .map((one) => one.last)
      .toSorted()
      .at(-1);
    if (last === undefined) return null;
    return {
      last,
      days: Array.from({ length: ACTIVE_DAYS }, (_, at) => all.reduce((sum, { days }) => sum + days[at]!, 0)),
    };
  }

  /** Sums over an organization's projects, including deleted ones; `months` are whole months. */
  async ofOrg(orgId: string, range: UsageRange): Promise<{ days: ProjectUsageRow[]; months: UsageMonth[] }> {
    const months = await this.monthsOfOrg(orgId, range);
    return { days: await this.#days(await this.#projectsOf(orgId), range), months };
  }

  /** What each project of an organization stored, deleted ones too, most first: at most `most` of those that stored anything. */
  async byProject(orgId: string, { from, to }: UsageRange, most: number): Promise<{ id: string; stored: number }[]> {
    await this.#flusher.flush();
    const days = this.#connection.db.selectFrom('usage').where('project_id', 'in', this.#ids(orgId));
    const stored = days.where('date', '>=', from).where('date', '<=', to).where('events_stored', '>', 0);
    const sums = stored
      .select(['project_id as id', ({ fn }) => fn.sum<number>('events_stored').as('stored')])
      .groupBy('project_id');
    return sums.orderBy('stored', 'desc').orderBy('project_id').limit(most).execute();
  }

  /** The whole months of `ofOrg` alone. */
  async monthsOfOrg(orgId: string, range: UsageRange): Promise<UsageMonth[]> {
    await this.#flusher.flush();
    const stored = new Map(daysOf(range).map((day) => [monthOf(day), 0]));
    const whole = { from: `${monthOf(range.from)}-01`, to: `${monthOf(range.to)}-31` };
    for await (const projects of inSteps(await this.#projectsOf(orgId), stored.size * 31)) {
      const rows = await this.#within(projects, whole)
        .select(['date', ({ fn }) => fn.sum<number>('events_stored').as('stored')])
        .groupBy('date')
        .execute();
      for (const row of rows) stored.set(monthOf(row.date), stored.get(monthOf(row.date))! + row.stored);
    }
    return [...stored].map(([month, events]) => {
      return { month, events_stored: events, ...billFields(events, this.#price) };
    });
  }

  /**
   * Events of an organization or a project in the current UTC month, accepted and stored, as far as they were reported, and rows that
   * say so.
   */
  async thisMonth(of: 'organization' | 'project', id: string): Promise<MonthCounts> {
    const month = utcDay(this.#connection.now()).slice(0, 7);
    const zero = sql.lit(0);
    const usage = this.#connection.db
      .selectFrom('usage')
      .select(({ fn }) => [
        fn.coalesce(fn.sum<number>('events_ingested'), zero).as('ingested'),
        fn.coalesce(fn.sum<number>('events_stored'), zero).as('stored'),
        fn.countAll<number>().as('rows'),
      ])
      .where('date', '>=', `${month}-01`)
      .where('date', '<=', `${month}-31`);
    const own = of === 'project' ? usage.where('project_id', '=', id) : usage.where('project_id', 'in', this.#ids(id));
    return { month, ...(await own.executeTakeFirstOrThrow()) };
  }

  #ids(orgId: string) {
    return this.#connection.db.selectFrom('all_projects').select('id').where('org_id', '=', orgId);
  }

  /** Ids of its projects, deleted ones too. */
  async #projectsOf(orgId: string): Promise<readonly string[]> {
    return (await this.#ids(orgId).execute()).map(({ id }) => id);
  }

  #within(projects: readonly string[], { from, to }: UsageRange) {
    const usage = this.#connection.db.selectFrom('usage').where('project_id', 'in', projects);
    return usage.where('date', '>=', from).where('date', '<=', to);
  }

  async #days(projects: readonly string[], range: UsageRange): Promise<ProjectUsageRow[]> {
    const today = utcDay(this.#connection.now());
    const days = daysOf(range);
    const sums = new Map(days.map((date) => [date, { ...NO_USAGE }]));
    const changes = new Map<string, number>();
    let bytes = 0;
    for await (const some of inSteps(projects, days.length)) {
      for (const { date, ...counted } of await this.#counters(some, range)) {
        const sum = sums.get(date)!;
        for (const name of USAGE_COUNTERS) sum[name] += counted[name];
      }
      bytes += await this.#bytesBefore(some, range);
      for (const { date, delta } of await this.#changesOfBytes(some, range))
        changes.set(date, (changes.get(date) ?? 0) + delta);
    }
    return days.map((date) => {
      bytes += changes.get(date) ?? 0;
      const row = sums.get(date)!;
      return { date, ...row, query_ms: Math.round(row.query_ms), bytes_stored: date <= today ? bytes : 0 };
    });
  }

  #counters(projects: readonly string[], range: UsageRange) {
    const counters = this.#within(projects, range).select(({ fn }) =>
      USAGE_COUNTERS.map((name) => fn.sum<number>(name).as(name)),
    );
    return counters.select('date').groupBy('date').execute();
  }

  /** What they held when the range began. Sizes are reported only on days with events. */
  async #bytesBefore(projects: readonly string[], { from }: UsageRange): Promise<number> {
    const all = this.#connection.db.selectFrom('all_projects').where('id', 'in', projects);
    const rows = await all.select(lastBytes('all_projects.id', from).as('bytes')).execute();
    return rows.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
  }

  /** By how much they changed on each day of the range. */
  #changesOfBytes(projects: readonly string[], range: UsageRange) {
    const before = sql<number>`coalesce(lag(bytes_stored) OVER (PARTITION BY project_id ORDER BY date), ${lastBytes('usage.project_id', range.from)}, 0)`;
    const sizes = this.#within(projects, range).where('bytes_stored', 'is not', null);
    return this.#connection.db
      .selectFrom(sizes.select(['date', sql<number>`bytes_stored - ${before}`.as('delta')]).as('sizes'))
      .select(({ fn }) => ['date', fn.sum<number>('delta').as('delta')])
      .groupBy('date')
      .execute();
  }
}

/** Days of `Activity`: two weeks, so that each weekday is there twice. */
const ACTIVE_DAYS = 14;

export interface Activity {
  /** Events stored on each of the last 14 UTC days, today last. */
  readonly days: number[];
  /** The last day with events, YYYY-MM-DD. */
  readonly last: string;
}

/** The last day on which a project stored events; null: none. */
function lastDay(): RawBuilder<string | null> {
  return sql`(SELECT date FROM usage WHERE usage.project_id = all_projects.id AND events_stored > 0 ORDER BY date DESC LIMIT 1)`;
}

interface MonthCounts {
  readonly month: string;
  readonly ingested: number;
  readonly stored: number;
  readonly rows: number;
}

const monthOf = (day: string): string => day.slice(0, 'YYYY-MM'.length);

/** The last size that a project reported before a day; null: none. */
function lastBytes(project: string, before: string): RawBuilder<number | null> {
  return sql`(SELECT earlier.bytes_stored FROM usage AS earlier WHERE earlier.project_id = ${sql.ref(project)} AND earlier.date < ${before} AND earlier.bytes_stored IS NOT NULL ORDER BY earlier.date DESC LIMIT 1)`;
}

/** Projects of which to read so many days each, in steps: after each, others have the event loop for as long as it took. */
async function* inSteps(projects: readonly string[], days: number): AsyncGenerator<readonly string[]> {
  // Rows of usage that are read in one step, a millisecond or two of the event loop.
  const step = Math.max(1, Math.floor(1_000 / days));
  for (let at = 0; at < projects.length; at += step) {
    const began = monotonic();
    yield projects.slice(at, at + step);
    if (at + step < projects.length) await giveWay(began);
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
  for (const [, name] of COUNTER_COLUMNS) sum[name] += newer[name];
  return sum;
}

function piecesOf<Row>(rows: ReadonlyMap<string, Row>): (readonly [key: string, row: Row])[][] {
  const sorted = inKeyOrder(rows);
  const pieces = Math.ceil(sorted.length / AT_ONCE);
  return Array.from({ length: pieces }, (_, nth) => sorted.slice(nth * AT_ONCE, (nth + 1) * AT_ONCE));
}
