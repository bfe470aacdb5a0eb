import type { ControlConnection } from '../storage/connection.ts';
import { hashKey, newSecret } from '../key-text.ts';
import type { Role } from '../types.ts';

/** How long a link works, ms. */
const LIFETIME_MS = 10 * 60_000;

/** What a link makes its account a member of. */
export interface Grant {
  readonly orgId: string;
  readonly role: Role;
}

/** What a link grants. */
export interface LoginLink {
  readonly email: string;
  readonly grant: Grant | null;
}

interface Row {
  email: string;
  orgId: string | null;
  role: Role | null;
}

/** Links that log in once. Only hashes of their tokens are stored. */
export class LoginLinks {
  readonly #connection: ControlConnection;

  constructor(connection: ControlConnection) {
    this.#connection = connection;
  }

  create({ email, grant }: LoginLink): { token: string; expiresAt: number } {
    const token = newSecret();
    const connection = this.#connection;
    const now = connection.now();
    connection.write(() => {
      connection.run('DELETE FROM login_links WHERE expires_at <= ?', now);
      const sql = 'INSERT INTO login_links (hash, email, org_id, role, expires_at) VALUES (?, ?, ?, ?, ?)';
      connection.run(sql, hashKey(token), email, grant?.orgId ?? null, grant?.role ?? null, now + LIFETIME_MS);
    });
    return { token, expiresAt: now + LIFETIME_MS };
  }

  /** null: unknown, used or expired. */
  find(token: string): LoginLink | null {
    const sql = 'SELECT email, org_id AS orgId, role FROM login_links WHERE hash = ? AND expires_at > ?';
    const row = this.#connection.row<Row>(sql, hashKey(token), this.#connection.now());
    if (row === undefined) return null;
    const { email, orgId, role } = row;
    return { email, grant: orgId === null || role === null ? null : { orgId, role } };
  }

  /** Like `find`, and uses it up. Inside a transaction of the caller. */
  take(token: string): LoginLink | null {
    const link = this.find(token);
    if (link !== null) this.#connection.run('DELETE FROM login_links WHERE hash = ?', hashKey(token));
    return link;
  }
}
