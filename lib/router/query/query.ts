/** POST /query and its session API counterpart: a query in the pipe language, answered as Markdown, JSON or CSV. */
import { monotonic } from '../../base/monotonic.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { frameAnswer } from '../../dsl/format/frame.ts';
import { askedRange } from '../../dsl/plan/shown-range.ts';
import { AppError } from '../../base/errors.ts';
import type { Project } from '../../control/types.ts';
import type { Tenant } from '../../base/project.ts';
import { JSON_TYPE, sendPieces, sendText } from '../http/answer.ts';
import { encodingOf, inflateSmall } from '../http/body.ts';
import type { RouterContext } from '../context.ts';
import { type ProjectCredential, REVOCATION_MS } from '../auth/credentials.ts';
import type { Request } from '../http/request.ts';
import { jsonContent, operation, type Routes } from '../route/route.ts';
import { also, component, NATURAL, list, ANY_STRING, objectOf } from '../route/schema.ts';
import { Deadline } from '../http/deadline.ts';
import { cursorText } from './cursor.ts';
import { type QueryRequest, QUERY_BODY, QUERY_BODY_LIMIT, readQueryRequest } from './query-request.ts';
import { type Ran, runQuery } from './run-query.ts';
import { Stopwatch } from '../http/stopwatch.ts';
import { checkSuspension } from '../limits/suspension.ts';

const OBJECTS = list({ type: 'object' });
const ROWS = component('Rows', OBJECTS);

const ENVELOPE = component(
  'Envelope',
  also(
    { next_cursor: ANY_STRING },
    objectOf({
      columns: { ...list(ANY_STRING), description: 'Names, in order.' },
      column_types: list(objectOf({ name: ANY_STRING, type: ANY_STRING, role: ANY_STRING })),
      rows: OBJECTS,
      total: { type: 'integer' },
      range: objectOf({ from: ANY_STRING, to: ANY_STRING, timezone: ANY_STRING }),
      rows_scanned: { type: 'integer' },
      elapsed_ms: { type: 'integer', description: 'Whole milliseconds.' },
      mode: ANY_STRING,
      notes: list(ANY_STRING),
    }),
  ),
);

const MS = { type: 'number' };

/** Where the events are in ClickHouse. */
const STATEMENTS = list(
  objectOf({ sql: ANY_STRING, params: { type: 'object' }, rows_read: NATURAL, bytes_read: NATURAL, ms: MS }),
);

const EXPLAINED = {
  tree: { type: 'object', description: 'The parsed query.' },
  plan: { type: 'object', description: 'What ran.' },
  passes: {
    type: 'array',
    description: 'The passes of the optimizer in their order, with the plan after each that changed it.',
    items: {
      type: 'object',
      required: ['name', 'changed'],
      properties: { name: ANY_STRING, changed: { type: 'boolean' }, plan: list(ANY_STRING) },
    },
  },
  parts: list(objectOf({ thread: NATURAL, segments: NATURAL, rows: NATURAL, ms: MS })),
  times: list(objectOf({ stage: ANY_STRING, ms: MS })),
  rows_scanned: NATURAL,
  notes: list(ANY_STRING),
};

const EXPLANATION = component('Explanation', also({ statements: STATEMENTS }, objectOf(EXPLAINED)));

const KEYS = { tags: ['queries'], security: [{ header: [] }, { bearer: [] }, { parameter: [] }] };

/** What a query takes and answers, with a key and with a session. */
export const ASKED = {
  requestBody: jsonContent(component('Query', QUERY_BODY.schema)),
  ok: {
    description: 'The rows in the given `format`; with `explain`, how the query ran.',
    headers: {
      'X-Total-Count': { description: 'Rows of the answer before paging.', schema: { type: 'integer' } },
      'X-Next-Cursor': {
        description: 'Of a `list` with further rows: the `cursor` of the next page.',
        schema: ANY_STRING,
      },
      'X-Rows-Scanned': { description: 'Rows that the query scanned.', schema: { type: 'integer' } },
      'Server-Timing': { description: 'Milliseconds per stage.', schema: ANY_STRING },
    },
    content: {
      'text/plain': { schema: { type: 'string', description: 'Markdown.' } },
      'text/csv': { schema: ANY_STRING },
      'application/json': { schema: { anyOf: [ROWS, ENVELOPE, EXPLANATION] } },
    },
  },
  fails: [404, 504],
} as const;

/** For the key of a project. */
export const QUERY_ROUTES: Routes = {
  '/query': {
    post: operation(KEYS, 'query', 'Answers a query.', {
      ...ASKED,
      open: 'keys',
      handler: (services) =>
        answering(services, async (request) => {
          const { ip } = services.clients.of(request);
          return askerWith(await services.gatekeeper.admit(request, { scope: 'query', ip, where: 'anywhere' }));
        }),
    }),
  },
};

/** Throws 503 where queries are switched off. */
export function checkSwitchedOn({ queries }: RouterContext['config']): void {
  if (!queries) throw new AppError('feature_disabled', 'Queries are disabled on this server.');
}

type Querying = Pick<
  RouterContext,
  | 'admission'
  | 'bodies'
  | 'config'
  | 'control'
  | 'load'
  | 'log'
  | 'metrics'
  | 'queryRate'
  | 'reading'
  | 'store'
  | 'unread'
>;

/** Who asks: of which project, and with which key ids are hashed for them; null: they see everything. */
interface Asker {
  readonly project: Project;
  readonly hashKey: string | null;
  /** Whether answers may show profiles and e-mail addresses: viewers see none. */
  readonly seesProfiles: boolean;
}

/** Who asks with a key. */
export function askerWith(credential: ProjectCredential): Asker {
  const hashKey = credential.kind === 'token' ? credential.hashKey : null;
  return { project: credential.project, hashKey, seesProfiles: true };
}

/** Answers queries from whom `admit` lets in. Limits, turns and the deadline are the project's, whoever sends them. */
export function answering(
  context: Querying,
  admitted: (request: Request) => Promise<Asker>,
): (request: Request, response: ServerResponse) => Promise<void> {
  const { config } = context;
  const admit = async (request: Request): Promise<Asker> => {
    const asker = await admitted(request);
    context.load.admitted(request, asker.project.id);
    checkSuspension(asker.project, 'queries');
    return asker;
  };
  return async (request, response) => {
    const arrival = Date.now();
    const begun = monotonic();
    const watch = new Stopwatch();
    const { project, hashKey, seesProfiles } = await admit(request);
    checkSwitchedOn(config);
    const deadline = new Deadline(begun, config.queryTimeout, response);
    try {
      const wanted = await readRequest(context, { request, response, tenant: project });
      if (monotonic() - begun >= REVOCATION_MS) await admit(request);
      const ran = await runQuery(context, {
        project,
        hashKey,
        seesProfiles,
        wanted,
        arrival,
        deadline,
        response,
        watch,
      });
      watch.insert(ran.result.times);
      const { mode } = context.store;
      const hold = (bytes: number): void => context.unread.hold(response, project, bytes);
      const { reached } = ran.result.page;
      const next = reached?.more === true ? cursorText(project.id, { kind: 'l', at: reached.at }) : null;
      answer(response, { ran, wanted, watch, mode, next, hold });
    } finally {
      deadline.end();
    }
  };
}

async function readRequest(
  { bodies, config }: Pick<RouterContext, 'bodies' | 'config'>,
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
    next,
    hold,
  }: {
    ran: Ran;
    wanted: QueryRequest;
    watch: Stopwatch;
    mode: string;
    next: string | null;
    hold: (bytes: number) => void;
  },
): void {
  const { read, result, notes } = ran;
  const { page, observations } = result;
  response.setHeader('X-Total-Count', page.total);
  response.setHeader('X-Rows-Scanned', observations.rowsScanned);
  if (next !== null) response.setHeader('X-Next-Cursor', next);
  if (read.explained !== null) {
    response.setHeader('Server-Timing', watch.header());
    sendText(
      response,
      200,
      JSON_TYPE,
      `${read.explained.slice(0, -1)},${JSON.stringify(howItRan(ran, watch)).slice(1)}`,
    );
    return;
  }
  const { zone } = read.plan;
  const facts = {
    page,
    range: askedRange(read.plan),
    zone,
    rowsScanned: observations.rowsScanned,
    elapsedMs: watch.elapsed,
    mode,
    nextCursor: next,
    notes,
  };
  hold(page.text.length);
  const { contentType, before, after } = frameAnswer(wanted.format, facts, { envelope: wanted.envelope });
  watch.lap('format');
  response.setHeader('Server-Timing', watch.header());
  sendPieces(response, contentType, [before, page.text, after]);
}

/** What `explain` tells besides how the query was read. */
export function howItRan({ result, notes }: Ran, watch: Stopwatch): Readonly<Record<string, unknown>> {
  const { observations, parts, statements } = result;
  return {
    parts,
    ...(statements === undefined ? {} : { statements }),
    times: watch.times,
    rows_scanned: observations.rowsScanned,
    notes,
  };
}
