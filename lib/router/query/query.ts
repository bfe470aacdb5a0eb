/** POST /query and its session API counterpart: a query in the pipe language, answered as Markdown, JSON or CSV. */
import { monotonic } from '../../base/monotonic.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { explain } from '../../dsl/explain.ts';
import { frameAnswer } from '../../dsl/format/frame.ts';
import { AppError } from '../../base/errors.ts';
import { whenHere, type Soon } from '../../base/soon.ts';
import type { Project } from '../../control/types.ts';
import type { Tenant } from '../../base/project.ts';
import { sendJson, sendPieces } from '../http/answer.ts';
import { encodingOf, inflateSmall } from '../http/body.ts';
import type { RouterContext } from '../context.ts';
import { projectRef, REVOCATION_MS } from '../auth/credentials.ts';
import type { DirectHandler } from '../http/direct.ts';
import { Deadline } from '../http/deadline.ts';
import { type QueryRequest, QUERY_BODY_LIMIT, readQueryRequest } from './query-request.ts';
import { type Ran, read, runQuery } from './run-query.ts';
import { Stopwatch } from '../http/stopwatch.ts';
import { checkSuspension } from '../limits/suspension.ts';

/** The project that a request may query. Throws for all others; called again after a body that was slow to arrive. */
type Admit<R> = (request: R) => Soon<Project>;

/** POST /query, for the key of a project. */
export function query(context: RouterContext): DirectHandler {
  const { clients, gatekeeper } = context;
  return answering(context, (request) => {
    const { ip } = clients.of(request);
    return whenHere(gatekeeper.admit(request, { scope: 'query', ip, where: 'anywhere' }), ({ project }) => project);
  });
}

/** Throws 503 where queries are switched off. */
export function checkSwitchedOn({ queries }: RouterContext['config']): void {
  if (!queries) throw new AppError('feature_disabled', 'Queries are disabled on this server.');
}

/** Answers queries from whom `admit` lets in. Limits, turns and the deadline are the project's, whoever sends them. */
export function answering<R extends IncomingMessage>(
  context: RouterContext,
  admitted: Admit<R>,
): (request: R, response: ServerResponse) => Promise<void> {
  const { config } = context;
  const admit: Admit<R> = (request) =>
    whenHere(admitted(request), (project) => {
      context.load.admitted(request, project.id);
      checkSuspension(project, 'queries');
      return project;
    });
  return async (request, response) => {
    const arrival = Date.now();
    const begun = monotonic();
    const watch = new Stopwatch();
    const asked = admit(request);
    const project = asked instanceof Promise ? await asked : asked;
    checkSwitchedOn(config);
    context.store.expect(projectRef(project));
    const deadline = new Deadline(begun, config.queryTimeout, response);
    try {
      const wanted = await readRequest(context, { request, response, tenant: project });
      if (monotonic() - begun >= REVOCATION_MS) await admit(request);
      const ran = await runQuery(context, { project, wanted, arrival, deadline, response, watch });
      watch.insert(ran.result.times);
      const { mode } = context.store;
      const hold = (bytes: number): void => context.unread.hold(response, project, bytes);
      const send = (): void => answer(response, { ran, wanted, watch, mode, hold });
      if (wanted.explain) await read(context, { project, wanted, deadline, response }, send);
      else send();
    } finally {
      deadline.end();
    }
  };
}

async function readRequest(
  { bodies, config }: RouterContext,
  { request, response, tenant }: { request: IncomingMessage; response: ServerResponse; tenant: Tenant },
): Promise<QueryRequest> {
  const encoding = encodingOf(request);
  const bounds = { tenant, limit: QUERY_BODY_LIMIT, hint: 'Write a shorter query.' };
  const packed = await bodies.receive(request, response, bounds);
  return readQueryRequest(await inflateSmall(packed, encoding, QUERY_BODY_LIMIT), config.queryLength);
}

function answer(
  response: ServerResponse,
  {
    ran,
    wanted,
    watch,
    mode,
    hold,
  }: { ran: Ran; wanted: QueryRequest; watch: Stopwatch; mode: string; hold: (bytes: number) => void },
): void {
  const { compiled, result, notes } = ran;
  const { page, observations, parts, statements } = result;
  response.setHeader('X-Total-Count', page.total);
  response.setHeader('X-Rows-Scanned', observations.rowsScanned);
  if (wanted.explain) {
    response.setHeader('Server-Timing', watch.header());
    sendJson(response, 200, {
      ...explain(compiled),
      parts,
      ...(statements === undefined ? {} : { statements }),
      times: watch.times,
      rows_scanned: observations.rowsScanned,
      notes,
    });
    return;
  }
  const { range, zone } = compiled.plan;
  const facts = {
    page,
    range,
    zone,
    rowsScanned: observations.rowsScanned,
    elapsedMs: watch.elapsed,
    mode,
    notes,
  };
  hold(page.text.length);
  const { contentType, before, after } = frameAnswer(wanted.format, facts, { envelope: wanted.envelope });
  watch.lap('format');
  response.setHeader('Server-Timing', watch.header());
  sendPieces(response, contentType, [before, page.text, after]);
}
