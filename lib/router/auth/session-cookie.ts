/** The cookie of a browser's session. */
import cookieSession from 'cookie-session';
import type { RequestHandler } from 'express';
import Keygrip from 'keygrip';
import type { ControlDatabase } from '../../control/database.ts';
import { IDLE_LIFETIME_MS } from '../../control/accounts/sessions.ts';

const COOKIE = 'wl_session';

/** Reads and writes it; `request.session` is what it holds. */
export function sessionCookie(control: ControlDatabase): RequestHandler {
  return cookieSession({
    name: COOKIE,
    // Signed with SHA-256 under its own key; keygrip defaults to SHA-1.
    keys: new Keygrip([control.signingKey('session cookie, sha256')], 'sha256'),
    maxAge: IDLE_LIFETIME_MS,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
  });
}
