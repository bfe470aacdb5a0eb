/** /api/session, /api/sessions, /api/orgs and /api/admin: who is logged in, the organizations of an account, that of an admin key. */
import type { Express, Request } from 'express';
import { accountJson, membershipJson, sessionJson, organizationJson } from '../../control/json.ts';
import type { Role } from '../../control/types.ts';
import { jsonHandler } from '../http/answer.ts';
import type { RouterContext } from '../context.ts';
import { addInTurns } from '../in-turn.ts';
import { ORGANIZATION_BODY } from './account-bodies.ts';
import { noSuch } from '../roles.ts';
import { readAudit } from './audit.ts';
import { memberVisitorOf, visitorOf, type Right, toOrganization, type Door } from './doors.ts';
import { usageRange, organizationUsage } from './usage.ts';
import { idParameter } from '../http/query-string.ts';
import { AppError } from '../../base/errors.ts';
import { addMemberEndpoints } from './members.ts';

/** Who is logged in, and what is the account's. */
export function addSessionEndpoints(app: Express, context: RouterContext): void {
  const { control, config, security } = context;
  const visiting = (right: Right) => (request: Request) => visitorOf(context, request, right);
  const member = (right: Right, needed: Role) => (request: Request) =>
    memberVisitorOf(context, request, { right, needed });
  const one = '/api/orgs/:orgID';
  addInTurns(app, context, {
    '/api/session': { get: jsonHandler(visiting('read'), ({ account }) => ({ account: accountJson(account) })) },
    // The sessions of the account, one for each browser.
    '/api/sessions': {
      get: jsonHandler(visiting('read'), async ({ account, sessionId }) =>
        (await control.sessions.list(account.id)).map((session) => sessionJson(session, session.id === sessionId)),
      ),
      // The requesting session stays.
      delete: jsonHandler(visiting('change'), async ({ account, sessionId, by }, request) => {
        const ended = await control.sessions.endOthers(account.id, sessionId);
        security.sessionsEnded(request, by.name, ended);
        return { deleted: true, ended };
      }),
    },
    '/api/sessions/:sessionID': {
      // The requesting one too: that is a logout.
      delete: jsonHandler(visiting('change'), async ({ account, by }, request) => {
        const id = idParameter(request, 'sessionID');
        if (!(await control.sessions.endOne(account.id, id))) throw noSuch('session');
        security.sessionsEnded(request, by.name, 1);
        return { deleted: true, id };
      }),
    },
    '/api/orgs': {
      get: jsonHandler(visiting('read'), async ({ account }) =>
        (await control.members.ofAccount(account.id)).map(membershipJson),
      ),
      post: ORGANIZATION_BODY.handler(
        context,
        visiting('change'),
        async ({ account }, { name }) => {
          const most = config.orgsPerAccount || Infinity;
          const { organization } = await control.logins.createOrganization(account.id, name, most);
          return membershipJson({ organization, role: 'owner' });
        },
        201,
      ),
    },
    [one]: { get: jsonHandler(member('read', 'viewer'), membershipJson) },
    // Only this answer holds the key; the old one stops at once.
    [`${one}/rotate-admin-key`]: {
      post: jsonHandler(member('change', 'owner'), async ({ organization, by }) => ({
        admin_key: await control.organizations.rotateAdminKey(organization.id, by),
      })),
    },
    [`${one}/usage`]: {
      get: jsonHandler(member('read', 'viewer'), ({ organization }, request) =>
        control.usage.ofOrg(organization.id, usageRange(request)),
      ),
    },
    [`${one}/audit`]: {
      get: readAudit(context, async (request) => (await member('read', 'admin')(request)).organization.id),
    },
  });
}

/** What an admin key may do to the organization itself. It acts as an admin, so nothing that concerns owners. */
export function addAdminOrganizationEndpoints(app: Express, context: RouterContext, door: Door): void {
  addMemberEndpoints(app, context, '/api/admin/members', {
    takesKeys: door.takesKeys,
    admit: async (request, right) => ({ ...(await door.organization(request, right)), must: beAdmin }),
  });
  addInTurns(app, context, {
    '/api/admin/organization': {
      get: jsonHandler(toOrganization(door, 'look'), async ({ orgId }) =>
        organizationJson(await context.control.organizations.get(orgId)),
      ),
    },
    '/api/admin/usage': { get: organizationUsage(context, door) },
    '/api/admin/audit': {
      get: readAudit(context, async (request) => (await door.organization(request, 'read')).orgId),
    },
  });
}

async function beAdmin(role: 'admin' | 'owner'): Promise<void> {
  if (role === 'admin') return;
  throw new AppError('forbidden', 'This requires the role owner; the admin key has the role admin.', {
    hints: ['An owner of the organization can do it, logged in.'],
  });
}
