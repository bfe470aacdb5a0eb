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

/** Links that log in once. Only hashes of their tokens are stored. */
export class LoginLinks {
  readonly #connection: ControlConnection;

  constructor(connection: ControlConnection) {
    this.#connection = connection;
  }

  async create({ email, grant }: LoginLink): Promise<{ token: string; expiresAt: number }> {
    const token = newSecret();
    const connection = this.#connection;
    const now = connection.now();
    await connection.write(async () => {
      const { db } = connection;
      await db.deleteFrom('login_links').where('expires_at', '<=', now).execute();
      const granted = { org_id: grant?.orgId ?? null, role: grant?.role ?? null };
      const link = { hash: hashKey(token), email, ...granted, expires_at: now + LIFETIME_MS };
      await db.insertInto('login_links').values(link).execute();
    });
    return { token, expiresAt: now + LIFETIME_MS };
  }

  /** null: unknown, used or expired. */
  async find(token: string): Promise<LoginLink | null> {
    const { db, now } = this.#connection;
    const select = db.selectFrom('login_links').select(['email', 'org_id as orgId', 'role']);
    const row = await select.where('hash', '=', hashKey(token)).where('expires_at', '>', now()).executeTakeFirst();
    if (row === undefined) return null;
    const { email, orgId, role } = row;
    return { email, grant: orgId === null || role === null ? null : { orgId, role } };
  }

  /** Like `find`, and uses it up. Inside a transaction of the caller. */
  async take(token: string): Promise<LoginLink | null> {
    const link = await this.find(token);
    const { db } = this.#connection;
    if (link !== null) await db.deleteFrom('login_links').where('hash', '=', hashKey(token)).execute();
    return link;
  }
}
