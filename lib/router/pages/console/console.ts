/** /console: the routes of the pages. All require a login. */
import type { RequestHandler } from '../../http/request.ts';
import { AppError } from '../../../base/errors.ts';
import type { Routes } from '../../route/route.ts';
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
import { forAccounts, type Visiting } from './visit.ts';

export const CONSOLE_ROUTES: Routes = {
  [CONSOLE]: page(organizations),
  [SESSIONS]: page(sessionsPage),
  [`${CONSOLE}/orgs/{orgID}`]: page(orgProjects),
  [`${CONSOLE}/orgs/{orgID}/usage`]: page(orgUsage),
  [`${CONSOLE}/orgs/{orgID}/members`]: page(orgMembers),
  [`${CONSOLE}/orgs/{orgID}/audit`]: page(orgAudit),
  [`${CONSOLE}/orgs/{orgID}/settings`]: page(orgSettings),
  [`${CONSOLE}/projects/{projectID}`]: page(projectOverview),
  [`${CONSOLE}/projects/{projectID}/ask`]: page(projectAsk),
  [`${CONSOLE}/projects/{projectID}/dashboards`]: page(projectDashboards),
  [`${CONSOLE}/projects/{projectID}/dashboards/{dashboardID}`]: page(projectDashboards),
  [`${CONSOLE}/projects/{projectID}/keys`]: page(projectKeys),
  [`${CONSOLE}/projects/{projectID}/settings`]: page(projectSettings),
  [`${CONSOLE}/*rest`]: page(nothing),
};

function page(show: (services: Visiting) => RequestHandler): Routes[string] {
  return { get: { shown: null, handler: (services) => asPage(show(services)) } };
}

function nothing(context: Visiting): RequestHandler {
  return forAccounts(context, () => {
    throw new AppError('not_found', 'The console has no such page.');
  });
}
