/** /api/*: the routes of the management endpoints. */
import type { Express } from 'express';
import type { RouterContext } from '../context.ts';
import { adminDoor, sessionDoor } from './doors.ts';
import { addStoredDashboardEndpoints } from './dashboards.ts';
import { addMemberEndpoints, sessionMembers } from './members.ts';
import { addOrganizationEndpoints, addSessionEndpoints, addAdminOrganizationEndpoints } from './organizations.ts';
import { addProjectEndpoints, addTokenEndpoints, addDeviceEndpoints } from './projects.ts';
import { addQuestionEndpoints } from './questions.ts';

export function addApiEndpoints(app: Express, context: RouterContext): void {
  addSessionEndpoints(app, context);
  addOrganizationEndpoints(app, context);
  addMemberEndpoints(app, context, '/api/orgs/:orgID/members', sessionMembers(context));
  const session = sessionDoor(context);
  addProjectEndpoints(app, context, {
    door: session,
    list: '/api/orgs/:orgID/projects',
    one: '/api/projects/:projectID',
  });
  addQuestionEndpoints(app, context, session);
  addTokenEndpoints(app, context, session, '/api/projects/:projectID');
  addDeviceEndpoints(app, context, session);
  addStoredDashboardEndpoints(app, context);
  const admin = adminDoor(context);
  const adminOne = '/api/admin/projects/:projectID';
  addProjectEndpoints(app, context, { door: admin, list: '/api/admin/projects', one: adminOne });
  addTokenEndpoints(app, context, admin, adminOne);
  addAdminOrganizationEndpoints(app, context, admin);
}
