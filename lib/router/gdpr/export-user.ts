/** GET /api/gdpr/users/{userID}/export: everything of a user as lines of JSON, as fast as the client reads. */
import { pipeline } from 'node:stream/promises';
import type { RequestHandler } from 'express';
import type { RouterContext } from '../context.ts';
import { projectRef } from '../auth/credentials.ts';
import { userRequest } from './user-request.ts';
import { codeOf } from '../../base/errors.ts';

const NDJSON = 'application/x-ndjson';

/** A client that reads nothing for this long is cut off: an export holds a thread and the files it reads. Milliseconds. */
const STALLED = 60_000;

/**
 * A failure before the first piece is an error answer; after it, the connection breaks off, so that nobody takes a part for the
 * whole. A client that leaves ends the reading.
 */
export function exportUser(context: RouterContext, stalled = STALLED): RequestHandler {
  return async (request, response) => {
    const { project, userId, by } = await userRequest(context, request);
    const pieces = context.store.exportUser(projectRef(project), userId)[Symbol.asyncIterator]();
    const first = await pieces.next();
    try {
      await context.control.auditUser('user.export', project.id, userId, by);
    } catch (error) {
      await pieces.return?.();
      throw error;
    }
    response.writeHead(200, { 'Content-Type': NDJSON });
    response.setTimeout(stalled, () => response.destroy());
    try {
      await pipeline(startingWith(first, pieces), response);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  };
}

/** The rest of an iteration after its first step. */
async function* startingWith<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    for (let step = first; step.done !== true; step = await rest.next()) yield step.value;
  } finally {
    await rest.return?.();
  }
}

/** The client left, or was cut off. */
const isGone = (error: unknown): boolean => codeOf(error) === 'ERR_STREAM_PREMATURE_CLOSE';
