/**
 * A login in flight. Its state is sealed in a cookie of the browser that began it: unfinished logins cost no memory, nobody else
 * can finish one, and nobody can read the verifier.
 */
import { seal, unseal } from '../../control/storage/sealing.ts';
import type { LoginSecrets } from './login-provider.ts';

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
      return asTicket(JSON.parse(unseal(this.#key, bytes)));
    } catch {
      return null; // too short, or wrong tag: sealed by somebody else
    }
  }
}

function asTicket(value: unknown): LoginTicket {
  if (typeof value !== 'object' || value === null || !isTicket(value))
    throw new Error('no ticket, though sealed by us');
  return value;
}

function isTicket(value: object): value is LoginTicket {
  return TICKET_FIELDS.every((field) => field in value);
}

const TICKET_FIELDS = ['state', 'nonce', 'verifier', 'provider', 'returnTo', 'expiresAt'];
