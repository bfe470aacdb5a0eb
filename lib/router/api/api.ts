/** /api/*: the routes of the management endpoints. */
import type { Express, Request } from 'express';
import type { RouterContext } from '../context.ts';
import { adminDoor, sessionDoor, visitorOf, type Right } from './doors.ts';
import { addMemberEndpoints, sessionMembers } from './members.ts';
import { addSessionEndpoints, addAdminOrganizationEndpoints } from './organizations.ts';
import { addProjectEndpoints, addTokenEndpoints, addDeviceEndpoints } from './projects.ts';
import { addQuestionEndpoints } from './questions.ts';
import { listDashboards, removeDashboard, showDashboard, switchedOff, type Holder } from '../dashboards/dashboards.ts';
import { addInTurns } from '../in-turn.ts';
import { idParameter } from '../http/query-string.ts';
import { projectOf } from '../roles.ts';

export function addApiEndpoints(app: Express, context: RouterContext): void {
  addSessionEndpoints(app, context);
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

function addStoredDashboardEndpoints(app: Express, context: RouterContext): void {
  const path = '/api/projects/:projectID/dashboards';
  const holder = (right: Right) => (request: Request) => holderOf(context, request, right);
  addInTurns(app, context, {
    [path]: { get: listDashboards(context, holder('look')) },
    [`${path}/:dashboardID`]: {
      get: showDashboard(context, holder('look')),
      delete: removeDashboard(context, holder('change')),
    },
  });
}

/** Everybody may delete their own dashboards, only admins those of the project. */
async function holderOf(context: RouterContext, request: Request, right: Right): Promise<Holder> {
  const { account, by } = await visitorOf(context, request, right);
  if (!context.config.dashboards) throw switchedOff();
  const { project } = await projectOf(context, account, idParameter(request, 'projectID'), 'viewer');
  const mayRemove = (): Promise<unknown> => projectOf(context, account, project.id, 'admin');
  return { project, accountId: account.id, by, mayRemove };
}
