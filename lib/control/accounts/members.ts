import type Database from 'better-sqlite3';
import { AppError } from '../../base/errors.ts';
import type { Audit } from '../audit.ts';
import type { ControlConnection } from '../storage/connection.ts';
import { checkEmail, normaliseEmail } from './email.ts';
import type { Organizations } from '../organizations.ts';
import { ROLES, type Account, type Actor, type Member, type Membership, type Role } from '../types.ts';

/** Members and invitations of an organization: a bound on what a stolen session can fill. */
const MAX_MEMBERS = 1000;

/** Organizations of an account. Further invitations wait. */
const MAX_MEMBERSHIPS = 200;

interface MemberRow {
  id: string;
  role: Role;
}

interface Parts {
  readonly connection: ControlConnection;
  readonly organizations: Organizations;
  readonly audit: Audit;
}

/** Who belongs to which organization, and who is invited. */
export class Members {
  readonly #parts: Parts;
  readonly #sql: Statements;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#sql = statements(parts.connection.db);
  }

  role(accountId: string, orgId: string): Role | null {
    return this.#sql.role.get(orgId, accountId) ?? null;
  }

  /** In the order of joining. */
  ofAccount(accountId: string): Membership[] {
    return this.#sql.ofAccount
      .all(accountId)
      .map(({ orgId, role }) => ({ organization: this.#parts.organizations.get(orgId), role }));
  }

  /** Members in the order of joining, then invitations in the order of asking. */
  list(orgId: string): Member[] {
    return this.#sql.list.all({ org: orgId });
  }

  /** Inside a transaction of the caller. Who is a member keeps the higher role. */
  add(orgId: string, accountId: string, role: Role): void {
    const known = this.role(accountId, orgId);
    if (known !== null && ROLES.indexOf(known) >= ROLES.indexOf(role)) return;
    this.#sql.add.run(orgId, accountId, role, this.#parts.connection.now());
  }

  /** Makes a member of who is invited. Inside a transaction of the caller. */
  joinInvited({ id, email }: Pick<Account, 'id' | 'email'>): void {
    if (email === null) return;
    const room = MAX_MEMBERSHIPS - (this.#sql.countOfAccount.get(id) ?? 0);
    for (const { orgId, role } of this.#sql.invitationsOf.all(email, Math.max(0, room))) {
      this.add(orgId, id, role);
      this.#sql.uninvite.run(orgId, email);
    }
  }

  invite(orgId: string, email: string, role: Role, by: Actor): Member {
    const { connection, organizations, audit } = this.#parts;
    const address = checkEmail(email);
    return connection.write(() => {
      organizations.get(orgId);
      if (this.#find(orgId, address) !== null) {
        throw new AppError('conflict', `${address} is already a member or invited`);
      }
      this.#checkCount(orgId);
      this.#sql.invite.run(orgId, address, role, connection.now());
      audit.append(orgId, 'member.invite', `${address}/role:${role}`, by);
      return this.#get(orgId, address);
    });
  }

  changeRole(orgId: string, email: string, role: Role, by: Actor): Member {
    const { connection, audit } = this.#parts;
    const address = addressOf(email);
    return connection.write(() => {
      this.#get(orgId, address);
      const members = this.#sql.accounts.all(orgId, address, address);
      for (const { id } of members) this.#sql.setRole.run(role, orgId, id);
      this.#sql.changeInvitation.run(role, orgId, address);
      this.#checkOwner(orgId, members);
      audit.append(orgId, 'member.invite', `${address}/role:${role}`, by);
      return this.#get(orgId, address);
    });
  }

  /** Takes every member with that address away, and its invitation. */
  remove(orgId: string, email: string, by: Actor): void {
    const { connection, audit } = this.#parts;
    const address = addressOf(email);
    connection.write(() => {
      this.#get(orgId, address);
      const members = this.#sql.accounts.all(orgId, address, address);
      for (const { id } of members) this.#sql.remove.run(orgId, id);
      this.#sql.uninvite.run(orgId, address);
      this.#checkOwner(orgId, members);
      audit.append(orgId, 'member.remove', address, by);
    });
  }

  /** Takes one account away, and no other with its address. Throws AppError `bad_request` for the last owner. */
  leave(orgId: string, accountId: string, by: Actor): void {
    const { connection, audit } = this.#parts;
    connection.write(() => {
      const role = this.role(accountId, orgId);
      if (role === null) notFound(by.name);
      this.#sql.remove.run(orgId, accountId);
      this.#checkOwner(orgId, [{ id: accountId, role }]);
      audit.append(orgId, 'member.remove', by.name, by);
    });
  }

  /** Throws AppError `limit_reached` when the account has as many organizations as it may have. */
  checkRoom(accountId: string): void {
    if ((this.#sql.countOfAccount.get(accountId) ?? 0) < MAX_MEMBERSHIPS) return;
    throw new AppError('limit_reached', `an account may be in ${MAX_MEMBERSHIPS} organizations`, {
      hints: ['leave one that you do not need'],
    });
  }

  #find(orgId: string, address: string): Member | null {
    return this.#sql.find.get({ org: orgId, email: address }) ?? null;
  }

  #get(orgId: string, address: string): Member {
    return this.#find(orgId, address) ?? notFound(address);
  }

  #checkCount(orgId: string): void {
    if ((this.#sql.countOfOrg.get({ org: orgId }) ?? 0) < MAX_MEMBERS) return;
    throw new AppError('limit_reached', `an organization may have ${MAX_MEMBERS} members and invitations`, {
      hints: ['remove members who no longer need access'],
    });
  }

  /** After a change of `changed`: throws when it took the last owner away. */
  #checkOwner(orgId: string, changed: readonly MemberRow[]): void {
    if (!changed.some(({ role }) => role === 'owner') || (this.#sql.owners.get(orgId) ?? 0) > 0) return;
    throw new AppError('bad_request', 'an organization needs an owner, and this is the last one', {
      hints: ['make someone else an owner first'],
    });
  }
}

/** Members without a proven address go by the id of their account. */
function addressOf(text: string): string {
  return normaliseEmail(text) ?? text.trim();
}

function notFound(address: string): never {
  throw new AppError('not_found', `there is no member "${address}"`);
}

/** Members first, then invitations. */
const MEMBERS = `
  SELECT email, name, role, status, joinedAt FROM (
    SELECT 0 AS rank, coalesce(email, id) AS email, name, role, 'active' AS status, joined_at AS joinedAt, joined_at AS at
      FROM members JOIN accounts ON id = account_id WHERE org_id = @org
    UNION ALL
    SELECT 1, email, NULL, role, 'invited', NULL, invited_at FROM invitations WHERE org_id = @org)`;

type Statements = ReturnType<typeof statements>;

function statements(db: Database.Database) {
  const count = (condition: string): Database.Statement<[string], number> =>
    db.prepare<[string], number>(`SELECT count(*) FROM members WHERE ${condition}`).pluck();
  return {
    role: db.prepare<[string, string], Role>('SELECT role FROM members WHERE org_id = ? AND account_id = ?').pluck(),
    ofAccount: db.prepare<[string], { orgId: string; role: Role }>(
      'SELECT org_id AS orgId, role FROM members WHERE account_id = ? ORDER BY joined_at, org_id',
    ),
    list: db.prepare<[{ org: string }], Member>(`${MEMBERS} ORDER BY rank, at, email`),
    find: db.prepare<[{ org: string; email: string }], Member>(
      `${MEMBERS} WHERE email = @email ORDER BY rank, at LIMIT 1`,
    ),
    countOfOrg: db.prepare<[{ org: string }], number>(`SELECT count(*) FROM (${MEMBERS})`).pluck(),
    accounts: db.prepare<[org: string, email: string, id: string], MemberRow>(
      `SELECT id, role FROM members JOIN accounts ON id = account_id WHERE org_id = ? AND (email = ? OR id = ?)`,
    ),
    countOfAccount: count('account_id = ?'),
    owners: count("org_id = ? AND role = 'owner'"),
    add: db.prepare<[string, string, Role, number]>(
      `INSERT INTO members (org_id, account_id, role, joined_at) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET role = excluded.role`,
    ),
    setRole: db.prepare<[Role, string, string]>('UPDATE members SET role = ? WHERE org_id = ? AND account_id = ?'),
    remove: db.prepare<[string, string]>('DELETE FROM members WHERE org_id = ? AND account_id = ?'),
    invite: db.prepare<[string, string, Role, number]>(
      'INSERT INTO invitations (org_id, email, role, invited_at) VALUES (?, ?, ?, ?)',
    ),
    changeInvitation: db.prepare<[Role, string, string]>(
      'UPDATE invitations SET role = ? WHERE org_id = ? AND email = ?',
    ),
    uninvite: db.prepare<[string, string]>('DELETE FROM invitations WHERE org_id = ? AND email = ?'),
    invitationsOf: db.prepare<[email: string, limit: number], { orgId: string; role: Role }>(
      'SELECT org_id AS orgId, role FROM invitations WHERE email = ? ORDER BY invited_at, org_id LIMIT ?',
    ),
  };
}
