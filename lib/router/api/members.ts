/** …/members: who belongs to an organization. A logged-in member has its own role there, an admin key that of an admin. */
import type { Express, Request, RequestHandler } from 'express';
import { addressOf } from '../../control/accounts/members.ts';
import { memberJson } from '../../control/json.ts';
import type { Account, Actor, Member, Role } from '../../control/types.ts';
import { jsonHandler } from '../http/answer.ts';
import type { RouterContext } from '../context.ts';
import { addInTurns } from '../in-turn.ts';
import { memberOf } from '../roles.ts';
import { INVITE_BODY, REMOVE_BODY } from './account-bodies.ts';
import { creating } from './answer-once.ts';
import { memberVisitorOf } from './doors.ts';

interface Keeper {
  readonly orgId: string;
  readonly by: Actor;
  readonly self?: Account;
  /** Rejects with 403 without the role. */
  readonly must: (role: 'admin' | 'owner') => Promise<unknown>;
}

/** Who keeps the members. `admit` throws as that of a `Door` does; `needed`: the role of a logged-in member. */
export interface MemberDoor {
  readonly takesKeys: boolean;
  readonly admit: (request: Request, right: 'read' | 'change', needed: Role) => Promise<Keeper>;
}

export function addMemberEndpoints(app: Express, context: RouterContext, path: string, door: MemberDoor): void {
  const toRead = (request: Request) => door.admit(request, 'read', 'viewer');
  const { members } = context.control;
  addInTurns(app, context, {
    [path]: {
      get: jsonHandler(toRead, async ({ orgId }) => (await members.list(orgId)).map(memberJson)),
      post: inviteMember(context, door),
      delete: removeMember(context, door),
    },
  });
}

export function sessionMembers(context: RouterContext): MemberDoor {
  return {
    takesKeys: false,
    admit: async (request, right, needed) => {
      const { organization, account, by } = await memberVisitorOf(context, request, { right, needed });
      const { id: orgId } = organization;
      return { orgId, by, self: account, must: (role) => memberOf(context, account, orgId, role) };
    },
  };
}

/** 201 for an invitation, 200 for an existing member whose role changes. */
function inviteMember(context: RouterContext, { takesKeys, admit }: MemberDoor): RequestHandler {
  const { members } = context.control;
  const from = { takesKeys, admit: (request: Request) => admit(request, 'change', 'admin') };
  return creating(context, INVITE_BODY, from, async ({ orgId, by, must }, { email, role }) => {
    const known = membersAt(await members.list(orgId), email);
    await must(role === 'owner' || known.some((each) => each.role === 'owner') ? 'owner' : 'admin');
    return known.some((each) => each.role !== role)
      ? { status: 200, value: memberJson(await members.changeRole(orgId, email, role, by)) }
      : { status: 201, value: memberJson(await members.invite(orgId, email, role, by)) };
  });
}

/** Everybody may leave; only admins remove others. */
function removeMember(context: RouterContext, door: MemberDoor): RequestHandler {
  const { members } = context.control;
  const admit = (request: Request) => door.admit(request, 'change', 'viewer');
  return REMOVE_BODY.handler(context, admit, async ({ orgId, by, self, must }, { email }) => {
    const own = self?.email ?? self?.id;
    if (self !== undefined && addressOf(email) === own) {
      await members.leave(orgId, self.id, by);
      return { deleted: true, id: own };
    }
    return context.control.together(async () => {
      const known = membersAt(await members.list(orgId), email);
      await must(known.some(({ role }) => role === 'owner') ? 'owner' : 'admin');
      await members.remove(orgId, email, by);
      return { deleted: true, id: known[0]?.email ?? email };
    });
  });
}

/** One address may have several accounts, from different providers. */
function membersAt(members: readonly Member[], email: string): readonly Member[] {
  const address = addressOf(email);
  return members.filter((member) => member.email === address);
}
