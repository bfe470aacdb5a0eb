import type Database from 'better-sqlite3';
import type { ControlConnection } from '../storage/connection.ts';
import { newId } from '../key-text.ts';
import type { Account, Actor, Identity } from '../types.ts';

/** What is known of a person besides its identity; null: nothing. */
export interface Person {
  /** Proven, in lower case. */
  readonly email: string | null;
  readonly name: string | null;
}

type NewIdentity = [issuer: string, subject: string, account: string, at: number];

const COLUMNS = 'id, email, name, created_at AS createdAt FROM accounts';

/** People and the identities they log in with. Changes are to be made inside a transaction of the caller. */
export class Accounts {
  readonly #now: () => number;
  readonly #find: Database.Statement<[string], Account>;
  readonly #ofIdentity: Database.Statement<[string, string], Account>;
  readonly #ofEmail: Database.Statement<[string], Account>;
  readonly #withoutIdentity: Database.Statement<[string], Account>;
  readonly #insert: Database.Statement<[string, string | null, string | null, number]>;
  readonly #update: Database.Statement<[string | null, string | null, string]>;
  readonly #addIdentity: Database.Statement<NewIdentity>;

  constructor({ db, now }: ControlConnection) {
    this.#now = now;
    this.#find = db.prepare(`SELECT ${COLUMNS} WHERE id = ?`);
    this.#ofIdentity = db.prepare(
      `SELECT ${COLUMNS} WHERE id = (SELECT account_id FROM identities WHERE issuer = ? AND subject = ?)`,
    );
    this.#ofEmail = db.prepare(`SELECT ${COLUMNS} WHERE email = ? ORDER BY created_at, rowid LIMIT 1`);
    this.#withoutIdentity = db.prepare(
      `SELECT ${COLUMNS} WHERE email = ? AND NOT EXISTS (SELECT 1 FROM identities WHERE account_id = accounts.id)
       ORDER BY created_at, rowid LIMIT 1`,
    );
    this.#insert = db.prepare('INSERT INTO accounts (id, email, name, created_at) VALUES (?, ?, ?, ?)');
    this.#update = db.prepare('UPDATE accounts SET email = ?, name = ? WHERE id = ?');
    this.#addIdentity = db.prepare(
      'INSERT INTO identities (issuer, subject, account_id, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
  }

  get(id: string): Account {
    const account = this.#find.get(id);
    if (account === undefined) throw new Error(`there is no account ${id}`);
    return account;
  }

  ofIdentity({ issuer, subject }: Identity): Account | null {
    return this.#ofIdentity.get(issuer, subject) ?? null;
  }

  /** The oldest with that proven address. */
  ofEmail(email: string): Account | null {
    return this.#ofEmail.get(email) ?? null;
  }

  /** Which `actorOf` calls so: by its address, or by its id when it has none. */
  named(name: string): Account | null {
    return this.ofEmail(name) ?? this.#find.get(name) ?? null;
  }

  /** One that so far logs in by links of the operator only: the first identity with its address may have it. */
  withoutIdentity(email: string): Account | null {
    return this.#withoutIdentity.get(email) ?? null;
  }

  create({ email, name }: Person): Account {
    const id = newId('usr_');
    this.#insert.run(id, email, name, this.#now());
    return this.get(id);
  }

  /** Takes over what is known now; what is not known any more stays. */
  update(account: Account, { email, name }: Person): Account {
    this.#update.run(email ?? account.email, name ?? account.name, account.id);
    return this.get(account.id);
  }

  addIdentity({ issuer, subject }: Identity, accountId: string): void {
    this.#addIdentity.run(issuer, subject, accountId, this.#now());
  }
}

/** How an account stands in the audit trail and in `created_by`. */
export function actorOf({ id, email }: Account, ip: string | null): Actor {
  return { name: email ?? id, ip };
}
