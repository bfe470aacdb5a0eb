/** GitHub as a login sees it: the authorization page, the exchange of the code, and two paths of its REST API. */
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Listening } from './listening.ts';
import { formOf, listenOnLoopback } from './listening.ts';

/** What the API returns; `emails` null: the token may not read them. */
export interface GithubUser {
  readonly id: unknown;
  readonly login: string;
  readonly name: string | null;
  readonly emails: readonly { email: string; primary: boolean; verified: boolean }[] | null;
}

interface Grant {
  readonly challenge: string | null;
  readonly redirectUri: string | null;
}

const CLIENT = { id: 'Iv1.windlass', secret: 'the secret of the app' };

export class GithubStandIn {
  readonly url: string;
  readonly #told: { user: GithubUser };
  readonly #listening: Listening;

  private constructor(listening: Listening, told: { user: GithubUser }) {
    this.url = listening.url;
    this.#listening = listening;
    this.#told = told;
  }

  static async start(user: GithubUser): Promise<GithubStandIn> {
    const told = { user };
    const grants = new Map<string, Grant>();
    const listening = await listenOnLoopback((url) => (request, response) => {
      answer({ url, user: told.user, grants }, request, response).catch(() => response.destroy());
    });
    return new GithubStandIn(listening, told);
  }

  /** The user who logs in from now on. */
  set user(user: GithubUser) {
    this.#told.user = user;
  }

  settings(): Record<string, string> {
    return {
      WINDLASS_AUTH_GITHUB_CLIENT_ID: CLIENT.id,
      WINDLASS_AUTH_GITHUB_CLIENT_SECRET: CLIENT.secret,
      WINDLASS_AUTH_GITHUB_URL: this.url,
    };
  }

  stop(): Promise<void> {
    return this.#listening.stop();
  }
}

interface Standing {
  readonly url: string;
  readonly user: GithubUser;
  readonly grants: Map<string, Grant>; // by code
}

async function answer(standing: Standing, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = new URL(request.url ?? '/', standing.url);
  if (asked.pathname === '/login/oauth/authorize') return authorize(standing, asked.searchParams, response);
  if (asked.pathname === '/login/oauth/access_token') {
    return sendJson(response, 200, exchange(standing, await formOf(request)));
  }
  if (request.headers.authorization !== 'Bearer gho_token' || request.headers['user-agent'] === undefined) {
    return sendJson(response, 401, { message: 'Bad credentials' });
  }
  const { id, login, name, emails } = standing.user;
  if (asked.pathname === '/api/v3/user')
    return sendJson(response, 200, { id, login, name, email: 'public@example.org' });
  if (asked.pathname === '/api/v3/user/emails' && emails !== null) return sendJson(response, 200, emails);
  return sendJson(response, 404, { message: 'Not Found' });
}

function authorize({ url, grants }: Standing, asked: URLSearchParams, response: ServerResponse): void {
  const code = randomBytes(10).toString('hex');
  const redirectUri = asked.get('redirect_uri');
  grants.set(code, { challenge: asked.get('code_challenge'), redirectUri });
  const back = new URL(redirectUri ?? '');
  const told = { code, state: asked.get('state') ?? '', iss: `${url}/login/oauth` };
  back.search = new URLSearchParams(told).toString();
  response.writeHead(302, { Location: back.href }).end();
}

/** GitHub answers failed exchanges with 200. */
function exchange({ grants }: Standing, form: URLSearchParams): object {
  const code = form.get('code') ?? '';
  const grant = grants.get(code);
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url');
  if (form.get('client_id') !== CLIENT.id || form.get('client_secret') !== CLIENT.secret) {
    return {
      error: 'incorrect_client_credentials',
      error_description: 'The client_id and/or client_secret are wrong.',
    };
  }
  if (grant === undefined || grant.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri')) {
    return { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' };
  }
  grants.delete(code);
  return { access_token: 'gho_token', token_type: 'bearer', scope: 'read:user,user:email' };
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify(value));
}
