import type { DeleteQueryBuilder, DeleteResult } from 'kysely';
import type { ControlConnection } from '../storage/connection.ts';
import { type FlushedRows, type Flusher, LastUses } from '../storage/flusher.ts';
import type { ControlTables } from '../storage/tables.ts';
import { hashKey, newId, newSecret } from '../key-text.ts';
import type { LoginSession } from '../types.ts';
import { DAY_MS, HOUR_MS } from '../../base/day.ts';

/** How long an unused session lives, ms. */
export const IDLE_LIFETIME_MS = 30 * DAY_MS;

/** How long it lives even if used, ms, unless WINDLASS_SESSION_LIFETIME says otherwise. */
export const DEFAULT_SESSION_LIFETIME_MS = 90 * DAY_MS;

/** Sessions of an account, one for each browser; beyond that the one unused for longest ends. */
const MAX_SESSIONS = 50;

/** Where a login comes from. */
export interface LoginOrigin {
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** The address that it has proven; missing: none. */
  readonly email?: string | null;
}

export interface FoundSession {
  readonly id: string;
  readonly accountId: string;
  /** The address that its login has proven: the account's own may be older, and somebody else's by now. */
  readonly email: string | null;
  /** Its last use was updated: the cookie must be sent again to live as long. */
  readonly renewed: boolean;
}

/** Who is logged in. Only hashes of the cookies' secrets are stored: a stolen database opens nothing. */
export class Sessions {
  readonly #connection: ControlConnection;
  readonly #lifetime: number;
  readonly #lastUses: LastUses; // by hash in base64

  /** `lifetime`: even if a session is used, ms. */
  constructor(connection: ControlConnection, lifetime: number, flusher: Flusher) {
    this.#connection = connection;
    this.#lifetime = lifetime;
    this.#lastUses = new LastUses(flusher, (hash, at) => this.#noteUse(hash, at));
  }

  /** The secret for the cookie. */
  async create(accountId: string, { ip, userAgent, email = null }: LoginOrigin): Promise<string> {
    const secret = newSecret();
    // Characters kept of a user agent: enough to tell one's browsers apart.
    const agent = userAgent === null ? null : userAgent.slice(0, 512);
    const connection = this.#connection;
    await connection.write(async () => {
      const { now, usedSince, madeSince } = this.#bounds();
      const { db } = connection;
      const ended = db.deleteFrom('sessions');
      await ended
        .where((one) => one.or([one('used_at', '<=', usedSince), one('created_at', '<=', madeSince)]))
        .execute();
      const own = db.selectFrom('sessions').select('hash').where('account_id', '=', accountId);
      const kept = own
        .orderBy('used_at', 'desc')
        .orderBy('created_at', 'desc')
        .limit(MAX_SESSIONS - 1);
      await ended.where('account_id', '=', accountId).where('hash', 'not in', kept).execute();
      const used = { created_at: now, used_at: now, ip, user_agent: agent, email };
      const session = { hash: hashKey(secret), id: newId('ses_'), account_id: accountId, ...used };
      await db.insertInto('sessions').values(session).execute();
    });
    return secret;
  }

  /** null: unknown, ended, too old, or unused for 30 days. Notes a use at most once an hour. */
  async find(secret: string): Promise<FoundSession | null> {
    const hash = hashKey(secret);
    const { now } = this.#bounds();
    const active = this.#active().select(['id', 'account_id as accountId', 'used_at as usedAt', 'email']);
    const found = await active.where('hash', '=', hash).executeTakeFirst();
    if (found === undefined) return null;
    const renewed = now - found.usedAt >= HOUR_MS; // a session used all day is written once an hour
    if (renewed) this.#lastUses.note(hash.toString('base64'), now);
    return { id: found.id, accountId: found.accountId, email: found.email, renewed };
  }

  /** An account's active sessions, most recently used first. */
  async list(accountId: string): Promise<LoginSession[]> {
    const active = this.#active().select([
      'id',
      'created_at as createdAt',
      'used_at as usedAt',
      'ip',
      'user_agent as userAgent',
    ]);
    const ordered = active.orderBy('used_at', 'desc').orderBy('created_at', 'desc').orderBy('id');
    const rows = await ordered.where('account_id', '=', accountId).execute();
    return rows.map((row) => ({ ...row, endsAt: row.createdAt + this.#lifetime }));
  }

  /** Ends the session of a cookie. */
  async end(secret: string): Promise<void> {
    const hash = hashKey(secret);
    const { db } = this.#connection;
    const known = await db.selectFrom('sessions').select('id').where('hash', '=', hash).executeTakeFirst();
    if (known !== undefined) await this.#end((sessions) => sessions.where('hash', '=', hash));
  }

  /** Ends a session of the account by id; false if missing. */
  async endOne(accountId: string, id: string): Promise<boolean> {
    return (await this.#end((sessions) => sessions.where('id', '=', id).where('account_id', '=', accountId))) > 0;
  }

  /** Ends all of an account's sessions but that one; returns how many. */
  endOthers(accountId: string, id: string): Promise<number> {
    return this.#end((sessions) => sessions.where('account_id', '=', accountId).where('id', '<>', id));
  }

  /** Ends all sessions of all accounts with an address, and login links made for it; returns how many sessions. */
  endOfAddress(email: string): Promise<number> {
    return this.#connection.write(async () => {
      const { db } = this.#connection;
      await db.deleteFrom('login_links').where('email', '=', email).execute();
      const accounts = db.selectFrom('accounts').select('id').where('email', '=', email);
      return this.#end((sessions) => sessions.where('account_id', 'in', accounts));
    });
  }

  /** When sessions were last used, as far as that waits to be written. */
  takeNews(): FlushedRows[] {
    return this.#lastUses.takeNews();
  }

  async #noteUse(hash: string, at: number): Promise<void> {
    const update = this.#connection.db.updateTable('sessions').set({ used_at: at });
    await update.where('hash', '=', Buffer.from(hash, 'base64')).execute();
  }

  #active() {
    const { usedSince, madeSince } = this.#bounds();
    const sessions = this.#connection.db.selectFrom('sessions');
    return sessions.where('used_at', '>', usedSince).where('created_at', '>', madeSince);
  }

  /** Returns how many. */
  #end(
    which: (sessions: DeleteQueryBuilder<ControlTables, 'sessions', DeleteResult>) => typeof sessions,
  ): Promise<number> {
    return this.#connection.write(async () => {
      const { numDeletedRows } = await which(this.#connection.db.deleteFrom('sessions')).executeTakeFirst();
      return Number(numDeletedRows);
    });
  }

  #bounds(): { now: number; usedSince: number; madeSince: number } {
    const now = this.#connection.now();
    return { now, usedSince: now - IDLE_LIFETIME_MS, madeSince: now - this.#lifetime };
  }
}
