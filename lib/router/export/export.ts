/** GET /export: what a project has, page by page: in a stream, or one page for whoever goes on with its cursor. */
import type { ServerResponse } from 'node:http';
import { AppError } from '../../base/errors.ts';
import { monotonic } from '../../base/monotonic.ts';
import type { Project } from '../../control/types.ts';
import type { AnswerFormat, Page } from '../../dsl/format/answer.ts';
import { ANSWER_TYPES } from '../../dsl/format/frame.ts';
import { goesOnward } from '../../dsl/finish/onward.ts';
import type { ListPlan, Plan } from '../../dsl/plan/plan.ts';
import { MAX_TIME } from '../../dsl/time/duration.ts';
import { ProjectLimit } from '../../store/project-limit.ts';
import { REVOCATION_MS } from '../auth/credentials.ts';
import type { RouterContext } from '../context.ts';
import { sendPieces } from '../http/answer.ts';
import { Deadline } from '../http/deadline.ts';
import { queryParameters } from '../http/query-string.ts';
import type { Request, RequestHandler } from '../http/request.ts';
import { sendStream } from '../http/stream-answer.ts';
import { checkSuspension } from '../limits/suspension.ts';
import { cursorText, placeIn, readCursor, type Cursor } from '../query/cursor.ts';
import { checkSwitchedOn } from '../query/query.ts';
import { readQueryOf } from '../query/read-query.ts';
import { runPlan } from '../query/run-query.ts';
import { operation, type Routes } from '../route/route.ts';
import { ANY_STRING, NATURAL } from '../route/schema.ts';
import { EXPORT_PARAMETERS, type ExportRequest, MOST_ROWS, readExportRequest } from './export-request.ts';

const KEYS = { tags: ['queries'], security: [{ header: [] }, { bearer: [] }, { parameter: [] }] };

export const EXPORT_ROUTES: Routes = {
  '/export': {
    get: operation(KEYS, 'export', 'Exports events, bindings and profiles.', {
      parameters: EXPORT_PARAMETERS,
      ok: {
        description: 'Lines of JSON, or CSV. If the connection of a stream breaks off, it is incomplete.',
        headers: {
          'X-Next-Cursor': { description: 'With `limit`: the `cursor` of the next page.', schema: ANY_STRING },
          'X-Rows': { description: 'With `limit`: how many rows the page has.', schema: NATURAL },
          'X-Columns': {
            description: 'With `limit`: their columns with their types, `time:time,event_type:string`.',
            schema: ANY_STRING,
          },
          'X-Complete': { description: 'With `limit`: whether nothing follows.', schema: { type: 'boolean' } },
        },
        content: { 'application/x-ndjson': { schema: ANY_STRING }, 'text/csv': { schema: ANY_STRING } },
      },
      fails: [400, 405, 504],
      head: false, // a request for headers takes no data
      handler: exporting,
    }),
  },
};

type Exporting = Pick<
  RouterContext,
  'admission' | 'clients' | 'config' | 'control' | 'gatekeeper' | 'load' | 'log' | 'metrics' | 'gdprRate' | 'reading' | 'store' | 'unread'
>; // prettier-ignore

/** Streams at once: their readers set the pace. */
const STREAMS = { what: 'exports', ofProject: 2, ofAll: 16 };

interface Exported {
  readonly request: ExportRequest;
  readonly project: Project;
  /** Of the events; the ranges of others are the same. */
  readonly plan: ListPlan;
  readonly shape: string;
  readonly response: ServerResponse;
}

function exporting(services: Exporting): RequestHandler {
  const limit = new ProjectLimit(STREAMS);
  return async (request, response) => {
    const admit = (): Promise<Asker> => admitted(services, request);
    const asker = await admit();
    checkSwitchedOn(services.config);
    const { project } = asker;
    services.gdprRate.check(project);
    services.gdprRate.add(project, 1);
    const exported = await readExport(services, asker, readExportRequest(queryParameters(request)), response);
    const { kinds, cursor: text, limit: rows } = exported.request;
    const cursor = text === null ? { kind: kinds[0], at: '' } : readCursor(project.id, text, kinds);
    services.gdprRate.tell(project, response);
    if (rows !== null) return sendPage(services, exported, cursor);
    const leave = limit.enter(project);
    try {
      const pieces = piecesFrom(services, exported, cursor);
      const first = await pieces.next();
      await sendStream(response, typeOf(exported), {
        first,
        rest: pieces,
        admit: { every: REVOCATION_MS, again: admit },
      });
    } finally {
      leave();
    }
  };
}

interface Asker {
  readonly project: Project;
  /** Hashes ids for who sees no personal data; null: everything may be seen. */
  readonly hashKey: string | null;
}

async function admitted({ gatekeeper, clients, load }: Exporting, request: Request): Promise<Asker> {
  const { ip } = clients.of(request);
  const credential = await gatekeeper.admit(request, { scope: 'query', ip, where: 'anywhere' });
  const { project } = credential;
  load.admitted(request, project.id);
  checkSuspension(project, 'queries');
  return { project, hashKey: credential.kind === 'token' ? credential.hashKey : null };
}

/** Rejects with AppError: 400, 403 for what the asker may not see. */
async function readExport(
  services: Exporting,
  { project, hashKey }: Asker,
  request: ExportRequest,
  response: ServerResponse,
): Promise<Exported> {
  if (hashKey !== null && request.kinds.some((kind) => kind === 'b' || kind === 'p')) {
    throw new AppError('forbidden', 'This token sees no personal data, which profiles and bindings are.', {
      hints: ['Export events alone, whose ids are hashed and whose personal fields are left out: kind=events.'],
    });
  }
  const { q, timezone, isDated } = request;
  const wanted = { q, timezone, limit: MOST_ROWS, offset: 0, cursor: null, format: 'llm', envelope: false, explain: false, notes: [] } as const; // prettier-ignore
  const read = await withDeadline(services, response, (deadline) =>
    readQueryOf(services, { project, hashKey, seesProfiles: true, wanted, arrival: Date.now(), deadline, response }),
  );
  const { plan, shape } = read;
  if (!goesOnward(plan) || plan.fields !== undefined || plan.limit !== null || plan.offset > 0)
    throw new AppError('bad_request', 'where must be a condition alone: an export takes no other stages.');
  const always = { from: -MAX_TIME, to: MAX_TIME };
  return { request, project, response, shape, plan: isDated ? plan : { ...plan, range: always } };
}

/** A page, and where the next one begins; null: nowhere. */
interface Exportation {
  readonly page: Page;
  readonly next: Cursor | null;
}

async function pageAt(services: Exporting, exported: Exported, cursor: Cursor): Promise<Exportation> {
  const { request, project, response, shape } = exported;
  const { kinds, formats } = request;
  const plan = planAt(exported, cursor);
  const format: AnswerFormat = cursor.at === '' ? formats[0] : formats[1];
  const { page } = await withDeadline(services, response, (deadline) => {
    const asked = performance.now();
    const run = (): ReturnType<typeof runPlan> =>
      runPlan(services, { project, deadline, format }, { plan, shape, waitMs: performance.now() - asked });
    return services.admission.run(project, run, deadline.signal);
  });
  if (page.reached?.more === true) return { page, next: { kind: cursor.kind, at: page.reached.at } };
  const following = kinds[kinds.indexOf(cursor.kind) + 1];
  return { page, next: following === undefined ? null : { kind: following, at: '' } };
}

function planAt({ plan, request: { limit } }: Exported, { kind, at }: Cursor): Plan {
  const page = { limit: limit ?? MOST_ROWS, offset: 0 };
  if (kind === 'b' || kind === 'p') {
    const { event: _event, person: _person, ...base } = plan;
    return { ...base, kind: 'identities', of: kind === 'b' ? 'bindings' : 'profiles', after: at, page };
  }
  const after = at === '' ? null : placeIn({ kind, at });
  return { ...plan, page, onward: { order: kind === 'a' ? 'arrival' : 'time', after } };
}

async function withDeadline<T>(
  { config }: Pick<RouterContext, 'config'>,
  response: ServerResponse,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const deadline = new Deadline(monotonic(), config.queryTimeout, response);
  try {
    return await deadline.race(work(deadline));
  } finally {
    deadline.end();
  }
}

async function sendPage(services: Exporting, exported: Exported, cursor: Cursor): Promise<void> {
  const { response, project } = exported;
  const { page, next } = await pageAt(services, exported, cursor);
  const reached = page.reached === undefined ? cursor : { kind: cursor.kind, at: page.reached.at };
  response.setHeader('X-Next-Cursor', cursorText(project.id, next ?? reached));
  response.setHeader('X-Complete', String(next === null));
  response.setHeader('X-Rows', page.shown);
  response.setHeader('X-Columns', page.columns.map(({ name, type }) => `${name}:${type}`).join(','));
  services.unread.hold(response, project, page.text.length);
  sendPieces(response, typeOf(exported), [page.text]);
}

/** Bytes of a piece: as many as are passed to the system at once. */
const PIECE = 256 << 10;

/** All pages from the cursor on. The next one is read when all of the one before was taken, in a turn of its own. */
async function* piecesFrom(services: Exporting, exported: Exported, from: Cursor): AsyncGenerator<Uint8Array> {
  for (let cursor: Cursor | null = from; cursor !== null;) {
    const { page, next }: Exportation = await pageAt(services, exported, cursor);
    const { text } = page;
    for (let at = 0; at < text.length; at += PIECE) yield text.subarray(at, at + PIECE);
    cursor = next;
  }
}

const typeOf = ({ request: { formats } }: Exported): string => ANSWER_TYPES[formats[0]];
