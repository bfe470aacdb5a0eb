import type { RequestHandler } from 'express';
import { sendJson } from '../http/answer.ts';
import type { RouterContext } from '../context.ts';
import { redirect } from '../pages/send-page.ts';
import { requireSameOrigin } from './sessions.ts';
import { localPath } from './local-path.ts';

/** POST /auth/logout: also ends the session in the database. Forms are redirected to the login page, programs get JSON. */
export function logout({ publicUrl, security, sessions }: RouterContext): RequestHandler {
  return async (request, response) => {
    requireSameOrigin(request);
    const account = await sessions.find(request);
    await sessions.end(request);
    if (account !== null) security.sessionsEnded(request, account.email ?? account.id, 1);
    if (request.accepts(['json', 'html']) === 'html') redirect(response, localPath(publicUrl(), '/login'));
    else sendJson(response, 200, { ok: true });
  };
}
