/** Projects, the same in both management APIs. */
import { projectJson, projectKeysJson } from '../../control/json.ts';
import { parseGrace } from '../../control/projects/lifetime.ts';
import { type Actor, type Project, type ProjectSettings, SUSPENDABLE } from '../../control/types.ts';
import type { Projects } from '../../control/projects/projects.ts';
import { AppError } from '../../base/errors.ts';
import { JSON_TYPE, sendWritten } from '../http/answer.ts';
import type { RouterContext } from '../context.ts';
import { JsonBody, NO_BODY } from '../route/json-body.ts';
import { creating, managed, receiving } from '../route/managed.ts';
import { PAGE_PARAMETERS, pageOf, pagesOf, tellNext } from '../route/paged.ts';
import type { Routes } from '../route/route.ts';
import {
  also,
  component,
  NATURAL,
  DAYS,
  json,
  list,
  ORG,
  PROJECT,
  ANY_STRING,
  DATE_TIME,
  objectOf,
} from '../route/schema.ts';
import { ADMIN, admitOperator, type Door, OPERATOR, SESSION } from './doors.ts';
import { CHANGE_BODY, PROJECT_BODY, readChanges, readSettings, SETTINGS_FIELDS } from './project-settings.ts';
import { DAY_MS } from '../../base/day.ts';
import { isShorter, type RetentionRemoval } from '../../control/projects/retention-changes.ts';
import type { EventStore } from '../../store/event-store.ts';
import { eventsBefore } from '../../store/events-before.ts';
import { projectRef } from '../project-ref.ts';
import { DELETED, SUSPENDING, USAGE_ROW } from './schemas.ts';
import { usageRange } from './usage.ts';

const DELETE_BODY = new JsonBody<{ readonly project_name: string; readonly project_name_confirm: string }>(
  'deletion',
  {
    required: ['project_name', 'project_name_confirm'],
    properties: {
      project_name: { type: 'string', description: 'The exact name of the project.' },
      project_name_confirm: { type: 'string', description: 'The same name again.' },
    },
  },
  {
    '/project_name': 'Nothing was deleted: "project_name" must be the name of the project.',
    '/project_name_confirm': 'Nothing was deleted: "project_name_confirm" must be the name of the project, once more.',
  },
);

const GRACE = 'How long the old key keeps working, such as `24h`, at most 30 days; defaults to not at all.';

const ROTATE_BODY = new JsonBody<{ readonly grace?: string }>(
  'rotation',
  { properties: { grace: { type: 'string', description: GRACE } } },
  { '/grace': '"grace" must be a duration such as "24h".' },
  { isRequired: false },
);

const SETTINGS = component('ProjectSettings', objectOf(SETTINGS_FIELDS));

const SUSPENSION = component(
  'Suspension',
  also(
    { of: { const: 'organization', description: 'The operator has suspended the whole organization.' } },
    objectOf({
      by: { enum: ['operator', 'organization'], description: 'Who can lift it.' },
      what: { enum: SUSPENDABLE },
      reason: ANY_STRING,
    }),
  ),
);

const RETENTION_CHANGE = component(
  'RetentionChange',
  objectOf({
    retention_days: { type: 'integer', minimum: 1 },
    begins_at: DATE_TIME,
    events: { ...NATURAL, description: 'Stored events that were older when it was asked for.' },
  }),
);

const FIELDS = {
  id: PROJECT,
  org_id: ORG,
  name: ANY_STRING,
  public_key: { type: 'string', pattern: '^pk_' },
  created_at: DATE_TIME,
  settings: SETTINGS,
};

const NOT_ALWAYS = {
  retention_change: {
    ...RETENTION_CHANGE,
    description:
      'A shorter retention that is to begin; a change back to the one in `settings` undoes it. Missing: none.',
  },
  suspensions: { type: 'array', minItems: 1, items: SUSPENSION, description: 'Missing: everything works.' },
};

const WITHOUT_SECRET = component('Project', also(NOT_ALWAYS, objectOf(FIELDS)));
export const WITH_KEYS = component(
  'ProjectKeys',
  also(NOT_ALWAYS, objectOf({ ...FIELDS, secret_key: { type: 'string', pattern: '^sk_' } })),
);
const THE_PROJECT = json('The project.', WITH_KEYS);

export const PROJECT_ROUTES: Routes = {
  '/api/orgs/{orgID}/projects': collection(SESSION, ''),
  ...projectRoutes('/api/projects/{projectID}', SESSION, ''),
  '/api/admin/projects': collection(ADMIN, 'Admin'),
  ...projectRoutes('/api/admin/projects/{projectID}', ADMIN, 'Admin'),
  '/operator/orgs/{orgID}/projects': collection(OPERATOR, 'Operator'),
  '/operator/projects': {
    get: managed(OPERATOR, 'listAllProjects', 'Lists the projects of the host, without their secret keys.', {
      admit: admitOperator,
      parameters: PAGE_PARAMETERS,
      ok: pagesOf(WITHOUT_SECRET),
      fails: [404],
      answer: async ({ control }, _by, request, response) => {
        const { projects, next } = await control.projects.page(pageOf(request));
        tellNext(response, next);
        return projects.map(projectJson);
      },
    }),
  },
  ...projectRoutes('/operator/projects/{projectID}', OPERATOR, 'Operator'),
};

/** @param prefix Of the object, in ids of operations. */
function collection(door: Door, prefix: string): Routes[string] {
  return {
    get: managed(door, `list${prefix}Projects`, 'Lists the projects of the organization, without their secret keys.', {
      admit: door.organization('look'),
      ok: json('In order of creation.', list(WITHOUT_SECRET)),
      fails: [403, 404],
      answer: ({ control }, { orgId }, _request, response) =>
        sendWritten(response, JSON_TYPE, listJson(control.projects.pages(orgId))),
    }),
    post: creating(door, `create${prefix}Project`, 'Creates a project and its keys.', {
      admit: door.organization('make'),
      body: PROJECT_BODY,
      answers: { '201': THE_PROJECT },
      fails: door.takesKeys ? [404, 409] : [],
      make: async ({ control, webhooks, projectRate }, { orgId, by }, { name, settings: given = {} }) => {
        const settings = readSettings(given);
        if (door.suspender === 'operator') {
          const { project, secretKey } = await control.projects.create(orgId, name, by, { exempt: true, settings });
          return { status: 201, value: projectKeysJson(project, secretKey) };
        }
        projectRate.check(orgId);
        const { project, secretKey } = await createWithin({ control, webhooks }, orgId, { name, settings }, by);
        projectRate.add(orgId, 1);
        return { status: 201, value: projectKeysJson(project, secretKey) };
      },
    }),
  };
}

function projectRoutes(one: string, door: Door, prefix: string): Routes {
  return {
    [one]: {
      get: managed(door, `get${prefix}Project`, 'Shows a project with its keys; viewers do not see the secret key.', {
        admit: door.project('look'),
        ok: json('The project.', { anyOf: [WITH_KEYS, WITHOUT_SECRET] }),
        answer: ({ control }, { project, seesSecrets }) =>
          seesSecrets ? withKeys(control.projects, project) : projectJson(project),
      }),
      delete: removeProject(door, `delete${prefix}Project`),
      patch: changeProject(door, `change${prefix}Project`),
    },
    [`${one}/rotate-secret-key`]: {
      post: receiving(door, `rotate${prefix}SecretKey`, 'Rotates the secret key. The public key does not change.', {
        admit: door.project('make'),
        body: ROTATE_BODY,
        ok: json('The project with its new key.', WITH_KEYS),
        answer: async ({ control }, { project, by }, { grace }) => {
          const rotated = await control.projects.rotateSecretKey(
            project.id,
            grace === undefined ? 0 : parseGrace(grace),
            by,
          );
          return projectKeysJson(rotated.project, rotated.secretKey);
        },
      }),
    },
    [`${one}/suspend`]: { post: suspendProject(door, `suspend${prefix}Project`) },
    [`${one}/resume`]: { post: resumeProject(door, `resume${prefix}Project`) },
    [`${one}/usage`]: {
      get: managed(door, `get${prefix}ProjectUsage`, 'Usage by day (UTC), at most 366 days.', {
        admit: door.project('look'),
        parameters: DAYS,
        ok: json('A row for every day.', list(USAGE_ROW)),
        answer: ({ control }, { project }, request) => control.usage.ofProject(project.id, usageRange(request)),
      }),
    },
  };
}

function removeProject(door: Door, id: string) {
  return receiving(door, id, 'Permanently deletes a project with its events, keys and tokens.', {
    admit: door.project('change'),
    body: DELETE_BODY,
    ok: json('It is gone: no byte of its events is in any file.', DELETED),
    answer: async ({ turns, deletions }, { project, by }, names, request) => {
      if (names.project_name !== project.name || names.project_name_confirm !== project.name) {
        throw new AppError('bad_request', 'Nothing was deleted: the name does not match.', {
          field: 'project_name_confirm',
          hints: ['Type the name of the project exactly as it is shown.'],
        });
      }
      turns.leave(request); // it waits for the disk
      await deletions.delete(project.id, by);
      return { deleted: true, id: project.id };
    },
  });
}

function changeProject(door: Door, id: string) {
  const summary =
    'Changes the name and the given settings. 409 where a shorter retention would remove stored events and `confirm` is not true; with it, that begins 24 hours later.';
  return receiving(door, id, summary, {
    admit: door.project('change'),
    body: CHANGE_BODY,
    ok: THE_PROJECT,
    fails: [409],
    answer: async ({ control, store, config, turns }, { project, by }, body, request) => {
      const changes = readChanges(body);
      turns.leave(request); // counting waits for the store
      const counting = { store, time: config.queryTimeout };
      const removal = await removalOf(counting, project, changes.retentionDays, body.confirm === true);
      await turns.enter(request);
      return withKeys(control.projects, await control.projects.change(project.id, changes, by, removal));
    },
  });
}

/** The organization, or the operator, switches a project off. */
function suspendProject(door: Door, id: string) {
  const summary = 'Suspends a project: refuses events, queries or both with 403 and the reason. Stored data stays.';
  return receiving(door, id, summary, {
    admit: door.project('change'),
    body: SUSPENDING,
    ok: THE_PROJECT,
    answer: async ({ control: { projects } }, { project, by }, { what = 'all', reason }) =>
      withKeys(projects, await projects.suspend(project.id, { by: door.suspender, what, reason }, by)),
  });
}

/** An organization never lifts the operator's suspension: 403 if there is no other. */
function resumeProject(door: Door, id: string) {
  const summary =
    door.suspender === 'operator'
      ? "Lifts the operator's suspension of the project; that by its organization stays."
      : 'Lifts the suspension by the organization. 403 if only the operator has suspended the project.';
  return receiving(door, id, summary, {
    admit: door.project('change'),
    body: NO_BODY,
    ok: THE_PROJECT,
    answer: async ({ control: { projects } }, { project, by }) => {
      const [first] = project.suspensions;
      const isOperators = first !== undefined && project.suspensions.every((one) => one.by === 'operator');
      if (isOperators && door.suspender !== 'operator') {
        const what = first.of === 'organization' ? 'this organization' : 'this project';
        throw new AppError('suspended', `The operator of this server has suspended ${what}: ${first.reason}`, {
          hints: ['Only the operator can resume it.'],
        });
      }
      return withKeys(projects, await projects.resume(project.id, door.suspender, by));
    },
  });
}

async function withKeys(projects: Projects, project: Project) {
  return projectKeysJson(project, await projects.secretKey(project.id));
}

/** As JSON.stringify writes the list. */
async function* listJson(pages: AsyncIterable<readonly Project[]>): AsyncGenerator<string> {
  let before = '[';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield before + JSON.stringify(page.map(projectJson)).slice(1, -1);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

/** The host hears of the limit, whatever becomes of the request. */
async function createWithin(
  { control, webhooks }: Pick<RouterContext, 'control' | 'webhooks'>,
  orgId: string,
  { name, settings }: { readonly name: string; readonly settings: Partial<ProjectSettings> },
  by: Actor,
) {
  try {
    return await control.projects.create(orgId, name, by, { settings });
  } catch (error) {
    if (error instanceof AppError && error.data.code === 'limit_reached')
      webhooks?.limitReached({ org_id: orgId, project_id: null, limit: 'projects' });
    throw error;
  }
}

interface Counting {
  readonly store: Pick<EventStore, 'query'>;
  /** How long counting may take, milliseconds. */
  readonly time: number;
}

/** What a shorter retention would remove. null: nothing that is kept now would go. `days`: the retention asked for; undefined: none. */
async function removalOf(
  { store, time }: Counting,
  project: Project,
  days: number | null | undefined,
  confirmed: boolean,
): Promise<RetentionRemoval | null> {
  const { retentionDays: from } = project.settings;
  if (days === undefined || !isShorter(days, from) || project.retention.next?.retentionDays === days) return null;
  const events = await eventsBefore(store, projectRef(project), Date.now() - days * DAY_MS, time);
  return { from, days, events, confirmed };
}
