/** /api/session and /api/orgs: who is logged in, and the organizations of that account. */
import type { Express, RequestHandler } from 'express';
import { accountJson, membershipJson } from '../../control/json.ts';
import { sendJson } from '../http/answer.ts';
import type { RouterContext } from '../context.ts';
import { addEndpoint } from '../endpoint.ts';
import { ORGANIZATION_BODY } from './account-bodies.ts';
import { noSuch } from '../door.ts';
import { usageRange } from './usage.ts';
import { memberVisitorOf, visitorOf } from './visitor.ts';

export function addOrganizationEndpoints(app: Express, context: RouterContext): void {
  const one = '/api/orgs/:orgID';
  addEndpoint(app, '/api/session', { methods: { get: showSession(context) } });
  addEndpoint(app, '/api/orgs', { methods: { get: listOrganizations(context), post: createOrganization(context) } });
  addEndpoint(app, one, { methods: { get: showOrganization(context) } });
  addEndpoint(app, `${one}/rotate-admin-key`, { methods: { post: rotateAdminKey(context) } });
  addEndpoint(app, `${one}/usage`, { methods: { get: organizationUsage(context) } });
}

function showSession(context: RouterContext): RequestHandler {
  return (request, response) => {
    const { account } = visitorOf(context, request, 'read');
    sendJson(response, 200, { account: accountJson(account) });
  };
}

function listOrganizations(context: RouterContext): RequestHandler {
  return (request, response) => {
    const { account } = visitorOf(context, request, 'read');
    sendJson(response, 200, context.control.members.ofAccount(account.id).map(membershipJson));
  };
}

function createOrganization(context: RouterContext): RequestHandler {
  return async (request, response) => {
    const admit = () => visitorOf(context, request, 'change');
    const { body, admitted } = await ORGANIZATION_BODY.receiveFrom(admit, { context, request, response });
    const { organization } = context.control.logins.createOrganization(
      admitted.account.id,
      body.name,
      context.config.orgsPerAccount || Infinity,
    );
    sendJson(response, 201, membershipJson({ organization, role: 'owner' }));
  };
}

function showOrganization(context: RouterContext): RequestHandler {
  const { control } = context;
  return (request, response) => {
    const { account, organization } = memberVisitorOf(context, request, { right: 'read', needed: 'viewer' });
    const role = control.members.role(account.id, organization.id);
    if (role === null) throw noSuch('organization');
    sendJson(response, 200, membershipJson({ organization, role }));
  };
}

/** The only answer that holds the key; the old one stops at once. */
function rotateAdminKey(context: RouterContext): RequestHandler {
  return (request, response) => {
    const { organization, by } = memberVisitorOf(context, request, { right: 'change', needed: 'owner' });
    sendJson(response, 200, { admin_key: context.control.organizations.rotateAdminKey(organization.id, by) });
  };
}

function organizationUsage(context: RouterContext): RequestHandler {
  return (request, response) => {
    const { organization } = memberVisitorOf(context, request, { right: 'read', needed: 'viewer' });
    sendJson(response, 200, context.control.usage.ofOrg(organization.id, usageRange(request)));
  };
}
