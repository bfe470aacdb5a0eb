/** The stored dashboards of a project, for whoever is logged in: those of the project, and their own. */
import type { Express, Request, RequestHandler } from 'express';
import type { Project } from '../../control/types.ts';
import { sendJson } from '../http/answer.ts';
import type { RouterContext } from '../context.ts';
import { dashboardJson, dashboardTextJson } from '../dashboards/dashboard-json.ts';
import { findDashboard, switchedOff } from '../dashboards/dashboard-request.ts';
import { addEndpoint } from '../endpoint.ts';
import { pathParameter } from '../http/path-parameter.ts';
import { projectOf } from '../roles.ts';
import { noSuch, type Right } from '../door.ts';
import { visitorOf, type Visitor } from './visitor.ts';

export function addStoredDashboardEndpoints(app: Express, context: RouterContext): void {
  const path = '/api/projects/:projectID/dashboards';
  addEndpoint(app, path, { methods: { get: list(context) } });
  addEndpoint(app, `${path}/:dashboardID`, { methods: { get: show(context), delete: remove(context) } });
}

function list(context: RouterContext): RequestHandler {
  return (request, response) => {
    const { control } = context;
    const { account, project } = readerOf(context, request, 'look');
    sendJson(
      response,
      200,
      control.dashboards.list(project.id, account.id).map((one) => dashboardJson(control, one)),
    );
  };
}

function show(context: RouterContext): RequestHandler {
  return (request, response) => {
    const { account, project } = readerOf(context, request, 'look');
    const found = findDashboard(context, request, { projectId: project.id, accountId: account.id });
    sendJson(response, 200, dashboardTextJson(context.control, found));
  };
}

/** Everybody may delete their own; those of the project are an admin's. */
function remove(context: RouterContext): RequestHandler {
  return (request, response) => {
    const { account, project, by } = readerOf(context, request, 'change');
    const { id, owner } = findDashboard(context, request, { projectId: project.id, accountId: account.id });
    if (owner === null) projectOf(context, account, project.id, 'admin');
    if (!context.control.dashboards.delete({ projectId: project.id, id, owner }, by)) throw noSuch('dashboard');
    sendJson(response, 200, { deleted: true, id });
  };
}

function readerOf(context: RouterContext, request: Request, right: Right): Visitor & { readonly project: Project } {
  const visitor = visitorOf(context, request, right);
  if (!context.config.dashboards) throw switchedOff();
  return { ...visitor, project: projectOf(context, visitor.account, pathParameter(request, 'projectID'), 'viewer') };
}
