/** POST /query: a question in the pipe language, answered as Markdown, JSON or CSV. */
import { monotonic } from '../monotonic.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { explain } from '../dsl/explain.ts';
import { frameAnswer } from '../dsl/format/answer.ts';
import { AppError } from '../errors.ts';
import type { Tenant } from '../project.ts';
import { sendJson, sendPieces } from './answer.ts';
import { encodingOf, inflateSmall } from './body.ts';
import type { RouterContext } from './context.ts';
import { REVOCATION_MS } from './credentials.ts';
import { Deadline } from './deadline.ts';
import type { QueryRequest } from './query-request.ts';
import { QUERY_BODY_LIMIT, readQueryRequest } from './query-request.ts';
import type { Ran } from './run-query.ts';
import { runQuery } from './run-query.ts';
import { Stopwatch } from './stopwatch.ts';

const ENGINE = 'embedded';

export function query(context: RouterContext): RequestHandler {
  const { config, clients, gatekeeper } = context;
  return async (request, response) => {
    const arrival = Date.now();
    const begun = monotonic();
    const watch = new Stopwatch();
    const { ip } = clients.of(request);
    const admit = () => gatekeeper.admit(request, { scope: 'query', ip, where: 'anywhere' });
    const { project } = admit();
    if (!config.queries) throw new AppError('feature_disabled', 'Queries are switched off on this server.');
    const deadline = new Deadline(begun, config.queryTimeout, response);
    try {
      const wanted = await readRequest(context, { request, response, tenant: project });
      if (monotonic() - begun >= REVOCATION_MS) admit();
      const ran = await runQuery(context, { project, wanted, arrival, deadline, response, watch });
      watch.insert(ran.result.times);
      answer(response, { ran, wanted, watch });
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
  { ran, wanted, watch }: { ran: Ran; wanted: QueryRequest; watch: Stopwatch },
): void {
  const { compiled, result, notes } = ran;
  const { page, observations, parts } = result;
  response.setHeader('X-Total-Count', page.total);
  response.setHeader('X-Rows-Scanned', observations.rowsScanned);
  if (wanted.explain) {
    response.setHeader('Server-Timing', watch.header());
    sendJson(response, 200, {
      ...explain(compiled),
      parts,
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
    mode: ENGINE,
    notes,
  };
  const { contentType, before, after } = frameAnswer(wanted.format, facts, { envelope: wanted.envelope });
  watch.lap('format');
  response.setHeader('Server-Timing', watch.header());
  sendPieces(response, contentType, [before, page.text, after]);
}
