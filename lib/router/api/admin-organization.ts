/** /api/admin/*: what an admin key may do to the organization itself. It acts as an admin, so nothing that concerns owners. */
import type { Express } from 'express';
import { organizationJson } from '../../control/json.ts';
import { AppError } from '../../base/errors.ts';
import type { RouterContext } from '../context.ts';
import { jsonHandler } from '../http/json-handler.ts';
import { addInTurns } from '../in-turn.ts';
import { readAudit } from './audit.ts';
import { toOrganization, type Door } from './doors.ts';
import { addMemberEndpoints } from './members.ts';
import { organizationUsage } from './usage.ts';

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
