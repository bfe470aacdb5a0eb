/** Runs a query: compile, wait for its turn, execute, add notes. */
import type { ServerResponse } from 'node:http';
import { type Compiled, compileTree, parseQuery, readsAll } from '../../dsl/compile.ts';
import { queryShape } from '../../dsl/shape.ts';
import { notesOfResult, type Known } from '../../dsl/hints/notes.ts';
import type { Plan } from '../../dsl/plan/plan.ts';
import { wantsSuggestions, withSuggestions } from '../../dsl/hints/suggest.ts';
import type { Project } from '../../control/types.ts';
import { AppError } from '../../base/errors.ts';
import type { PageResult } from '../../store/event-store.ts';
import type { RouterContext } from '../context.ts';
import { projectRef } from '../auth/credentials.ts';
import type { Deadline } from '../http/deadline.ts';
import type { QueryRequest } from './query-request.ts';
import type { Stopwatch } from '../http/stopwatch.ts';
import { storedElsewhere, wantsMore } from './stored-elsewhere.ts';
import { utcDay } from '../../base/day.ts';

/** Added to the clock: a query sees what was acknowledged in its arrival's millisecond. */
const NOW_MARGIN_MS = 1;

/** UTF-16 units from which reading a query may take milliseconds; with regular expressions a shorter one may, too. */
const LONG = 1_024;

/** A query that runs this long is logged. */
const SLOW_MS = 1_000;

export interface Ran {
  readonly compiled: Compiled;
  readonly result: PageResult;
  readonly notes: readonly string[];
}

interface QueryToRun {
  readonly project: Project;
  readonly wanted: QueryRequest;
  /** When the request arrived, milliseconds since the epoch. */
  readonly arrival: number;
  readonly deadline: Deadline;
  /** Gets the state of the project's rate limit. */
  readonly response: ServerResponse;
  readonly watch: Stopwatch;
}

/** What reading it needs. */
export interface ReadQuery extends Pick<QueryToRun, 'deadline' | 'response'> {
  readonly project: Pick<Project, 'orgId'>;
  readonly wanted: Pick<QueryRequest, 'q'>;
}

/** Rejects with AppError: 400 with the position of a mistake, 429 if its turn does not come, 504. */
export async function runQuery(context: RouterContext, query: QueryToRun): Promise<Ran> {
  const { project, deadline, watch } = query;
  context.queryRate.check(project);
  context.queryRate.add(project, 1); // also for one with a mistake, which took as long to read
  const compiled = await compile(context, query);
  watch.lap('compile');
  const asked = performance.now();
  const run = async (): Promise<{ result: PageResult; known: Known | null }> => {
    watch.lap('wait');
    const waitMs = performance.now() - asked;
    context.metrics.waited(waitMs / 1_000);
    const found = await execute(context, query, { ...compiled, waitMs });
    return { result: found, known: await knownOf(context, query, compiled.plan, found) };
  };
  const { result, known } = await deadline.race(context.admission.run(project, run, deadline.signal));
  context.queryRate.tell(project, query.response);
  const notes = [...compiled.notes, ...notesOfResult(compiled.plan, result, known)];
  return { compiled, result, notes };
}

interface Shaped extends Compiled {
  /** For the log. */
  readonly shape: string;
}

/**
 * Does a part of reading a query, or of telling how it was read: a long one in turns, as some take the event loop tens of
 * milliseconds, and an organization may send forty a second.
 */
export async function read<T>(
  { reading }: Pick<RouterContext, 'reading'>,
  { project, wanted: { q }, deadline, response }: ReadQuery,
  part: () => T | Promise<T>,
): Promise<T> {
  if (q.length <= LONG && !q.includes('~')) return part();
  return deadline.race(
    reading.run(response.req, project.orgId, () => {
      if (deadline.signal.aborted) throw deadline.timeout(); // nobody waits for it any longer
      return part();
    }),
  );
}

async function compile(context: RouterContext, query: QueryToRun): Promise<Shaped> {
  const { project, wanted, arrival, deadline } = query;
  const { q, limit, offset, timezone } = wanted;
  const zones = { project: project.settings.timezone, ...(timezone === null ? {} : { request: timezone }) };
  try {
    const tree = await read(context, query, () => parseQuery(q));
    const extent = readsAll(tree) ? await deadline.race(context.store.extent(projectRef(project))) : null;
    const compiled = await read(context, query, () =>
      compileTree(q, tree, {
        now: arrival + NOW_MARGIN_MS,
        timezone: zones,
        limit,
        offset,
        earliest: extent?.first ?? null,
      }),
    );
    return { ...compiled, shape: queryShape(tree) };
  } catch (error) {
    if (!(error instanceof AppError) || !wantsSuggestions(error)) throw error;
    throw withSuggestions(error, await context.store.catalog(projectRef(project)));
  }
}

async function knownOf(
  { store }: RouterContext,
  { project, deadline }: QueryToRun,
  plan: Plan,
  result: PageResult,
): Promise<Known | null> {
  if (!wantsMore(plan, result)) return null;
  const options = { deadline: deadline.at, signal: deadline.signal };
  return storedElsewhere(store, { project: projectRef(project), plan, result }, options);
}

async function execute(
  context: RouterContext,
  { project, deadline, wanted }: QueryToRun,
  { plan, shape, waitMs }: Shaped & { readonly waitMs: number },
): Promise<PageResult> {
  const began = performance.now();
  let rows = 0;
  try {
    const result = await context.store.answer(projectRef(project), plan, {
      format: wanted.format,
      deadline: deadline.at,
      signal: deadline.signal,
    });
    rows = result.observations.rowsScanned;
    return result;
  } catch (error) {
    throw error instanceof AppError && error.data.code === 'query_timeout' ? deadline.timeout() : error;
  } finally {
    const ms = performance.now() - began;
    context.control.usage.addQueries(project.id, utcDay(Date.now()), 1, ms);
    context.metrics.query(ms / 1_000, rows);
    context.load.query(project.id, ms);
    if (ms >= SLOW_MS) {
      const fields = { project: project.id, shape, rows, wait_ms: Math.round(waitMs), ms: Math.round(ms) };
      context.log.info(fields, 'a slow query');
    }
  }
}
