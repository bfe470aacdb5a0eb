/** Runs a query: compile, wait for its turn, execute, add notes. */
import type { AnswerFormat } from '../../dsl/format/answer.ts';
import { goesOnward } from '../../dsl/finish/onward.ts';
import { notesOfResult, type Known } from '../../dsl/hints/notes.ts';
import type { Plan } from '../../dsl/plan/plan.ts';
import type { ReadQuery } from '../../dsl/read.ts';
import { AppError } from '../../base/errors.ts';
import type { PageResult } from '../../store/event-store.ts';
import type { RouterContext } from '../context.ts';
import { projectRef } from '../project-ref.ts';
import { placeIn, readCursor } from './cursor.ts';
import { type ReadBy, readQueryOf } from './read-query.ts';
import type { Stopwatch } from '../http/stopwatch.ts';
import { storedElsewhere, wantsMore } from './stored-elsewhere.ts';
import { DAY_MS, isoTime, utcDay } from '../../base/day.ts';
import type { Project } from '../../control/types.ts';
import { MOST_TOLD } from '../../base/text/shown.ts';

export interface Ran {
  readonly read: ReadQuery;
  readonly result: PageResult;
  readonly notes: readonly string[];
}

interface QueryToRun extends ReadBy {
  readonly watch: Stopwatch;
}

type Running = Pick<
  RouterContext,
  'admission' | 'control' | 'load' | 'log' | 'metrics' | 'queryRate' | 'reading' | 'store'
>;

/** Rejects with AppError: 400 with the position of a mistake, 429 if its turn does not come, 504. */
export async function runQuery(context: Running, query: QueryToRun): Promise<Ran> {
  const { project, deadline, watch } = query;
  context.queryRate.check(project);
  context.queryRate.add(project, 1); // also for one with a mistake, which took as long to read
  const read = goingOn(await readQueryOf(context, query), query);
  watch.lap('compile');
  const asked = performance.now();
  const run = async (): Promise<{ result: PageResult; known: Known | null }> => {
    watch.lap('wait');
    const waitMs = performance.now() - asked;
    context.metrics.waited(waitMs / 1_000);
    const { format } = query.wanted;
    const found = await runPlan(context, { project, deadline, format }, { ...read, waitMs });
    return { result: found, known: await knownOf(context, query, read.plan, found) };
  };
  const { result, known } = await deadline.race(context.admission.run(project, run, deadline.signal));
  if (query.response !== null) context.queryRate.tell(project, query.response);
  const removed = noteOfRemoved(project, read.plan, known?.isEmptyProject ?? false);
  const told = removed === null ? known : known && { ...known, isEmptyProject: false };
  const notes = [
    ...query.wanted.notes,
    ...read.notes,
    ...(removed === null ? [] : [removed]),
    ...(await noteOfCohorts(context, project, read.plan)),
    ...notesOfResult(read.plan, result, told),
  ];
  return { read, result, notes };
}

/** The query whose page begins behind the one that its cursor is of. Throws AppError 400 for one that has none. */
function goingOn(read: ReadQuery, { wanted: { cursor }, project }: ReadBy): ReadQuery {
  if (cursor === null) return read;
  const { plan } = read;
  const after = placeIn(readCursor(project.id, cursor, ['l']));
  if (goesOnward(plan)) return { ...read, plan: { ...plan, onward: { order: 'newest', after } } };
  throw new AppError('bad_request', 'Only a `list` in its usual order, the newest first, goes on with a cursor.', {
    hints: ['Leave `sort` out, or page with "offset".'],
  });
}

async function knownOf(
  { store }: Pick<RouterContext, 'store'>,
  { project, deadline }: QueryToRun,
  plan: Plan,
  result: PageResult,
): Promise<Known | null> {
  if (!wantsMore(plan, result)) return null;
  const options = { deadline: deadline.at, signal: deadline.signal };
  return storedElsewhere(store, { project: projectRef(project), plan, result }, options);
}

/** Runs a plan whose turn it is, and counts what that took. Rejects with AppError. */
export async function runPlan(
  context: Pick<RouterContext, 'control' | 'load' | 'log' | 'metrics' | 'store'>,
  { project, deadline, format }: Pick<ReadBy, 'project' | 'deadline'> & { readonly format: AnswerFormat },
  { plan, shape, waitMs }: Pick<ReadQuery, 'plan' | 'shape'> & { readonly waitMs: number },
): Promise<PageResult> {
  const began = performance.now();
  let rows = 0;
  try {
    const result = await context.store.answer(projectRef(project), plan, {
      format,
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
    // A query that runs this long is logged.
    if (ms >= 1_000) {
      const fields = { project: project.id, shape, rows, wait_ms: Math.round(waitMs), ms: Math.round(ms) };
      context.log.info(fields, 'a slow query');
    }
  }
}

/** Whoever lists the events of a project sees which cohorts it has, too. */
async function noteOfCohorts(
  { control }: Pick<RouterContext, 'control'>,
  { id }: Project,
  plan: Plan,
): Promise<readonly string[]> {
  if (plan.kind !== 'inspect' || plan.event !== null) return [];
  const names = (await control.cohorts.names(id)).map((name) => `"${name}"`);
  const left = names.length - MOST_TOLD;
  if (names.length === 0) return [];
  return [`Cohorts: ${names.slice(0, MOST_TOLD).join(', ')}${left > 0 ? ` and ${left} more (GET /cohorts)` : ''}.`];
}

/**
 * What an answer cannot show, as a shorter retention has removed it: without a word it would look as if it had never been there. null:
 * the range of the answer begins later. `isEmpty`: the project has no events at all.
 */
function noteOfRemoved(
  { settings: { retentionDays }, retention: { last } }: Pick<Project, 'settings' | 'retention'>,
  { range }: Plan,
  isEmpty: boolean,
  now = Date.now(),
): string | null {
  if (last !== null) {
    const { events, retentionDays: days, beginsAt } = last;
    // While it is in force, its edge moves on. Afterwards only where that began is known.
    const edge = (retentionDays === days ? now : beginsAt) - days * DAY_MS;
    if (!isEmpty && range.all !== true && range.from >= edge) return null;
    const older = `${events.toLocaleString('en')} ${events === 1 ? 'event was' : 'events were'} older`;
    return `Events before ${utcDay(edge)} were removed: \`retention_days\` became ${days} at ${minuteOf(beginsAt)}, when ${older}.`;
  }
  if (!isEmpty || retentionDays === null) return null;
  const kept = `${retentionDays} ${retentionDays === 1 ? 'day' : 'days'}`;
  return `The project has no events of the last ${kept}, and keeps none that are older (\`retention_days\`).`;
}

/** 2026-01-31 12:00 UTC. */
const minuteOf = (time: number): string => `${isoTime(time).slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')} UTC`;
