import { AppError } from '../../base/errors.ts';
import { actorOf, type Accounts } from './accounts.ts';
import type { Audit } from '../audit.ts';
import type { ControlConnection } from '../storage/connection.ts';
import { hashKey, newSecret } from '../key-text.ts';
import { checkEmail, normaliseEmail } from './email.ts';
import type { Members } from './members.ts';
import { plainName } from '../names.ts';
import type { Organizations } from '../organizations.ts';
import type { Account, Actor, LoginIdentity, Organization, Role } from '../types.ts';
import { Lru } from '../../base/lru.ts';

/** Characters kept of a person's name; at most two UTF-16 units each, so that it can name an organization. */
const MAX_NAME_LENGTH = 100;

/** Who makes members by links, which are created on the server itself. */
const OPERATOR: Actor = { name: 'wl admin', ip: null };

interface Parts {
  readonly connection: ControlConnection;
  readonly accounts: Accounts;
  readonly members: Members;
  readonly organizations: Organizations;
  readonly audit: Audit;
}

/** A membership: that of an account, or what a link makes its account a member of. */
interface Grant {
  readonly orgId: string;
  readonly role: Role;
}

interface Visitor {
  readonly ip: string | null;
}

interface Entrance {
  readonly proven: string | null;
  readonly isNew: boolean;
  /** Nobody had an account with that address. */
  readonly isFirst: boolean;
  readonly ip: string | null;
}

/** The account of a login, and the address that this login has proven. */
export interface Entered extends Account {
  readonly proven: string | null;
}

/** Who does something in an organization, and where. */
export interface Act extends Visitor {
  readonly account: Account;
  readonly sessionId: string;
}

/** Finds or creates the account of a proven person, with a membership. */
export class Logins {
  readonly #parts: Parts;
  /** Sessions in organizations that are known to have been there, about 100 bytes each. */
  readonly #visits = new Lru<string, true>(10_000);

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * The account of an identity. An unknown identity gets the account that a link made for its proven address, if no identity has
   * that account yet; else a new one. An address alone never opens the account of another identity.
   */
  async logIn(identity: LoginIdentity, { ip }: Visitor): Promise<Entered> {
    const { connection, accounts } = this.#parts;
    const email = identity.emailVerified ? normaliseEmail(identity.email ?? '') : null;
    const person = { email, name: plainName(identity.name, MAX_NAME_LENGTH) };
    return connection.write(async () => {
      const known =
        (await accounts.ofIdentity(identity)) ?? (email === null ? null : await accounts.withoutIdentity(email));
      const isFirst = known === null && (email === null || (await accounts.ofEmail(email)) === null);
      const account = known === null ? await accounts.create(person) : await accounts.update(known, person);
      await accounts.addIdentity(identity, account.id);
      return this.#enter(account, { proven: email, isNew: known === null, isFirst, ip });
    });
  }

  /**
   * A link for an address's account (created if missing): works once, within 10 minutes. `grant`: what it joins. Only the hash of
   * its token is stored.
   */
  async createLink(email: string, grant: Grant | null = null): Promise<{ token: string; expiresAt: number }> {
    const { connection, organizations } = this.#parts;
    if (grant !== null) await organizations.get(grant.orgId);
    const address = checkEmail(email);
    const token = newSecret();
    const now = connection.now();
    const expiresAt = now + 10 * 60_000; // how long a link works
    await connection.write(async () => {
      const { db } = connection;
      await db.deleteFrom('login_links').where('expires_at', '<=', now).execute();
      const granted = { org_id: grant?.orgId ?? null, role: grant?.role ?? null };
      const link = { hash: hashKey(token), email: address, ...granted, expires_at: expiresAt };
      await db.insertInto('login_links').values(link).execute();
    });
    return { token, expiresAt };
  }

  /** The account of a link, which is used up; null if the link is unknown, used or expired. */
  async redeem(token: string, { ip }: Visitor): Promise<Entered | null> {
    const { connection, accounts, members, audit } = this.#parts;
    if ((await this.#link(token)) === undefined) return null; // guesses write nothing
    return connection.write(async () => {
      const link = await this.#link(token);
      if (link === undefined) return null;
      const { email, orgId, role } = link;
      await connection.db.deleteFrom('login_links').where('hash', '=', hashKey(token)).execute();
      const known = await accounts.ofEmail(email);
      const account = known ?? (await accounts.create({ email, name: null }));
      if (orgId !== null && role !== null) {
        await members.add(orgId, account.id, role);
        await audit.append(orgId, 'member.invite', `${email}/role:${role}`, OPERATOR);
      }
      return this.#enter(account, { proven: email, isNew: known === null, isFirst: known === null, ip });
    });
  }

  /**
   * Writes a login to the audit trail of an organization with the first act of its session there: where somebody does nothing,
   * nobody learns of the login. Only the addresses of owners are told.
   */
  async noteAct({ orgId, role }: Grant, { sessionId, account, ip }: Act): Promise<void> {
    const { connection, audit } = this.#parts;
    const visit = `${sessionId} ${orgId}`;
    if (this.#visits.get(visit) === true) return;
    const row = { session_id: sessionId, org_id: orgId };
    if (!(await this.#hasVisited(row))) {
      await connection.write(async () => {
        const insert = connection.db.insertInto('session_visits').values(row);
        const { numInsertedOrUpdatedRows } = await insert.onConflict((known) => known.doNothing()).executeTakeFirst();
        const by = actorOf(account, role === 'owner' ? ip : null);
        if (numInsertedOrUpdatedRows === 1n) await audit.append(orgId, 'login', account.id, by);
        connection.afterCommit(() => this.#visits.set(visit, true));
      });
    } else this.#visits.set(visit, true);
  }

  /**
   * Uses up a login that a provider has answered: no node takes one twice. False: it is used already. `state` names it;
   * `expiresAt`: when nobody can use it any more, ms since the epoch.
   */
  useOnce(state: string, expiresAt: number): Promise<boolean> {
    const { connection } = this.#parts;
    return connection.write(async () => {
      const { db, now } = connection;
      await db.deleteFrom('used_logins').where('expires_at', '<=', now()).execute();
      const insert = db.insertInto('used_logins').values({ state: hashKey(state), expires_at: expiresAt });
      const { numInsertedOrUpdatedRows } = await insert.onConflict((row) => row.doNothing()).executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    });
  }

  /**
   * A new organization with the account as its owner. Throws AppError `limit_reached` if it has made `most`. The admin
   * key cannot be read again.
   */
  async createOrganization(
    accountId: string,
    name: string,
    most = Infinity,
  ): Promise<{ organization: Organization; adminKey: string }> {
    const { connection, organizations } = this.#parts;
    return connection.write(async () => {
      if ((await organizations.madeBy(accountId)) >= most)
        throw new AppError('limit_reached', `This account has reached its limit of ${most} organizations.`, {
          hints: ['The operator of this host can create more: wl admin org create NAME.'],
        });
      return this.#found(accountId, name, accountId);
    });
  }

  async #hasVisited({ session_id, org_id }: { session_id: string; org_id: string }): Promise<boolean> {
    const visits = this.#parts.connection.db.selectFrom('session_visits').select('org_id');
    const own = visits.where('session_id', '=', session_id).where('org_id', '=', org_id);
    return (await own.executeTakeFirst()) !== undefined;
  }

  #link(token: string) {
    const { db, now } = this.#parts.connection;
    const select = db.selectFrom('login_links').select(['email', 'org_id as orgId', 'role']);
    return select.where('hash', '=', hashKey(token)).where('expires_at', '>', now()).executeTakeFirst();
  }

  async #found(
    accountId: string,
    name: string,
    createdBy: string | null,
  ): Promise<{ organization: Organization; adminKey: string }> {
    const { connection, members, organizations } = this.#parts;
    return connection.write(async () => {
      await members.checkRoom(accountId);
      const made = await organizations.create(name, createdBy);
      await members.add(made.organization.id, accountId, 'owner');
      return made;
    });
  }

  /**
   * Only a new account whose address nobody had joins by itself: of others, who invites would learn when they log in. `proven`: the
   * address that this login proves. An older one may belong to somebody else by now.
   */
  async #enter(account: Account, { proven, isNew, isFirst, ip }: Entrance): Promise<Entered> {
    const { members } = this.#parts;
    if (isFirst) await members.joinInvited({ account, email: proven, ip });
    if (isNew && (await members.ofAccount(account.id)).length === 0) {
      const name = plainName(account.name ?? account.email, MAX_NAME_LENGTH) ?? 'My organization';
      await this.#found(account.id, name, null);
    }
    return { ...account, proven };
  }
}
