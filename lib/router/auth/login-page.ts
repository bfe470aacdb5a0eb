/** GET /login: the login providers of this host, and what to do when there are none. */
import type { RequestHandler } from 'express';
import type { AuthProvider } from '../../base/config/auth-providers.ts';
import { LOGIN_ERRORS } from './login-errors.ts';
import { returnPath } from './return-path.ts';
import type { RouterContext } from '../context.ts';
import { queryParameters } from '../http/query-string.ts';
import { type Html, html } from '../pages/html.ts';
import { page } from '../pages/layout.ts';
import { redirect, sendPage } from '../pages/send-page.ts';
import { snippet } from '../pages/snippet.ts';

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
