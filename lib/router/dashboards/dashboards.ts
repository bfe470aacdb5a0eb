/** Stored dashboards: what the keys of a project store and read, and accounts that are logged in see and delete. */
import type { ServerResponse } from 'node:http';
import type { Request } from '../http/request.ts';
import type { Actor, Project } from '../../control/types.ts';
import { AppError } from '../../base/errors.ts';
import { actorWith } from '../auth/credentials.ts';
import { noSuch, requireProject } from '../roles.ts';
import { JSON_TYPE, sendJson, sendText } from '../http/answer.ts';
import type { Dashboard } from '../../dashboards/dashboard.ts';
import type { RouterContext } from '../context.ts';
import { idParameter, pathParameter, onlyParameter, queryParameters } from '../http/query-string.ts';
import type { ControlDatabase } from '../../control/database.ts';
import type { DashboardText, StoredDashboard } from '../../control/projects/dashboards.ts';
import { isoTime } from '../../base/day.ts';
import { checkApart } from '../reading/read-apart.ts';
import type { DashboardJson } from '../reading/reading-thread.ts';
import type { Problem } from '../../dashboards/problem.ts';
import type { Tenant } from '../../base/project.ts';
import { encodingOf, inflateSmall } from '../http/body.ts';
import { readJson } from '../../base/text/read-json.ts';
import { type Right, SESSION, admitVisitor } from '../api/doors.ts';
import { DELETED } from '../api/schemas.ts';
import { type Admit, managed, type TurnDoor } from '../route/managed.ts';
import type { Routes } from '../route/route.ts';
import {
  component,
  NATURAL,
  json,
  list,
  parameter,
  ANY_STRING,
  STRING_OR_NULL,
  DATE_TIME,
  objectOf,
} from '../route/schema.ts';

const VISIBILITY = parameter(
  'visibility',
  "Whose dashboard: the project's, or the personal one of the member who created the token or is logged in.",
  { enum: ['personal', 'project'] },
);
const VERSION = parameter('version', 'A stored version; defaults to the newest.', { type: 'integer', minimum: 1 });

const ENTRY = {
  id: ANY_STRING,
  title: ANY_STRING,
  order: { type: ['integer', 'null'], description: 'Position in lists, lower first.' },
  version: { ...NATURAL, minimum: 1 },
  visibility: { enum: ['personal', 'project'] },
  owner: { ...STRING_OR_NULL, description: 'The owner of a personal dashboard, who alone sees it.' },
  updated_at: DATE_TIME,
  updated_by: { type: 'string', description: 'As in the audit trail.' },
};

const LISTED = component('DashboardEntry', objectOf(ENTRY));
const STORED = component(
  'StoredDashboard',
  objectOf({
    ...ENTRY,
    unchanged: { type: 'boolean', description: 'Whether the newest version was equal, so none was added.' },
  }),
);
const SHOWN = component(
  'Dashboard',
  objectOf({
    ...ENTRY,
    yaml: { type: 'string', description: 'As stored.' },
    dashboard: { type: 'object', description: 'As parsed, with defaults filled in.' },
  }),
);

/** With a key of a project, in turns of organizations. Outside /api, which accepts the cookie. */
const KEYS: TurnDoor = {
  tags: ['dashboards'],
  security: [{ header: [] }],
  takesKeys: false,
  limitsChanges: false,
  ownerOf: async (services, request) => (await byKey(services, request)).project.orgId,
};

export const DASHBOARD_ROUTES: Routes = {
  '/dashboards': { get: listDashboards(KEYS, byKey, 'Project') },
  '/dashboards/{dashboardID}': {
    get: showDashboard(KEYS, byKey, 'Project'),
    put: managed(
      KEYS,
      'storeDashboard',
      'Stores a version of a dashboard, unless the newest is the same. Counts as a query.',
      {
        admit: byKey,
        parameters: [VISIBILITY],
        requestBody: {
          required: true,
          content: { 'application/yaml': { schema: { type: 'string', description: 'See `wl dashboard schema`.' } } },
        },
        ok: json('The newest version.', STORED),
        answers: { '201': json('The first version.', STORED) },
        answer: store,
      },
    ),
    delete: removeDashboard(KEYS, byKey, 'Project'),
  },
  '/api/projects/{projectID}/dashboards': { get: listDashboards(SESSION, byAccount('look'), '') },
  '/api/projects/{projectID}/dashboards/{dashboardID}': {
    get: showDashboard(SESSION, byAccount('look'), ''),
    delete: removeDashboard(SESSION, byAccount('change'), ''),
  },
};

/** Whose dashboards to look for. */
interface Holder {
  readonly project: Project;
  /** The account that is logged in or created the token; null: a secret key, or a token created by the operator. */
  readonly accountId: string | null;
  readonly by: Actor;
  /** Throws for who may not delete the project's dashboards. */
  readonly mayRemove?: () => Promise<unknown>;
}

type Holding = Pick<RouterContext, 'clients' | 'config' | 'control' | 'gatekeeper'>;

/** Checks who is let in. Throws 401, 403, and 503 when dashboards are switched off. */
async function byKey({ gatekeeper, clients, control, config }: Holding, request: Request): Promise<Holder> {
  const { ip } = clients.of(request);
  const credential = await gatekeeper.admit(request, { scope: 'dashboards', ip, where: 'header' });
  if (!config.dashboards) throw switchedOff();
  const { project } = credential;
  const by = actorWith(credential, ip);
  if (credential.kind !== 'token') return { project, accountId: null, by };
  const maker = (await control.tokens.find(credential.tokenId))?.accountId ?? null;
  const isMember = maker !== null && (await control.members.role(maker, project.orgId)) !== null;
  return { project, accountId: isMember ? maker : null, by };
}

/** Everybody may delete their own dashboards, only admins those of the project. */
function byAccount(right: Right): Admit<Holder> {
  return async (services, request) => {
    const visiting = await admitVisitor(right)(services, request);
    if (!services.config.dashboards) throw switchedOff();
    const { project } = await requireProject(services, visiting, idParameter(request, 'projectID'), 'viewer');
    const mayRemove = (): Promise<unknown> => requireProject(services, visiting, project.id, 'admin');
    return { project, accountId: visiting.account.id, by: visiting.by, mayRemove };
  };
}

function listDashboards(door: TurnDoor, admit: Admit<Holder>, prefix: string) {
  const summary = "Lists stored dashboards: the project's and your personal ones.";
  return managed(door, `list${prefix}Dashboards`, summary, {
    admit,
    ok: json('By `order`, then by title.', list(LISTED)),
    fails: [404],
    answer: async ({ control }, { project, accountId }) => {
      const shown: Awaited<ReturnType<typeof dashboardJson>>[] = [];
      for (const one of await control.dashboards.list(project.id, accountId))
        shown.push(await dashboardJson(control, one));
      return shown;
    },
  });
}

function showDashboard(door: TurnDoor, admit: Admit<Holder>, prefix: string) {
  const summary = "Shows a dashboard; a personal one takes precedence over the project's.";
  return managed(door, `get${prefix}Dashboard`, summary, {
    admit,
    parameters: [VISIBILITY, VERSION],
    ok: json('The dashboard.', SHOWN),
    answer: async ({ control, unread }, holder, request, response) => {
      const text = await dashboardTextJson(control, await findDashboard(control, request, holder));
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
      const { id, owner } = await findDashboard(control, request, holder);
      if (owner === null) await holder.mayRemove?.();
      const name = { projectId: holder.project.id, id, owner };
      if (!(await control.dashboards.delete(name, holder.by))) throw noSuch('dashboard');
      return { deleted: true, id };
    },
  });
}

async function store(
  services: Holding & Pick<RouterContext, 'bodies' | 'queryRate' | 'turns'>,
  before: Holder,
  request: Request,
  response: ServerResponse,
): Promise<void> {
  const { control, queryRate, turns, bodies } = services;
  queryRate.check(before.project);
  ownerOf(before, request);
  queryRate.add(before.project, 1);
  const id = pathParameter(request, 'dashboardID');
  turns.leave(request); // it waits for the body, and is checked in another thread
  const { yaml, dashboard } = await receiveDashboard(bodies, { request, response, tenant: before.project, id });
  await turns.enter(request);
  const { title, order, json: checked } = dashboard;
  const { stored, outcome } = await control.together(async () => {
    const holder = await byKey(services, request); // the right may have been lost meanwhile
    const wanted = { projectId: holder.project.id, id, owner: ownerOf(holder, request), title, order, yaml, checked };
    return control.dashboards.write(wanted, holder.by);
  });
  const unchanged = outcome === 'unchanged';
  sendJson(response, outcome === 'created' ? 201 : 200, { ...(await dashboardJson(control, stored)), unchanged });
}

/** The owner of a new dashboard. Throws 400 for a personal one from a key without one. */
function ownerOf({ accountId }: Holder, request: Request): string | null {
  if (visibilityOf(request) !== 'personal') return null;
  if (accountId !== null) return accountId;
  throw new AppError(
    'bad_request',
    'Personal dashboards belong to the member who created the token; this key belongs to no member.',
    {
      hints: [
        'Create a token with scope "dashboards" in the console, or store it for the project: visibility=project.',
      ],
    },
  );
}

function switchedOff(): AppError {
  return new AppError('feature_disabled', 'Dashboards are disabled on this server.');
}

/** `?visibility=`; null if missing. Throws AppError 400. */
function visibilityOf(request: Request): 'personal' | 'project' | null {
  const given = onlyParameter(queryParameters(request), 'visibility');
  if (given === undefined || given === 'personal' || given === 'project') return given ?? null;
  throw new AppError('bad_request', '"visibility" must be "personal" or "project".');
}

/**
 * The dashboard that the path names, a personal one before the project's, unless `?visibility=` says which. Throws AppError 404,
 * or 400 if the version is not a number.
 */
async function findDashboard(
  control: ControlDatabase,
  request: Request,
  { project, accountId }: Holder,
): Promise<DashboardText> {
  const id = idParameter(request, 'dashboardID');
  const version = versionOf(request);
  const visibility = visibilityOf(request);
  const owners = [
    ...(accountId === null || visibility === 'project' ? [] : [accountId]),
    ...(visibility === 'personal' ? [] : [null]),
  ];
  for (const owner of owners) {
    const found = await control.dashboards.find({ projectId: project.id, id, owner }, version);
    if (found !== null) return found;
  }
  throw noSuch('dashboard');
}

function versionOf(request: Request): number | null {
  const given = onlyParameter(queryParameters(request), 'version');
  if (given === undefined) return null;
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  throw new AppError('bad_request', '"version" must be a whole number of at least 1.');
}

/** A stored dashboard as lists of the API show it. `owner`: the e-mail address of the only person who sees a personal one. */
async function dashboardJson(control: ControlDatabase, dashboard: StoredDashboard) {
  const { id, title, order, owner, version, at, by } = dashboard;
  const account = owner === null ? null : await control.accounts.get(owner);
  return {
    id,
    title,
    order,
    version,
    visibility: account === null ? 'project' : 'personal',
    owner: account === null ? null : (account.email ?? account.id),
    updated_at: isoTime(at),
    updated_by: by,
  };
}

/** JSON with its text and what a page draws it from. Title and order are of this version, which need not be the newest. */
async function dashboardTextJson(control: ControlDatabase, stored: DashboardText): Promise<string> {
  const { yaml, checked, version, newest } = stored;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `store` has written
  const { title, order } = version === newest ? stored : (readJson(checked) as Dashboard);
  const known = { ...(await dashboardJson(control, { ...stored, title, order })), yaml };
  return `${JSON.stringify(known).slice(0, -1)},"dashboard":${checked}}`;
}

/** Bytes of YAML, on the wire and inflated. Handwritten dashboards have less than 20 KiB. */
const DASHBOARD_LIMIT = 262_144;
/** Problems listed in an answer; `wl dashboard validate` lists all. */
const MOST_PROBLEMS = 20;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Rejects with 400 that lists what is wrong, 413 for a larger one, 429 when too many are being checked. */
async function receiveDashboard(
  bodies: RouterContext['bodies'],
  { request, response, tenant, id }: { request: Request; response: ServerResponse; tenant: Tenant; id: string },
): Promise<{ readonly yaml: string; readonly dashboard: DashboardJson }> {
  const encoding = encodingOf(request);
  const packed = await bodies.receive(request, response, {
    tenant,
    limit: DASHBOARD_LIMIT,
    hint: 'Write a smaller dashboard.',
  });
  const yaml = textOf(await inflateSmall(packed, encoding, DASHBOARD_LIMIT));
  const { dashboard, problems } = await checkApart(tenant, yaml);
  if (dashboard === null) throw wrong(problems);
  if (dashboard.id === id) return { yaml, dashboard };
  const found = dashboard.id === null ? 'has none' : `has "${dashboard.id}"`;
  throw new AppError('bad_request', `The \`id\` of the dashboard must be the one of the path, "${id}"; it ${found}.`);
}

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new AppError('bad_request', 'The dashboard is not valid UTF-8.');
  }
}

function wrong(problems: readonly Problem[]): AppError {
  const [first = '', ...others] = problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return new AppError('bad_request', `The dashboard has ${count}: ${first}`, {
    ...(others.length === 0 ? {} : { hints: others.slice(0, MOST_PROBLEMS - 1) }),
  });
}
