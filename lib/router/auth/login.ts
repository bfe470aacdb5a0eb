/**
 * GET /auth/<provider> sends a browser to an identity provider, GET /auth/<provider>/cb takes it back: authorization code
 * flow with PKCE, state and nonce.
 */
import type { Request, RequestHandler } from '../http/request.ts';
import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import { AppError } from '../../base/errors.ts';
import { isLoopback } from '../../base/net/loopback.ts';
import type { RouterContext } from '../context.ts';
import { FailureLimit } from '../limits/failure-limit.ts';
import { redirect } from '../pages/page-policy.ts';
import { pathParameter, queryParameters } from '../http/query-string.ts';
import { GithubLogin } from './github-provider.ts';
import { localPath, returnPath } from './local-path.ts';
import { type LoginProvider, type LoginSecrets, LoginRefused, ProviderTrouble } from './login-provider.ts';
import { OpenIdLogin } from './openid-provider.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isRecord } from '../../base/is-record.ts';
import { seal, unseal } from '../../control/storage/vault.ts';
import { readJson } from '../../base/text/read-json.ts';

/** Where a login ends that was started without a return path. */
const AFTER_LOGIN = '/console';

const HOW_TO_SET = [
  'Set WINDLASS_AUTH_<NAME>_ISSUER, WINDLASS_AUTH_<NAME>_CLIENT_ID and WINDLASS_AUTH_<NAME>_CLIENT_SECRET for any OpenID Connect provider, or WINDLASS_AUTH_GITHUB_CLIENT_ID and WINDLASS_AUTH_GITHUB_CLIENT_SECRET for GitHub.',
  'Without a provider, `wl admin login-link --email …` on the server prints a link that logs in once.',
];

type LoginServices = Pick<
  RouterContext,
  'clients' | 'config' | 'control' | 'log' | 'publicUrl' | 'security' | 'sessions'
>;

/** Login through providers. */
export class Login {
  readonly #context: LoginServices;
  readonly #providers: ReadonlyMap<string, LoginProvider>;
  readonly #tickets: LoginTickets;
  readonly #tries: FailureLimit;

  constructor(context: LoginServices) {
    this.#context = context;
    this.#tickets = new LoginTickets(context.control.signingKey('login tickets'));
    this.#providers = new Map(
      context.config.authProviders.map((each) => [
        each.name,
        each.kind === 'github' ? new GithubLogin(each) : new OpenIdLogin(each),
      ]),
    );
    this.#tries = new FailureLimit(context.config.loginsPerMinute);
  }

  begin(): RequestHandler {
    const { publicUrl } = this.#context;
    return async (request, response) => {
      const elsewhere = this.#sameOnPublicHost(request);
      if (elsewhere !== null) return redirect(response, elsewhere);
      this.#countTry(request);
      const name = pathParameter(request, 'provider');
      const provider = this.#provider(name);
      const secrets = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
      const url = await this.#asked(name, provider.authorizationUrl(secrets, this.#redirectUri(name)));
      const returnTo = returnPath(queryParameters(request).get('return_to'));
      sendLoginCookie(response, publicUrl(), this.#tickets.seal({ ...secrets, provider: name, returnTo }));
      redirect(response, url.href);
    };
  }

  finish(): RequestHandler {
    const { control, clients, sessions, publicUrl, security } = this.#context;
    return async (request, response) => {
      const name = pathParameter(request, 'provider');
      const provider = this.#provider(name);
      try {
        const ticket = await this.#takeTicket(request, name);
        clearLoginCookie(response, publicUrl());
        const callback = new URL(this.#redirectUri(name));
        callback.search = queryParameters(request).toString();
        const identity = await this.#asked(name, provider.identify(callback, ticket));
        await sessions.start(request, await control.logins.logIn(identity, { ip: clients.of(request).ip }));
        redirect(response, localPath(publicUrl(), ticket.returnTo ?? AFTER_LOGIN));
      } catch (error) {
        if (!(error instanceof LoginRefused)) throw error;
        security.loginFailed(request, { provider: name, code: error.code, reason: error.message });
        redirect(response, localPath(publicUrl(), `/login?error=${error.code}`));
      }
    };
  }

  /**
   * The provider sends browsers back to the public address, and cookies belong to a name: a browser that used `localhost` where
   * that address says `127.0.0.1` is redirected first. null: no redirect needed, or WINDLASS_URL decides.
   */
  #sameOnPublicHost(request: Request): string | null {
    const { config, publicUrl } = this.#context;
    const asked = `http://${request.headers.host ?? ''}`;
    if (config.url !== null || !URL.canParse(asked)) return null;
    const [here, there] = [new URL(asked), new URL(publicUrl())];
    const isTwin = isLoopback(here.hostname) && isLoopback(there.hostname) && here.port === there.port;
    return isTwin && here.hostname !== there.hostname ? there.origin + request.originalUrl : null;
  }

  /** Throws 503 `feature_disabled` for one that is not configured. */
  #provider(name: string): LoginProvider {
    const provider = this.#providers.get(name);
    if (provider !== undefined) return provider;
    if (this.#providers.size === 0) {
      throw new AppError('feature_disabled', 'No login provider is configured.', { hints: HOW_TO_SET });
    }
    const known = [...this.#providers.keys()].map((each) => `/auth/${each}`).join(', ');
    throw new AppError('feature_disabled', `This login provider is not configured. Configured: ${known}.`, {
      hints: HOW_TO_SET,
    });
  }

  #countTry(request: Request): void {
    const { ip } = this.#context.clients.of(request);
    if (this.#tries.add(ip)) return;
    throw this.#tries.tooMany('logins', { hints: ['Wait for the seconds in Retry-After, then try again.'] });
  }

  /**
   * Throws LoginRefused unless the browser brings a fresh login with this provider and the matching answer. A mismatch uses
   * nothing up: another site's page must not be able to spoil a login.
   */
  async #takeTicket(request: Request, name: string): Promise<LoginTicket> {
    const sealed = loginCookie(request, this.#context.publicUrl());
    const ticket = sealed === null ? null : this.#tickets.open(sealed);
    if (ticket === null) throw new LoginRefused('state', 'no login is in flight in this browser');
    if (ticket.provider !== name) throw new LoginRefused('state', 'the login was begun with another provider');
    const states = queryParameters(request).getAll('state');
    if (states.length !== 1 || states[0] !== ticket.state) {
      throw new LoginRefused('state', 'the answer belongs to another login');
    }
    if (!(await this.#context.control.logins.useOnce(ticket.state, ticket.expiresAt)))
      throw new LoginRefused('state', 'this login is finished already');
    return ticket;
  }

  /** Runs `work` in bounded time. Trouble at the provider is 503. */
  async #asked<T>(name: string, work: Promise<T>): Promise<T> {
    try {
      return await inTime(work);
    } catch (error) {
      if (!(error instanceof ProviderTrouble)) throw error;
      this.#context.log.error({ provider: name, reason: error.message }, 'a login provider does not work');
      throw new AppError('login_unavailable', `The login provider "${name}" is unreachable or failing.`, {
        hints: ['Try again in a minute.', "The server's log says what is wrong."],
      });
    }
  }

  #redirectUri(name: string): string {
    return new URL(`${this.#context.publicUrl()}/auth/${name}/cb`).href;
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    // Limit of all requests to a provider for one answer.
    timer = setTimeout(() => reject(new ProviderTrouble('it takes too long')), 8_000);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** How long a person may take at the provider, ms. */
export const TICKET_LIFETIME_MS = 600_000;

/**
 * A login in flight. Its state is sealed in a cookie of the browser that began it: unfinished logins cost no memory, nobody else can
 * finish one, and nobody can read the verifier.
 */
interface LoginTicket extends LoginSecrets {
  /** The chosen provider: only its answer counts. */
  readonly provider: string;
  /** Path to go to after the login; null: the default. */
  readonly returnTo: string | null;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Seals and opens tickets, with a key that all nodes of a service have. */
export class LoginTickets {
  readonly #key: Buffer;
  readonly #now: () => number;

  /** `key`: 256 bits in base64url. */
  constructor(key: string, now: () => number = Date.now) {
    this.#key = Buffer.from(key, 'base64url');
    this.#now = now;
  }

  /** The ticket as text for a cookie. */
  seal(ticket: Omit<LoginTicket, 'expiresAt'>): string {
    const text = JSON.stringify({ ...ticket, expiresAt: this.#now() + TICKET_LIFETIME_MS });
    return seal(this.#key, text).toString('base64url');
  }

  /** The ticket in a cookie; null if it is not ours or has expired. */
  open(sealed: string): LoginTicket | null {
    // Characters: browsers keep no longer cookie.
    const ticket = sealed.length > 4_096 ? null : this.#unseal(Buffer.from(sealed, 'base64url'));
    return ticket === null || ticket.expiresAt <= this.#now() ? null : ticket;
  }

  #unseal(bytes: Buffer): LoginTicket | null {
    try {
      const ticket: unknown = readJson(unseal(this.#key, bytes));
      return isTicket(ticket) ? ticket : null;
    } catch {
      return null; // too short, or wrong tag: sealed by somebody else
    }
  }
}

const TICKET_FIELDS = ['state', 'nonce', 'verifier', 'provider', 'returnTo', 'expiresAt'];

function isTicket(value: unknown): value is LoginTicket {
  return isRecord(value) && TICKET_FIELDS.every((field) => field in value);
}

/**
 * Sets the cookie that carries a login's ticket to the provider and back. `publicUrl` is the address that browsers see. On https the name begins with `__Host-`: browsers then accept the cookie only
 * from this host, so a neighbour in the same domain cannot plant a login.
 */
function sendLoginCookie(response: ServerResponse, publicUrl: string, value: string): void {
  append(response, publicUrl, `${value}; Max-Age=${TICKET_LIFETIME_MS / 1_000}`);
}

function clearLoginCookie(response: ServerResponse, publicUrl: string): void {
  append(response, publicUrl, '; Max-Age=0');
}

/** The value that the browser sent; null if it sent none. */
function loginCookie({ headers }: IncomingMessage, publicUrl: string): string | null {
  const start = `${nameFor(publicUrl)}=`;
  const found = headers.cookie?.split(';').find((part) => part.trimStart().startsWith(start));
  return found?.trim().slice(start.length) ?? null;
}

function append(response: ServerResponse, publicUrl: string, value: string): void {
  const secure = isSecure(publicUrl) ? '; Secure' : '';
  // Lax: it must be sent when the provider redirects the browser back.
  response.appendHeader('Set-Cookie', `${nameFor(publicUrl)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}`);
}

function nameFor(publicUrl: string): string {
  return isSecure(publicUrl) ? '__Host-wl_login' : 'wl_login';
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}
