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
import { redirect } from '../pages/send-page.ts';
import { pathParameter, queryParameters } from '../http/query-string.ts';
import { GithubLogin } from './github-provider.ts';
import { localPath, returnPath } from './local-path.ts';
import type { LoginProvider } from './login-provider.ts';
import { clearLoginCookie, loginCookie, type LoginTicket, LoginTickets, sendLoginCookie } from './login-tickets.ts';
import { LoginRefused, ProviderTrouble } from './login-errors.ts';
import { OpenIdLogin } from './openid-provider.ts';

/** Where a login ends that was started without a return path. */
const AFTER_LOGIN = '/console';

/** Limit of all requests to a provider for one answer, ms. */
const PATIENCE_MS = 8_000;

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
    timer = setTimeout(() => reject(new ProviderTrouble('it takes too long')), PATIENCE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
