/** POST /identify: binds a device to a user and changes the user's profile. */
import { sendJson } from '../http/answer.ts';
import type { RouterContext } from '../context.ts';
import type { DirectHandler } from '../http/direct.ts';
import { ingest } from './ingest.ts';

export function identify(context: RouterContext): DirectHandler {
  return async (request, response) => {
    const result = await ingest(context, request, response, 'identify');
    if (result === null) return;
    const { ignored } = result;
    sendJson(response, 200, ignored.length === 0 ? { ok: true } : { ok: true, ignored });
  };
}
