/** /auth/*: how people log in. */
import type { Express, RequestHandler } from 'express';
import { isSecretShaped } from '../../control/key-text.ts';
import type { RouterContext } from '../context.ts';
import { addEndpoint } from '../endpoint.ts';
import { asPage } from '../pages/page-policy.ts';
import { Login } from './login.ts';
import { sendJson } from '../http/answer.ts';
import { redirect, sendPage } from '../pages/send-page.ts';
import { requireSameOrigin } from './sessions.ts';
import { localPath } from './local-path.ts';
import { html, type Html } from '../pages/html.ts';
import { page } from '../pages/layout.ts';
import { queryParameters } from '../http/query-string.ts';

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
    if (request.accepts(['json', 'html']) !== 'html') return sendJson(response, 200, { ok: true });
    response.setHeader('Clear-Site-Data', '"storage"'); // the script that forgets questions may not have been there yet
    redirect(response, localPath(publicUrl(), '/login'));
  };
}

/**
 * /auth/link: a one-time login link from the operator. GET shows a button and changes nothing, since programs that check links
 * open them before people do; the button is a form and works without scripts.
 */

/** Bytes of the form: a name and a token. */
const FORM_LIMIT = 1024;

function showLink({ config, publicUrl }: RouterContext): RequestHandler {
  return (request, response) => {
    const token = queryParameters(request).get('token') ?? '';
    const main = html`<div class="narrow">
      <h1>Log in</h1>
      ${isSecretShaped(token) ? linkForm(token, localPath(publicUrl(), '/auth/link')) : INCOMPLETE}
    </div>`;
    // The address holds the token: what the page loads must not see it. The form is still sent with its origin.
    response.setHeader('Referrer-Policy', 'strict-origin');
    sendPage(response, 200, page({ title: 'Log in', account: null, main, kind: 'login', host: config }));
  };
}

function linkForm(token: string, path: string): Html {
  return html`<p>
      The operator of this host made this link for you. It works once, and expires 10 minutes after it was made.
    </p>
    <form method="post" action="${path}">
      <input type="hidden" name="token" value="${token}" />
      <button class="primary">Log in</button>
    </form>`;
}

const INCOMPLETE = html`<p>This login link is incomplete. Open it again, or copy all of it into the address bar.</p>`;

function useLink({ bodies, clients, control, publicUrl, security, sessions }: RouterContext): RequestHandler {
  return async (request, response) => {
    requireSameOrigin(request);
    const form = await bodies.receive(request, response, { limit: FORM_LIMIT, hint: 'Send the token alone.' });
    const token = new URLSearchParams(Buffer.from(form).toString('utf8')).get('token') ?? '';
    const account = await control.logins.redeem(token, { ip: clients.of(request).ip });
    if (account === null) security.loginFailed(request, { provider: 'link', code: 'link' });
    else await sessions.start(request, account);
    redirect(response, localPath(publicUrl(), account === null ? '/login?error=link' : '/console'));
  };
}
