/** Stored dashboards: what the keys of a project store and read, and accounts that are logged in. */
import { isoTime } from '../../base/day.ts';
import type { ControlDatabase } from '../../control/database.ts';
import { DASHBOARD_SCHEMA } from '../../dashboards/schema.ts';
import { SESSION } from '../api/doors.ts';
import { DELETED } from '../api/schemas.ts';
import { JSON_TYPE, sendBytes, sendText } from '../http/answer.ts';
import { openToEmbedding } from '../http/cors.ts';
import { idParameter } from '../http/query-string.ts';
import type { Request } from '../http/request.ts';
import { noSuch } from '../roles.ts';
import { type Admit, managed, type TurnDoor } from '../route/managed.ts';
import { operation, type Routes } from '../route/route.ts';
import { component, json, list, objectOf, parameter } from '../route/schema.ts';
import { type AskedDashboard, dashboardTextJson, findDashboard } from '../find-dashboard.ts';
import { dashboardJson, ENTRY } from './dashboard-json.ts';
import { byAccount, byKey, type Holder, KEYS, VISIBILITY, visibilityOf, wholeNumberOf } from './holder.ts';
import { CHECKED, checkText, storeDashboard, YAML_BODY } from './store-dashboard.ts';

const VERSION = parameter('version', 'A stored version; defaults to the newest.', { type: 'integer', minimum: 1 });

const LISTED = component('DashboardEntry', objectOf(ENTRY));
const SHOWN = component(
  'Dashboard',
  objectOf({
    ...ENTRY,
    yaml: { type: 'string', description: 'As stored.' },
    dashboard: { type: 'object', description: 'As parsed, with defaults filled in.' },
  }),
);

const VERSIONS = list(
  component(
    'DashboardVersion',
    objectOf({ version: ENTRY.version, updated_at: ENTRY.updated_at, updated_by: ENTRY.updated_by }),
  ),
);

export const DASHBOARD_ROUTES: Routes = {
  '/dashboard-schema.json': {
    get: operation({ tags: ['dashboards'], security: [] }, 'dashboardSchema', 'What the YAML of a dashboard may be.', {
      ok: json('JSON Schema 2020-12.', { type: 'object', additionalProperties: true }),
      handler: () => {
        const text = Buffer.from(JSON.stringify(DASHBOARD_SCHEMA));
        return (_request, response) => {
          openToEmbedding(response); // editors in browsers load it
          sendBytes(response, JSON_TYPE, text);
        };
      },
    }),
  },
  '/dashboards': { get: listDashboards(KEYS, byKey, 'Project') },
  '/dashboards/{dashboardID}': {
    get: showDashboard(KEYS, byKey, 'Project'),
    put: storeDashboard(KEYS, byKey, 'storeDashboard'),
    delete: removeDashboard(KEYS, byKey, 'Project'),
  },
  '/dashboards/{dashboardID}/versions': { get: listVersions(KEYS, byKey, 'Project') },
  '/api/projects/{projectID}/dashboards': { get: listDashboards(SESSION, byAccount('look'), '') },
  '/api/projects/{projectID}/dashboards/{dashboardID}': {
    get: showDashboard(SESSION, byAccount('look'), ''),
    put: storeDashboard(SESSION, byAccount('change', 'member'), 'saveDashboard'),
    delete: removeDashboard(SESSION, byAccount('change'), ''),
  },
  '/api/projects/{projectID}/dashboards/{dashboardID}/versions': {
    get: listVersions(SESSION, byAccount('look'), ''),
  },
  '/api/projects/{projectID}/check-dashboard': {
    post: managed(SESSION, 'checkDashboard', 'Says what is wrong with the YAML of a dashboard, or what it draws.', {
      ...{ admit: byAccount('change', 'member'), requestBody: YAML_BODY, answer: checkText },
      ok: json('Either problems, by line, or the dashboard as parsed.', CHECKED),
    }),
  },
};

function listDashboards(door: TurnDoor, admit: Admit<Holder>, prefix: string) {
  const summary = "Lists stored dashboards: the project's and your personal ones.";
  return managed(door, `list${prefix}Dashboards`, summary, {
    admit,
    ok: json('By `order`, then by title.', list(LISTED)),
    fails: [404],
    answer: ({ control }, holder) => listOf(control, holder),
  });
}

/** Those that a holder may see, in the order of lists. */
export async function listOf(control: ControlDatabase, { project, accountId }: Holder) {
  const shown: Awaited<ReturnType<typeof dashboardJson>>[] = [];
  for (const one of await control.dashboards.list(project.id, accountId)) shown.push(await dashboardJson(control, one));
  return shown;
}

function showDashboard(door: TurnDoor, admit: Admit<Holder>, prefix: string) {
  const summary = "Shows a dashboard; a personal one takes precedence over the project's.";
  return managed(door, `get${prefix}Dashboard`, summary, {
    admit,
    parameters: [VISIBILITY, VERSION],
    ok: json('The dashboard.', SHOWN),
    answer: async ({ control, unread }, holder, request, response) => {
      const text = await dashboardTextJson(control, await findDashboard(control, askedOf(request), holder));
      unread.hold(response, holder.project, Buffer.byteLength(text));
      sendText(response, 200, JSON_TYPE, text);
    },
  });
}

function removeDashboard(door: TurnDoor, admit: Admit<Holder>, prefix: string) {
  return managed(door, `delete${prefix}Dashboard`, 'Deletes a dashboard with all its versions.', {
    admit,
    parameters: [VISIBILITY],
    ok: json('It is gone.', DELETED),
    answer: async ({ control }, holder, request) => {
      const { id, owner } = await findDashboard(control, askedOf(request), holder);
      if (owner === null) await holder.mayRemove?.();
      const name = { projectId: holder.project.id, id, owner };
      if (!(await control.dashboards.delete(name, holder.by))) throw noSuch('dashboard');
      return { deleted: true, id };
    },
  });
}

function listVersions(door: TurnDoor, admit: Admit<Holder>, prefix: string) {
  return managed(door, `list${prefix}DashboardVersions`, 'Lists the versions of a dashboard that are kept.', {
    admit,
    parameters: [VISIBILITY],
    ok: json('Newest first.', VERSIONS),
    answer: async ({ control }, holder, request) => {
      const { id, owner } = await findDashboard(control, { ...askedOf(request), version: null }, holder);
      const versions = await control.dashboards.versions({ projectId: holder.project.id, id, owner });
      return versions.map(({ version, at, by }) => ({ version, updated_at: isoTime(at), updated_by: by }));
    },
  });
}

/** The dashboard that the path names. Throws AppError 400 if the version is not a number. */
const askedOf = (request: Request): AskedDashboard => ({
  id: idParameter(request, 'dashboardID'),
  version: wholeNumberOf(request, 'version', 1),
  visibility: visibilityOf(request),
});
