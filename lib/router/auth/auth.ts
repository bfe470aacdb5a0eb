/** /auth/*: how people log in. */
import type { Express, RequestHandler } from 'express';
import type { RouterContext } from '../context.ts';
import { addEndpoint } from '../endpoint.ts';
import { asPage } from '../pages/page-policy.ts';
import { showLink, useLink } from './link.ts';
import { Login } from './login.ts';
import { sendJson } from '../http/answer.ts';
import { redirect } from '../pages/send-page.ts';
import { requireSameOrigin } from './sessions.ts';
import { localPath } from './local-path.ts';

export function addAuthEndpoints(app: Express, context: RouterContext): void {
  addEndpoint(app, '/auth/link', { methods: { get: asPage(showLink(context)), post: useLink(context) } });
  addEndpoint(app, '/auth/logout', { methods: { post: logout(context) } });
  const login = new Login(context);
  // Any name: the paths of /auth that are not providers come first.
  addEndpoint(app, '/auth/:provider', { methods: { get: login.begin() }, head: false });
  addEndpoint(app, '/auth/:provider/cb', { methods: { get: login.finish() }, head: false });
}

/** POST /auth/logout: also ends the session in the database. Forms are redirected to the login page, programs get JSON. */
function logout({ publicUrl, security, sessions }: RouterContext): RequestHandler {
  return async (request, response) => {
    requireSameOrigin(request);
    const account = await sessions.find(request);
    await sessions.end(request);
    if (account !== null) security.sessionsEnded(request, account.email ?? account.id, 1);
    if (request.accepts(['json', 'html']) === 'html') redirect(response, localPath(publicUrl(), '/login'));
    else sendJson(response, 200, { ok: true });
  };
}
