/** Texts of dashboards that are sent: checked, and stored in versions. */
import type { ServerResponse } from 'node:http';
import { AppError } from '../../base/errors.ts';
import type { Tenant } from '../../base/project.ts';
import { MOST_TOLD } from '../../base/text/shown.ts';
import type { Problem } from '../../dashboards/problem.ts';
import type { RouterContext } from '../context.ts';
import { JSON_TYPE, sendJson, sendText } from '../http/answer.ts';
import { encodingOf, inflateSmall } from '../http/body.ts';
import { pathParameter } from '../http/query-string.ts';
import type { Request } from '../http/request.ts';
import { checkApart } from '../reading/read-apart.ts';
import type { CheckedJson, DashboardJson } from '../reading/reading-thread.ts';
import { type Admit, managed, type TurnDoor } from '../route/managed.ts';
import { ANY_STRING, component, json, list, NATURAL, objectOf, parameter } from '../route/schema.ts';
import { dashboardJson, ENTRY } from './dashboard-json.ts';
import { type Holder, ownerOf, VISIBILITY, type Visibility, visibilityOf, wholeNumberOf } from './holder.ts';

const REPLACES = parameter(
  'replaces',
  'The version that the text was made from, 0 for a new dashboard: 409 if somebody has stored another one meanwhile.',
  NATURAL,
);

export const YAML_BODY = {
  required: true,
  content: { 'application/yaml': { schema: { type: 'string', description: 'See `wl dashboard schema`.' } } },
};

const STORED = component(
  'StoredDashboard',
  objectOf({
    ...ENTRY,
    unchanged: { type: 'boolean', description: 'Whether the newest version was equal, so none was added.' },
  }),
);
export const CHECKED = component(
  'CheckedDashboard',
  objectOf({
    problems: list(objectOf({ line: NATURAL, column: NATURAL, message: ANY_STRING })),
    dashboard: { type: ['object', 'null'], description: 'null: there are problems.' },
  }),
);

export function storeDashboard(door: TurnDoor, admit: Admit<Holder>, id: string) {
  const summary = 'Stores a version of a dashboard, unless the newest is the same. Counts as a query.';
  return managed(door, id, summary, {
    admit,
    parameters: [VISIBILITY, REPLACES],
    requestBody: YAML_BODY,
    ok: json('The newest version.', STORED),
    answers: { '201': json('The first version.', STORED) },
    fails: [404, 409],
    answer: (services, before, request, response) => store(services, admit, before, { request, response }),
  });
}

type Exchange = { readonly request: Request; readonly response: ServerResponse };

async function store(
  services: RouterContext,
  admit: Admit<Holder>,
  before: Holder,
  { request, response }: Exchange,
): Promise<void> {
  const { queryRate } = services;
  const [visibility, replaces] = [visibilityOf(request), wholeNumberOf(request, 'replaces', 0)];
  queryRate.check(before.project);
  ownerOf(before, visibility);
  queryRate.add(before.project, 1);
  const id = pathParameter(request, 'dashboardID');
  const { yaml, checked } = await receiveDashboard(services, before.project, { request, response });
  const dashboard = soundIn(checked);
  if (dashboard.id !== id) throw otherId(id, dashboard.id);
  const saving = { id, yaml, dashboard, visibility, replaces };
  const { outcome, stored } = await saveDashboard(services, () => admit(services, request), saving);
  sendJson(response, outcome === 'created' ? 201 : 200, stored);
}

/** What is wrong with a text, or what it draws. */
export async function checkText(services: RouterContext, { project }: Holder, request: Request, response: ServerResponse): Promise<void> {
  const { checked } = await receiveDashboard(services, project, { request, response });
  const { problems, dashboard } = checked;
  const text = `{"problems":${JSON.stringify(problems)},"dashboard":${dashboard?.json ?? 'null'}}`;
  services.unread.hold(response, project, Buffer.byteLength(text));
  sendText(response, 200, JSON_TYPE, text);
} // prettier-ignore

interface ToSave {
  readonly id: string;
  readonly yaml: string;
  /** What the text was found to be. */
  readonly dashboard: DashboardJson;
  readonly visibility: Visibility | null;
  /** The version to replace, 0: none; null: whatever is the newest. */
  readonly replaces?: number | null;
}

/** Stores a version for who may still do it. `admit` lets in once more: the right may have been lost meanwhile. */
export async function saveDashboard(
  { control }: Pick<RouterContext, 'control'>,
  admit: () => Holder | Promise<Holder>,
  saving: ToSave,
) {
  const { id, yaml, dashboard, visibility, replaces = null } = saving;
  const { title, order, json: checked } = dashboard;
  const { stored, outcome } = await control.together(async () => {
    const holder = await admit();
    const owner = ownerOf(holder, visibility);
    const wanted = { projectId: holder.project.id, id, owner, title, order, yaml, checked, replaces };
    return control.dashboards.write(wanted, holder.by);
  });
  return { outcome, stored: { ...(await dashboardJson(control, stored)), unchanged: outcome === 'unchanged' } };
}

/** Bytes of YAML, on the wire and inflated. Handwritten dashboards have less than 20 KiB. */
const DASHBOARD_LIMIT = 262_144;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A text, checked in another thread while other requests have their turn. Rejects with 413 for a larger one, 429 when too many are being checked. */
async function receiveDashboard(
  { bodies, turns }: Pick<RouterContext, 'bodies' | 'turns'>,
  tenant: Tenant,
  { request, response }: Exchange,
): Promise<{ readonly yaml: string; readonly checked: CheckedJson }> {
  const encoding = encodingOf(request);
  turns.leave(request);
  const packed = await bodies.receive(request, response, {
    tenant,
    limit: DASHBOARD_LIMIT,
    hint: 'Write a smaller dashboard.',
  });
  const yaml = textOf(await inflateSmall(packed, encoding, DASHBOARD_LIMIT));
  const checked = await checkApart(tenant, yaml);
  await turns.enter(request);
  return { yaml, checked };
}

function otherId(id: string, own: string | null): AppError {
  const found = own === null ? 'has none' : `has "${own}"`;
  return new AppError('bad_request', `The \`id\` of the dashboard must be the one of the path, "${id}"; it ${found}.`);
}

/** What a text is. Rejects with 400 that lists what is wrong, 429 when too many are being checked. */
export const checkedDashboard = async (tenant: Tenant, yaml: string): Promise<DashboardJson> =>
  soundIn(await checkApart(tenant, yaml));

/** Throws AppError 400 that lists what is wrong. */
function soundIn({ dashboard, problems }: CheckedJson): DashboardJson {
  if (dashboard === null) throw wrongFile('dashboard', problems);
  return dashboard;
}

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new AppError('bad_request', 'The dashboard is not valid UTF-8.');
  }
}

/** A 400 that lists what is wrong with a file. */
export function wrongFile(what: string, problems: readonly Problem[]): AppError {
  const [first = '', ...others] = problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return new AppError('bad_request', `The ${what} has ${count}: ${first}`, {
    ...(others.length === 0 ? {} : { hints: others.slice(0, MOST_TOLD - 1) }),
  });
}
