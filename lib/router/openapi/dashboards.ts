/** Describes stored dashboards for /openapi.json, with a key and with a session. */
import { type Door, type Operation, operation, SESSION, COUNT, json, list, parameter, pathId, PROJECT_ID, ref, TEXT, TEXT_OR_NULL, TIME, whole } from './operation.ts'; // prettier-ignore

const DASHBOARD_ID = pathId('dashboardID', 'Id of the dashboard, as its file has it.');
const VISIBILITY = parameter(
  'visibility',
  "Whose dashboard: the project's, or the personal one of the member who created the token or is logged in.",
  { enum: ['personal', 'project'] },
);
const VERSION = parameter('version', 'A stored version; defaults to the newest.', { type: 'integer', minimum: 1 });
const KEYS = { tags: ['dashboards'], security: [{ header: [] }] };

export const DASHBOARD_PATHS = {
  '/dashboards': { get: listed(KEYS, 'Project') },
  '/dashboards/{dashboardID}': {
    parameters: [DASHBOARD_ID],
    get: one(KEYS, 'Project'),
    put: operation(
      KEYS,
      'storeDashboard',
      'Stores a version of a dashboard, unless the newest is the same. Counts as a query.',
      {
        parameters: [VISIBILITY],
        requestBody: {
          required: true,
          content: { 'application/yaml': { schema: { type: 'string', description: 'See `wl dashboard schema`.' } } },
        },
        ok: json('The newest version.', ref('StoredDashboard')),
        answers: { '201': json('The first version.', ref('StoredDashboard')) },
      },
    ),
    delete: remove(KEYS, 'Project'),
  },
  '/api/projects/{projectID}/dashboards': { parameters: [PROJECT_ID], get: listed(SESSION, '') },
  '/api/projects/{projectID}/dashboards/{dashboardID}': {
    parameters: [PROJECT_ID, DASHBOARD_ID],
    get: one(SESSION, ''),
    delete: remove(SESSION, ''),
  },
};

function listed(door: Door, prefix: string): Operation {
  return operation(door, `list${prefix}Dashboards`, "Lists stored dashboards: the project's and your personal ones.", {
    ok: json('By `order`, then by title.', list(ref('DashboardEntry'))),
    fails: [404],
  });
}

function one(door: Door, prefix: string): Operation {
  const summary = "Shows a dashboard; a personal one takes precedence over the project's.";
  return operation(door, `get${prefix}Dashboard`, summary, {
    parameters: [VISIBILITY, VERSION],
    ok: json('The dashboard.', ref('Dashboard')),
  });
}

function remove(door: Door, prefix: string): Operation {
  return operation(door, `delete${prefix}Dashboard`, 'Deletes a dashboard with all its versions.', {
    parameters: [VISIBILITY],
    ok: json('It is gone.', ref('Deleted')),
  });
}

const ENTRY = {
  id: TEXT,
  title: TEXT,
  order: { type: ['integer', 'null'], description: 'Position in lists, lower first.' },
  version: { ...COUNT, minimum: 1 },
  visibility: { enum: ['personal', 'project'] },
  owner: { ...TEXT_OR_NULL, description: 'The owner of a personal dashboard, who alone sees it.' },
  updated_at: TIME,
  updated_by: { type: 'string', description: 'As in the audit trail.' },
};

export const DASHBOARD_SCHEMAS = {
  DashboardEntry: whole(ENTRY),
  StoredDashboard: whole({
    ...ENTRY,
    unchanged: { type: 'boolean', description: 'Whether the newest version was equal, so none was added.' },
  }),
  Dashboard: whole({
    ...ENTRY,
    yaml: { type: 'string', description: 'As stored.' },
    dashboard: { type: 'object', description: 'As parsed, with defaults filled in.' },
  }),
};
