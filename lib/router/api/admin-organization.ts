/** /api/admin/*: what an admin key may do to the organization itself. It acts as an admin, so nothing that concerns owners. */
import type { Express, Request, RequestHandler } from 'express';
import { memberJson, organizationJson } from '../../control/json.ts';
import { AppError } from '../../base/errors.ts';
import type { RouterContext } from '../context.ts';
import { jsonHandler } from '../http/json-handler.ts';
import { addEndpoint } from '../endpoint.ts';
import { INVITE_BODY, REMOVE_BODY } from './account-bodies.ts';
import { answerOnce } from './answer-once.ts';
import { readAudit } from './audit.ts';
import type { Door } from '../door.ts';
import { membersAt } from './members.ts';
import { organizationUsage } from './organization-usage.ts';

export function addAdminOrganizationEndpoints(app: Express, context: RouterContext, door: Door): void {
  addEndpoint(app, '/api/admin/organization', { methods: { get: showOrganization(context, door) } });
  addEndpoint(app, '/api/admin/members', {
    methods: { get: listMembers(context, door), post: invite(context, door), delete: remove(context, door) },
  });
  addEndpoint(app, '/api/admin/usage', { methods: { get: organizationUsage(context, door) } });
  addEndpoint(app, '/api/admin/audit', {
    methods: { get: readAudit(context, async (request) => (await door.organization(request, 'read')).orgId) },
  });
}

function showOrganization({ control }: RouterContext, door: Door): RequestHandler {
  const admit = (request: Request) => door.organization(request, 'look');
  return jsonHandler(admit, async ({ orgId }) => organizationJson(await control.organizations.get(orgId)));
}

function listMembers({ control }: RouterContext, door: Door): RequestHandler {
  const admit = (request: Request) => door.organization(request, 'read');
  return jsonHandler(admit, async ({ orgId }) => (await control.members.list(orgId)).map(memberJson));
}

/** 201 for an invitation, 200 for an existing member whose role changes. */
function invite(context: RouterContext, door: Door): RequestHandler {
  const { control } = context;
  return async (request, response) => {
    const admit = () => door.organization(request, 'change');
    const { body, admitted } = await INVITE_BODY.receiveFrom(admit, { context, request, response });
    const { orgId, by } = admitted;
    const { email, role } = body;
    await answerOnce(context, { door, request, response, orgId, body }, async () => {
      const known = membersAt(await control.members.list(orgId), email);
      if (role === 'owner' || known.some((member) => member.role === 'owner')) throw ownersOnly();
      return known.some((member) => member.role !== role)
        ? { status: 200, value: memberJson(await control.members.changeRole(orgId, email, role, by)) }
        : { status: 201, value: memberJson(await control.members.invite(orgId, email, role, by)) };
    });
  };
}

function remove(context: RouterContext, door: Door): RequestHandler {
  const { members } = context.control;
  const admit = (request: Request) => door.organization(request, 'change');
  return REMOVE_BODY.handler(context, admit, ({ orgId, by }, { email }) =>
    context.control.together(async () => {
      const known = membersAt(await members.list(orgId), email);
      if (known.some(({ role }) => role === 'owner')) throw ownersOnly();
      await members.remove(orgId, email, by);
      return { deleted: true, id: known[0]?.email ?? email };
    }),
  );
}

function ownersOnly(): AppError {
  return new AppError('forbidden', 'This requires the role owner; the admin key has the role admin.', {
    hints: ['An owner of the organization can do it, logged in.'],
  });
}
