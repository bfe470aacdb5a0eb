/** /api/*: the routes of the management endpoints. */
import type { Express } from 'express';
import type { RouterContext } from '../context.ts';
import { adminDoor, sessionDoor } from './doors.ts';
import { addAdminOrganizationEndpoints } from './admin-organization.ts';
import { addAuditEndpoints } from './audit.ts';
import { addStoredDashboardEndpoints } from './dashboards.ts';
import { addDeviceEndpoints } from './devices.ts';
import { addMemberEndpoints, sessionMembers } from './members.ts';
import { addOrganizationEndpoints, addSessionEndpoints } from './organizations.ts';
import { addProjectEndpoints, addSuspendEndpoints } from './projects.ts';
import { addQuestionEndpoints } from './questions.ts';
import { addTokenEndpoints } from './tokens.ts';

export function addApiEndpoints(app: Express, context: RouterContext): void {
  addSessionEndpoints(app, context);
  addOrganizationEndpoints(app, context);
  addMemberEndpoints(app, context, '/api/orgs/:orgID/members', sessionMembers(context));
  addAuditEndpoints(app, context);
  const session = sessionDoor(context);
  const list = '/api/orgs/:orgID/projects';
  const bySession = { door: session, list, one: '/api/projects/:projectID' };
  addProjectEndpoints(app, context, bySession);
  addSuspendEndpoints(app, context, bySession);
  addQuestionEndpoints(app, context, session);
  addTokenEndpoints(app, context, session, '/api/projects/:projectID');
  addDeviceEndpoints(app, context, session);
  addStoredDashboardEndpoints(app, context);
  const [adminList, adminOne] = ['/api/admin/projects', '/api/admin/projects/:projectID'];
  const admin = adminDoor(context);
  const byKey = { door: admin, list: adminList, one: adminOne };
  addProjectEndpoints(app, context, byKey);
  addSuspendEndpoints(app, context, byKey);
  addTokenEndpoints(app, context, admin, adminOne);
  addAdminOrganizationEndpoints(app, context, admin);
}
