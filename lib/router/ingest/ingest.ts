/** POST /track and POST /identify: from a request to the store's answer. The body stays unread here. */
import { monotonic } from '../../base/monotonic.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { whenHere } from '../../base/soon.ts';
import type { AppendAnswer, RequestContext } from '../../store/event-store.ts';
import { answerBulk } from './bulk.ts';
import { JSON_TYPE, sendJson, sendText } from '../http/answer.ts';
import { encodingOf, isOfLines } from '../http/body.ts';
import type { RouterContext } from '../context.ts';
import type { DirectHandler } from '../http/direct.ts';
import { isSwitchedOn } from '../http/query-string.ts';
import { asksForDailyDevice, dailyDevice } from './daily-device.ts';
import { projectRef, REVOCATION_MS } from '../auth/credentials.ts';
import { checkMonth, countEvents } from '../limits/month-limit.ts';
import { locationOf } from './location.ts';
import { checkSuspension } from '../limits/suspension.ts';

const BODY_HINT = 'Send smaller batches, or stream lines with Content-Type: application/x-ndjson.';

/** Events of a project, one or a batch. The hot path: nothing here costs more than it must. */
export function track(context: RouterContext): DirectHandler {
  return async (request, response) => {
    const result = await ingest(context, request, response, 'track');
    if (result === null) return;
    if (isSwitchedOn(request, 'report')) {
      const { accepted, rejected, errors } = result;
      sendJson(response, 200, { accepted, rejected, errors });
      return;
    }
    sendText(response, 200, JSON_TYPE, `{"accepted":${result.accepted}}`);
  };
}

/** Binds a device to a user and changes the user's profile. */
export function identify(context: RouterContext): DirectHandler {
  return async (request, response) => {
    const result = await ingest(context, request, response, 'identify');
    if (result === null) return;
    const { ignored } = result;
    sendJson(response, 200, ignored.length === 0 ? { ok: true } : { ok: true, ignored });
  };
}

/**
 * Passes a request to the store and resolves when it is on disk. null: it was a stream of lines and has been answered. Rejects
 * with AppError.
 */
async function ingest(
  context: RouterContext,
  request: IncomingMessage,
  response: ServerResponse,
  kind: 'track' | 'identify',
): Promise<AppendAnswer | null> {
  const receivedAt = Date.now();
  const arrived = monotonic();
  const client = context.clients.of(request);
  const admit = () =>
    whenHere(context.gatekeeper.admit(request, { scope: 'track', ip: client.ip, where: 'anywhere' }), (admitted) => {
      context.load.admitted(request, admitted.project.id);
      checkSuspension(admitted.project, 'ingest');
      return admitted;
    });
  const admitted = admit();
  const credential = admitted instanceof Promise ? await admitted : admitted;
  const { project } = credential;
  const checked = checkMonth(context, project);
  if (checked instanceof Promise) await checked;
  const keyKind = credential.kind === 'public' ? 'public' : 'trusted';
  const sender = { ip: client.ip, userAgent: request.headers['user-agent'] ?? null };
  const daily = asksForDailyDevice(request) && keyKind === 'public'; // a server's request tells nothing of a device
  const soon = daily ? dailyDevice(context.salt, { project: project.id, ...sender }) : null;
  const device = soon instanceof Promise ? await soon : soon;
  const origin: RequestContext = {
    receivedAt,
    keyKind,
    ...sender,
    ...(device === null ? {} : { device }),
    place: client.trusted ? locationOf(request.headers, context.config.geoipFile === null ? 'fly' : 'database') : null,
  };
  if (isOfLines(request)) {
    await answerBulk(context, { request, response, project, kind, origin, admit });
    return null;
  }
  context.eventRate.check(project);
  const encoding = encodingOf(request);
  const body = await context.bodies.receive(request, response, {
    ...{ tenant: project, limit: context.config.bodyLimit, hint: BODY_HINT },
  });
  if (monotonic() - arrived >= REVOCATION_MS) await admit();
  context.metrics.received(body.byteLength);
  const begun = performance.now();
  const result = await context.store.append({ project: projectRef(project), kind, context: origin, body, encoding });
  context.metrics.acknowledged((performance.now() - begun) / 1_000);
  context.eventRate.add(project, result.accepted + result.rejected);
  if (kind === 'track') {
    context.metrics.events(result.accepted, result.rejected);
    countEvents(context, project, result.accepted);
  }
  return result;
}
