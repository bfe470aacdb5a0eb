/** Who is logged in: finds the account of a browser's cookie, and guards against pages of other origins. */
import type { RequestHandler } from 'express';
import type { Request } from '../http/request.ts';
import type { ControlDatabase } from '../../control/database.ts';
import type { Entered } from '../../control/accounts/logins.ts';
import type { Account } from '../../control/types.ts';
import { AppError } from '../../base/errors.ts';
import { monotonic } from '../../base/monotonic.ts';
import { REVOCATION_MS } from './credentials.ts';
import type { ClientAddresses } from '../http/client-address.ts';
import type { FailureLimit } from '../limits/failure-limit.ts';
import cookieSession from 'cookie-session';
import Keygrip from 'keygrip';
import { IDLE_LIFETIME_MS } from '../../control/accounts/sessions.ts';

interface Parts {
  readonly control: ControlDatabase;
  readonly clients: ClientAddresses;
  readonly failures: FailureLimit;
  /** WINDLASS_URL, as browsers see the service; null: the address they use. */
  readonly url: string | null;
  /** A clock, for tests. */
  readonly now?: () => number;
}

/** Who is logged in, and through which session. */
export interface LoggedIn {
  readonly account: Account;
  /** Names the session; not a secret. */
  readonly sessionId: string;
  /** The address that its login has proven. */
  readonly email: string | null;
}

interface Early {
  readonly found: LoggedIn;
  /** By the monotonic clock. */
  readonly at: number;
}

/** Keeps the sessions of browsers. The cookie holds only a session's secret, signed; the rest is in the control database. */
export class SessionKeeper {
  readonly #parts: Parts;
  readonly #now: () => number;
  /** Found before a request had its turn, and not used since. */
  readonly #early = new WeakMap<Request, Early>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#now = parts.now ?? monotonic;
  }

  /** Must run before every handler that needs a session. Costs the others nothing. */
  middleware(): RequestHandler {
    const { url, control } = this.#parts;
    const cookie = cookieSession({
      name: 'wl_session',
      // Signed with SHA-256 under its own key; keygrip defaults to SHA-1.
      keys: new Keygrip([control.signingKey('session cookie, sha256')], 'sha256'),
      maxAge: IDLE_LIFETIME_MS,
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
    });
    const origin = url === null ? null : new URL(url).origin;
    return (request, response, next) => {
      // What the browser speaks, whatever a proxy does: decides if cookies are `Secure`.
      if (origin?.startsWith('https:') === true) Object.defineProperty(request, 'protocol', { value: 'https' });
      if (origin !== null) publicOrigins.set(request, origin);
      return cookie(request, response, next);
    };
  }

  /** Who is logged in. Throws 401 when nobody is, or 429 for an address that fails too often. */
  async loggedIn(request: Request): Promise<LoggedIn> {
    const early = this.#early.get(request);
    this.#early.delete(request); // a later look, after a body, must see what has changed meanwhile
    if (early !== undefined && this.#now() - early.at < REVOCATION_MS) return early.found;
    const found = await this.#find(request);
    if (found !== null) return found;
    throw this.#parts.failures.refuse(this.#parts.clients.of(request).ip, 'Not logged in: there is no valid session.', {
      hints: ['Log in at /login: this API uses the cookie wl_session.'],
    });
  }

  /** Like `loggedIn`, for a request that waits for its turn: its next `loggedIn`, if that comes soon, need not look again. */
  async loggedInEarly(request: Request): Promise<LoggedIn> {
    return this.#keep(request, await this.loggedIn(request));
  }

  /**
   * Who is logged in; null: nobody. If the session has ended, its cookie is removed. The request's next `loggedIn`,
   * if that comes soon, need not look again.
   */
  async find(request: Request): Promise<LoggedIn | null> {
    const found = await this.#find(request);
    return found === null ? null : this.#keep(request, found);
  }

  /** Logs in. Always starts a new session, so one that somebody else planted is worthless. */
  async start(request: Request, { id, proven: email }: Entered): Promise<void> {
    await this.end(request);
    const { control, clients } = this.#parts;
    const origin = { ip: clients.of(request).ip, userAgent: request.headers['user-agent'] ?? null, email };
    request.session = { id: await control.sessions.create(id, origin) };
  }

  /** Logs out, in the database too: a copied cookie becomes worthless. */
  async end(request: Request): Promise<void> {
    const secret = secretOf(request);
    if (secret !== null) await this.#parts.control.sessions.end(secret);
    request.session = null;
  }

  #keep(request: Request, found: LoggedIn): LoggedIn {
    this.#early.set(request, { found, at: this.#now() });
    return found;
  }

  async #find(request: Request): Promise<LoggedIn | null> {
    const secret = secretOf(request);
    if (secret === null) return null;
    const { control } = this.#parts;
    const found = await control.sessions.find(secret);
    if (found === null) {
      request.session = null;
      return null;
    }
    if (found.renewed) request.session = { id: secret }; // sent again, so that it lives as long as the session
    const account = await control.accounts.get(found.accountId);
    return { account, sessionId: found.id, email: found.email };
  }
}

/**
 * Throws 403 unless one of our own pages sends the request: browsers add the cookie to those of other pages too. Pages with forms
 * must not have the policy `no-referrer`, since browsers then send `Origin: null`; `strict-origin` works.
 */
export function requireSameOrigin(request: Request): void {
  const site = request.headers['sec-fetch-site'];
  if (site === undefined ? isOwnOrigin(request) : site === 'same-origin') return;
  throw new AppError('forbidden', 'Changes with a session must come from a page of this service.', {
    hints: [
      'Programs should send an Origin header with the address of the service, or use an API key.',
      'Behind a proxy, set WINDLASS_URL to the address that browsers see.',
    ],
  });
}

const publicOrigins = new WeakMap<Request, string>();

/** Whether a request says that a page of this service sends it: one of WINDLASS_URL, or of the host that it asks. */
export function isOwnOrigin(request: Request): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  const sent = new URL(origin);
  const known = publicOrigins.get(request);
  if (sent.origin === known) return true;
  // The public name counts only with its own scheme: its page over plain http may be anybody's on the way.
  const isPublicName = known !== undefined && sent.host === new URL(known).host;
  return !isPublicName && /^https?:$/.test(sent.protocol) && sent.host === host;
}

function secretOf(request: Request): string | null {
  const secret: unknown = request.session?.['id'];
  // No secret is longer, so longer ones need no hashing.
  return typeof secret === 'string' && secret.length <= 64 ? secret : null;
}
