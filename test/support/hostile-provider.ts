/** An OpenID Connect provider that logs anybody in at once and lies as told: logins must refuse what a real one never does. */
import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Listening } from './listening.ts';
import { formOf, listenOnLoopback } from './listening.ts';

type Claims = Record<string, unknown>;

/** How it differs from an honest provider. */
export interface Lies {
  /** Changes the claims of the ID token. */
  readonly claims?: (honest: Claims) => Claims;
  /** Changes the signed ID token. */
  readonly idToken?: (signed: string) => string | undefined;
  /** Signs with a key that it does not publish, or in another way. */
  readonly signing?: 'other key' | 'none' | 'client secret';
  /** Changes what the browser brings back. */
  readonly callback?: (parameters: URLSearchParams) => void;
  /** Changes the metadata. */
  readonly metadata?: (honest: Claims) => Claims;
  /** Answers this path with this status and body. */
  readonly answer?: { readonly path: string; readonly status: number; readonly body: string };
  /** Never answers this path. */
  readonly silent?: string;
  /** What userinfo returns. */
  readonly userinfo?: Claims;
}

const CLIENT = { id: 'windlass', secret: 'the secret of the client' };
const KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const OTHER_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const HOUR = 3_600; // seconds

export class HostileProvider {
  readonly issuer: string;
  readonly #told: { lies: Lies };
  readonly #listening: Listening;

  private constructor(listening: Listening, told: { lies: Lies }) {
    this.issuer = listening.url;
    this.#listening = listening;
    this.#told = told;
  }

  /** `port` 0: any free one. */
  static async start(lies: Lies = {}, port = 0): Promise<HostileProvider> {
    const told = { lies };
    const nonces = new Map<string, string | null>();
    const listening = await listenOnLoopback(
      (url) => (request, response) => {
        new Exchange(url, told.lies, nonces).answer(request, response).catch(() => response.destroy());
      },
      port,
    );
    return new HostileProvider(listening, told);
  }

  set lies(lies: Lies) {
    this.#told.lies = lies;
  }

  settings(name = 'test'): Record<string, string> {
    const prefix = `WINDLASS_AUTH_${name.toUpperCase()}`;
    return {
      [`${prefix}_ISSUER`]: this.issuer,
      [`${prefix}_CLIENT_ID`]: CLIENT.id,
      [`${prefix}_CLIENT_SECRET`]: CLIENT.secret,
    };
  }

  stop(): Promise<void> {
    return this.#listening.stop();
  }
}

/** One request. */
class Exchange {
  readonly #issuer: string;
  readonly #lies: Lies;
  readonly #nonces: Map<string, string | null>; // by code

  constructor(issuer: string, lies: Lies, nonces: Map<string, string | null>) {
    this.#issuer = issuer;
    this.#lies = lies;
    this.#nonces = nonces;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.#issuer);
    const { answer, silent } = this.#lies;
    if (silent === url.pathname) return;
    if (answer?.path === url.pathname) {
      response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(answer.body);
    } else if (url.pathname === '/authorize') this.#authorize(url.searchParams, response);
    else if (url.pathname === '/token') sendJson(response, this.#tokens(await formOf(request)));
    else if (url.pathname === '/userinfo') sendJson(response, this.#lies.userinfo ?? { sub: 'somebody' });
    else if (url.pathname === '/jwks') sendJson(response, { keys: [jwkOf(KEY.publicKey)] });
    else sendJson(response, this.#metadata());
  }

  #metadata(): Claims {
    const honest = {
      issuer: this.#issuer,
      authorization_endpoint: `${this.#issuer}/authorize`,
      token_endpoint: `${this.#issuer}/token`,
      userinfo_endpoint: `${this.#issuer}/userinfo`,
      jwks_uri: `${this.#issuer}/jwks`,
      id_token_signing_alg_values_supported: ['ES256', 'HS256', 'none'],
    };
    return this.#lies.metadata?.(honest) ?? honest;
  }

  #authorize(asked: URLSearchParams, response: ServerResponse): void {
    const code = randomBytes(16).toString('hex');
    this.#nonces.set(code, asked.get('nonce'));
    const back = new URL(asked.get('redirect_uri') ?? '');
    back.search = new URLSearchParams({ code, state: asked.get('state') ?? '' }).toString();
    this.#lies.callback?.(back.searchParams);
    response.writeHead(303, { Location: back.href }).end();
  }

  #tokens(form: URLSearchParams): Claims {
    const nonce = this.#nonces.get(form.get('code') ?? '');
    const now = Math.floor(Date.now() / 1_000);
    const honest = { iss: this.#issuer, aud: CLIENT.id, sub: 'somebody', iat: now, exp: now + HOUR, nonce };
    const signed = this.#sign(this.#lies.claims?.(honest) ?? honest);
    const idToken = this.#lies.idToken === undefined ? signed : this.#lies.idToken(signed);
    return { access_token: 'for userinfo', token_type: 'bearer', id_token: idToken };
  }

  #sign(claims: Claims): string {
    const { signing } = this.#lies;
    const alg = signing === 'none' ? 'none' : signing === 'client secret' ? 'HS256' : 'ES256';
    const text = `${part({ alg })}.${part(claims)}`;
    if (signing === 'none') return `${text}.`;
    if (signing === 'client secret')
      return `${text}.${createHmac('sha256', CLIENT.secret).update(text).digest('base64url')}`;
    const { privateKey } = signing === 'other key' ? OTHER_KEY : KEY;
    return `${text}.${sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  }
}

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function jwkOf(key: KeyObject): object {
  return { ...key.export({ format: 'jwk' }), use: 'sig' };
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
}
