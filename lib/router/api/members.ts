/** /api/orgs/{orgID}/members: who belongs to an organization. */
import type { Express, Request, RequestHandler } from 'express';
import { normaliseEmail } from '../../control/accounts/email.ts';
import { memberJson } from '../../control/json.ts';
import type { Member, Role } from '../../control/types.ts';
import { sendJson } from '../http/answer.ts';
import { jsonHandler } from '../http/json-handler.ts';
import type { RouterContext } from '../context.ts';
import { addEndpoint } from '../endpoint.ts';
import { memberOf } from '../roles.ts';
import { INVITE_BODY, REMOVE_BODY } from './account-bodies.ts';
import { memberVisitorOf, type Visitor } from './visitor.ts';

export function addMemberEndpoints(app: Express, context: RouterContext): void {
  addEndpoint(app, '/api/orgs/:orgID/members', {
    methods: { get: listMembers(context), post: inviteMember(context), delete: removeMember(context) },
  });
}

function listMembers(context: RouterContext): RequestHandler {
  const admit = (request: Request) => memberVisitorOf(context, request, { right: 'read', needed: 'viewer' });
  return jsonHandler(admit, async ({ organization }) =>
    (await context.control.members.list(organization.id)).map(memberJson),
  );
}

/** 201 for an invitation, 200 for an existing member whose role changes. */
function inviteMember(context: RouterContext): RequestHandler {
  const { control } = context;
  return async (request, response) => {
    const admit = () => visitorAs(context, request, 'admin');
    const { body, admitted } = await INVITE_BODY.receiveFrom(admit, { context, request, response });
    const { account, orgId, by } = admitted;
    const { email, role } = body;
    const { status, member } = await control.together(async () => {
      const known = membersAt(await control.members.list(orgId), email);
      const touchesOwner = role === 'owner' || known.some((each) => each.role === 'owner');
      await memberOf(context, account, orgId, touchesOwner ? 'owner' : 'admin');
      return known.some((each) => each.role !== role)
        ? { status: 200, member: await control.members.changeRole(orgId, email, role, by) }
        : { status: 201, member: await control.members.invite(orgId, email, role, by) };
    });
    sendJson(response, status, memberJson(member));
  };
}

/** Everybody may leave; only admins remove others. */
function removeMember(context: RouterContext): RequestHandler {
  const { members } = context.control;
  const admit = (request: Request) => visitorAs(context, request, 'viewer');
  return REMOVE_BODY.handler(context, admit, async ({ account, orgId, by }, { email }) => {
    if (addressOf(email) === (account.email ?? account.id)) {
      await members.leave(orgId, account.id, by);
      return { deleted: true, id: account.email ?? account.id };
    }
    return context.control.together(async () => {
      const known = membersAt(await members.list(orgId), email);
      const needed = known.some(({ role }) => role === 'owner') ? 'owner' : 'admin';
      await memberOf(context, account, orgId, needed);
      await members.remove(orgId, email, by);
      return { deleted: true, id: known[0]?.email ?? email };
    });
  });
}

async function visitorAs(
  context: RouterContext,
  request: Request,
  needed: Role,
): Promise<Visitor & { readonly orgId: string }> {
  const { organization, ...visitor } = await memberVisitorOf(context, request, { right: 'change', needed });
  return { ...visitor, orgId: organization.id };
}

/** One address may have several accounts, from different providers. */
export function membersAt(members: readonly Member[], email: string): readonly Member[] {
  const address = addressOf(email);
  return members.filter((member) => member.email === address);
}

/** Members without a proven address are named by account id. */
function addressOf(email: string): string {
  return normaliseEmail(email) ?? email.trim();
}
