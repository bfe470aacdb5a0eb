/**
 * /auth/link: a one-time login link from the operator. GET shows a button and changes nothing, since programs that check links
 * open them before people do; the button is a form and works without scripts.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { RouterContext } from '../context.ts';
import { html } from '../pages/html.ts';
import { page } from '../pages/layout.ts';
import { redirect, sendPage } from '../pages/send-page.ts';
import { queryParameters } from '../http/query-string.ts';
import { requireSameOrigin } from './sessions.ts';
import { localPath } from './local-path.ts';

/** Bytes of the form: a name and a token. */
const FORM_LIMIT = 1024;

export function showLink({ config, publicUrl }: RouterContext): RequestHandler {
  return (request, response) => {
    const token = queryParameters(request).get('token') ?? '';
    const main = html`<div class="narrow">
      <h1>Log in</h1>
      <p>The operator of this host made this link for you. It works once, and expires 10 minutes after it was made.</p>
      <form method="post" action="${localPath(publicUrl(), '/auth/link')}">
        <input type="hidden" name="token" value="${token}" />
        <button class="primary">Log in</button>
      </form>
    </div>`;
    // The address holds the token: what the page loads must not see it. The form is still sent with its origin.
    response.setHeader('Referrer-Policy', 'strict-origin');
    sendPage(response, 200, page({ title: 'Log in', account: null, main, kind: 'login', host: config }));
  };
}

export function useLink(context: RouterContext): RequestHandler {
  const { clients, control, publicUrl, security, sessions } = context;
  return async (request, response) => {
    requireSameOrigin(request);
    const token = (await formOf(context, request, response)).get('token') ?? '';
    const account = await control.logins.redeem(token, { ip: clients.of(request).ip });
    if (account === null) security.loginFailed(request, { provider: 'link', code: 'link' });
    else await sessions.start(request, account);
    redirect(response, localPath(publicUrl(), account === null ? '/login?error=link' : '/console'));
  };
}

async function formOf(
  { bodies }: RouterContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<URLSearchParams> {
  const bytes = await bodies.receive(request, response, { limit: FORM_LIMIT, hint: 'Send the token alone.' });
  return new URLSearchParams(Buffer.from(bytes).toString('utf8'));
}
