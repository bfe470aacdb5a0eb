import { sql } from 'kysely';
import { AppError } from '../../base/errors.ts';
import type { Audit } from '../audit.ts';
import { type ControlConnection, countOf } from '../storage/connection.ts';
import { checkEmail, normaliseEmail } from './email.ts';
import { notFound } from '../names.ts';
import type { Organizations } from '../organizations.ts';
import { actorOf } from './accounts.ts';
import { ROLES, type Account, type Actor, type Invitation, type Member, type Membership, type Role } from '../types.ts';

/** Members and invitations of an organization: limits what a stolen session can fill. */
const MAX_MEMBERS = 1000;

/** Invitations of an organization that nobody has accepted yet, and of an address: limits whom a stolen session can bother. */
const MAX_INVITATIONS = 200;
const MAX_INVITATIONS_OF_ADDRESS = 50;

/** Organizations of an account. Further invitations wait. */
const MAX_MEMBERSHIPS = 200;

interface MemberRow {
  id: string;
  role: Role;
}

/** Who answers an invitation, and the address that the login has proven. */
export interface Invited {
  readonly account: Account;
  readonly email: string | null;
  readonly ip: string | null;
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

  async role(accountId: string, orgId: string): Promise<Role | null> {
    const select = this.#parts.connection.db.selectFrom('members').select('role');
    const row = await select.where('org_id', '=', orgId).where('account_id', '=', accountId).executeTakeFirst();
    return row?.role ?? null;
  }

  /** Ordered by joining. */
  async ofAccount(accountId: string): Promise<Membership[]> {
    const { connection, organizations } = this.#parts;
    const select = connection.db.selectFrom('members').select(['org_id as orgId', 'role']);
    const rows = await select.where('account_id', '=', accountId).orderBy('joined_at').orderBy('org_id').execute();
    const memberships: Membership[] = [];
    for (const { orgId, role } of rows) memberships.push({ organization: await organizations.get(orgId), role });
    return memberships;
  }

  /** The ids and names of an account's organizations, ordered by joining. */
  organizationsOf(accountId: string): Promise<{ readonly id: string; readonly name: string }[]> {
    const joined = this.#parts.connection.db
      .selectFrom('members')
      .innerJoin('organizations', 'organizations.id', 'members.org_id');
    const own = joined.where('members.account_id', '=', accountId).orderBy('members.joined_at');
    return own.orderBy('organizations.id').select(['organizations.id', 'organizations.name']).execute();
  }

  /** Members ordered by joining, then invitations ordered by creation. */
  list(orgId: string): Promise<Member[]> {
    return this.#members(orgId).orderBy('rank').orderBy('at').orderBy('email').execute();
  }

  /** Inside a transaction of the caller. Existing members keep the higher role. */
  async add(orgId: string, accountId: string, role: Role): Promise<void> {
    const known = await this.role(accountId, orgId);
    if (known !== null && ROLES.indexOf(known) >= ROLES.indexOf(role)) return;
    const { db, now } = this.#parts.connection;
    const insert = db.insertInto('members').values({ org_id: orgId, account_id: accountId, role, joined_at: now() });
    await insert.onConflict((member) => member.columns(['org_id', 'account_id']).doUpdateSet({ role })).execute();
  }

  /** Accepts all invitations of a new account, whose address nobody had before. Inside a transaction of the caller. */
  async joinInvited(invited: Invited): Promise<void> {
    for (const { orgId } of (await this.invitations(invited.email)).slice(0, MAX_MEMBERSHIPS))
      await this.accept(orgId, invited);
  }

  /** The invitations of a proven address, oldest first. Nobody but who has proven it may see them. */
  async invitations(email: string | null): Promise<Invitation[]> {
    if (email === null) return [];
    const { db } = this.#parts.connection;
    const select = db.selectFrom('invitations').innerJoin('organizations', 'organizations.id', 'org_id');
    const columns = ['org_id as orgId', 'organizations.name as orgName', 'role', 'invited_at as invitedAt'] as const;
    return select.select(columns).where('email', '=', email).orderBy('invited_at').orderBy('org_id').execute();
  }

  /** Makes the invited account a member. Throws AppError `limit_reached` if it is in as many organizations as allowed. */
  async accept(orgId: string, { account, email, ip }: Invited): Promise<Membership> {
    const { connection, organizations, audit } = this.#parts;
    return connection.write(async () => {
      const { address, role } = await this.#invitation(orgId, email);
      await this.checkRoom(account.id);
      await this.add(orgId, account.id, role);
      await this.#uninvite(orgId, address);
      const by = actorOf(account, role === 'owner' ? ip : null);
      await audit.append(orgId, 'member.join', `${address}/role:${role}`, by);
      return { organization: await organizations.get(orgId), role: (await this.role(account.id, orgId)) ?? role };
    });
  }

  /** Says no to an invitation, which is gone then. The organization learns no more than that. */
  async decline(orgId: string, { email }: Pick<Invited, 'email'>): Promise<void> {
    const { connection, audit } = this.#parts;
    await connection.write(async () => {
      const { address } = await this.#invitation(orgId, email);
      await this.#uninvite(orgId, address);
      await audit.append(orgId, 'member.decline', address, { name: address, ip: null });
    });
  }

  async invite(orgId: string, email: string, role: Role, by: Actor): Promise<Member> {
    const { connection, organizations, audit } = this.#parts;
    const address = checkEmail(email);
    return connection.write(async () => {
      await organizations.get(orgId);
      if ((await this.#find(orgId, address)) !== null) {
        throw new AppError('conflict', `${address} is already a member or invited.`, {
          field: 'email',
          hints: ['To change the role, send the other one.'],
        });
      }
      await this.#checkCount(orgId);
      await this.#checkInvitations(orgId, address);
      const invitation = { org_id: orgId, email: address, role, invited_at: connection.now() };
      await connection.db.insertInto('invitations').values(invitation).execute();
      await audit.append(orgId, 'member.invite', `${address}/role:${role}`, by);
      return this.#get(orgId, address);
    });
  }

  async changeRole(orgId: string, email: string, role: Role, by: Actor): Promise<Member> {
    const { connection, audit } = this.#parts;
    const address = memberAddress(email);
    return connection.write(async () => {
      const { role: former } = await this.#get(orgId, address);
      const members = await this.#accounts(orgId, address);
      const { db } = connection;
      for (const { id } of members) {
        const update = db.updateTable('members').set({ role });
        await update.where('org_id', '=', orgId).where('account_id', '=', id).execute();
      }
      const update = db.updateTable('invitations').set({ role });
      await update.where('org_id', '=', orgId).where('email', '=', address).execute();
      await this.#checkOwner(orgId, members);
      const changes = { role: { from: former, to: role } };
      await audit.appendChanges({ orgId, action: 'member.update', target: address, changes }, by);
      return this.#get(orgId, address);
    });
  }

  /** Removes every member with that address, and its invitation. */
  async remove(orgId: string, email: string, by: Actor): Promise<void> {
    const { connection, audit } = this.#parts;
    const address = memberAddress(email);
    await connection.write(async () => {
      await this.#get(orgId, address);
      const members = await this.#accounts(orgId, address);
      for (const { id } of members) await this.#drop(orgId, id);
      await this.#uninvite(orgId, address);
      await this.#checkOwner(orgId, members);
      await audit.append(orgId, 'member.remove', address, by);
    });
  }

  /** Removes one account, and no other with its address. Throws AppError `bad_request` for the last owner. */
  async leave(orgId: string, accountId: string, by: Actor): Promise<void> {
    const { connection, audit } = this.#parts;
    await connection.write(async () => {
      const role = await this.role(accountId, orgId);
      if (role === null) notFound(`member "${by.name}"`);
      await this.#drop(orgId, accountId);
      await this.#checkOwner(orgId, [{ id: accountId, role }]);
      await audit.append(orgId, 'member.remove', by.name, by);
    });
  }

  /** Throws AppError `limit_reached` if the account is in as many organizations as allowed. */
  async checkRoom(accountId: string): Promise<void> {
    if ((await this.#memberships(accountId)) < MAX_MEMBERSHIPS) return;
    throw new AppError('limit_reached', `An account may be in ${MAX_MEMBERSHIPS} organizations.`, {
      hints: ['Leave one that you do not need.'],
    });
  }

  async #memberships(accountId: string): Promise<number> {
    const select = this.#parts.connection.db.selectFrom('members').where('account_id', '=', accountId);
    return countOf(select);
  }

  #accounts(orgId: string, address: string): Promise<MemberRow[]> {
    const select = this.#parts.connection.db.selectFrom('members').innerJoin('accounts', 'id', 'account_id');
    return select
      .select(['id', 'role'])
      .where('org_id', '=', orgId)
      .where((member) => member.or([member('email', '=', address), member('id', '=', address)]))
      .execute();
  }

  async #find(orgId: string, address: string): Promise<Member | null> {
    const found = this.#members(orgId).where('email', '=', address).orderBy('rank').orderBy('at').limit(1);
    return (await found.executeTakeFirst()) ?? null;
  }

  async #get(orgId: string, address: string): Promise<Member> {
    return (
      (await this.#find(orgId, address)) ?? notFound(`member "${address}"`, 'the list of members has their addresses')
    );
  }

  /** Throws AppError `not_found` where the address is not invited, or not proven. */
  async #invitation(orgId: string, email: string | null): Promise<{ address: string; role: Role }> {
    const found = (await this.invitations(email)).find((one) => one.orgId === orgId);
    if (found === undefined || email === null)
      return notFound('invitation to this organization', 'it may have been revoked; GET /api/invitations lists yours');
    return { address: email, role: found.role };
  }

  async #checkInvitations(orgId: string, address: string): Promise<void> {
    const open = this.#parts.connection.db.selectFrom('invitations');
    if ((await countOf(open.where('org_id', '=', orgId))) >= MAX_INVITATIONS)
      throw new AppError('limit_reached', `An organization may have ${MAX_INVITATIONS} open invitations.`, {
        hints: ['Wait until some are answered, or revoke those that are not needed.'],
      });
    if ((await countOf(open.where('email', '=', address))) >= MAX_INVITATIONS_OF_ADDRESS)
      throw new AppError('limit_reached', `An address may have ${MAX_INVITATIONS_OF_ADDRESS} open invitations.`, {
        hints: ['Its owner should accept or decline some in the console first.'],
      });
  }

  async #checkCount(orgId: string): Promise<void> {
    const { db } = this.#parts.connection;
    const members = await countOf(db.selectFrom('members').where('org_id', '=', orgId));
    const count = members + (await countOf(db.selectFrom('invitations').where('org_id', '=', orgId)));
    if (count < MAX_MEMBERS) return;
    throw new AppError('limit_reached', `An organization may have ${MAX_MEMBERS} members and invitations.`, {
      hints: ['Remove members who no longer need access.'],
    });
  }

  /** After a change of `changed`: throws if it removed the last owner. */
  async #checkOwner(orgId: string, changed: readonly MemberRow[]): Promise<void> {
    const select = this.#parts.connection.db.selectFrom('members').where('org_id', '=', orgId);
    const owners = await countOf(select.where('role', '=', 'owner'));
    if (!changed.some(({ role }) => role === 'owner') || owners > 0) return;
    throw new AppError('bad_request', 'An organization needs an owner, and this is the last one.', {
      field: 'role',
      hints: ['Make someone else an owner first.'],
    });
  }

  /** Members first (rank 0), then invitations. */
  #members(orgId: string) {
    const { db } = this.#parts.connection;
    const members = db
      .selectFrom('members')
      .innerJoin('accounts', 'accounts.id', 'account_id')
      .where('org_id', '=', orgId)
      .select(({ fn }) => [fn.coalesce('email', 'accounts.id').as('email'), 'name', 'role'])
      .select([sql<Member['status']>`'active'`.as('status'), sql<number | null>`joined_at`.as('joinedAt')])
      .select([sql<number>`0`.as('rank'), 'joined_at as at']);
    const invitations = db
      .selectFrom('invitations')
      .where('org_id', '=', orgId)
      .select(['email', sql<string | null>`NULL`.as('name'), 'role'])
      .select([sql<Member['status']>`'invited'`.as('status'), sql<number | null>`NULL`.as('joinedAt')])
      .select([sql<number>`1`.as('rank'), 'invited_at as at']);
    const everybody = db.selectFrom(members.unionAll(invitations).as('everybody'));
    return everybody.select(['email', 'name', 'role', 'status', 'joinedAt']);
  }

  async #drop(orgId: string, accountId: string): Promise<void> {
    const members = this.#parts.connection.db.deleteFrom('members');
    await members.where('org_id', '=', orgId).where('account_id', '=', accountId).execute();
  }

  async #uninvite(orgId: string, email: string): Promise<void> {
    const invitations = this.#parts.connection.db.deleteFrom('invitations');
    await invitations.where('org_id', '=', orgId).where('email', '=', email).execute();
  }
}

/** How `list` names a member. Those without a proven address are named by account id. */
export function memberAddress(text: string): string {
  return normaliseEmail(text) ?? text.trim();
}
