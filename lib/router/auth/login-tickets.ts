/**
 * A login in flight. Its state is sealed in a cookie of the browser that began it: unfinished logins cost no memory, nobody else
 * can finish one, and nobody can read the verifier.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isRecord } from '../../base/is-record.ts';
import { seal, unseal } from '../../control/storage/vault.ts';
import type { LoginSecrets } from './login-provider.ts';
import { readJson } from '../../base/text/read-json.ts';

/** How long a person may take at the provider, ms. */
export const TICKET_LIFETIME_MS = 600_000;

const MAX_SEALED = 4_096; // characters: browsers keep no longer cookie

export interface LoginTicket extends LoginSecrets {
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
    const ticket = sealed.length > MAX_SEALED ? null : this.#unseal(Buffer.from(sealed, 'base64url'));
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
export function sendLoginCookie(response: ServerResponse, publicUrl: string, value: string): void {
  append(response, publicUrl, `${value}; Max-Age=${TICKET_LIFETIME_MS / 1_000}`);
}

export function clearLoginCookie(response: ServerResponse, publicUrl: string): void {
  append(response, publicUrl, '; Max-Age=0');
}

/** The value that the browser sent; null if it sent none. */
export function loginCookie({ headers }: IncomingMessage, publicUrl: string): string | null {
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
