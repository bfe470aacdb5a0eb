/**
 * The first step of a query: from its text to a plan. A short text without regular expressions is read at once, all others in a thread
 * that can be ended, in turns of organizations.
 */
import type { ServerResponse } from 'node:http';
import { QueryError } from '../../dsl/errors.ts';
import { wantsSuggestions, withSuggestions } from '../../dsl/hints/suggest.ts';
import { type QueryText, type Read, type ReadQuery, readQuery } from '../../dsl/read.ts';
import { hiding } from '../../dsl/plan/personal.ts';
import type { Personal } from '../../dsl/plan/hides.ts';
import type { Project } from '../../control/types.ts';
import { AppError } from '../../base/errors.ts';
import type { Cohorts } from '../../control/projects/cohorts.ts';
import type { Dashboards } from '../../control/projects/dashboards.ts';
import type { EventStore } from '../../store/event-store.ts';
import type { EventLoopTurns } from '../limits/event-loop-turns.ts';
import { projectRef } from '../project-ref.ts';
import type { Deadline } from '../http/deadline.ts';
import { readQueryApart } from '../reading/read-apart.ts';
import type { QueryRequest } from './query-request.ts';

/** A part of RouterContext. */
interface Readers {
  readonly reading: EventLoopTurns;
  readonly store: Pick<EventStore, 'extent' | 'catalog'>;
  readonly control: { readonly dashboards: Pick<Dashboards, 'contain'>; readonly cohorts: Pick<Cohorts, 'known'> };
}

export interface ReadBy {
  readonly project: Project;
  /** Hashes ids for who sees no personal data; null: everything may be seen. */
  readonly hashKey: string | null;
  readonly seesProfiles: boolean;
  readonly wanted: QueryRequest;
  /** When the request arrived, milliseconds since the epoch. */
  readonly arrival: number;
  readonly deadline: Deadline;
  /** Gets the state of the project's rate limit; null: the project asks by itself. */
  readonly response: ServerResponse | null;
}

/** Rejects with AppError: 400 with the position of a mistake, 429 if too many of the organization wait, 504. */
export async function readQueryOf(context: Readers, by: ReadBy): Promise<ReadQuery> {
  const { project, deadline, response } = by;
  try {
    return await readWhole(context, by, (query) => {
      if (isReadHere(textsOf(query))) return readQuery(query);
      const inTurn = context.reading.run(response?.req ?? by, project.orgId, () => {
        if (deadline.signal.aborted) throw deadline.timeout(); // nobody waits for it any longer
        return readQueryApart(query, deadline.signal);
      });
      return deadline.race(inTurn);
    });
  } catch (error) {
    if (!(error instanceof AppError) || !wantsSuggestions(error)) throw error;
    throw withSuggestions(error, await context.store.catalog(projectRef(project)));
  }
}

/** The query, and the conditions of the cohorts that it names. */
function textsOf({ q, cohorts }: QueryText): string {
  return typeof cohorts === 'object' ? [q, ...cohorts.conditions.values()].join('\n') : q;
}

/**
 * Only what has a `~` has a regular expression, since both of its operators do. Such a text may be short and take seconds. Behind a
 * backslash digits of dates may hide.
 */
export function isReadHere(q: string): boolean {
  // Bytes of a query that is read at once: some that are longer take tens of milliseconds.
  if (Buffer.byteLength(q) > 2_048 || /[~\\]/.test(q)) return false;
  // Dates of such a query: what a zone's clocks showed takes some milliseconds for each year that nobody has asked for
  // yet.
  return (q.match(/\d{4}-\d\d-\d\d/g) ?? []).length <= 8;
}

/** Reads it, and once more when it is known what it asks of the project. */
async function readWhole(
  { store, control }: Readers,
  { project, hashKey, seesProfiles, wanted, arrival, deadline }: ReadBy,
  read: (query: QueryText) => Read | Promise<Read>,
): Promise<ReadQuery> {
  const { q, explain, limit, offset, timezone } = wanted;
  const { timezone: own, weekStart, bots, personalProperties } = project.settings;
  const personal: Personal | null = hashKey !== null ? personalProperties : seesProfiles ? null : 'profiles';
  const zones = { project: own, ...(timezone === null ? {} : { request: timezone }) };
  const now = arrival + 1; // it sees what was acknowledged in its arrival's millisecond
  const whole: QueryText = { q, explain, limit, offset, timezone: zones, weekStart, bots, now };
  let query = personal === null ? whole : { ...whole, personal };
  for (;;) {
    try {
      const answer = await read(query);
      // What was explained before has no key.
      if (answer.kind === 'read')
        return personal === null ? answer : { ...answer, plan: hiding(answer.plan, { key: hashKey, personal }) };
      if (answer.kind === 'asks_cohorts') {
        query = { ...query, cohorts: await control.cohorts.known(project.id, answer.names) };
        continue;
      }
      const extent = await deadline.race(store.extent(projectRef(project)));
      query = { ...query, earliest: extent?.first ?? null };
    } catch (error) {
      const long = error instanceof QueryError ? error.longPattern : null;
      if (long === null || !(await control.dashboards.contain(project.id, [long.text, long.pattern]))) throw error;
      query = { ...query, storedPatterns: [...(query.storedPatterns ?? []), long.pattern] };
    }
  }
}
