import { AppError } from '../../base/errors.ts';
import type { Audit } from '../audit.ts';
import type { ControlConnection } from '../storage/connection.ts';
import { checkEmail, normaliseEmail } from './email.ts';
import type { Organizations } from '../organizations.ts';
import { ROLES, type Account, type Actor, type Member, type Membership, type Role } from '../types.ts';

/** Members and invitations of an organization: limits what a stolen session can fill. */
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

/** The members and invitations of organizations. */
export class Members {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  role(accountId: string, orgId: string): Role | null {
    const sql = 'SELECT role FROM members WHERE org_id = ? AND account_id = ?';
    return this.#parts.connection.value<Role>(sql, orgId, accountId) ?? null;
  }

  /** Ordered by joining. */
  ofAccount(accountId: string): Membership[] {
    const { connection, organizations } = this.#parts;
    const sql = 'SELECT org_id AS orgId, role FROM members WHERE account_id = ? ORDER BY joined_at, org_id';
    const rows = connection.rows<{ orgId: string; role: Role }>(sql, accountId);
    return rows.map(({ orgId, role }) => ({ organization: organizations.get(orgId), role }));
  }

  /** Members ordered by joining, then invitations ordered by creation. */
  list(orgId: string): Member[] {
    return this.#parts.connection.rows<Member>(`${MEMBERS} ORDER BY rank, at, email`, { org: orgId });
  }

  /** Inside a transaction of the caller. Existing members keep the higher role. */
  add(orgId: string, accountId: string, role: Role): void {
    const known = this.role(accountId, orgId);
    if (known !== null && ROLES.indexOf(known) >= ROLES.indexOf(role)) return;
    const { connection } = this.#parts;
    const sql = `INSERT INTO members (org_id, account_id, role, joined_at) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET role = excluded.role`;
    connection.run(sql, orgId, accountId, role, connection.now());
  }

  /** Makes invited accounts members. Inside a transaction of the caller. */
  joinInvited({ id, email }: Pick<Account, 'id' | 'email'>): void {
    if (email === null) return;
    const { connection } = this.#parts;
    const room = Math.max(0, MAX_MEMBERSHIPS - this.#memberships(id));
    const sql = 'SELECT org_id AS orgId, role FROM invitations WHERE email = ? ORDER BY invited_at, org_id LIMIT ?';
    for (const { orgId, role } of connection.rows<{ orgId: string; role: Role }>(sql, email, room)) {
      this.add(orgId, id, role);
      connection.run(UNINVITE, orgId, email);
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
      const sql = 'INSERT INTO invitations (org_id, email, role, invited_at) VALUES (?, ?, ?, ?)';
      connection.run(sql, orgId, address, role, connection.now());
      audit.append(orgId, 'member.invite', `${address}/role:${role}`, by);
      return this.#get(orgId, address);
    });
  }

  changeRole(orgId: string, email: string, role: Role, by: Actor): Member {
    const { connection, audit } = this.#parts;
    const address = addressOf(email);
    return connection.write(() => {
      this.#get(orgId, address);
      const members = this.#accounts(orgId, address);
      const sql = 'UPDATE members SET role = ? WHERE org_id = ? AND account_id = ?';
      for (const { id } of members) connection.run(sql, role, orgId, id);
      connection.run('UPDATE invitations SET role = ? WHERE org_id = ? AND email = ?', role, orgId, address);
      this.#checkOwner(orgId, members);
      audit.append(orgId, 'member.invite', `${address}/role:${role}`, by);
      return this.#get(orgId, address);
    });
  }

  /** Removes every member with that address, and its invitation. */
  remove(orgId: string, email: string, by: Actor): void {
    const { connection, audit } = this.#parts;
    const address = addressOf(email);
    connection.write(() => {
      this.#get(orgId, address);
      const members = this.#accounts(orgId, address);
      for (const { id } of members) connection.run(REMOVE, orgId, id);
      connection.run(UNINVITE, orgId, address);
      this.#checkOwner(orgId, members);
      audit.append(orgId, 'member.remove', address, by);
    });
  }

  /** Removes one account, and no other with its address. Throws AppError `bad_request` for the last owner. */
  leave(orgId: string, accountId: string, by: Actor): void {
    const { connection, audit } = this.#parts;
    connection.write(() => {
      const role = this.role(accountId, orgId);
      if (role === null) notFound(by.name);
      connection.run(REMOVE, orgId, accountId);
      this.#checkOwner(orgId, [{ id: accountId, role }]);
      audit.append(orgId, 'member.remove', by.name, by);
    });
  }

  /** Throws AppError `limit_reached` if the account is in as many organizations as allowed. */
  checkRoom(accountId: string): void {
    if (this.#memberships(accountId) < MAX_MEMBERSHIPS) return;
    throw new AppError('limit_reached', `an account may be in ${MAX_MEMBERSHIPS} organizations`, {
      hints: ['leave one that you do not need'],
    });
  }

  #memberships(accountId: string): number {
    return this.#parts.connection.value<number>('SELECT count(*) FROM members WHERE account_id = ?', accountId) ?? 0;
  }

  #accounts(orgId: string, address: string): MemberRow[] {
    const sql =
      'SELECT id, role FROM members JOIN accounts ON id = account_id WHERE org_id = ? AND (email = ? OR id = ?)';
    return this.#parts.connection.rows<MemberRow>(sql, orgId, address, address);
  }

  #find(orgId: string, address: string): Member | null {
    const sql = `${MEMBERS} WHERE email = @email ORDER BY rank, at LIMIT 1`;
    return this.#parts.connection.row<Member>(sql, { org: orgId, email: address }) ?? null;
  }

  #get(orgId: string, address: string): Member {
    return this.#find(orgId, address) ?? notFound(address);
  }

  #checkCount(orgId: string): void {
    const count = this.#parts.connection.value<number>(`SELECT count(*) FROM (${MEMBERS})`, { org: orgId }) ?? 0;
    if (count < MAX_MEMBERS) return;
    throw new AppError('limit_reached', `an organization may have ${MAX_MEMBERS} members and invitations`, {
      hints: ['remove members who no longer need access'],
    });
  }

  /** After a change of `changed`: throws if it removed the last owner. */
  #checkOwner(orgId: string, changed: readonly MemberRow[]): void {
    const sql = "SELECT count(*) FROM members WHERE org_id = ? AND role = 'owner'";
    const owners = this.#parts.connection.value<number>(sql, orgId) ?? 0;
    if (!changed.some(({ role }) => role === 'owner') || owners > 0) return;
    throw new AppError('bad_request', 'an organization needs an owner, and this is the last one', {
      hints: ['make someone else an owner first'],
    });
  }
}

/** Members without a proven address are named by account id. */
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

/** Change invitations or members. */
const UNINVITE = 'DELETE FROM invitations WHERE org_id = ? AND email = ?';
const REMOVE = 'DELETE FROM members WHERE org_id = ? AND account_id = ?';
