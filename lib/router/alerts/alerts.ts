/** Alerts and reports of projects: what keys and members store, read, delete, and have ask at once. */
import type { ServerResponse } from 'node:http';
import { type Alert, MAX_ALERT_BYTES, shownTarget } from '../../alerts/alert.ts';
import { isoTime } from '../../base/day.ts';
import { AppError } from '../../base/errors.ts';
import type { AlertRun } from '../../control/projects/alert-runs.ts';
import type { StoredAlert } from '../../control/projects/alerts.ts';
import { ALERT_OUTCOMES, ALERT_STATES } from '../../control/storage/tables.ts';
import type { Project, Scope } from '../../control/types.ts';
import { SESSION } from '../api/doors.ts';
import { type Admitting, projectByAccount, type ProjectHolder } from '../api/project-door.ts';
import { DELETED } from '../api/schemas.ts';
import { actorWith } from '../auth/credentials.ts';
import type { RouterContext } from '../context.ts';
import { wrongFile } from '../dashboards/store-dashboard.ts';
import { sendJson } from '../http/answer.ts';
import { idParameter, onlyParameter, queryParameters } from '../http/query-string.ts';
import type { Request } from '../http/request.ts';
import { checkAlertApart } from '../reading/read-apart.ts';
import { noSuch } from '../roles.ts';
import { JsonBody } from '../route/json-body.ts';
import { type Admit, managed, type TurnDoor } from '../route/managed.ts';
import type { Routes } from '../route/route.ts';
import { also, ANY_STRING, component, DATE_TIME, DATE_TIME_OR_NULL, json, list, NATURAL, objectOf, parameter, STRING_OR_NULL } from '../route/schema.ts'; // prettier-ignore
import { shownSecret } from '../alert-secret.ts';
import { isMember } from './recipients.ts';

const VERSION = parameter('version', 'A stored version; defaults to the newest.', { type: 'integer', minimum: 1 });

const ENTRY = objectOf({
  id: ANY_STRING,
  title: ANY_STRING,
  description: STRING_OR_NULL,
  schedule: ANY_STRING,
  when: { ...STRING_OR_NULL, description: 'The condition; null: a report, which is sent every time.' },
  to: { ...list(ANY_STRING), description: 'Whom it tells: addresses, and of hooks their hosts.' },
  state: { enum: ALERT_STATES, description: 'firing: its condition holds; broken: its query cannot be answered.' },
  since: DATE_TIME,
  next_at: { ...DATE_TIME_OR_NULL, description: 'When it asks next; null: it is paused.' },
  version: { ...NATURAL, minimum: 1 },
  updated_at: DATE_TIME,
  updated_by: { type: 'string', description: 'As in the audit trail.' },
});

const LISTED = component('AlertEntry', ENTRY);
const SHOWN = component('Alert', also({
  yaml: { type: 'string', description: 'As stored.' },
  webhook_secret: { type: 'string', description: "Signs the webhooks of all the project's alerts." },
}, ENTRY)); // prettier-ignore
const SAVED = component('SavedAlert', also({
  unchanged: { type: 'boolean', description: 'Whether the newest version was equal, so none was added.' },
}, ENTRY)); // prettier-ignore

const RUN = component('AlertRun', objectOf({
  number: { ...NATURAL, minimum: 1 },
  at: DATE_TIME,
  outcome: { enum: ALERT_OUTCOMES, description: 'fired and over: it was told that the condition began or ended to hold; firing: it still holds; skipped: the project may not ask.' },
  saw: { type: 'string', description: 'What the answer had, or why there was none.' },
  told: list(objectOf({ to: ANY_STRING, state: { enum: ['waiting', 'delivered', 'given up'] }, answer: STRING_OR_NULL })),
})); // prettier-ignore

const ALERT_BODY = new JsonBody<{ readonly yaml: string }>(
  'alert',
  { required: ['yaml'], properties: { yaml: { type: 'string', description: `The YAML, at most ${MAX_ALERT_BYTES.toLocaleString('en')} bytes.` } } },
  { '': 'The body must be a JSON object with the YAML in "yaml".', '/yaml': '"yaml" must be the YAML of the alert, a string.' },
); // prettier-ignore

type Holder = Pick<ProjectHolder, 'project' | 'by'>;

/** With a key that both asks and writes dashboards, and sees personal data: an alert sends what it asks. In turns of organizations. */
const byKey: Admit<Holder> = async ({ gatekeeper, clients }, request) => {
  const { ip } = clients.of(request);
  const credential = await gatekeeper.admit(request, { scope: 'query', ip, where: 'header' });
  const needed: Scope = 'dashboards';
  if (!credential.scopes.includes(needed))
    throw new AppError('forbidden', 'This key may not do that: you need a secret key (sk_) or an access token (aat_) with the scopes "query" and "dashboards".'); // prettier-ignore
  if (credential.kind === 'token' && credential.hashKey !== null)
    throw new AppError('forbidden', 'Alerts may send personal data, which this token does not see.');
  return { project: credential.project, by: actorWith(credential, ip) };
};

const KEYS: TurnDoor = {
  tags: ['alerts'],
  security: [{ header: [] }],
  takesKeys: false,
  limitsChanges: false,
  ownerOf: async (services, request) => (await byKey(services, request)).project.orgId,
};

export const ALERT_ROUTES: Routes = {
  ...routesAt('/alerts', KEYS, { prefix: 'Project', reads: byKey, writes: byKey }),
  ...routesAt('/api/projects/{projectID}/alerts', SESSION, {
    ...{ prefix: '', reads: projectByAccount('read', 'member'), writes: projectByAccount('change', 'member') },
  }),
};

function routesAt(path: string, door: TurnDoor, { prefix, reads, writes }: Admitting<Holder>): Routes {
  return {
    [path]: {
      get: managed(door, `list${prefix}Alerts`, 'Lists the alerts and reports of a project.', {
        admit: reads,
        ok: json('By title.', list(LISTED)),
        fails: [404],
        answer: async ({ control }, { project }) => (await control.alerts.list(project.id)).map(alertJson),
      }),
      post: managed(door, `create${prefix}Alert`, 'Saves a new alert or report under the id in its YAML. Counts as a query.', {
        ...ALERT_BODY.shownWith({ answers: { '201': json('It is saved.', SAVED) }, fails: [404, 409] }),
        ...{ admit: writes, answer: saving(writes, true) },
      }),
    },
    [`${path}/{alertID}`]: {
      get: managed(door, `get${prefix}Alert`, 'Shows an alert or a report.', {
        admit: reads,
        parameters: [VERSION],
        ok: json('The alert.', SHOWN),
        answer: async ({ control }, { project }, request) => {
          const found = await control.alerts.find(project.id, idParameter(request, 'alertID'), versionOf(request));
          if (found === null) throw noSuch('alert');
          return { ...alertJson(found), yaml: found.yaml, webhook_secret: shownSecret(control, project.id) };
        },
      }),
      put: managed(
        door,
        `save${prefix}Alert`,
        'Saves a version of an alert or a report, unless the newest is the same. Counts as a query.',
        {
          ...ALERT_BODY.shownWith({
            ok: json('The newest version.', SAVED),
            answers: { '201': json('The first version.', SAVED) },
            fails: [404],
          }),
          ...{ admit: writes, answer: saving(writes, false) },
        },
      ),
      delete: managed(door, `delete${prefix}Alert`, 'Deletes an alert or a report with all its versions and runs.', {
        admit: writes,
        ok: json('It is gone.', DELETED),
        answer: async ({ control }, { project, by }, request) => {
          const id = idParameter(request, 'alertID');
          if (!(await control.alerts.delete(project, id, by))) throw noSuch('alert');
          return { deleted: true, id };
        },
      }),
    },
    [`${path}/{alertID}/runs`]: {
      get: managed(door, `list${prefix}AlertRuns`, 'Lists the last 50 runs of an alert or a report.', {
        admit: reads,
        ok: json('The newest first.', list(RUN)),
        answer: async ({ control }, { project }, request) => {
          const id = idParameter(request, 'alertID');
          if ((await control.alerts.find(project.id, id)) === null) throw noSuch('alert');
          return (await control.alerts.runs.list(project.id, id)).map(runJson);
        },
      }),
      post: managed(door, `run${prefix}Alert`, 'Has an alert or a report ask now, in its turn; the list of runs tells what it saw.', {
        admit: writes,
        ok: json('It asks as soon as it has a turn.', objectOf({ id: ANY_STRING, asked: { const: true } })),
        answer: async ({ control, queryRate }, { project }, request) => {
          queryRate.check(project);
          queryRate.add(project, 1);
          const id = idParameter(request, 'alertID');
          if (!(await control.alerts.askNow(project.id, id))) throw noSuch('alert');
          return { id, asked: true };
        },
      }),
    },
  }; // prettier-ignore
}

/** @param isNew Whether it may not be there yet, so that its path has no id. */
function saving(writes: Admit<Holder>, isNew: boolean) {
  return async (services: RouterContext, { project }: Holder, request: Request, response: ServerResponse): Promise<void> => {
    const { control, queryRate, turns } = services;
    queryRate.check(project);
    queryRate.add(project, 1);
    const id = isNew ? null : idParameter(request, 'alertID');
    const { body: { yaml } } = await ALERT_BODY.receiveFrom(() => writes(services, request), services, request, response);
    turns.leave(request); // it is checked in another thread
    const { alert, problems } = await checkAlertApart(project, yaml);
    await turns.enter(request);
    if (alert === null) throw wrongFile('alert', problems);
    if (id !== null && alert.id !== id) throw new AppError('bad_request', `The \`id\` of the alert must be the one of the path, "${id}"; it has "${alert.id}".`);
    await checkMeans(services, project, alert);
    const { stored, outcome } = await control.together(async () => {
      const holder = await writes(services, request); // the right may have been lost meanwhile
      if (isNew && (await control.alerts.find(holder.project.id, alert.id)) !== null)
        throw new AppError('conflict', `There is an alert "${alert.id}" already.`, { hints: ['Give this one another id, or change that one.'] });
      return control.alerts.write(holder.project, { alert, yaml }, holder.by);
    });
    sendJson(response, outcome === 'created' ? 201 : 200, { ...alertJson(stored), unchanged: outcome === 'unchanged' });
  };
} // prettier-ignore

/** Throws AppError 400 for what this host or this project does not have. */
async function checkMeans({ control, mail }: Pick<RouterContext, 'control' | 'mail'>, { id, orgId }: Project, { to, dashboard }: Alert): Promise<void> {
  for (const { kind, to: address } of to) {
    if (kind !== 'email') continue;
    if (mail === null) throw new AppError('bad_request', 'This host sends no mail.', { hints: ['Name a webhook, or ask the operator to set WINDLASS_SMTP_URL.'] });
    if (!(await isMember(control, orgId, address)))
      throw new AppError('bad_request', `${address} is no member of the organization: alerts are mailed to members only.`, { hints: ['Invite that person first, with the role viewer for example.'] });
  }
  if (dashboard !== null && (await control.dashboards.find({ projectId: id, id: dashboard, owner: null })) === null)
    throw new AppError('bad_request', `The project has no dashboard "${dashboard}".`, { hints: ['Store it first: wl dashboard sync.'] });
} // prettier-ignore

function versionOf(request: Request): number | null {
  const given = onlyParameter(queryParameters(request), 'version');
  if (given === undefined) return null;
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  throw new AppError('bad_request', '"version" must be a whole number of at least 1.');
}

function alertJson({ id, alert, state, since, nextAt, version, at, by }: StoredAlert) {
  const { title, description, schedule, when, to } = alert;
  return {
    ...{ id, title, description, schedule, when, to: to.map(shownTarget), state, since: isoTime(since) },
    ...{ next_at: nextAt === null ? null : isoTime(nextAt), version, updated_at: isoTime(at), updated_by: by },
  };
}

const runJson = ({ number, at, outcome, saw, told }: AlertRun) => ({
  ...{ number, at: isoTime(at), outcome, saw },
  told: told.map(({ state, answer, ...target }) => ({ to: shownTarget(target), state, answer })),
});
