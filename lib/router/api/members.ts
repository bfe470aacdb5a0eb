/** …/members: who belongs to an organization. A logged-in member has its own role there, an admin key that of an admin. */
import { memberAddress } from '../../control/accounts/members.ts';
import { memberJson } from '../../control/json.ts';
import { ROLES, type Account, type Actor, type Member, type Role } from '../../control/types.ts';
import { AppError } from '../../base/errors.ts';
import { JsonBody } from '../route/json-body.ts';
import { type Admit, creating, managed, receiving } from '../route/managed.ts';
import type { Routes } from '../route/route.ts';
import { also, component, json, list, STRING_OR_NULL, DATE_TIME_OR_NULL, objectOf } from '../route/schema.ts';
import { requireMember } from '../roles.ts';
import { ADMIN, type Door, admitMember, OPERATOR, SESSION } from './doors.ts';
import { DELETED, ROLE } from './schemas.ts';

const EMAIL = { type: 'string', description: 'Case-insensitive.' };
const ADDRESS = '"email" must be an e-mail address, a string.';

const INVITE_BODY = new JsonBody<{ readonly email: string; readonly role: Role }>(
  'invite',
  {
    required: ['email', 'role'],
    properties: { email: EMAIL, role: { ...ROLE, description: 'Only owners can add owners.' } },
  },
  {
    '': 'The body must be a JSON object with "email" and "role".',
    '/email': ADDRESS,
    '/role': `"role" must be one of ${ROLES.join(', ')}.`,
  },
);

const REMOVE_BODY = new JsonBody<{ readonly email: string }>(
  'remove',
  { required: ['email'], properties: { email: EMAIL } },
  { '': 'The body must be a JSON object with the address of the member in "email".', '/email': ADDRESS },
);

const FIELDS = objectOf({
  email: { type: 'string', description: 'The account id if there is no verified address.' },
  name: STRING_OR_NULL,
  role: ROLE,
  status: { enum: ['active', 'invited'] },
  joined_at: DATE_TIME_OR_NULL,
});
const MEMBER = component('Member', FIELDS);

const INVITED = component(
  'InvitedMember',
  also(
    { mailed: { type: 'boolean', description: 'Whether the host sends it by mail; else tell them yourself.' } },
    FIELDS,
  ),
);

interface Keeper {
  readonly orgId: string;
  readonly by: Actor;
  readonly self?: Account;
  /** Rejects with 403 without the role. */
  readonly must: (role: 'admin' | 'owner') => Promise<unknown>;
}

/** Who keeps the members; throws as a `Door` does. `needed`: the role of a logged-in member. */
type AdmitKeeper = (right: 'read' | 'change' | 'make', needed: Role) => Admit<Keeper>;

const byRole: AdmitKeeper = (right, needed) => async (services, request) => {
  const visiting = await admitMember(right, needed)(services, request);
  const { organization, account, by } = visiting;
  const must = (role: Role): Promise<unknown> => requireMember(services, visiting, organization.id, role);
  return { orgId: organization.id, by, self: account, must };
};

/** It acts as an admin, so nothing that concerns owners. */
const byAdminKey: AdmitKeeper = (right) => async (services, request) => ({
  ...(await ADMIN.organization(right)(services, request)),
  must: beAdmin,
});

/** Nothing is kept from the operator. */
const byOperator: AdmitKeeper = (right) => async (services, request) => ({
  ...(await OPERATOR.organization(right)(services, request)),
  must: () => Promise.resolve(),
});

async function beAdmin(role: 'admin' | 'owner'): Promise<void> {
  if (role === 'admin') return;
  throw new AppError('forbidden', 'This requires the role owner; the admin key has the role admin.', {
    hints: ['An owner of the organization can do it, logged in.'],
  });
}

export const MEMBER_ROUTES: Routes = {
  '/api/orgs/{orgID}/members': {
    get: listMembers(SESSION, byRole, 'listMembers'),
    post: inviteMember(SESSION, byRole, ['inviteMember', 'Admins; only owners manage owners.']),
    delete: removeMember(SESSION, byRole, [
      'removeMember',
      'Removes a member or an invitation (admins), or yourself. The role ends at once; access tokens that they made stay.',
    ]),
  },
  '/api/admin/members': {
    get: listMembers(ADMIN, byAdminKey, 'listAdminMembers'),
    post: inviteMember(ADMIN, byAdminKey, ['inviteAdminMember', 'Cannot manage owners.']),
    delete: removeMember(ADMIN, byAdminKey, [
      'removeAdminMember',
      'Removes a member or an invitation, but not owners. The role ends at once; access tokens that they made stay.',
    ]),
  },
  '/operator/orgs/{orgID}/members': {
    get: listMembers(OPERATOR, byOperator, 'listOperatorMembers'),
    post: inviteMember(OPERATOR, byOperator, ['inviteOperatorMember', 'Owners too.']),
    delete: removeMember(OPERATOR, byOperator, [
      'removeOperatorMember',
      'Removes a member or an invitation. The role ends at once; access tokens that they made stay.',
    ]),
  },
};

function listMembers(door: Door, admit: AdmitKeeper, id: string) {
  return managed(door, id, 'Lists members in order of joining, then invitations.', {
    admit: admit('read', 'viewer'),
    ok: json('Members and invitations.', list(MEMBER)),
    answer: async ({ control }, { orgId }) => (await control.members.list(orgId)).map(memberJson),
  });
}

/** 201 for an invitation, 200 for an existing member whose role changes. */
function inviteMember(door: Door, admit: AdmitKeeper, [id, who]: readonly [id: string, who: string]) {
  return creating(door, id, `Invites an e-mail address, or changes a member's role. ${who}`, {
    admit: admit('make', 'admin'),
    body: INVITE_BODY,
    ok: json('Was there already, and has the role now.', MEMBER),
    answers: {
      '201': json(
        'Invited: an address without an account joins with its first login, an account when it accepts.',
        INVITED,
      ),
    },
    fails: [409],
    make: async ({ control: { members, organizations }, mail }, { orgId, by, must }, { email, role }) => {
      const known = membersAt(await members.list(orgId), email);
      await must(role === 'owner' || known.some((each) => each.role === 'owner') ? 'owner' : 'admin');
      if (known.some((each) => each.role !== role))
        return { status: 200, value: memberJson(await members.changeRole(orgId, email, role, by)) };
      const invited = await members.invite(orgId, email, role, by);
      const mailed = mail?.invite(await organizations.get(orgId), invited.email, role) ?? false;
      return { status: 201, value: { ...memberJson(invited), mailed } };
    },
  });
}

/** Everybody may leave; only admins remove others. */
function removeMember(door: Door, admit: AdmitKeeper, [id, summary]: readonly [id: string, summary: string]) {
  return receiving(door, id, summary, {
    admit: admit('change', 'viewer'),
    body: REMOVE_BODY,
    ok: json('`id` is the address.', DELETED),
    fails: door.takesKeys ? [404] : [],
    answer: async ({ control }, { orgId, by, self, must }, { email }) => {
      const own = self?.email ?? self?.id;
      if (self !== undefined && memberAddress(email) === own) {
        await control.members.leave(orgId, self.id, by);
        return { deleted: true, id: own };
      }
      return control.together(async () => {
        const known = membersAt(await control.members.list(orgId), email);
        await must(known.some(({ role }) => role === 'owner') ? 'owner' : 'admin');
        await control.members.remove(orgId, email, by);
        return { deleted: true, id: known[0]?.email ?? email };
      });
    },
  });
}

/** One address may have several accounts, from different providers. */
function membersAt(members: readonly Member[], email: string): readonly Member[] {
  const address = memberAddress(email);
  return members.filter((one) => one.email === address);
}
