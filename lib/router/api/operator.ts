/** /operator/*: what the operator of the host does to organizations, as `wl admin` does. Their projects, tokens and members have routes of their own files. */
import { isoTime } from '../../base/day.ts';
import { checkEmail } from '../../control/accounts/email.ts';
import { organizationJson } from '../../control/json.ts';
import type { OrganizationLimits } from '../../control/organizations.ts';
import { ROLES, type Role } from '../../control/types.ts';
import { AppError } from '../../base/errors.ts';
import { localPath } from '../auth/local-path.ts';
import { JsonBody, NO_BODY } from '../route/json-body.ts';
import { creating, managed, receiving } from '../route/managed.ts';
import { PAGE_PARAMETERS, pageOf, pagesOf, tellNext } from '../route/paged.ts';
import type { Routes } from '../route/route.ts';
import { ANY_STRING, component, DATE_TIME, json, LIMIT, list, objectOf, ORG, PROJECT } from '../route/schema.ts';
import { admitOperator, OPERATOR } from './doors.ts';
import { ADMIN_ORGANIZATION, NAME, ROLE, SUSPENDING, WEIGHT } from './schemas.ts';

interface LimitsBody {
  readonly projects?: number | null;
  readonly events_per_month?: number | null;
  readonly weight?: number;
}

const LIMITS = { projects: LIMIT, events_per_month: LIMIT, weight: WEIGHT };

const limitMessages = (path: string): Readonly<Record<string, string>> => ({
  [`${path}/projects`]: '"projects" must be a whole number, or null for no limit.',
  [`${path}/events_per_month`]: '"events_per_month" must be a whole number, or null for no limit.',
  [`${path}/weight`]: '"weight" must be a whole number from 1 on.',
});

const NEW_BODY = new JsonBody<{ readonly name: string; readonly limits?: LimitsBody }>(
  'newOrganization',
  { required: ['name'], properties: { name: NAME, limits: { type: 'object', properties: LIMITS } } },
  {
    '': 'The body must be a JSON object with the name of the organization in "name".',
    '/name': '"name" must be the name of the organization, a string.',
    '/limits': '"limits" must be an object.',
    ...limitMessages('/limits'),
  },
);

const CHANGE_BODY = new JsonBody<LimitsBody & { readonly name?: string }>(
  'organizationChange',
  { properties: { name: NAME, ...LIMITS } },
  { '/name': '"name" must be a string.', ...limitMessages('') },
);

const DELETE_BODY = new JsonBody<{ readonly name: string }>(
  'organizationDeletion',
  { required: ['name'], properties: { name: { type: 'string', description: 'The exact name of the organization.' } } },
  { '': 'Nothing was deleted: "name" must be the name of the organization.' },
);

const LINK_BODY = new JsonBody<{ readonly email: string; readonly org_id?: string; readonly role?: Role }>(
  'loginLink',
  {
    required: ['email'],
    properties: {
      email: { type: 'string', description: 'Its account is created if there is none.' },
      org_id: { ...ORG, description: 'Which organization it joins; left out: none.' },
      role: { ...ROLE, default: 'owner', description: 'Its role there.' },
    },
  },
  {
    '': 'The body must be a JSON object with "email".',
    '/email': '"email" must be an e-mail address, a string.',
    '/org_id': '"org_id" must be the id of an organization, org_….',
    '/role': `"role" must be one of ${ROLES.join(', ')}.`,
  },
);

const THE_ORGANIZATION = json('The organization.', ADMIN_ORGANIZATION);
const ADMIN_KEY = { type: 'string', pattern: '^ak_', description: 'Never shown again.' };

export const OPERATOR_ROUTES: Routes = {
  '/operator/orgs': {
    get: managed(OPERATOR, 'listOperatorOrganizations', 'Lists the organizations of the host.', {
      admit: admitOperator,
      parameters: PAGE_PARAMETERS,
      ok: pagesOf(ADMIN_ORGANIZATION),
      fails: [404],
      answer: async ({ control }, _by, request, response) => {
        const { organizations, next } = await control.organizations.page(pageOf(request));
        tellNext(response, next);
        return organizations.map(organizationJson);
      },
    }),
    post: creating(OPERATOR, 'createOperatorOrganization', 'Creates an organization, with its limits.', {
      admit: admitOperator,
      body: NEW_BODY,
      answers: {
        '201': json(
          'The organization, and its admin key, which is never shown again.',
          component('NewOrganization', objectOf({ organization: ADMIN_ORGANIZATION, admin_key: ADMIN_KEY })),
        ),
      },
      fails: [409],
      make: async ({ control }, by, { name, limits = {} }) => {
        const { organization, adminKey } = await control.organizations.create(name);
        await control.audit.append(organization.id, 'org.create', organization.id, by);
        const limited = await control.organizations.setLimits(organization.id, limitsOf(limits), by);
        return { status: 201, value: { organization: organizationJson(limited), admin_key: adminKey } };
      },
    }),
  },
  '/operator/orgs/{orgID}': {
    get: managed(OPERATOR, 'getOperatorOrganization', 'Shows an organization.', {
      admit: OPERATOR.organization('look'),
      ok: THE_ORGANIZATION,
      answer: async ({ control }, { orgId }) => organizationJson(await control.organizations.get(orgId)),
    }),
    patch: receiving(OPERATOR, 'changeOperatorOrganization', 'Changes the name and the given limits.', {
      admit: OPERATOR.organization('change'),
      body: CHANGE_BODY,
      ok: THE_ORGANIZATION,
      answer: ({ control }, { orgId, by }, { name, ...limits }) =>
        control.together(async () => {
          if (name !== undefined) await control.organizations.rename(orgId, name, by);
          return organizationJson(await control.organizations.setLimits(orgId, limitsOf(limits), by));
        }),
    }),
    delete: receiving(OPERATOR, 'deleteOperatorOrganization', 'Permanently deletes an organization with its projects; usage, bill and audit trail stay.', {
      admit: OPERATOR.organization('change'),
      body: DELETE_BODY,
      ok: json(
        'It is gone: no byte of the events of its projects is in any file.',
        component('DeletedOrganization', objectOf({ deleted: { const: true }, id: ORG, projects: list(PROJECT) })),
      ),
      answer: async ({ control, deletions, turns }, { orgId, by }, { name }, request) => {
        if ((await control.organizations.get(orgId)).name !== name)
          throw new AppError('bad_request', 'Nothing was deleted: the name does not match.', {
            hints: ['Send the name exactly as it is shown, as "name".'],
          });
        turns.leave(request); // it waits for the disk
        const projects = await control.operator.deleteOrganization(orgId, by);
        await deletions.purge(projects);
        return { deleted: true, id: orgId, projects };
      },
    }),
  },
  '/operator/orgs/{orgID}/suspend': {
    post: receiving(OPERATOR, 'suspendOperatorOrganization', 'Suspends all projects of an organization, which can create none, nor keys or tokens.', {
      admit: OPERATOR.organization('change'),
      body: SUSPENDING,
      ok: THE_ORGANIZATION,
      answer: async ({ control }, { orgId, by }, { what = 'all', reason }) =>
        organizationJson(await control.organizations.suspend(orgId, { what, reason }, by)),
    }),
  },
  '/operator/orgs/{orgID}/resume': {
    post: receiving(OPERATOR, 'resumeOperatorOrganization', 'Lifts the suspension of an organization; those of single projects stay.', {
      admit: OPERATOR.organization('change'),
      body: NO_BODY,
      ok: THE_ORGANIZATION,
      answer: async ({ control }, { orgId, by }) => organizationJson(await control.organizations.resume(orgId, by)),
    }),
  },
  '/operator/orgs/{orgID}/rotate-admin-key': {
    post: receiving(OPERATOR, 'rotateOperatorAdminKey', 'Rotates the admin key of an organization; the old one stops working at once.', {
      admit: OPERATOR.organization('change'),
      body: NO_BODY,
      ok: json('The key, which is never shown again.', objectOf({ admin_key: ADMIN_KEY })),
      answer: async ({ control }, { orgId, by }) => ({ admin_key: await control.organizations.rotateAdminKey(orgId, by) }),
    }),
  },
  '/operator/login-links': {
    post: receiving(OPERATOR, 'createLoginLink', 'Makes a link that logs somebody in once, within 10 minutes.', {
      admit: admitOperator,
      body: LINK_BODY,
      status: 201,
      answers: { '201': json('Pass it on to nobody else.', objectOf({ url: ANY_STRING, expires_at: DATE_TIME })) },
      fails: [404],
      answer: async ({ control, publicUrl }, _by, { email, org_id: orgId, role = 'owner' }) => {
        const grant = orgId === undefined ? null : { orgId: (await control.organizations.get(orgId)).id, role };
        const { token, expiresAt } = await control.logins.createLink(checkEmail(email), grant);
        const url = new URL(localPath(publicUrl(), '/auth/link'), publicUrl());
        url.searchParams.set('token', token);
        return { url: url.href, expires_at: isoTime(expiresAt) };
      },
    }),
  },
  '/operator/sessions': {
    delete: receiving(OPERATOR, 'endSessionsOfAddress', 'Ends all sessions of an e-mail address, and its unused login links.', {
      admit: admitOperator,
      body: new JsonBody<{ readonly email: string }>(
        'logout',
        { required: ['email'], properties: { email: { type: 'string' } } },
        { '': 'The body must be a JSON object with "email".', '/email': '"email" must be an e-mail address, a string.' },
      ),
      ok: json('How many were ended.', objectOf({ email: ANY_STRING, sessions_ended: { type: 'integer', minimum: 0 } })),
      answer: async ({ control }, _by, { email }) => {
        const address = checkEmail(email);
        return { email: address, sessions_ended: await control.sessions.endOfAddress(address) };
      },
    }),
  },
}; // prettier-ignore

const limitsOf = ({ projects, events_per_month: eventsPerMonth, weight }: LimitsBody): Partial<OrganizationLimits> => ({
  ...(projects === undefined ? {} : { projects }),
  ...(eventsPerMonth === undefined ? {} : { eventsPerMonth }),
  ...(weight === undefined ? {} : { weight }),
});
