/** POST /identify: binds a device to a user and changes the user's profile. */
import type { RequestHandler } from 'express';
import { sendJson } from './answer.ts';
import type { RouterContext } from './context.ts';
import { ingest } from './ingest.ts';

export function identify(context: RouterContext): RequestHandler {
  return async (request, response) => {
    const result = await ingest(context, request, response, 'identify');
    if (result === null) return;
    const { ignored } = result;
    sendJson(response, 200, ignored.length === 0 ? { ok: true } : { ok: true, ignored });
  };
}
