/** The stored dashboards of a project, for logged-in accounts: the project's and their own. */
import type { Express, Request } from 'express';
import type { RouterContext } from '../context.ts';
import { listDashboards, removeDashboard, showDashboard, switchedOff, type Holder } from '../dashboards/dashboards.ts';
import { addInTurns } from '../in-turn.ts';
import { idParameter } from '../http/path-parameter.ts';
import { projectOf } from '../roles.ts';
import { visitorOf, type Right } from './doors.ts';

export function addStoredDashboardEndpoints(app: Express, context: RouterContext): void {
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
