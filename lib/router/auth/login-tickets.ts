/**
 * A login in flight. Its state is sealed in a cookie of the browser that began it: unfinished logins cost no memory, nobody else
 * can finish one, and nobody can read the verifier.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { LoginSecrets } from './login-provider.ts';

/** How long a person may take at the provider, ms. */
export const TICKET_LIFETIME_MS = 600_000;

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
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
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, iv);
    const text = JSON.stringify({ ...ticket, expiresAt: this.#now() + TICKET_LIFETIME_MS });
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
  }

  /** The ticket in a cookie; null if it is not ours or has expired. */
  open(sealed: string): LoginTicket | null {
    const ticket = sealed.length > MAX_SEALED ? null : this.#unseal(Buffer.from(sealed, 'base64url'));
    return ticket === null || ticket.expiresAt <= this.#now() ? null : ticket;
  }

  #unseal(bytes: Buffer): LoginTicket | null {
    if (bytes.length < IV_BYTES + TAG_BYTES) return null;
    const decipher = createDecipheriv(ALGORITHM, this.#key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
    try {
      return asTicket(JSON.parse(Buffer.concat([text, decipher.final()]).toString('utf8')));
    } catch {
      return null; // wrong tag: sealed by somebody else
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
