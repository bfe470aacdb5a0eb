/** /console: the routes of the pages. All require a login. */
import type { Express, RequestHandler } from 'express';
import { AppError } from '../../../base/errors.ts';
import type { RouterContext } from '../../context.ts';
import { addEndpoint } from '../../endpoint.ts';
import { asPage } from '../page-policy.ts';
import { orgAudit } from './org-audit.ts';
import { orgMembers } from './org-members.ts';
import { orgProjects, orgSettings, orgUsage, organizations } from './org-pages.ts';
import { CONSOLE, SESSIONS } from './paths.ts';
import { projectAsk } from './project-ask.ts';
import { projectDashboards } from './project-dashboards.ts';
import { projectKeys } from './project-keys.ts';
import { projectOverview } from './project-overview.ts';
import { projectSettings } from './project-settings.ts';
import { sessionsPage } from './sessions.ts';
import { forAccounts } from './visit.ts';

export function addConsole(app: Express, context: RouterContext): void {
  const pages: readonly (readonly [path: string, handler: RequestHandler])[] = [
    [CONSOLE, organizations(context)],
    [SESSIONS, sessionsPage(context)],
    [`${CONSOLE}/orgs/:orgID`, orgProjects(context)],
    [`${CONSOLE}/orgs/:orgID/usage`, orgUsage(context)],
    [`${CONSOLE}/orgs/:orgID/members`, orgMembers(context)],
    [`${CONSOLE}/orgs/:orgID/audit`, orgAudit(context)],
    [`${CONSOLE}/orgs/:orgID/settings`, orgSettings(context)],
    [`${CONSOLE}/projects/:projectID`, projectOverview(context)],
    [`${CONSOLE}/projects/:projectID/ask`, projectAsk(context)],
    [`${CONSOLE}/projects/:projectID/dashboards`, projectDashboards(context)],
    [`${CONSOLE}/projects/:projectID/dashboards/:dashboardID`, projectDashboards(context)],
    [`${CONSOLE}/projects/:projectID/keys`, projectKeys(context)],
    [`${CONSOLE}/projects/:projectID/settings`, projectSettings(context)],
    [`${CONSOLE}/*rest`, nothing(context)],
  ];
  for (const [path, handler] of pages) addEndpoint(app, path, { methods: { get: asPage(handler) } });
}

function nothing(context: RouterContext): RequestHandler {
  return forAccounts(context, () => {
    throw new AppError('not_found', 'The console has no such page.');
  });
}
