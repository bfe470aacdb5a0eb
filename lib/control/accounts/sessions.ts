import type { ControlConnection } from '../storage/connection.ts';
import { hashKey, newId, newSecret } from '../key-text.ts';
import type { Session } from '../types.ts';

const DAY_MS = 24 * 3_600_000;

/** How long an unused session lives, ms. */
export const IDLE_LIFETIME_MS = 30 * DAY_MS;

/** How long it lives even if used, ms, unless WINDLASS_SESSION_LIFETIME says otherwise. */
export const DEFAULT_SESSION_LIFETIME_MS = 90 * DAY_MS;

/** Precision of its last use, ms: a session used all day is written once an hour. */
const RENEWAL_MS = 3_600_000;

/** Sessions of an account, one for each browser; beyond that the one unused for longest ends. */
const MAX_SESSIONS = 50;

/** Characters kept of a user agent: enough to tell one's browsers apart. */
const MAX_USER_AGENT = 512;

/** Where a login comes from. */
export interface Origin {
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** A session as found. */
export interface FoundSession {
  readonly id: string;
  readonly accountId: string;
  /** Its last use was updated: the cookie must be sent again to live as long. */
  readonly renewed: boolean;
}

type Row = Omit<Session, 'endsAt'>;
type Used = Pick<FoundSession, 'id' | 'accountId'> & { readonly usedAt: number };

const FIND = `
  SELECT id, account_id AS accountId, used_at AS usedAt FROM sessions WHERE hash = ? AND used_at > ? AND created_at > ?`;
const LIST = `
  SELECT id, created_at AS createdAt, used_at AS usedAt, ip, user_agent AS userAgent FROM sessions
  WHERE account_id = ? AND used_at > ? AND created_at > ? ORDER BY used_at DESC, created_at DESC, id`;
const TRIM = `
  DELETE FROM sessions WHERE hash IN (
    SELECT hash FROM sessions WHERE account_id = ? ORDER BY used_at DESC, created_at DESC LIMIT -1 OFFSET ?)`;

/** Who is logged in. Only hashes of the cookies' secrets are stored: a stolen database opens nothing. */
export class Sessions {
  readonly #connection: ControlConnection;
  readonly #lifetime: number;
  readonly #onUse: () => void;
  readonly #used = new Map<string, number>(); // by hash in base64; waits for `writeUses`

  /** `lifetime`: even if a session is used, ms. `onUse`: a use waits for `writeUses`. */
  constructor(connection: ControlConnection, lifetime: number, onUse: () => void) {
    this.#connection = connection;
    this.#lifetime = lifetime;
    this.#onUse = onUse;
  }

  /** The secret for the cookie. */
  create(accountId: string, { ip, userAgent }: Origin): string {
    const secret = newSecret();
    const agent = userAgent === null ? null : userAgent.slice(0, MAX_USER_AGENT);
    const connection = this.#connection;
    connection.write(() => {
      const { now, usedSince, madeSince } = this.#bounds();
      connection.run('DELETE FROM sessions WHERE used_at <= ? OR created_at <= ?', usedSince, madeSince);
      connection.run(TRIM, accountId, MAX_SESSIONS - 1);
      const sql = 'INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?)';
      connection.run(sql, hashKey(secret), newId('ses_'), accountId, now, now, ip, agent);
    });
    return secret;
  }

  /** null: unknown, ended, too old, or unused for 30 days. Notes a use at most once an hour. */
  find(secret: string): FoundSession | null {
    const hash = hashKey(secret);
    const { now, usedSince, madeSince } = this.#bounds();
    const found = this.#connection.row<Used>(FIND, hash, usedSince, madeSince);
    if (found === undefined) return null;
    const renewed = now - found.usedAt >= RENEWAL_MS;
    if (renewed) {
      this.#used.set(hash.toString('base64'), now);
      this.#onUse();
    }
    return { id: found.id, accountId: found.accountId, renewed };
  }

  /** An account's active sessions, most recently used first. */
  list(accountId: string): Session[] {
    const { usedSince, madeSince } = this.#bounds();
    return this.#connection.rows<Row>(LIST, accountId, usedSince, madeSince).map((row) => ({
      ...row,
      endsAt: row.createdAt + this.#lifetime,
    }));
  }

  /** Ends the session of a cookie. */
  end(secret: string): void {
    const hash = hashKey(secret);
    if (this.#connection.row(FIND, hash, 0, 0) === undefined) return;
    this.#connection.write(() => this.#connection.run('DELETE FROM sessions WHERE hash = ?', hash));
  }

  /** Ends a session of the account by id; false if missing. */
  endOne(accountId: string, id: string): boolean {
    const sql = 'DELETE FROM sessions WHERE id = ? AND account_id = ?';
    return this.#connection.write(() => this.#connection.run(sql, id, accountId) > 0);
  }

  /** Ends all of an account's sessions but that one; returns how many. */
  endOthers(accountId: string, id: string): number {
    const sql = 'DELETE FROM sessions WHERE account_id = ? AND id <> ?';
    return this.#connection.write(() => this.#connection.run(sql, accountId, id));
  }

  /** Ends all sessions of all accounts with an address, and login links made for it; returns how many sessions. */
  endOfAddress(email: string): number {
    return this.#connection.write(() => {
      this.#connection.run('DELETE FROM login_links WHERE email = ?', email);
      const sql = 'DELETE FROM sessions WHERE account_id IN (SELECT id FROM accounts WHERE email = ?)';
      return this.#connection.run(sql, email);
    });
  }

  /** Whether uses wait to be written. */
  get hasUses(): boolean {
    return this.#used.size > 0;
  }

  /** Inside a transaction of the caller; `forgetUses` when it has committed. */
  writeUses(): void {
    const sql = 'UPDATE sessions SET used_at = ? WHERE hash = ?';
    for (const [hash, at] of this.#used) this.#connection.run(sql, at, Buffer.from(hash, 'base64'));
  }

  forgetUses(): void {
    this.#used.clear();
  }

  #bounds(): { now: number; usedSince: number; madeSince: number } {
    const now = this.#connection.now();
    return { now, usedSince: now - IDLE_LIFETIME_MS, madeSince: now - this.#lifetime };
  }
}
