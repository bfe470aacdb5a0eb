/** POST /track and POST /identify: the way of a request to the store and back is `ingest`, from top to bottom. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { monotonic } from '../../base/monotonic.ts';
import type { AppendAnswer, AppendRequest } from '../../store/event-store.ts';
import { type ProjectCredential, REVOCATION_MS } from '../auth/credentials.ts';
import { projectRef } from '../project-ref.ts';
import type { RouterContext } from '../context.ts';
import { JSON_TYPE, sendJson, sendText } from '../http/answer.ts';
import { encodingOf, isOfLines } from '../http/body.ts';
import type { Client } from '../http/client-address.ts';
import type { Project } from '../../control/types.ts';
import { isSwitchedOn } from '../http/query-string.ts';
import { checkMonth, countEvents } from '../limits/month-limit.ts';
import { checkSuspension } from '../limits/suspension.ts';
import { operation, type Routes } from '../route/route.ts';
import { json, parameter, ANY_STRING } from '../route/schema.ts';
import { answerBulk } from './bulk.ts';
import { originOf } from './origin.ts';
import { ACCEPTED, BATCH, EVENT, IDENTIFIED, IDENTIFY, STREAM_RESULT } from './schemas.ts';

const KEYS = { tags: ['events'], security: [{ header: [] }, { bearer: [] }, { parameter: [] }] };

const PARAMETERS = [
  parameter(
    'device',
    'With a public key: what has no device_id gets one of address, user agent, project and the salt of the day.',
    { enum: ['daily'] },
  ),
  // Client hints that headers do not bring from pages.
  parameter('platformVersion', 'The client hint of that name: the version of the system.', ANY_STRING),
  parameter('model', 'The client hint of that name: the model of the device.', ANY_STRING),
  parameter('report', 'Reports what was rejected, and what is not stored as it was sent.', { type: 'boolean' }),
  parameter(
    'strict',
    'Rejects what would otherwise be stored with a replaced time, or without an unknown field or a value that has no place.',
    { type: 'boolean' },
  ),
];

export const INGEST_ROUTES: Routes = {
  '/track': {
    post: operation(KEYS, 'track', 'Takes events: one, a batch, or a stream of lines.', {
      parameters: PARAMETERS,
      requestBody: eventsOrLines({ anyOf: [EVENT, BATCH] }, 'One event a line.'),
      ok: json('Stored on disk.', { anyOf: [ACCEPTED, STREAM_RESULT] }),
      fails: [404],
      open: 'beacons',
      handler: (services) => (request, response) => ingest(services, request, response, 'track'),
    }),
  },
  '/identify': {
    post: operation(KEYS, 'identify', "Binds a device to a user and changes the user's profile.", {
      parameters: PARAMETERS,
      requestBody: eventsOrLines(IDENTIFY, 'One identify a line.'),
      ok: json('Stored on disk.', { anyOf: [IDENTIFIED, STREAM_RESULT] }),
      fails: [404],
      open: 'beacons',
      handler: (services) => (request, response) => ingest(services, request, response, 'identify'),
    }),
  },
};

type Kind = 'track' | 'identify';

type Ingesting = Pick<
  RouterContext,
  | 'bodies'
  | 'clients'
  | 'config'
  | 'control'
  | 'eventRate'
  | 'gatekeeper'
  | 'lifecycle'
  | 'load'
  | 'log'
  | 'metrics'
  | 'salt'
  | 'security'
  | 'store'
  | 'mail'
  | 'webhooks'
>;

/** The way of a request. It is answered once what it brings is on disk; the store's threads read its body, which stays unread here. */
async function ingest(
  services: Ingesting,
  request: IncomingMessage,
  response: ServerResponse,
  kind: Kind,
): Promise<void> {
  const receivedAt = Date.now();
  const arrived = monotonic();
  const client = services.clients.of(request);
  const admitted = (): Promise<ProjectCredential> => admit(services, request, client);
  const credential = await admitted();
  const { project } = credential;
  await checkMonth(services, project);
  const origin = await originOf(services, request, { credential, client, receivedAt });
  if (isOfLines(request)) return answerBulk(services, { request, response, project, kind, origin, admit: admitted });
  const { body, encoding } = await receive(services, request, response, project);
  if (monotonic() - arrived >= REVOCATION_MS) await admitted();
  const result = await deliver(services, { project: projectRef(project), kind, context: origin, body, encoding });
  count(services, project, kind, result);
  answer(request, response, kind, result);
}

/** The credential of a request that may store events. Throws AppError for all others. @param given A key that it brings elsewhere. */
export async function admit(
  { gatekeeper, load }: Pick<RouterContext, 'gatekeeper' | 'load'>,
  request: IncomingMessage,
  { ip }: Client,
  given: string | null = null,
): Promise<ProjectCredential> {
  const credential = await gatekeeper.admit(request, { scope: 'track', ip, where: 'anywhere', given });
  load.admitted(request, credential.project.id);
  checkSuspension(credential.project, 'ingest');
  return credential;
}

const BODY_HINT = 'Send smaller batches, or stream lines with Content-Type: application/x-ndjson.';

/** Throws AppError 429 when nothing is left of the project's minute. */
async function receive(
  {
    bodies,
    config,
    eventRate,
    load,
    metrics,
  }: Pick<RouterContext, 'bodies' | 'config' | 'eventRate' | 'load' | 'metrics'>,
  request: IncomingMessage,
  response: ServerResponse,
  project: Project,
): Promise<Pick<AppendRequest, 'body' | 'encoding'>> {
  eventRate.check(project);
  const encoding = encodingOf(request);
  const bounds = { tenant: project, limit: config.bodyLimit, hint: BODY_HINT };
  const body = await bodies.receive(request, response, bounds);
  metrics.received(body.byteLength);
  load.received(project.id, body.byteLength);
  return { body, encoding };
}

/** Passes it to the store, and resolves when it is on disk. */
export async function deliver(
  { store, metrics }: Pick<RouterContext, 'store' | 'metrics'>,
  append: AppendRequest,
): Promise<AppendAnswer> {
  const begun = performance.now();
  const result = await store.append(append);
  metrics.acknowledged((performance.now() - begun) / 1_000);
  return result;
}

export function count(
  services: Pick<RouterContext, 'control' | 'eventRate' | 'load' | 'metrics'>,
  project: Project,
  kind: Kind,
  { accepted, rejected }: Pick<AppendAnswer, 'accepted' | 'rejected'>,
): void {
  services.eventRate.add(project, accepted + rejected);
  if (kind === 'identify') return;
  services.metrics.events(accepted, rejected);
  countEvents(services, project, accepted);
}

function answer(request: IncomingMessage, response: ServerResponse, kind: Kind, result: AppendAnswer): void {
  const { accepted, rejected, errors, ignored, warnings } = result;
  const reports = isSwitchedOn(request, 'report');
  if (kind === 'identify') {
    const told = reports ? { warnings: warnings.map(({ field, message, sent }) => ({ field, message, sent })) } : {};
    return sendJson(response, 200, { ok: true, ...(ignored.length === 0 ? {} : { ignored }), ...told });
  }
  if (reports) return sendJson(response, 200, { accepted, rejected, errors, warnings });
  sendText(response, 200, JSON_TYPE, `{"accepted":${accepted}}`);
}

function eventsOrLines(schema: object, lines: string): unknown {
  return {
    required: true,
    content: {
      'application/json': { schema },
      'text/plain': { schema: { type: 'string', description: 'The same JSON, as sent by beacons.' } },
      'application/x-ndjson': { schema: { type: 'string', description: lines } },
    },
  };
}
