/**
 * The protocol of Segment, beside /track: its libraries and RudderStack's, for servers, pages and apps, send here by a setting of
 * their host. A call is translated in a thread for reading, then goes the way of /track and /identify.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../base/errors.ts';
import type { ProjectRef, Tenant } from '../../base/project.ts';
import { TaskTurns } from '../../base/task-turns.ts';
import type { AppendAnswer, RequestContext } from '../../store/event-store.ts';
import { projectRef } from '../project-ref.ts';
import type { RouterContext } from '../context.ts';
import { sendJson } from '../http/answer.ts';
import { encodingOf, inflateSmall } from '../http/body.ts';
import { isSwitchedOn } from '../http/query-string.ts';
import type { Request } from '../http/request.ts';
import { admit, count, deliver } from './ingest.ts';
import { originOf } from './origin.ts';
import { checkMonth } from '../limits/month-limit.ts';
import { translateApart } from '../reading/read-apart.ts';
import { operation, type Operation, type Routes } from '../route/route.ts';
import { CALL_STORED } from './schemas.ts';
import { json, parameter } from '../route/schema.ts';
import { type SegmentCall, CALLS, type Translated } from '../reading/segment-calls.ts';
import { MOST_TOLD } from '../../base/text/shown.ts';

/** Bytes of a body: libraries send at most 500 KB. */
const MOST_BYTES = 512 << 10;

/** Translations that run at once, and that wait, of an organization. */
const turns = new TaskTurns({
  atOnce: { all: 4, organization: 1 },
  waiting: { all: 1_024, organization: 256 },
  refusal: () => new AppError('overloaded', 'Too many calls are waiting to be read. Send them again later.'),
});

/** Milliseconds for one, waiting included. */
const PATIENCE = 10_000;

/** What the library for browsers calls them. */
const SHORT: ReadonlyMap<string, SegmentCall> = new Map([
  ['t', 'track'], ['i', 'identify'], ['p', 'page'], ['s', 'screen'], ['g', 'group'], ['a', 'alias'], ['b', 'batch'],
]); // prettier-ignore

const ACCESS = { tags: ['events'], security: [{ header: [] }, { bearer: [] }, { basic: [] }, {}] };

const OBJECT = { type: 'object', additionalProperties: true };

/** @param suffix Of the ids of operations: the paths stand under two prefixes. */
const callAt = (suffix: string): Operation =>
  operation(ACCESS, `segment${suffix}`, "Takes a call of Segment's or RudderStack's libraries.", {
    parameters: [parameter('report', 'Reports what is not stored as it was sent.', { type: 'boolean' })],
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: { ...OBJECT, description: 'A message, or `{"batch": […]}` of them.' } },
        'text/plain': { schema: { type: 'string', description: 'The same JSON, as pages send it.' } },
      },
    },
    ok: json('Stored on disk.', CALL_STORED),
    fails: [404],
    open: 'beacons',
    handler: (services) => (request, response) => answerCall(services, request, response),
  });

const settingsAt = (suffix: string): Operation =>
  operation({ tags: ['events'], security: [] }, `segmentSettings${suffix}`, 'What the library for pages asks first.', {
    ok: json('Where to send.', OBJECT),
    fails: [404],
    open: 'keys',
    handler: (services) => (request, response) => answerSettings(services, request, response),
  });

export const SEGMENT_ROUTES: Routes = {
  '/v1/projects/{writeKey}/settings': { get: settingsAt('') },
  '/v1/{call}': { post: callAt('') },
  '/segment/v1/projects/{writeKey}/settings': { get: settingsAt('Prefixed') },
  '/segment/v1/{call}': { post: callAt('Prefixed') },
};

type Taking = Parameters<typeof admit>[0] &
  Parameters<typeof originOf>[0] &
  Parameters<typeof deliver>[0] &
  Parameters<typeof count>[0] &
  Pick<RouterContext, 'bodies' | 'clients' | 'eventRate' | 'lifecycle' | 'mail' | 'webhooks'>;

async function answerCall(services: Taking, request: Request, response: ServerResponse): Promise<void> {
  const receivedAt = Date.now();
  const call = callOf(request);
  const client = services.clients.of(request);
  const { headers } = request;
  const isKnown = headers.authorization !== undefined || headers['x-api-key'] !== undefined;
  const user = basicUser(request);
  const known = isKnown ? await admit(services, request, client, user) : null;
  const body = await receive(services, request, response, known?.project);
  // Also where it was known: it may have been revoked while the body came.
  const credential = await admit(services, request, client, user ?? writeKeyOf(body));
  const { project } = credential;
  services.load.received(project.id, body.byteLength);
  await checkMonth(services, project);
  services.eventRate.check(project);
  const trusted = credential.kind !== 'public';
  const signal = AbortSignal.timeout(PATIENCE);
  const most = services.config.batchLimit;
  const sent = { call, body, trusted, most, receivedAt };
  const translated = await turns
    .run(project, () => translateApart(sent, signal))
    .catch((error: unknown) => {
      if (signal.aborted) throw new AppError('overloaded', 'Reading the call took too long.');
      throw error;
    });
  const origin = { ...ofBrowser(await originOf(services, request, { credential, client, receivedAt })), ofApps: true };
  const { tracked, identified } = await store(services, projectRef(project), origin, translated);
  count(services, project, 'track', { ...tracked, rejected: tracked.rejected + translated.refused });
  count(services, project, 'identify', identified);
  const report = isSwitchedOn(request, 'report') ? reportOf(tracked, identified, translated) : {};
  sendJson(response, 200, { success: true, ...report });
}

/** @param tenant If it is known before the body, which says so itself where a page sends it. */
async function receive(
  { bodies, metrics }: Pick<Taking, 'bodies' | 'metrics'>,
  request: IncomingMessage,
  response: ServerResponse,
  tenant?: Tenant,
): Promise<Uint8Array> {
  const encoding = encodingOf(request);
  const bounds = { limit: MOST_BYTES, hint: 'Send smaller batches.', ...(tenant !== undefined && { tenant }) };
  const body = await bodies.receive(request, response, bounds);
  metrics.received(body.byteLength);
  return inflateSmall(body, encoding, MOST_BYTES);
}

function callOf({ params }: Request): SegmentCall {
  const name = String(params['call']);
  const call = SHORT.get(name) ?? CALLS.find((known) => known === name);
  if (call !== undefined) return call;
  throw new AppError('not_found', `There is no call "${name.slice(0, 40)}", only ${CALLS.join(', ')}.`);
}

/** The agent of a request tells of a person only if it is a browser's: libraries of apps and servers have their own. */
function ofBrowser(origin: RequestContext): RequestContext {
  return origin.userAgent?.startsWith('Mozilla/') === true ? origin : { ...origin, userAgent: null };
}

/** What became of the messages of a call; the first errors and warnings, by the index of a message. */
interface Stored extends Pick<AppendAnswer, 'accepted' | 'rejected' | 'errors'> {
  readonly warnings: AppendAnswer['warnings'];
}

const NOTHING: Stored = { accepted: 0, rejected: 0, errors: [], warnings: [] };

type Storing = Pick<RouterContext, 'store' | 'metrics'>;

/** Changes of profiles come first: whoever asks for the events may rely on them. */
async function store(
  services: Storing,
  project: ProjectRef,
  context: RequestContext,
  { track, identify, events, identifies }: Translated,
): Promise<{ readonly tracked: Stored; readonly identified: Stored }> {
  const identified = identify === null ? NOTHING : await storeIdentifies(services, project, context, identify);
  const tracked =
    track === null
      ? NOTHING
      : await deliver(services, { project, kind: 'track', context, body: track, encoding: 'identity' });
  return { tracked: byMessage(tracked, events), identified: byMessage(identified, identifies) };
}

async function storeIdentifies(
  { store: events }: Storing,
  project: ProjectRef,
  context: RequestContext,
  lines: Uint8Array<ArrayBuffer>,
): Promise<Stored> {
  const stream = events.bulk(project, 'identify', context);
  try {
    await stream.write([lines]);
    const { accepted, rejected, firstErrors, warnings } = await stream.end();
    return {
      ...{ accepted, rejected },
      errors: firstErrors.map(({ line, error }) => ({ index: line - 1, error })),
      warnings: warnings.map(({ line, ...warning }) => ({ ...warning, index: line - 1 })),
    };
  } catch (error) {
    stream.abort();
    throw error;
  }
}

function byMessage(stored: Stored, messages: readonly number[]): Stored {
  return {
    ...stored,
    errors: stored.errors.map((one) => ({ ...one, index: messages[one.index] ?? one.index })),
    warnings: stored.warnings.map((one) => ({
      ...one,
      index: one.index === null ? null : (messages[one.index] ?? null),
    })),
  };
}

/** What `?report=true` adds. */
function reportOf(tracked: Stored, identified: Stored, { told, refused }: Translated): object {
  return {
    accepted: tracked.accepted + identified.accepted,
    rejected: tracked.rejected + identified.rejected + refused,
    errors: [
      ...told.map(({ index, message: error }) => ({ index, error })),
      ...identified.errors,
      ...tracked.errors,
    ].slice(0, MOST_TOLD),
    warnings: [...identified.warnings, ...tracked.warnings].slice(0, MOST_TOLD),
  };
}

/** The user of basic authentication, whose password libraries leave empty. */
function basicUser({ headers }: IncomingMessage): string | null {
  const [, encoded] = /^Basic +([\w+/-]+=*)$/i.exec(headers.authorization ?? '') ?? [];
  if (encoded === undefined) return null;
  const [user = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return user === '' ? null : user;
}

const WRITE_KEY = /"writeKey"\s{0,8}:\s{0,8}"(\w{1,256})"/;

/** The last `writeKey` of a body, where pages' libraries have it: looked for, since the body is read later and elsewhere. */
function writeKeyOf(body: Uint8Array): string | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const at = bytes.lastIndexOf('"writeKey"');
  return at < 0 ? null : (WRITE_KEY.exec(bytes.toString('latin1', at, at + 300))?.[1] ?? null);
}

async function answerSettings(
  { control, publicUrl }: Pick<RouterContext, 'control' | 'publicUrl'>,
  request: Request,
  response: ServerResponse,
): Promise<void> {
  const key = String(request.params['writeKey']);
  const credential = key.length <= 256 ? await control.credentials.find(key) : null;
  if (credential === null || !('project' in credential))
    throw new AppError('not_found', 'There is no project with this write key: use its public key (pk_).');
  const { protocol, host, pathname } = new URL(publicUrl());
  const prefix = request.originalUrl.startsWith('/segment/') ? '/segment/v1' : '/v1';
  sendJson(response, 200, {
    integrations: {
      'Segment.io': {
        apiKey: key,
        apiHost: `${host}${pathname.replace(/\/$/, '')}${prefix}`,
        protocol: protocol.replace(':', ''),
        unbundledIntegrations: [],
        addBundledMetadata: true,
      },
    },
    plan: {
      track: { __default: { enabled: true } },
      identify: { __default: { enabled: true } },
      group: { __default: { enabled: true } },
    },
    edgeFunction: {},
    analyticsNextEnabled: true,
    middlewareSettings: {},
    enabledMiddleware: {},
    metrics: { sampleRate: 0 },
    legacyVideoPluginsEnabled: false,
    remotePlugins: [],
  });
}
