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
import { localPath, returnPath } from './local-path.ts';
import { html, type Html } from '../pages/html.ts';
import { page } from '../pages/layout.ts';
import { queryParameters } from '../http/query-string.ts';
import type { AuthProvider } from '../../base/config/auth-providers.ts';
import { LOGIN_ERRORS } from './login-errors.ts';
import { snippet } from '../pages/snippet.ts';

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

/** GET /login: the login providers of this host, and what to do when there are none. */
export function login(context: RouterContext): RequestHandler {
  const { authProviders } = context.config;
  return async (request, response) => {
    const parameters = queryParameters(request);
    const returnTo = returnPath(parameters.get('return_to'));
    if ((await context.sessions.find(request)) !== null) return redirect(response, returnTo ?? '/console');
    const error = parameters.get('error');
    const main = html`<div class="narrow">
      <h1>Log in</h1>
      ${error !== null && html`<p class="notice wrong" role="alert">${problem(error)}</p>`}
      ${authProviders.length === 0 ? noProvider() : choices(authProviders, returnTo)}
      <details class="operator" ${authProviders.length === 0 && html` open`}>
        <summary>Do you run this host?</summary>
        <p>
          Run this on the server, in the folder where it runs or with its <code>WINDLASS_DATA</code>, to print a link
          that logs you in once, within 10 minutes:
        </p>
        ${snippet('wl admin login-link --email you@example.com', 'print a login link')}
      </details>
    </div>`;
    sendPage(response, 200, page({ title: 'Log in', account: null, main, kind: 'login', host: context.config }));
  };
}

/** Anybody can write the address: an unknown code gets a sentence too, and is not shown. */
function problem(code: string): string {
  return new Map<string, string>(Object.entries(LOGIN_ERRORS)).get(code) ?? 'The login failed. Please try again.';
}

function choices(providers: readonly AuthProvider[], returnTo: string | null): Html {
  const query = returnTo === null ? '' : `?return_to=${encodeURIComponent(returnTo)}`;
  return html`<p>
      Your first login creates your own organization. If you were invited, log in with the invited address.
    </p>
    <ul class="providers">
      ${providers.map(
        ({ name, label }) =>
          html`<li><a class="button primary" href="/auth/${name}${query}">Log in with ${label}</a></li>`,
      )}
    </ul>`;
}

function noProvider(): Html {
  return html`<p class="notice">This host has no login provider yet.</p>
    <p>
      The operator configures one with <code>WINDLASS_AUTH_&lt;NAME&gt;_ISSUER</code>, <code>_CLIENT_ID</code> and
      <code>_CLIENT_SECRET</code> (any OpenID Connect provider), or with <code>WINDLASS_AUTH_GITHUB_CLIENT_ID</code> and
      <code>_CLIENT_SECRET</code>, and restarts the server. Until then, use a login link.
    </p>`;
}
