/** Asks in place of a client: with the limits, turns and deadline of POST /query. */
import { readJson } from '../../base/text/read-json.ts';
import { AppError } from '../../base/errors.ts';
import type { Project } from '../../control/types.ts';
import type { Dashboard } from '../../dashboards/dashboard.ts';
import type { DashboardData, Envelope } from '../../dashboards/data.ts';
import { AskError, runDashboard } from '../../dashboards/run.ts';
import { readValues } from '../../dashboards/values.ts';
import { frameAnswer } from '../../dsl/format/frame.ts';
import { askedRange } from '../../dsl/plan/shown-range.ts';
import type { RouterContext } from '../context.ts';
import type { Deadline } from '../http/deadline.ts';
import { Stopwatch } from '../http/stopwatch.ts';
import { refuseLongQuery } from '../query/query-request.ts';
import { runQuery } from '../query/run-query.ts';

/** Bytes of an answer, and of all that a dashboard shows. */
const MOST_BYTES = 4 << 20;

interface Asked {
  readonly q: string;
  readonly timezone: string | null;
  readonly limit: number;
}

interface For {
  readonly project: Project;
  readonly deadline: Deadline;
}

/** Rejects with AppError as POST /query answers. */
export async function askFor(context: RouterContext, { project, deadline }: For, { q, timezone, limit }: Asked): Promise<Envelope> {
  refuseLongQuery(q, context.config.queryLength);
  const watch = new Stopwatch();
  const wanted = { cursor: null, q, limit, offset: 0, timezone, format: 'json', envelope: true, explain: false, notes: [] } as const;
  const by = { project, hashKey: null, seesProfiles: true, wanted, arrival: Date.now(), deadline, response: null, watch };
  const { read: { plan }, result: { page, observations: { rowsScanned } }, notes } = await runQuery(context, by);
  if (page.text.length > MOST_BYTES) throw tooLong('answer', 'ask for fewer rows or columns');
  const facts = { page, range: askedRange(plan), zone: plan.zone, rowsScanned, elapsedMs: watch.elapsed, mode: context.store.mode, notes };
  const { before, after } = frameAnswer('json', facts, { envelope: true });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what this service answers
  return readJson(`${before}${new TextDecoder().decode(page.text)}${after}`) as Envelope;
} // prettier-ignore

/** All cards of a dashboard of the project with the defaults of its variables. Rejects with AppError; a failing card says so itself. */
export async function askDashboard(context: RouterContext, by: For, id: string): Promise<DashboardData> {
  const found = await context.control.dashboards.find({ projectId: by.project.id, id, owner: null });
  if (found === null) {
    throw new AppError('not_found', `The project has no dashboard ${JSON.stringify(id)}.`, {
      hints: ['Store it with wl dashboard sync, for everyone in the project.'],
    });
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what was stored
  const dashboard = readJson(found.checked) as Dashboard;
  let bytes = 0;
  return runDashboard({
    dashboard,
    values: readValues(dashboard, {}).values,
    ask: async (question) => {
      const envelope = await askFor(context, by, question).catch((error: unknown) => {
        if (!(error instanceof AppError) || isForAll(error, bytes > 0)) throw error;
        throw new AskError(error.message, error.data.hints?.[0] ?? null);
      });
      bytes += JSON.stringify(envelope.rows).length;
      if (bytes > MOST_BYTES) throw tooLong('dashboard', 'give its cards fewer rows');
      return envelope;
    },
  });
}

/** Whether the other cards would get it, too. Of a dashboard with more queries than a minute has, no try would answer all: `isPartly` answered, it goes out as it is. */
const isForAll = ({ data: { code } }: AppError, isPartly: boolean): boolean =>
  code === 'suspended' || (isForLater(code) && !(code === 'rate_limited' && isPartly));

const LATER: ReadonlySet<string> = new Set(['rate_limited', 'overloaded', 'storage_unavailable', 'shutting_down']);

/** Whether the same question may get an answer a little later. */
export const isForLater = (code: AppError['data']['code']): boolean => LATER.has(code);

const tooLong = (what: string, hint: string): AppError =>
  new AppError('bad_query', `The ${what} is longer than ${MOST_BYTES >> 20} MiB.`, { hints: [hint] });
