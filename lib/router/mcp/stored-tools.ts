/** Tools for what a project or an organization has stored besides events. */
import { isoTime } from '../../base/day.ts';
import { AppError } from '../../base/errors.ts';
import type { JsonRecord } from '../../base/is-record.ts';
import { listOf } from '../dashboards/dashboards.ts';
import { findDashboard } from '../find-dashboard.ts';
import { byKey, ownerOf, type Visibility } from '../dashboards/holder.ts';
import { checkedDashboard, saveDashboard } from '../dashboards/store-dashboard.ts';
import { projectByKey } from '../api/project-door.ts';
import { cohortJson } from '../cohorts/cohorts.ts';
import { noSuch } from '../roles.ts';
import { dataResult, MOST_BYTES } from './result.ts';
import { cutRows } from './rows.ts';
import { type ToolCall, organizationTool, projectTool, READS } from './tool.ts';

const OFFSET = {
  schema: { type: 'integer', minimum: 0, default: 0 },
  must: '"offset" must be a whole number of at least 0.',
};

/** A list as rows. `total`: how many there are, if not all are in it. */
function listResult(all: readonly JsonRecord[], offset: number, total = all.length) {
  const columns = Object.keys(all[0] ?? {});
  const rows = all.slice(offset);
  const cut = cutRows({ columns, rows, total, wanted: rows.length, offset, notes: [] }, MOST_BYTES);
  return dataResult(JSON.stringify(cut), cut);
}

const cohorts = projectTool<{ readonly offset?: number }>({
  name: 'cohorts',
  description: 'Lists saved cohorts: conditions on people, for `where cohort("name")`.',
  scope: 'query',
  annotations: READS,
  takes: { offset: OFFSET },
  run: async ({ services, request }, { offset = 0 }) => {
    const { project, seesConditions } = await projectByKey('query')(services, request);
    const all = await inTurnOf({ services, request }, project.orgId, () => services.control.cohorts.list(project.id));
    return listResult(
      all.map((cohort) => cohortJson(cohort, seesConditions)),
      offset,
    );
  },
});

interface DashboardArguments {
  readonly action: 'list' | 'get' | 'save';
  readonly id?: string;
  readonly yaml?: string;
  readonly visibility?: Visibility;
  readonly offset?: number;
}

const dashboards = projectTool<DashboardArguments>({
  name: 'dashboards',
  description:
    'Lists stored dashboards, gets the YAML of one (id), or saves a version (yaml, with a root id; see /dashboard-schema.json). Earlier versions are kept.',
  scope: 'dashboards',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  required: ['action'],
  takes: {
    action: { schema: { enum: ['list', 'get', 'save'] }, must: '"action" must be "list", "get" or "save".' },
    id: { schema: { type: 'string' }, must: '"id" must be the id of a dashboard.' },
    yaml: { schema: { type: 'string' }, must: '"yaml" must be the text of a dashboard.' },
    visibility: { schema: { enum: ['project', 'personal'] }, must: '"visibility" must be "project" or "personal".' },
    offset: OFFSET,
  },
  run: (call, { action, id, yaml, visibility = null, offset = 0 }) => {
    if (action === 'list') return list(call, offset);
    if (action === 'save') return save(call, given('yaml', yaml), visibility);
    return get(call, given('id', id), visibility);
  },
});

function given(name: string, value: string | undefined): string {
  if (value !== undefined) return value;
  throw new AppError('bad_request', `This action needs "${name}".`);
}

async function list({ services, request }: ToolCall, offset: number) {
  const holder = await byKey(services, request);
  const all = await inTurnOf({ services, request }, holder.project.orgId, () => listOf(services.control, holder));
  return listResult(all, offset);
}

async function get({ services, request }: ToolCall, id: string, visibility: Visibility | null) {
  const holder = await byKey(services, request);
  if (id.includes('\0')) throw noSuch('dashboard'); // PostgreSQL cannot even be asked
  const asked = { id, version: null, visibility };
  const { yaml, title, version } = await inTurnOf({ services, request }, holder.project.orgId, () =>
    findDashboard(services.control, asked, holder),
  );
  if (Buffer.byteLength(yaml) <= MOST_BYTES) return dataResult(yaml, { id, title, version });
  throw new AppError('bad_request', `The dashboard has more than ${MOST_BYTES.toLocaleString('en')} bytes.`, {
    hints: ['Read it with `wl dashboard pull`.'],
  });
}

/** As PUT /dashboards does it. */
async function save({ services, request }: ToolCall, yaml: string, visibility: Visibility | null) {
  const { queryRate } = services;
  const holder = await byKey(services, request);
  queryRate.check(holder.project);
  ownerOf(holder, visibility);
  queryRate.add(holder.project, 1);
  const dashboard = await checkedDashboard(holder.project, yaml);
  if (dashboard.id === null) throw new AppError('bad_request', 'The dashboard has no `id` at its root.');
  const wanted = { id: dashboard.id, yaml, dashboard, visibility };
  const { stored } = await inTurnOf({ services, request }, holder.project.orgId, () =>
    saveDashboard(services, () => byKey(services, request), wanted),
  );
  return dataResult(JSON.stringify(stored), stored);
}

/** Projects that are read from the control database at once. */
const MOST_PROJECTS = 1_000;

const listProjects = organizationTool<{ readonly offset?: number }>({
  name: 'list_projects',
  description: 'Lists the projects of the organization. To ask about one, use a key of it.',
  annotations: READS,
  takes: { offset: OFFSET },
  run: async ({ services, request }, { offset = 0 }, orgId) => {
    const { projects, count } = await inTurnOf({ services, request }, orgId, () =>
      services.control.projects.oldest(orgId, Math.min(offset, MOST_PROJECTS) + MOST_PROJECTS),
    );
    const shown = projects.map(({ id, name, createdAt }) => ({ id, name, created_at: isoTime(createdAt) }));
    return listResult(shown, offset, count);
  },
});

/** In turns of organizations, as the management APIs and dashboards. */
const inTurnOf = <T>(
  { services, request }: Pick<ToolCall, 'services' | 'request'>,
  orgId: string,
  task: () => Promise<T>,
) => services.turns.run(request, orgId, task);

export const STORED_TOOLS = [cohorts, dashboards, listProjects];
