import type { ControlConnection } from '../storage/connection.ts';
import { newId } from '../key-text.ts';
import type { Account, Actor, Identity } from '../types.ts';

/** What is known of a person besides the identity; null: nothing. */
export interface Person {
  /** Proven, in lower case. */
  readonly email: string | null;
  readonly name: string | null;
}

const COLUMNS = 'id, email, name, created_at AS createdAt FROM accounts';
const FIND = `SELECT ${COLUMNS} WHERE id = ?`;

/** People and the identities they log in with. Changes require the caller's transaction. */
export class Accounts {
  readonly #connection: ControlConnection;

  constructor(connection: ControlConnection) {
    this.#connection = connection;
  }

  get(id: string): Account {
    const account = this.#connection.row<Account>(FIND, id);
    if (account === undefined) throw new Error(`there is no account ${id}`);
    return account;
  }

  ofIdentity({ issuer, subject }: Identity): Account | null {
    const sql = `SELECT ${COLUMNS} WHERE id = (SELECT account_id FROM identities WHERE issuer = ? AND subject = ?)`;
    return this.#connection.row<Account>(sql, issuer, subject) ?? null;
  }

  /** The oldest with that proven address. */
  ofEmail(email: string): Account | null {
    const sql = `SELECT ${COLUMNS} WHERE email = ? ORDER BY created_at, rowid LIMIT 1`;
    return this.#connection.row<Account>(sql, email) ?? null;
  }

  /** The account with this name from `actorOf`: its address, or its id. */
  named(name: string): Account | null {
    return this.ofEmail(name) ?? this.#connection.row<Account>(FIND, name) ?? null;
  }

  /** An account used only through the operator's links so far: the first identity with its address may take it. */
  withoutIdentity(email: string): Account | null {
    const sql = `SELECT ${COLUMNS} WHERE email = ? AND NOT EXISTS (SELECT 1 FROM identities WHERE account_id = accounts.id)
      ORDER BY created_at, rowid LIMIT 1`;
    return this.#connection.row<Account>(sql, email) ?? null;
  }

  create({ email, name }: Person): Account {
    const id = newId('usr_');
    const sql = 'INSERT INTO accounts (id, email, name, created_at) VALUES (?, ?, ?, ?)';
    this.#connection.run(sql, id, email, name, this.#connection.now());
    return this.get(id);
  }

  /** Stores what is known now and keeps the rest. */
  update(account: Account, { email, name }: Person): Account {
    const sql = 'UPDATE accounts SET email = ?, name = ? WHERE id = ?';
    this.#connection.run(sql, email ?? account.email, name ?? account.name, account.id);
    return this.get(account.id);
  }

  addIdentity({ issuer, subject }: Identity, accountId: string): void {
    const sql =
      'INSERT INTO identities (issuer, subject, account_id, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING';
    this.#connection.run(sql, issuer, subject, accountId, this.#connection.now());
  }
}

/** How the audit trail and `created_by` name an account. */
export function actorOf({ id, email }: Account, ip: string | null): Actor {
  return { name: email ?? id, ip };
}
