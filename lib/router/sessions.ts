/** Who is logged in: from the cookie of a browser to an account, and the guard against pages of other origins. */
import cookieSession from 'cookie-session';
import type { Request, RequestHandler } from 'express';
import type { ControlDatabase } from '../control/database.ts';
import { SESSION_LIFETIME_MS } from '../control/sessions.ts';
import type { Account } from '../control/types.ts';
import { AppError } from '../errors.ts';
import type { ClientAddresses } from './client-address.ts';
import type { FailureLimit } from './failure-limit.ts';

const COOKIE = 'wl_session';

/** No id is longer; what is longer need not be hashed. */
const MAX_ID_LENGTH = 64;

interface Parts {
  readonly control: ControlDatabase;
  readonly clients: ClientAddresses;
  readonly failures: FailureLimit;
  /** WINDLASS_URL, as browsers see the service; null: as they address it. */
  readonly url: string | null;
}

/** Keeps the sessions of browsers. The cookie holds nothing but the id of one, signed; the control database has the rest. */
export class SessionKeeper {
  readonly #parts: Parts;
  readonly #cookies: RequestHandler;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#cookies = cookieSession({
      name: COOKIE,
      keys: [parts.control.signingKey('session cookie')],
      maxAge: SESSION_LIFETIME_MS,
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
    });
  }

  /** Must run before every handler that asks for a session. Costs nothing for those that do not. */
  middleware(): RequestHandler {
    const { url } = this.#parts;
    const origin = url === null ? null : new URL(url).origin;
    return (request, response, next) => {
      // What the browser speaks, whatever a proxy makes of it: cookies are `Secure` by it.
      if (origin?.startsWith('https:') === true) Object.defineProperty(request, 'protocol', { value: 'https' });
      if (origin !== null) publicOrigins.set(request, origin);
      return this.#cookies(request, response, next);
    };
  }

  /** The account that is logged in. Throws 401 when none is, and 429 instead for an address that fails too often. */
  account(request: Request): Account {
    const account = this.find(request);
    if (account !== null) return account;
    throw this.#parts.failures.refuse(this.#parts.clients.of(request).ip, 'Not logged in: there is no valid session.', {
      hints: ['Log in at /login; the cookie wl_session is the credential.'],
    });
  }

  /** null: nobody is logged in. A session that has ended takes its cookie along. */
  find(request: Request): Account | null {
    const id = idOf(request);
    if (id === null) return null;
    const found = this.#parts.control.session(id);
    if (found === null) request.session = null;
    else if (found.renewed) request.session = { id }; // sent again, so that it lives as long as the session
    return found?.account ?? null;
  }

  /** Logs in. The session is a new one, whatever cookie came: an id that somebody else has planted is worth nothing. */
  start(request: Request, account: Account): void {
    this.end(request);
    request.session = { id: this.#parts.control.createSession(account.id) };
  }

  /** Logs out, in the database too: a copy of the cookie is worth nothing any more. */
  end(request: Request): void {
    const id = idOf(request);
    if (id !== null) this.#parts.control.endSession(id);
    request.session = null;
  }
}

/**
 * Throws 403 unless a page of our own sends the request: browsers add the cookie to those of other pages too. Pages with
 * forms must not have the policy `no-referrer`, under which browsers send `Origin: null`; `strict-origin` is good.
 */
export function requireSameOrigin(request: Request): void {
  const site = request.headers['sec-fetch-site'];
  if (site === undefined ? isOwnOrigin(request) : site === 'same-origin') return;
  throw new AppError('forbidden', 'A change with a session must come from a page of this service.', {
    hints: [
      'Programs send the header Origin with the address of the service, or use an API key.',
      'Behind a proxy, set WINDLASS_URL to the address that browsers see.',
    ],
  });
}

const publicOrigins = new WeakMap<Request, string>();

function isOwnOrigin(request: Request): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  const sent = new URL(origin);
  const known = publicOrigins.get(request);
  if (sent.origin === known) return true;
  // The public name counts with its own scheme alone: its page over plain http may be anybody's on the way.
  const isPublicName = known !== undefined && sent.host === new URL(known).host;
  return !isPublicName && /^https?:$/.test(sent.protocol) && sent.host === host;
}

function idOf(request: Request): string | null {
  const id: unknown = request.session?.['id'];
  return typeof id === 'string' && id.length <= MAX_ID_LENGTH ? id : null;
}
