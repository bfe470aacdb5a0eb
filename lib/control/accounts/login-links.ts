import type Database from 'better-sqlite3';
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

/** What a link is good for. */
export interface LoginLink {
  readonly email: string;
  readonly grant: Grant | null;
}

interface Row {
  email: string;
  orgId: string | null;
  role: Role | null;
}

/** Links that log in once. Only hashes of their tokens are kept. */
export class LoginLinks {
  readonly #connection: ControlConnection;
  readonly #insert: Database.Statement<[Buffer, string, string | null, string | null, number]>;
  readonly #find: Database.Statement<[hash: Buffer, now: number], Row>;
  readonly #delete: Database.Statement<[Buffer]>;
  readonly #sweep: Database.Statement<[now: number]>;

  constructor(connection: ControlConnection) {
    const { db } = connection;
    this.#connection = connection;
    this.#insert = db.prepare('INSERT INTO login_links (hash, email, org_id, role, expires_at) VALUES (?, ?, ?, ?, ?)');
    this.#find = db.prepare('SELECT email, org_id AS orgId, role FROM login_links WHERE hash = ? AND expires_at > ?');
    this.#delete = db.prepare('DELETE FROM login_links WHERE hash = ?');
    this.#sweep = db.prepare('DELETE FROM login_links WHERE expires_at <= ?');
  }

  create({ email, grant }: LoginLink): { token: string; expiresAt: number } {
    const token = newSecret();
    const now = this.#connection.now();
    this.#connection.write(() => {
      this.#sweep.run(now);
      this.#insert.run(hashKey(token), email, grant?.orgId ?? null, grant?.role ?? null, now + LIFETIME_MS);
    });
    return { token, expiresAt: now + LIFETIME_MS };
  }

  /** null: unknown, used or expired. */
  find(token: string): LoginLink | null {
    const row = this.#find.get(hashKey(token), this.#connection.now());
    if (row === undefined) return null;
    const { email, orgId, role } = row;
    return { email, grant: orgId === null || role === null ? null : { orgId, role } };
  }

  /** As `find`, and it is used up. Inside a transaction of the caller. */
  take(token: string): LoginLink | null {
    const link = this.find(token);
    if (link !== null) this.#delete.run(hashKey(token));
    return link;
  }
}
