/** Runs plans on ClickHouse. */
import { randomUUID } from 'node:crypto';
import type { ClickHouseSettings } from '@clickhouse/client';
import {
  AppError,
  behind,
  type Cell,
  columnsOf,
  type EventPlace,
  didPlans,
  earlierPlan,
  finishTable,
  hide,
  type IdentitiesPlan,
  shownTable,
  type ListPlan,
  monotonic,
  placeText,
  type Observations,
  type Plan,
  type QueryOptions,
  type QueryResult,
  type RanStatement,
  type Table,
  tooManyGroups,
  type WholeTable,
  withEarlier,
  withReached,
} from '../../../lib/seam.ts';
import type { ClickHouse, Rows } from './client.ts';
import { isOver } from './server-error.ts';
import { listQuestion, type ListQuestion } from './questions/list.ts';
import { answerSettings, lower } from './questions/lower.ts';
import { sessionsNoticed } from './questions/sessions.ts';
import { notedUses, scannedRows, unseen, type Unseen, notProven } from './questions/observe.ts';
import { print, sql, whole, type Sql, type Tenant } from './sql/statement.ts';

/** Bounds of one query. */
export interface QueryBounds {
  /** Bytes that ClickHouse may hold for one statement, on each server. */
  readonly memory: number;
  /** Rows of an answer before its page is cut. */
  readonly groups: number;
}

/** How the ids of all statements of queries of a project begin in ClickHouse. */
export const queryPrefix = (project: string): string => `${project}/query/`;

/** Answers a plan. Rejects with AppError: 400 where it is too large, 504 at its deadline, 503 where ClickHouse is away. */
export async function runPlan(
  client: ClickHouse,
  project: Tenant,
  plan: Plan,
  options: QueryOptions & QueryBounds,
): Promise<QueryResult> {
  const run = new Run(client, project.id, options);
  const began = performance.now();
  const [answer, missing, rowsScanned, noticed, undone] = await run.all(() => {
    const answered = answerOf(run, project, plan);
    const scanned = scannedIn(run, project, allPlans(plan));
    const noticed = noticedIn(run, project, plan);
    return [answered, unseenOf(run, { project, plan, answered }), scanned, noticed, undoneIn(run, project, plan)];
  });
  const ms = performance.now() - began;
  return {
    table: answer.table,
    observations: { ...missing, rowsScanned, ...noticed, ...undone, ...answer.also },
    times: [{ stage: 'run', ms }],
    parts: [],
    statements: run.statements,
  };
}

/** Of all of these plans. */
async function scannedIn(run: Run, project: Tenant, plans: readonly Plan[]): Promise<number> {
  const counts = await Promise.all(plans.map((one) => run.ask(scannedRows(project, one))));
  return counts.reduce((sum, [row]) => sum + Number(row?.[0]), 0);
}

const plansOfDids = (plan: Plan): readonly Plan[] => didPlans(plan).map((did) => did.plan);

/** The plan, those of its conditions, and the same of an earlier range with which the answer is compared. */
function allPlans(plan: Plan): readonly Plan[] {
  const earlier = earlierPlan(plan);
  return [plan, ...plansOfDids(plan), ...(earlier === null ? [] : [earlier, ...plansOfDids(earlier)])];
}

async function noticedIn(run: Run, project: Tenant, plan: Plan): Promise<Pick<Observations, 'sessions'>> {
  if (plan.kind !== 'sessions') return {};
  const { sql: statement, read } = sessionsNoticed(project, plan);
  const [found = []] = await run.ask(statement);
  return { sessions: read(found) };
}

/** What conditions `did` look for and do not find. */
async function undoneIn(run: Run, project: Tenant, plan: Plan): Promise<Pick<Observations, 'undone'>> {
  const plans = plansOfDids(plan);
  if (plans.length === 0) return {};
  const ofPlan = async (did: Plan): Promise<Unseen> => {
    const question = unseen(project, did, notedUses(did));
    if (question === null) return { unseenEvents: [], unseenFields: [] };
    const [row = []] = await run.ask(question.sql);
    return question.read(row);
  };
  const [rows, found] = await Promise.all([scannedIn(run, project, plans), Promise.all(plans.map(ofPlan))]);
  const distinct = (names: readonly string[]): readonly string[] => [...new Set(names)];
  const events = distinct(found.flatMap(({ unseenEvents }) => unseenEvents));
  const fields = distinct(found.flatMap(({ unseenFields }) => unseenFields));
  return { undone: { events, fields, rows } };
}

/** What an answer shows is not looked for: then it is awaited first. */
async function unseenOf(
  run: Run,
  { project, plan, answered }: { readonly project: Tenant; readonly plan: Plan; readonly answered: Promise<Answer> },
): Promise<Unseen> {
  const uses = notedUses(plan);
  const wanted = plan.kind === 'aggregate' ? notProven(plan, uses, (await answered).rows) : uses;
  const question = unseen(project, plan, wanted);
  if (question === null) return { unseenEvents: [], unseenFields: [] };
  const [found = []] = await run.ask(question.sql);
  return question.read(found);
}

interface Answer {
  readonly table: Table;
  /** Before anything is filled, ordered or cut; those of a page are left out. */
  readonly rows: readonly (readonly Cell[])[];
  readonly also?: Pick<Observations, 'experiment'>;
}

/** Asks twice where the answer is compared with that of an earlier range. */
async function answerOf(run: Run, project: Tenant, plan: Plan): Promise<Answer> {
  if (plan.kind === 'identities') return identitiesPage(run, project, plan);
  const earlier = earlierPlan(plan);
  const before = earlier === null ? null : answerOf(run, project, earlier);
  if (plan.kind === 'list' && plan.tableStages.length === 0) return pageOf(run, plan, listQuestion(project, plan));
  const {
    sql: statement,
    readRows,
    experiment,
  } = plan.kind === 'list' ? listQuestion(project, plan).whole : lower(project, plan);
  const columns = columnsOf(plan);
  const [found, compared] = await Promise.all([run.askAll(statement, answerSettings(plan)), before]);
  const rows = readRows(found);
  const whole = compared === null ? plan : withEarlier(plan, compared.table.rows);
  const answer = { table: finishTable(whole, columns, rows), rows };
  return experiment === undefined ? answer : { ...answer, also: { experiment: experiment(found) } };
}

async function pageOf(run: Run, plan: ListPlan, { page, places, count }: ListQuestion): Promise<Answer> {
  const [found, [[counted, passed] = []]] = await Promise.all([
    run.ask(page.sql),
    count === null ? [] : run.ask(count),
  ]);
  const columns = columnsOf(plan);
  const cut = { columns, rows: hide(plan, columns, page.readRows(found)) };
  const table =
    count === null
      ? wholePage(plan, { ...cut, total: found.length }, places(found))
      : countedPage(plan, cut, { places: places(found), counted: Number(counted), passed: Number(passed) });
  return { table: shownTable(plan, table), rows: [] };
}

/** A page of an export. */
function wholePage(plan: ListPlan, table: Table, places: readonly EventPlace[]): Table {
  const last = places.at(-1);
  return last === undefined
    ? table
    : { ...table, reached: { at: placeText(last), more: places.length === plan.page.limit } };
}

async function identitiesPage(run: Run, project: Tenant, plan: IdentitiesPlan): Promise<Answer> {
  const { sql: statement, readRows } = lower(project, plan);
  const rows = readRows(await run.ask(statement));
  const table = { columns: columnsOf(plan), rows, total: rows.length };
  const last = rows.at(-1)?.[0];
  if (typeof last !== 'string') return { table, rows };
  return { table: { ...table, reached: { at: last, more: rows.length === plan.page.limit } }, rows };
}

/** A page of a list. What is found begins with it. */
function countedPage(
  plan: ListPlan,
  { columns, rows }: WholeTable,
  {
    places,
    counted,
    passed,
  }: { readonly places: readonly EventPlace[]; readonly counted: number; readonly passed: number },
): Table {
  const { offset, limit, page } = behind(plan, passed);
  const left = Math.max(0, counted - passed - offset);
  const total = limit === null ? left : Math.min(left, limit);
  const shown = { columns, rows: rows.slice(0, Math.max(0, total - page.offset)), total };
  return withReached(plan, { places, skipped: 0, passed, table: shown });
}

/** The statements of one query: they share its deadline and its bounds, and when one fails the others are stopped. */
class Run {
  readonly statements: RanStatement[] = [];
  readonly #client: ClickHouse;
  readonly #project: string;
  readonly #options: QueryOptions & QueryBounds;
  readonly #running = new Set<string>();
  readonly #stop = new AbortController();

  constructor(client: ClickHouse, project: string, options: QueryOptions & QueryBounds) {
    this.#client = client;
    this.#project = project;
    this.#options = options;
  }

  /** Resolves with all of them. When one rejects, or nobody waits any longer, the others end in ClickHouse too. */
  async all<const T extends readonly Promise<unknown>[]>(
    start: () => T,
  ): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
    const { signal } = this.#options;
    const left = (): void => this.#end();
    signal?.addEventListener('abort', left, { once: true });
    try {
      signal?.throwIfAborted();
      return await Promise.all(start());
    } catch (error) {
      this.#end();
      throw error;
    } finally {
      signal?.removeEventListener('abort', left);
    }
  }

  /** Rejects with 400 if there are more rows than may be held. */
  async askAll(statement: Sql, settings: ClickHouseSettings): Promise<Rows['rows']> {
    const rows = await this.ask(sql`${statement} LIMIT ${whole(this.#options.groups + 1)}`, settings);
    if (rows.length > this.#options.groups) throw tooManyGroups(this.#options.groups);
    return rows;
  }

  async ask(statement: Sql, settings: ClickHouseSettings = {}): Promise<Rows['rows']> {
    const printed = print(statement);
    const queryId = queryPrefix(this.#project) + randomUUID();
    const { deadline, memory } = this.#options;
    const time = deadline - monotonic();
    if (time <= 0) throw new AppError('query_timeout', 'The query took too long and was stopped.');
    this.#running.add(queryId);
    try {
      const limits = { queryId, time, memory, signal: this.#stop.signal, settings: { ...SETTINGS, ...settings } };
      const { rows, elapsed, rowsRead, bytesRead } = await this.#client.query(printed, limits);
      this.statements.push({ ...printed, rows_read: rowsRead, bytes_read: bytesRead, ms: elapsed * 1_000 });
      this.#running.delete(queryId);
      return rows;
    } catch (error) {
      if (isOver(error)) this.#running.delete(queryId); // else it may go on there
      throw error;
    }
  }

  /** ClickHouse notices only between blocks that a client has gone, so it is told. If it cannot be, the statement's time ends it. */
  #end(): void {
    for (const id of this.#running) this.#client.kill(id).catch(() => undefined);
    this.#running.clear();
    this.#stop.abort(new AppError('overloaded', 'the query was canceled; try again'));
  }
}

const SETTINGS = {
  // A read may change nothing, not even settings of later ones.
  readonly: '2',
  join_use_nulls: 0,
  // A client that leaves is noticed without being told, too.
  cancel_http_readonly_queries_on_client_close: 1,
  // What a question at the limits of the language becomes; usual limits are for what people write.
  max_query_size: '16777216',
  max_ast_depth: '10000',
  max_ast_elements: '1000000',
  max_expanded_ast_elements: '5000000',
  max_parser_depth: '10000',
  max_subquery_depth: '1000',
} as const;
