/** /api/orgs and /api/admin/organization: the organizations of an account, and that of an admin key. */
import { membershipJson, organizationJson } from '../../control/json.ts';
import { JsonBody, NO_BODY } from '../route/json-body.ts';
import { managed, receiving } from '../route/managed.ts';
import type { Routes } from '../route/route.ts';
import { component, json, list, objectOf } from '../route/schema.ts';
import { ADMIN, admitMember, SESSION, admitVisitor } from './doors.ts';
import { ADMIN_ORGANIZATION, MEMBERSHIP, NAME } from './schemas.ts';

const BODY = new JsonBody<{ readonly name: string }>(
  'organization',
  { required: ['name'], properties: { name: NAME } },
  {
    '': 'The body must be a JSON object with the name of the organization in "name".',
    '/name': '"name" must be the name of the organization, a string.',
  },
);

export const ORGANIZATION_ROUTES: Routes = {
  '/api/orgs': {
    get: managed(SESSION, 'listOrganizations', 'Lists the organizations of the account.', {
      admit: admitVisitor('read'),
      ok: json('In the order of joining.', list(MEMBERSHIP)),
      answer: async ({ control }, { account }) => (await control.members.ofAccount(account.id)).map(membershipJson),
    }),
    post: receiving(SESSION, 'createOrganization', 'Creates an organization with the account as its owner.', {
      admit: admitVisitor('change'),
      body: BODY,
      status: 201,
      answers: { '201': json('The organization.', MEMBERSHIP) },
      answer: async ({ control, config }, { account }, { name }) => {
        const most = config.orgsPerAccount || Infinity;
        const { organization } = await control.logins.createOrganization(account.id, name, most);
        return membershipJson({ organization, role: 'owner' });
      },
    }),
  },
  '/api/orgs/{orgID}': {
    get: managed(SESSION, 'getOrganization', 'Shows an organization.', {
      admit: admitMember('read', 'viewer'),
      ok: json('The organization.', MEMBERSHIP),
      answer: (_services, membership) => membershipJson(membership),
    }),
    patch: receiving(SESSION, 'renameOrganization', 'Renames an organization. Admins.', {
      admit: admitMember('change', 'admin'),
      body: BODY,
      ok: json('The organization.', MEMBERSHIP),
      answer: async ({ control }, { organization, role, by }, { name }) =>
        membershipJson({ organization: await control.organizations.rename(organization.id, name, by), role }),
    }),
  },
  '/api/orgs/{orgID}/rotate-admin-key': {
    // Only this answer holds the key.
    post: receiving(
      SESSION,
      'rotateAdminKey',
      'Rotates the admin key; the old one stops working at once. Owners only.',
      {
        admit: admitMember('make', 'owner'),
        body: NO_BODY,
        ok: json(
          'The key, which is never shown again.',
          component('AdminKey', objectOf({ admin_key: { type: 'string', pattern: '^ak_' } })),
        ),
        answer: async ({ control }, { organization, by }) => ({
          admin_key: await control.organizations.rotateAdminKey(organization.id, by),
        }),
      },
    ),
  },
  '/api/admin/organization': {
    get: managed(ADMIN, 'getAdminOrganization', 'Shows the organization of the key.', {
      admit: ADMIN.organization('look'),
      ok: json('The organization.', ADMIN_ORGANIZATION),
      answer: async ({ control }, { orgId }) => organizationJson(await control.organizations.get(orgId)),
    }),
    patch: receiving(ADMIN, 'renameAdminOrganization', 'Renames the organization of the key.', {
      admit: ADMIN.organization('change'),
      body: BODY,
      ok: json('The organization.', ADMIN_ORGANIZATION),
      answer: async ({ control }, { orgId, by }, { name }) =>
        organizationJson(await control.organizations.rename(orgId, name, by)),
    }),
  },
};
