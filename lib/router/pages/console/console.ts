/** /console: the routes of the pages. All require a login. */
import type { RequestHandler } from '../../http/request.ts';
import { AppError } from '../../../base/errors.ts';
import type { RouterContext } from '../../context.ts';
import type { Routes } from '../../route/route.ts';
import { asPage } from '../page-policy.ts';
import { orgAudit } from './org-audit.ts';
import { orgMembers } from './org-members.ts';
import { organizations } from './org-list.ts';
import { orgProjects, orgSettings, orgUsage } from './org-pages.ts';
import { ASK, CONSOLE, SESSIONS } from './paths.ts';
import { chooseProject } from './choose-project.ts';
import { projectAlert, projectAlerts } from './project-alerts.ts';
import { projectAsk } from './project-ask.ts';
import { projectDashboards } from './project-dashboards.ts';
import { editDashboard, newDashboard } from './project-editor.ts';
import { projectKeys } from './project-keys.ts';
import { projectOverview } from './project-overview.ts';
import { projectPerson } from './project-person.ts';
import { projectSettings } from './project-settings.ts';
import { projectUsage } from './project-usage.ts';
import { sessionsPage } from './sessions.ts';
import { forAccounts, type Visiting } from './visit.ts';

export const CONSOLE_ROUTES: Routes = {
  [CONSOLE]: page(organizations),
  [SESSIONS]: page(sessionsPage),
  [ASK]: page(chooseProject),
  [`${CONSOLE}/orgs/{orgID}`]: page(orgProjects),
  [`${CONSOLE}/orgs/{orgID}/usage`]: page(orgUsage),
  [`${CONSOLE}/orgs/{orgID}/members`]: page(orgMembers),
  [`${CONSOLE}/orgs/{orgID}/audit`]: page(orgAudit),
  [`${CONSOLE}/orgs/{orgID}/settings`]: page(orgSettings),
  [`${CONSOLE}/projects/{projectID}`]: page(projectOverview),
  [`${CONSOLE}/projects/{projectID}/ask`]: page(projectAsk),
  [`${CONSOLE}/projects/{projectID}/dashboards`]: page(projectDashboards),
  [`${CONSOLE}/projects/{projectID}/dashboards/{dashboardID}`]: page(projectDashboards),
  [`${CONSOLE}/projects/{projectID}/dashboards/{dashboardID}/edit`]: page(editDashboard),
  [`${CONSOLE}/projects/{projectID}/new-dashboard`]: page(newDashboard),
  [`${CONSOLE}/projects/{projectID}/alerts`]: page(projectAlerts),
  [`${CONSOLE}/projects/{projectID}/alerts/{alertID}`]: page(projectAlert),
  [`${CONSOLE}/projects/{projectID}/person`]: page(projectPerson),
  [`${CONSOLE}/projects/{projectID}/usage`]: page(projectUsage),
  [`${CONSOLE}/projects/{projectID}/keys`]: page(projectKeys),
  [`${CONSOLE}/projects/{projectID}/settings`]: page(projectSettings),
  [`${CONSOLE}/*rest`]: page(nothing),
};

function page(show: (services: RouterContext) => RequestHandler): Routes[string] {
  return { get: { shown: null, handler: (services) => asPage(show(services)) } };
}

function nothing(context: Visiting): RequestHandler {
  return forAccounts(context, () => {
    throw new AppError('not_found', 'The console has no such page.');
  });
}
