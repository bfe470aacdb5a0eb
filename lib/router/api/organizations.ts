/** /api/session and /api/orgs: who is logged in, and the organizations of the account. */
import type { Express, Request, RequestHandler } from 'express';
import { accountJson, membershipJson, sessionJson } from '../../control/json.ts';
import { sendJson } from '../http/answer.ts';
import { jsonHandler } from '../http/json-handler.ts';
import type { RouterContext } from '../context.ts';
import { addInTurns } from '../in-turn.ts';
import { ORGANIZATION_BODY } from './account-bodies.ts';
import { noSuch } from '../roles.ts';
import { readAudit } from './audit.ts';
import { memberVisitorOf, visitorOf, type Right } from './doors.ts';
import { usageRange } from './usage.ts';
import { idParameter } from '../http/path-parameter.ts';

export function addOrganizationEndpoints(app: Express, context: RouterContext): void {
  const one = '/api/orgs/:orgID';
  addInTurns(app, context, '/api/session', { get: showSession(context) });
  addInTurns(app, context, '/api/orgs', { get: listOrganizations(context), post: createOrganization(context) });
  addInTurns(app, context, one, { get: showOrganization(context) });
  addInTurns(app, context, `${one}/rotate-admin-key`, { post: rotateAdminKey(context) });
  addInTurns(app, context, `${one}/usage`, { get: organizationUsage(context) });
  const ofAdmin = async (request: Request): Promise<string> =>
    (await memberVisitorOf(context, request, { right: 'read', needed: 'admin' })).organization.id;
  addInTurns(app, context, `${one}/audit`, { get: readAudit(context, ofAdmin) });
}

function showSession(context: RouterContext): RequestHandler {
  return jsonHandler(visiting(context, 'read'), ({ account }) => ({ account: accountJson(account) }));
}

const visiting = (context: RouterContext, right: Right) => (request: Request) => visitorOf(context, request, right);

function listOrganizations(context: RouterContext): RequestHandler {
  return jsonHandler(visiting(context, 'read'), async ({ account }) =>
    (await context.control.members.ofAccount(account.id)).map(membershipJson),
  );
}

function createOrganization(context: RouterContext): RequestHandler {
  return async (request, response) => {
    const admit = () => visitorOf(context, request, 'change');
    const { body, admitted } = await ORGANIZATION_BODY.receiveFrom(admit, { context, request, response });
    const { organization } = await context.control.logins.createOrganization(
      admitted.account.id,
      body.name,
      context.config.orgsPerAccount || Infinity,
    );
    sendJson(response, 201, membershipJson({ organization, role: 'owner' }));
  };
}

function showOrganization(context: RouterContext): RequestHandler {
  return jsonHandler(viewing(context), membershipJson);
}

const viewing = (context: RouterContext) => (request: Request) =>
  memberVisitorOf(context, request, { right: 'read', needed: 'viewer' });

/** Only this answer holds the key; the old one stops at once. */
function rotateAdminKey(context: RouterContext): RequestHandler {
  const admit = (request: Request) => memberVisitorOf(context, request, { right: 'change', needed: 'owner' });
  return jsonHandler(admit, async ({ organization, by }) => ({
    admin_key: await context.control.organizations.rotateAdminKey(organization.id, by),
  }));
}

function organizationUsage(context: RouterContext): RequestHandler {
  return jsonHandler(viewing(context), ({ organization }, request) =>
    context.control.usage.ofOrg(organization.id, usageRange(request)),
  );
}

/** /api/sessions: lists and ends the sessions of an account, one for each browser. */
export function addSessionEndpoints(app: Express, context: RouterContext): void {
  addInTurns(app, context, '/api/sessions', { get: listSessions(context), delete: endOthers(context) });
  addInTurns(app, context, '/api/sessions/:sessionID', { delete: endSession(context) });
}

function listSessions(context: RouterContext): RequestHandler {
  return jsonHandler(visiting(context, 'read'), async ({ account, sessionId }) =>
    (await context.control.sessions.list(account.id)).map((session) => sessionJson(session, session.id === sessionId)),
  );
}

/** The requesting session stays. */
function endOthers(context: RouterContext): RequestHandler {
  return jsonHandler(visiting(context, 'change'), async ({ account, sessionId, by }, request) => {
    const ended = await context.control.sessions.endOthers(account.id, sessionId);
    context.security.sessionsEnded(request, by.name, ended);
    return { deleted: true, ended };
  });
}

/** The requesting one too: that is a logout. */
function endSession(context: RouterContext): RequestHandler {
  return jsonHandler(visiting(context, 'change'), async ({ account, by }, request) => {
    const id = idParameter(request, 'sessionID');
    if (!(await context.control.sessions.endOne(account.id, id))) throw noSuch('session');
    context.security.sessionsEnded(request, by.name, 1);
    return { deleted: true, id };
  });
}
