/** Describes the organization of an admin key for /openapi.json. */
import { AUDIT, MEMBERS } from './accounts.ts';
import { ADMIN, operation, COUNT, DAY, DAYS, json, KEYED, LIMIT, list, ORG, parameter, PROJECT, ref, TEXT, TEXT_OR_NULL, TIME, whole } from './operation.ts'; // prettier-ignore

export const ADMIN_PATHS = {
  '/api/admin/organization': {
    get: operation(ADMIN, 'getAdminOrganization', 'Shows the organization of the key.', { ok: json('The organization.', ref('AdminOrganization')) }),
  },
  '/api/admin/members': {
    get: operation(ADMIN, 'listAdminMembers', 'Lists members in order of joining, then invitations.', MEMBERS.list),
    post: operation(ADMIN, 'inviteAdminMember', "Invites an e-mail address, or changes a member's role. Cannot manage owners.", {
      ...KEYED,
      ...MEMBERS.invite,
      fails: [409],
    }),
    delete: operation(ADMIN, 'removeAdminMember', 'Removes a member or an invitation, but not owners. The role ends at once; access tokens that they made stay.', {
      ...MEMBERS.remove,
      fails: [404],
    }),
  },
  '/api/admin/usage': {
    get: operation(ADMIN, 'getAdminUsage', 'Daily usage (UTC) of each project, including deleted ones, and the monthly bills.', {
      parameters: [
        ...DAYS,
        parameter('format', 'JSON, or lines of CSV: days, then months.', { enum: ['json', 'csv'], default: 'json' }),
      ],
      ok: {
        description: 'A row per project and active day, and the months.',
        content: { 'application/json': { schema: ref('UsageByProject') }, 'text/csv': { schema: TEXT } },
      },
    }),
  },
  '/api/admin/audit': {
    get: operation(ADMIN, 'readAdminAudit', 'Reads the audit trail, newest first.', AUDIT),
  },
}; // prettier-ignore

export const ADMIN_SCHEMAS = {
  AdminOrganization: whole({
    id: ORG,
    name: TEXT,
    created_at: TIME,
    limits: whole({ projects: LIMIT, events_per_month: LIMIT, weight: { type: 'integer', minimum: 1 } }),
  }),
  UsageByProject: whole({
    days: list(
      whole({
        date: DAY,
        project_id: PROJECT,
        project_name: { ...TEXT_OR_NULL, description: 'null: it was deleted.' },
        ...{ events_ingested: COUNT, events_stored: COUNT, events_rejected: COUNT, events_duplicate: COUNT },
        ...{ events_dropped: COUNT, queries_run: COUNT, query_ms: COUNT },
      }),
    ),
    months: list(ref('UsageMonth')),
  }),
};
