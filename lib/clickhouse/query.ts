/** Runs plans on ClickHouse. */
import { randomUUID } from 'node:crypto';
import type { ClickHouseSettings } from '@clickhouse/client';
import { AppError } from '../base/errors.ts';
import { monotonic } from '../base/monotonic.ts';
import { columnsOf } from '../dsl/plan/columns.ts';
import { finishTable } from '../dsl/finish/finish.ts';
import type { ListPlan, Plan } from '../dsl/plan/plan.ts';
import type { Cell, Observations, Table } from '../dsl/plan/table.ts';
import { tooManyGroups } from '../workers/budget.ts';
import type { QueryOptions, QueryResult, RanStatement } from '../workers/query-result.ts';
import type { ClickHouse, Rows } from './client.ts';
import { isOver } from './server-error.ts';
import { FarNumbers } from './sql/exact-sums.ts';
import { listQuestion, type ListQuestion } from './questions/list.ts';
import { answerSettings, lower } from './questions/lower.ts';
import { notedUses, scannedRows, unseen, type Unseen, notProven } from './questions/observe.ts';
import type { Question } from './sql/groups.ts';
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
  const [answer, missing, [[count] = []]] = await run.all(() => {
    const answered = answerOf(run, project, plan);
    return [answered, unseenOf(run, { project, plan, answered }), run.ask(scannedRows(project, plan))];
  });
  const ms = performance.now() - began;
  return {
    table: answer.table,
    observations: { ...missing, rowsScanned: Number(count), ...answer.also },
    times: [{ stage: 'run', ms }],
    parts: [],
    statements: run.statements,
  };
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
  readonly also?: Pick<Observations, 'exposures'>;
}

async function answerOf(run: Run, project: Tenant, plan: Plan): Promise<Answer> {
  if (plan.kind === 'list') return pageOf(run, plan, listQuestion(project, plan));
  try {
    return await answerBy(run, plan, lower(project, plan));
  } catch (error) {
    if (!(error instanceof FarNumbers)) throw error;
    return answerBy(run, plan, lower({ ...project, hasFarNumbers: true }, plan));
  }
}

async function answerBy(run: Run, plan: Plan, { sql: statement, readRows, exposures }: Question): Promise<Answer> {
  const columns = columnsOf(plan);
  const found = await run.askAll(statement, answerSettings(plan));
  const rows = readRows(found);
  const answer = { table: finishTable(plan, columns, rows), rows };
  return exposures === undefined ? answer : { ...answer, also: { exposures: exposures(found) } };
}

async function pageOf(run: Run, plan: ListPlan, { page, count }: ListQuestion): Promise<Answer> {
  const [found, [[counted] = []]] = await Promise.all([run.ask(page.sql), run.ask(count)]);
  const left = Math.max(0, Number(counted) - plan.offset);
  const total = plan.limit === null ? left : Math.min(left, plan.limit);
  return { table: { columns: columnsOf(plan), rows: page.readRows(found), total }, rows: [] };
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
