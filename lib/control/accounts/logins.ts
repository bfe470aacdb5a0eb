import { AppError } from '../../base/errors.ts';
import { actorOf, type Accounts } from './accounts.ts';
import type { Audit } from '../audit.ts';
import type { ControlConnection } from '../storage/connection.ts';
import { hashKey, newSecret } from '../key-text.ts';
import { checkEmail, normaliseEmail } from './email.ts';
import type { Members } from './members.ts';
import { plainName } from '../names.ts';
import type { Organizations } from '../organizations.ts';
import type { Account, Actor, Identity, Organization, Role } from '../types.ts';

/** Characters kept of a person's name; at most two UTF-16 units each, so that it can name an organization. */
const MAX_NAME_LENGTH = 100;

/** How long a link works, ms. */
const LINK_LIFETIME_MS = 10 * 60_000;

/** Who makes members by links, which are created on the server itself. */
const OPERATOR: Actor = { name: 'wl admin', ip: null };

interface Parts {
  readonly connection: ControlConnection;
  readonly accounts: Accounts;
  readonly members: Members;
  readonly organizations: Organizations;
  readonly audit: Audit;
}

/** What a link makes its account a member of. */
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
  readonly ip: string | null;
}

/** Finds or creates the account of a proven person, with a membership. */
export class Logins {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * The account of an identity. An unknown identity gets the account that a link made for its proven address, if no identity has
   * that account yet; else a new one. An address alone never opens the account of another identity.
   */
  async logIn(identity: Identity, { ip }: Visitor): Promise<Account> {
    const { connection, accounts } = this.#parts;
    const email = identity.emailVerified ? normaliseEmail(identity.email ?? '') : null;
    const person = { email, name: plainName(identity.name, MAX_NAME_LENGTH) };
    return connection.write(async () => {
      const known =
        (await accounts.ofIdentity(identity)) ?? (email === null ? null : await accounts.withoutIdentity(email));
      const account = known === null ? await accounts.create(person) : await accounts.update(known, person);
      await accounts.addIdentity(identity, account.id);
      return this.#enter(account, { proven: email, isNew: known === null, ip });
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
    const expiresAt = now + LINK_LIFETIME_MS;
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
  async redeem(token: string, { ip }: Visitor): Promise<Account | null> {
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
      return this.#enter(account, { proven: email, isNew: known === null, ip });
    });
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

  /** `proven`: the address that this login proves. An older one may belong to somebody else by now. */
  async #enter(account: Account, { proven, isNew, ip }: Entrance): Promise<Account> {
    const { members, audit } = this.#parts;
    await members.joinInvited({ id: account.id, email: proven });
    if (isNew && (await members.ofAccount(account.id)).length === 0) {
      const name = plainName(account.name ?? account.email, MAX_NAME_LENGTH) ?? 'My organization';
      await this.#found(account.id, name, null);
    }
    for (const { organization } of await members.ofAccount(account.id)) {
      await audit.append(organization.id, 'login', account.id, actorOf(account, ip));
    }
    return account;
  }
}
