import type Database from 'better-sqlite3';
import type { Connection } from './connection.ts';
import { hashKey, newSecret } from './key-text.ts';

/** How long a session lives without being used, ms. */
export const SESSION_LIFETIME_MS = 30 * 24 * 3_600_000;

/** How exactly its last use is kept, ms: a session that is used all day is written once an hour. */
const RENEWAL_MS = 3_600_000;

/** Sessions of an account, one for each browser; beyond it the one that was not used for longest ends. */
const MAX_SESSIONS = 50;

/** A session that was found. */
export interface FoundSession {
  readonly accountId: string;
  /** Its last use is noted anew: the cookie is to be sent again, so that it lives as long. */
  readonly renewed: boolean;
}

/** Who is logged in. Only hashes of the ids are kept: what is stolen from the database opens nothing. */
export class Sessions {
  readonly #connection: Connection;
  readonly #used = new Map<string, number>(); // by hash in base64; waits for `writeUses`
  readonly #insert: Database.Statement<[Buffer, string, number, number]>;
  readonly #find: Database.Statement<[hash: Buffer, since: number], { accountId: string; usedAt: number }>;
  readonly #use: Database.Statement<[at: number, hash: Buffer]>;
  readonly #delete: Database.Statement<[Buffer]>;
  readonly #sweep: Database.Statement<[until: number]>;
  readonly #trim: Database.Statement<[account: string, keep: number]>;

  constructor(connection: Connection) {
    const { db } = connection;
    this.#connection = connection;
    this.#insert = db.prepare('INSERT INTO sessions (hash, account_id, created_at, used_at) VALUES (?, ?, ?, ?)');
    this.#find = db.prepare(
      'SELECT account_id AS accountId, used_at AS usedAt FROM sessions WHERE hash = ? AND used_at > ?',
    );
    this.#use = db.prepare('UPDATE sessions SET used_at = ? WHERE hash = ?');
    this.#delete = db.prepare('DELETE FROM sessions WHERE hash = ?');
    this.#sweep = db.prepare('DELETE FROM sessions WHERE used_at <= ?');
    this.#trim = db.prepare(
      `DELETE FROM sessions WHERE hash IN (
         SELECT hash FROM sessions WHERE account_id = ? ORDER BY used_at DESC, created_at DESC LIMIT -1 OFFSET ?)`,
    );
  }

  create(accountId: string): string {
    const id = newSecret();
    const now = this.#connection.now();
    this.#connection.write(() => {
      this.#sweep.run(now - SESSION_LIFETIME_MS);
      this.#trim.run(accountId, MAX_SESSIONS - 1);
      this.#insert.run(hashKey(id), accountId, now, now);
    });
    return id;
  }

  /** null: unknown, ended or expired. */
  find(id: string): FoundSession | null {
    const hash = hashKey(id);
    const now = this.#connection.now();
    const found = this.#find.get(hash, now - SESSION_LIFETIME_MS);
    if (found === undefined) return null;
    const renewed = now - found.usedAt >= RENEWAL_MS;
    if (renewed) this.#used.set(hash.toString('base64'), now);
    return { accountId: found.accountId, renewed };
  }

  end(id: string): void {
    const hash = hashKey(id);
    if (this.#find.get(hash, 0) === undefined) return;
    this.#connection.write(() => this.#delete.run(hash));
  }

  /** Whether uses wait to be written. */
  get hasUses(): boolean {
    return this.#used.size > 0;
  }

  /** Inside a transaction of the caller; `forgetUses` when it has committed. */
  writeUses(): void {
    for (const [hash, at] of this.#used) this.#use.run(at, Buffer.from(hash, 'base64'));
  }

  forgetUses(): void {
    this.#used.clear();
  }
}
