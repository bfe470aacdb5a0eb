/** All routes of the service, in the order in which they are tried. */
import { ALERT_ROUTES } from './alerts/alerts.ts';
import { ANNOTATION_ROUTES } from './annotations/annotations.ts';
import { AUDIT_ROUTES } from './api/audit.ts';
import { DEVICE_ROUTES } from './api/devices.ts';
import { INVITATION_ROUTES } from './api/invitations.ts';
import { MEMBER_ROUTES } from './api/members.ts';
import { OPERATOR_HOST_ROUTES } from './api/operator-host.ts';
import { OPERATOR_ROUTES } from './api/operator.ts';
import { ORGANIZATION_ROUTES } from './api/organizations.ts';
import { PROJECT_ROUTES } from './api/projects.ts';
import { QUESTION_ROUTES } from './api/questions.ts';
import { SESSION_ROUTES } from './api/sessions.ts';
import { SAVED_QUESTION_ROUTES } from './api/saved-questions.ts';
import { TOKEN_ROUTES } from './api/tokens.ts';
import { USAGE_ROUTES } from './api/usage.ts';
import { AUTH_ROUTES } from './auth/auth.ts';
import { COHORT_ROUTES } from './cohorts/cohorts.ts';
import { DASHBOARD_ROUTES } from './dashboards/dashboards.ts';
import { EVENT_ROUTES } from './events/delete-events.ts';
import { EXPORT_ROUTES } from './export/export.ts';
import { GDPR_ROUTES } from './gdpr/gdpr.ts';
import { HEALTH_ROUTES } from './health.ts';
import { INGEST_ROUTES } from './ingest/ingest.ts';
import { KEY_ROUTES } from './key.ts';
import { llmsRoutes } from './llms.ts';
import { describe, openapiRoutes } from './openapi.ts';
import { CONSOLE_ROUTES } from './pages/console/console.ts';
import { MCP_ROUTES } from './mcp/mcp.ts';
import type { HostSettings } from './pages/layout.ts';
import { PAGE_ROUTES } from './pages/pages.ts';
import { QUERY_ROUTES } from './query/query.ts';
import type { Routes } from './route/route.ts';
import { SEGMENT_ROUTES } from './ingest/segment.ts';

/** Those that are loaded with the first request to one of them. */
export const OTHER_ROUTES: Routes = {
  ...SESSION_ROUTES,
  ...ORGANIZATION_ROUTES,
  ...INVITATION_ROUTES,
  ...MEMBER_ROUTES,
  ...USAGE_ROUTES,
  ...AUDIT_ROUTES,
  ...PROJECT_ROUTES,
  ...QUESTION_ROUTES,
  ...SAVED_QUESTION_ROUTES,
  ...TOKEN_ROUTES,
  ...OPERATOR_ROUTES,
  ...OPERATOR_HOST_ROUTES,
  ...DEVICE_ROUTES,
  ...EVENT_ROUTES,
  ...GDPR_ROUTES,
  ...EXPORT_ROUTES,
  ...DASHBOARD_ROUTES,
  ...COHORT_ROUTES,
  ...ALERT_ROUTES,
  ...ANNOTATION_ROUTES,
  ...AUTH_ROUTES,
  ...KEY_ROUTES,
  ...MCP_ROUTES,
  ...SEGMENT_ROUTES,
  ...openapiRoutes(describeApi),
  ...llmsRoutes(describeApi),
  ...PAGE_ROUTES,
  ...CONSOLE_ROUTES,
};

export const ROUTES: Routes = { ...INGEST_ROUTES, ...QUERY_ROUTES, ...HEALTH_ROUTES, ...OTHER_ROUTES };

/** What the names in paths stand for. */
const NAMES_IN_PATHS: Readonly<Record<string, string>> = {
  orgID: 'Id of the organization, org_…',
  projectID: 'Id of the project, prj_…',
  tokenID: 'Id of the token, tok_…',
  sessionID: 'Id of the session, ses_…',
  alertID: 'Id of the alert, as its file has it.',
  annotationID: 'Id of the annotation, ann_…',
  cohortName: 'Name of the cohort, percent-encoded.',
  questionName: 'Name of the saved question, percent-encoded.',
  dashboardID: 'Id of the dashboard, as its file has it.',
  deviceID: 'The device id, percent-encoded.',
  userID: 'The user id, percent-encoded.',
  writeKey: 'The public key of the project, pk_….',
  call: 'The call, or the letter that the library for browsers has for it.',
  provider: 'Name of a configured provider, in lower case.',
};

/** The API as /openapi.json shows it. `host` adds who runs it. */
export function describeApi(host?: HostSettings): Readonly<Record<string, unknown>> {
  return describe(ROUTES, NAMES_IN_PATHS, host);
}
