/** What /openapi.json says of stored dashboards, with a key and with a session. */
import { errors } from './errors.ts';
import { COUNT, json, pathId, ref, TIME } from './parts.ts';

const DASHBOARD_ID = pathId('dashboardID', 'Id of the dashboard, as its file has it.');
const VISIBILITY = {
  name: 'visibility',
  in: 'query',
  description: "Whose dashboard: the project's, or that of the member who created the token or is logged in.",
  schema: { enum: ['personal', 'project'] },
};
const VERSION = {
  name: 'version',
  in: 'query',
  description: 'A stored version; defaults to the newest.',
  schema: { type: 'integer', minimum: 1 },
};

interface Api {
  readonly tags: readonly string[];
  readonly security: readonly unknown[];
}

const KEYS: Api = { tags: ['dashboards'], security: [{ header: [] }] };
const SESSION: Api = { tags: ['session'], security: [{ session: [] }] };

export const DASHBOARD_PATHS = {
  '/dashboards': { get: list(KEYS, 'Project') },
  '/dashboards/{dashboardID}': {
    parameters: [DASHBOARD_ID],
    get: one(KEYS, 'Project'),
    put: {
      operationId: 'storeDashboard',
      summary: 'Stores a version of a dashboard, unless the newest is the same. Counts as a query.',
      ...KEYS,
      parameters: [VISIBILITY],
      requestBody: {
        required: true,
        content: { 'application/yaml': { schema: { type: 'string', description: 'See `wl dashboard schema`.' } } },
      },
      responses: {
        '200': json('The newest version.', ref('StoredDashboard')),
        '201': json('The first version.', ref('StoredDashboard')),
        ...errors(400, 401, 403, 413, 429, 503),
      },
    },
    delete: remove(KEYS, 'Project'),
  },
  '/api/projects/{projectID}/dashboards': {
    parameters: [pathId('projectID', 'Id of the project, prj_…')],
    get: list(SESSION, ''),
  },
  '/api/projects/{projectID}/dashboards/{dashboardID}': {
    parameters: [pathId('projectID', 'Id of the project, prj_…'), DASHBOARD_ID],
    get: one(SESSION, ''),
    delete: remove(SESSION, ''),
  },
};

function list(api: Api, prefix: string): object {
  return {
    operationId: `list${prefix}Dashboards`,
    summary: 'Lists stored dashboards: those of the project, and your personal ones.',
    ...api,
    responses: {
      '200': json('By `order`, then by title.', { type: 'array', items: ref('DashboardEntry') }),
      ...errors(401, 403, 404, 429, 503),
    },
  };
}

function one(api: Api, prefix: string): object {
  return {
    operationId: `get${prefix}Dashboard`,
    summary: "Shows a dashboard; a personal one takes precedence over the project's.",
    ...api,
    parameters: [VISIBILITY, VERSION],
    responses: { '200': json('The dashboard.', ref('Dashboard')), ...errors(400, 401, 403, 404, 429, 503) },
  };
}

function remove(api: Api, prefix: string): object {
  return {
    operationId: `delete${prefix}Dashboard`,
    summary: 'Deletes a dashboard with all its versions.',
    ...api,
    parameters: [VISIBILITY],
    responses: { '200': json('It is gone.', ref('Deleted')), ...errors(400, 401, 403, 404, 429, 503) },
  };
}

const ENTRY = {
  id: { type: 'string' },
  title: { type: 'string' },
  order: { type: ['integer', 'null'], description: 'Position in lists, lower first.' },
  version: { ...COUNT, minimum: 1 },
  visibility: { enum: ['personal', 'project'] },
  owner: { type: ['string', 'null'], description: 'The owner of a personal dashboard, who alone sees it.' },
  updated_at: TIME,
  updated_by: { type: 'string', description: 'As in the audit trail.' },
};

export const DASHBOARD_SCHEMAS = {
  DashboardEntry: record(ENTRY),
  StoredDashboard: record({
    ...ENTRY,
    unchanged: { type: 'boolean', description: 'Whether the newest version was equal, so none was added.' },
  }),
  Dashboard: record({
    ...ENTRY,
    yaml: { type: 'string', description: 'As stored.' },
    dashboard: { type: 'object', description: 'As parsed, with defaults filled in.' },
  }),
};

/** An object that always has all of these fields. */
function record(properties: Readonly<Record<string, unknown>>): object {
  return { type: 'object', required: Object.keys(properties), properties };
}
