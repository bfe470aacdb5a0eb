import type { ControlConnection } from '../storage/connection.ts';
import { newId } from '../key-text.ts';
import type { Account, Actor, LoginIdentity } from '../types.ts';

/** What is known of a person besides the identity. */
type Person = Pick<Account, 'email' | 'name'>;

/** People and the identities they log in with. Changes require the caller's transaction. */
export class Accounts {
  readonly #connection: ControlConnection;

  constructor(connection: ControlConnection) {
    this.#connection = connection;
  }

  async get(id: string): Promise<Account> {
    const account = await this.#select().where('id', '=', id).executeTakeFirst();
    if (account === undefined) throw new Error(`there is no account ${id}`);
    return account;
  }

  async ofIdentity({ issuer, subject }: LoginIdentity): Promise<Account | null> {
    const owner = this.#connection.db.selectFrom('identities').select('account_id');
    const ofIdentity = owner.where('issuer', '=', issuer).where('subject', '=', subject);
    return (await this.#select().where('id', '=', ofIdentity).executeTakeFirst()) ?? null;
  }

  /** The oldest with that proven address. */
  async ofEmail(email: string): Promise<Account | null> {
    return (await this.#oldest(email).executeTakeFirst()) ?? null;
  }

  /** An account used only through the operator's links so far: the first identity with its address may take it. */
  async withoutIdentity(email: string): Promise<Account | null> {
    const taken = this.#connection.db.selectFrom('identities').select('account_id');
    return (await this.#oldest(email).where('id', 'not in', taken).executeTakeFirst()) ?? null;
  }

  async create({ email, name }: Person): Promise<Account> {
    const { db, now } = this.#connection;
    const account = { id: newId('usr_'), email, name, createdAt: now() };
    await db.insertInto('accounts').values({ id: account.id, email, name, created_at: account.createdAt }).execute();
    return account;
  }

  /** Stores what is known now and keeps the rest. */
  async update(account: Account, { email, name }: Person): Promise<Account> {
    const known = { email: email ?? account.email, name: name ?? account.name };
    await this.#connection.db.updateTable('accounts').set(known).where('id', '=', account.id).execute();
    return { ...account, ...known };
  }

  async addIdentity({ issuer, subject }: LoginIdentity, accountId: string): Promise<void> {
    const { db, now } = this.#connection;
    const row = { issuer, subject, account_id: accountId, created_at: now() };
    const insert = db.insertInto('identities').values(row);
    await insert.onConflict((known) => known.doNothing()).execute();
  }

  #select() {
    return this.#connection.db.selectFrom('accounts').select(['id', 'email', 'name', 'created_at as createdAt']);
  }

  #oldest(email: string) {
    return this.#select().where('email', '=', email).orderBy('created_at').orderBy('rowid').limit(1);
  }
}

/** An account as the audit trail and `created_by` name it. */
export function actorOf({ id, email }: Account, ip: string | null): Actor {
  return { name: email ?? id, ip, accountId: id };
}
