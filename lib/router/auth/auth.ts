/** /auth/*: how people log in. */
import type { RequestHandler } from '../http/request.ts';
import { isSecretShaped } from '../../control/key-text.ts';
import type { RouterContext } from '../context.ts';
import { operation, type Routes } from '../route/route.ts';
import { component, json, parameter, seeOther, ANY_STRING, textAnswer, also, objectOf } from '../route/schema.ts';
import { asPage, redirect, sendPage } from '../pages/page-policy.ts';
import { Login } from './login.ts';
import { sendJson } from '../http/answer.ts';
import { AppError } from '../../base/errors.ts';
import { FailureLimit } from '../limits/failure-limit.ts';
import { requireSameOrigin } from './sessions.ts';
import { localPath, returnPath } from './local-path.ts';
import { html, type Html, snippet } from '../pages/html.ts';
import { page } from '../pages/layout.ts';
import { themeOf } from '../pages/theme.ts';
import { acceptsPages, queryParameters } from '../http/query-string.ts';
import type { AuthProvider } from '../../base/config/auth-providers.ts';
import { LOGIN_ERRORS } from './login-provider.ts';

const LOGIN = { tags: ['login'], security: [] };
const SEE_OTHER = seeOther('A path of this service.');

/** Any name may follow /auth: the paths that are not providers come first. */
export const AUTH_ROUTES: Routes = {
  '/auth/link': {
    get: operation(
      LOGIN,
      'showLoginLink',
      'The page of a login link: a button posts its token. Opening the page changes nothing.',
      {
        parameters: [
          parameter('token', 'The token from the link.'),
          parameter('return_to', 'Path of this host to open after login.'),
        ],
        ok: textAnswer('A page.', 'text/html'),
        handler: (services) => asPage(showLink(services)),
      },
    ),
    post: operation(
      LOGIN,
      'useLoginLink',
      'Logs in with a link, once: sets wl_session, or redirects to /login?error=link.',
      {
        requestBody: {
          required: true,
          content: {
            'application/x-www-form-urlencoded': {
              schema: also({ return_to: ANY_STRING }, objectOf({ token: ANY_STRING })),
            },
          },
        },
        answers: { '303': SEE_OTHER },
        fails: [403, 429],
        handler: useLink,
      },
    ),
  },
  '/auth/mail': {
    post: operation(LOGIN, 'mailLoginLink', 'Mails a login link to an address that has an account or an invitation.', {
      requestBody: {
        required: true,
        content: { 'application/x-www-form-urlencoded': { schema: objectOf({ email: ANY_STRING }) } },
      },
      ok: textAnswer('The same page for every address.', 'text/html'),
      fails: [400, 403, 429, 503],
      handler: (services) => asPage(mailLink(services)),
    }),
  },
  '/auth/logout': {
    post: operation(LOGIN, 'logout', 'Ends the session. Browsers are redirected to /login.', {
      ok: json('The session has ended.', component('LoggedOut', objectOf({ ok: { const: true } }))),
      answers: { '303': SEE_OTHER },
      fails: [403],
      handler: logout,
    }),
  },
  '/auth/{provider}': {
    get: operation(LOGIN, 'beginLogin', 'Sends a browser to the identity provider to log in.', {
      parameters: [parameter('return_to', 'Path of this service to go to afterward; others are passed over.')],
      answers: { '303': seeOther('An address of the provider.') },
      fails: [405, 429],
      head: false,
      handler: (services) => loginOf(services).begin(),
    }),
  },
  '/auth/{provider}/cb': {
    get: operation(
      LOGIN,
      'finishLogin',
      'The callback of the provider: sets wl_session, or redirects to /login?error=….',
      {
        parameters: [
          parameter('state', 'Of the login that was begun in this browser.'),
          parameter('code', "The provider's code for the login."),
          parameter('error', 'Why the provider refused the login.'),
          parameter('iss', 'Which provider says so.'),
        ],
        answers: { '303': SEE_OTHER },
        fails: [405],
        head: false,
        handler: (services) => loginOf(services).finish(),
      },
    ),
  },
  '/login': {
    get: operation({ tags: ['pages'], security: [] }, 'login', 'The login page.', {
      parameters: [
        parameter('return_to', 'Path of this host to return to after login.'),
        parameter('error', 'Why the login failed.'),
      ],
      ok: textAnswer('A page.', 'text/html'),
      answers: { '303': { description: 'Already logged in: redirects to the console.' } },
      handler: (services) => asPage(loginPage(services)),
    }),
  },
};

const logins = new WeakMap<RouterContext, Login>();

/** The same for both of its paths. */
function loginOf(services: RouterContext): Login {
  const login = logins.get(services) ?? new Login(services);
  logins.set(services, login);
  return login;
}

/** POST /auth/logout: also ends the session in the database. Forms are redirected to the login page, programs get JSON. */
function logout({
  publicUrl,
  security,
  sessions,
}: Pick<RouterContext, 'publicUrl' | 'security' | 'sessions'>): RequestHandler {
  return async (request, response) => {
    requireSameOrigin(request);
    const found = await sessions.find(request);
    await sessions.end(request);
    if (found !== null) security.sessionsEnded(request, found.account.email ?? found.account.id, 1);
    if (!acceptsPages(request)) return sendJson(response, 200, { ok: true });
    response.setHeader('Clear-Site-Data', '"storage"'); // the script that forgets questions may not have been there yet
    redirect(response, localPath(publicUrl(), '/login'));
  };
}

/**
 * /auth/link: a one-time login link from the operator. GET shows a button and changes nothing, since programs that check links
 * open them before people do; the button is a form and works without scripts.
 */

function showLink({ config, publicUrl }: Pick<RouterContext, 'config' | 'publicUrl'>): RequestHandler {
  return (request, response) => {
    const parameters = queryParameters(request);
    const token = parameters.get('token') ?? '';
    const returnTo = returnPath(parameters.get('return_to'));
    const main = html`<div class="narrow">
      <h1>Log in</h1>
      ${isSecretShaped(token) ? linkForm(token, returnTo, localPath(publicUrl(), '/auth/link')) : INCOMPLETE}
    </div>`;
    // The address holds the token: what the page loads must not see it. The form is still sent with its origin.
    response.setHeader('Referrer-Policy', 'strict-origin');
    sendPage(
      response,
      200,
      page({ title: 'Log in', account: null, main, kind: 'login', host: config, theme: themeOf(request) }),
    );
  };
}

function linkForm(token: string, returnTo: string | null, path: string): Html {
  return html`<p>One-time login link, valid for 10 minutes.</p>
    <form method="post" action="${path}">
      <input type="hidden" name="token" value="${token}" />
      ${returnTo !== null && html`<input type="hidden" name="return_to" value="${returnTo}" />`}
      <button class="primary">Log in</button>
    </form>`;
}

const INCOMPLETE = html`<p>This login link is incomplete. Open it again, or copy all of it into the address bar.</p>`;

function useLink({
  bodies,
  clients,
  control,
  publicUrl,
  security,
  sessions,
}: Pick<RouterContext, 'bodies' | 'clients' | 'control' | 'publicUrl' | 'security' | 'sessions'>): RequestHandler {
  return async (request, response) => {
    requireSameOrigin(request);
    // Bytes of the form: a token, and a path with escapes.
    const sent = await bodies.receive(request, response, { limit: 2048, hint: 'Send the token and the path alone.' });
    const form = new URLSearchParams(Buffer.from(sent).toString('utf8'));
    const token = form.get('token') ?? '';
    const next = returnPath(form.get('return_to')) ?? '/console';
    const entered = await control.logins.redeem(token, { ip: clients.of(request).ip });
    if (entered === null) security.loginFailed(request, { provider: 'link', code: 'link' });
    else await sessions.start(request, entered);
    redirect(response, localPath(publicUrl(), entered === null ? '/login?error=link' : next));
  };
}

/** POST /auth/mail: the answer says nothing of the address. */
function mailLink(services: RouterContext): RequestHandler {
  const { bodies, clients, config, mail } = services;
  const tries = new FailureLimit(config.loginsPerMinute);
  return async (request, response) => {
    requireSameOrigin(request);
    if (mail === null || !config.mailLogin)
      throw new AppError('feature_disabled', 'This host sends no login links by mail.', {
        hints: ['Its operator turns them on with WINDLASS_SMTP_URL and WINDLASS_MAIL_LOGIN.'],
      });
    if (!tries.add(clients.of(request).ip)) throw tries.tooMany('logins');
    const form = await bodies.receive(request, response, { limit: 1024, hint: 'Send the address alone.' });
    await mail.loginLink(new URLSearchParams(Buffer.from(form).toString('utf8')).get('email') ?? '');
    const main = html`<div class="narrow">
      <h1>Look into your mail</h1>
      <p>
        If this address has an account or an invitation here, a link that logs you in is on its way. It works once,
        within ten minutes.
      </p>
      <p><a href="/login">Back to the login</a></p>
    </div>`;
    sendPage(
      response,
      200,
      page({ title: 'Look into your mail', account: null, main, kind: 'login', host: config, theme: themeOf(request) }),
    );
  };
}

/** GET /login: the login providers of this host, and what to do when there are none. */
function loginPage({ config, sessions }: Pick<RouterContext, 'config' | 'sessions'>): RequestHandler {
  const { authProviders } = config;
  return async (request, response) => {
    const parameters = queryParameters(request);
    const returnTo = returnPath(parameters.get('return_to'));
    if ((await sessions.find(request)) !== null) return redirect(response, returnTo ?? '/console');
    const error = parameters.get('error');
    const main = html`<div class="narrow">
      <h1>Log in</h1>
      ${error !== null && html`<p class="notice wrong" role="alert">${problem(error)}</p>`}
      ${authProviders.length > 0 && choices(authProviders, returnTo)} ${config.mailLogin && BY_MAIL}
      ${authProviders.length === 0 && !config.mailLogin && noProvider()}
      <details class="operator" ${authProviders.length === 0 && !config.mailLogin && html` open`}>
        <summary>Do you run this host?</summary>
        <p>
          Run this on the server, in the folder where it runs or with its <code>WINDLASS_DATA</code>, to print a link
          that logs you in once, within 10 minutes:
        </p>
        ${snippet('wl admin login-link --email you@example.com', 'print a login link')}
      </details>
    </div>`;
    sendPage(
      response,
      200,
      page({ title: 'Log in', account: null, main, kind: 'login', host: config, theme: themeOf(request) }),
    );
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

const BY_MAIL = html`<form method="post" action="/auth/mail">
  <label for="email">E-mail address</label>
  <input id="email" name="email" type="email" autocomplete="email" required maxlength="254" />
  <button>Mail me a login link</button>
</form>`;

function noProvider(): Html {
  return html`<p class="notice">This host has no login provider yet.</p>
    <p>
      The operator configures one with <code>WINDLASS_AUTH_&lt;NAME&gt;_ISSUER</code>, <code>_CLIENT_ID</code> and
      <code>_CLIENT_SECRET</code> (any OpenID Connect provider), or with <code>WINDLASS_AUTH_GITHUB_CLIENT_ID</code> and
      <code>_CLIENT_SECRET</code>, and restarts the server. Until then, use a login link.
    </p>`;
}
