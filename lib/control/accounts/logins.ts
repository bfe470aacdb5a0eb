import { AppError } from '../../base/errors.ts';
import { actorOf, type Accounts } from './accounts.ts';
import type { Audit } from '../audit.ts';
import type { ControlConnection } from '../storage/connection.ts';
import { checkEmail, normaliseEmail } from './email.ts';
import type { Grant, LoginLinks } from './login-links.ts';
import type { Members } from './members.ts';
import { plainName } from '../names.ts';
import type { Organizations } from '../organizations.ts';
import type { Account, Actor, Identity, Organization } from '../types.ts';

/** Characters kept of a person's name; at most two UTF-16 units each, so that it can name an organization. */
const MAX_NAME_LENGTH = 100;

/** Who makes members by links, which are created on the server itself. */
const OPERATOR: Actor = { name: 'wl admin', ip: null };

interface Parts {
  readonly connection: ControlConnection;
  readonly accounts: Accounts;
  readonly members: Members;
  readonly organizations: Organizations;
  readonly links: LoginLinks;
  readonly audit: Audit;
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
  logIn(identity: Identity, { ip }: Visitor): Account {
    const { connection, accounts } = this.#parts;
    const email = identity.emailVerified ? normaliseEmail(identity.email ?? '') : null;
    const person = { email, name: plainName(identity.name, MAX_NAME_LENGTH) };
    return connection.write(() => {
      const known = accounts.ofIdentity(identity) ?? (email === null ? null : accounts.withoutIdentity(email));
      const account = known === null ? accounts.create(person) : accounts.update(known, person);
      accounts.addIdentity(identity, account.id);
      return this.#enter(account, { proven: email, isNew: known === null, ip });
    });
  }

  /** A link for an address's account (created if missing): works once, within 10 minutes. `grant`: what it joins. */
  createLink(email: string, grant: Grant | null = null): { token: string; expiresAt: number } {
    const { links, organizations } = this.#parts;
    if (grant !== null) organizations.get(grant.orgId);
    return links.create({ email: checkEmail(email), grant });
  }

  /** The account of a link, which is used up; null if the link is unknown, used or expired. */
  redeem(token: string, { ip }: Visitor): Account | null {
    const { connection, accounts, links, members, audit } = this.#parts;
    if (links.find(token) === null) return null; // guesses write nothing
    return connection.write(() => {
      const link = links.take(token);
      if (link === null) return null;
      const known = accounts.ofEmail(link.email);
      const account = known ?? accounts.create({ email: link.email, name: null });
      if (link.grant !== null) {
        const { orgId, role } = link.grant;
        members.add(orgId, account.id, role);
        audit.append(orgId, 'member.invite', `${link.email}/role:${role}`, OPERATOR);
      }
      return this.#enter(account, { proven: link.email, isNew: known === null, ip });
    });
  }

  /**
   * A new organization with the account as its owner. Throws AppError `limit_reached` if it has made `most`. The admin
   * key cannot be read again.
   */
  createOrganization(
    accountId: string,
    name: string,
    most = Infinity,
  ): { organization: Organization; adminKey: string } {
    const { connection, organizations } = this.#parts;
    return connection.write(() => {
      if (organizations.madeBy(accountId) >= most) throw tooMany(most);
      return this.#found(accountId, name, accountId);
    });
  }

  #found(accountId: string, name: string, createdBy: string | null): { organization: Organization; adminKey: string } {
    const { connection, members, organizations } = this.#parts;
    return connection.write(() => {
      members.checkRoom(accountId);
      const made = organizations.create(name, createdBy);
      members.add(made.organization.id, accountId, 'owner');
      return made;
    });
  }

  /** `proven`: the address that this login proves. An older one may belong to somebody else by now. */
  #enter(account: Account, { proven, isNew, ip }: Entrance): Account {
    const { members, audit } = this.#parts;
    members.joinInvited({ id: account.id, email: proven });
    if (isNew && members.ofAccount(account.id).length === 0) {
      const name = plainName(account.name ?? account.email, MAX_NAME_LENGTH) ?? 'My organization';
      this.#found(account.id, name, null);
    }
    for (const { organization } of members.ofAccount(account.id)) {
      audit.append(organization.id, 'login', account.id, actorOf(account, ip));
    }
    return account;
  }
}

function tooMany(most: number): AppError {
  return new AppError('limit_reached', `This account has reached its limit of ${most} organizations.`, {
    hints: ['The operator of this host can create more: wl admin org create NAME.'],
  });
}
