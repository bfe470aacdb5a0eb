/** /api/gdpr/*: people's rights by law: to get their data, and to have it erased. */
import { pipeline } from 'node:stream/promises';
import type { Express, Request, RequestHandler } from 'express';
import type { RouterContext } from '../context.ts';
import { addEndpoint } from '../endpoint.ts';
import { monotonic } from '../../base/monotonic.ts';
import { actorWith, projectRef, REVOCATION_MS } from '../auth/credentials.ts';
import { AppError, codeOf } from '../../base/errors.ts';
import { ProjectLimit } from '../../store/project-limit.ts';
import { sendJson } from '../http/answer.ts';
import type { Actor, Project } from '../../control/types.ts';
import { pathParameter } from '../http/query-string.ts';

export function addGdprEndpoints(app: Express, context: RouterContext): void {
  addEndpoint(app, '/api/gdpr/users/:userID', { methods: { delete: eraseUser(context) } });
  // No HEAD: an export is recorded in the audit trail, and a request for headers takes no data.
  addEndpoint(app, '/api/gdpr/users/:userID/export', { methods: { get: exportUser(context) }, head: false });
}

/** GET /api/gdpr/users/{userID}/export: everything of a user as lines of JSON, as fast as the client reads. */
const NDJSON = 'application/x-ndjson';

/** A client that reads nothing for this long is cut off: an export holds a thread and the files it reads. Milliseconds. */
const STALLED = 60_000;

/**
 * A failure before the first piece is an error answer; after it, the connection breaks off, so that nobody takes a part for the
 * whole: also when the key is revoked meanwhile. A client that leaves ends the reading.
 */
function exportUser(context: RouterContext): RequestHandler {
  return async (request, response) => {
    const { project, userId, by } = await countedRequest(context, request);
    const pieces = context.store.exportUser(projectRef(project), userId)[Symbol.asyncIterator]();
    const first = await pieces.next();
    try {
      await context.control.auditUser('user.export', project.id, userId, by);
    } catch (error) {
      await pieces.return?.();
      throw error;
    }
    response.writeHead(200, { 'Content-Type': NDJSON });
    response.setTimeout(STALLED); // the server closes the connection then, unless it is the service that is slow
    try {
      await pipeline(
        startingWith(first, pieces, () => userRequest(context, request)),
        response,
      );
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  };
}

/** The rest of an iteration after its first step. `admit` runs from time to time, as slow readers take long; if it rejects, this ends. */
async function* startingWith<T>(
  first: IteratorResult<T>,
  rest: AsyncIterator<T>,
  admit: () => Promise<unknown>,
): AsyncGenerator<T> {
  let admitted = monotonic();
  try {
    for (let step = first; step.done !== true; step = await rest.next()) {
      if (monotonic() - admitted >= REVOCATION_MS) {
        await admit();
        admitted = monotonic();
      }
      yield step.value;
    }
  } finally {
    await rest.return?.();
  }
}

/** The client left, or was cut off. */
const isGone = (error: unknown): boolean => codeOf(error) === 'ERR_STREAM_PREMATURE_CLOSE';

/** DELETE /api/gdpr/users/{userID}: erases everything of a user; when it answers, nothing is left on disk. */

/** Erasures that run or wait. Each reads a whole project and continues when its client leaves: without a limit they pile up. */
const ERASURES = { what: 'erasures', ofProject: 8, ofAll: 64 };

/** Continues when the client leaves: half an erasure is worthless. */
function eraseUser(context: RouterContext): RequestHandler {
  const limit = new ProjectLimit(ERASURES);
  return async (request, response) => {
    const { project, userId, by } = await countedRequest(context, request);
    if (!context.erasedDevices.has(project.orgId)) throw tooManyDevices(context.config.erasedDevices);
    const leave = limit.enter(project);
    try {
      await context.control.auditUser('user.erase', project.id, userId, by);
      const erasing = context.store.eraseUser(projectRef(project), userId, (toErase) => {
        context.erasedDevices.draw(project.orgId, toErase.devices.length);
        return context.erasures.userErased(project.id, userId, toErase);
      });
      const { events, profiles, devices } = await erasing.catch(async (error: unknown) => {
        const told = context.control.auditUser('user.erase_failed', project.id, userId, by);
        await told.catch((err: unknown) => context.log.error({ err }, 'a failed erasure is not in the audit trail'));
        throw error;
      });
      await context.erasures.reach();
      sendJson(response, 200, { deleted: { events, profiles, devices } });
    } finally {
      leave();
    }
  };
}

function tooManyDevices(most: number): AppError {
  return new AppError(
    'rate_limited',
    `This organization has erased users with ${most.toLocaleString('en')} devices, as many as it may at once.`,
    {
      hints: ['Erase the next ones later: room for a two-hundredth of these comes back each minute.'],
    },
  );
}

/** What the endpoints about one user share. None of this is logged: paths hold ids of people. */
interface UserRequest {
  readonly project: Project;
  readonly userId: string;
  /** The actor in the audit trail. */
  readonly by: Actor;
}

/** Throws 429, too. */
async function countedRequest(context: RouterContext, request: Request): Promise<UserRequest> {
  const asked = await userRequest(context, request);
  context.gdprRate.check(asked.project);
  context.gdprRate.add(asked.project, 1);
  return asked;
}

/** Throws 401 and 403. Keys in the query string do not count here: they end up in other people's logs. */
async function userRequest({ gatekeeper, clients }: RouterContext, request: Request): Promise<UserRequest> {
  const { ip } = clients.of(request);
  const credential = await gatekeeper.admit(request, { scope: 'admin', ip, where: 'header' });
  const userId = pathParameter(request, 'userID');
  return { project: credential.project, userId, by: actorWith(credential, ip) };
}
