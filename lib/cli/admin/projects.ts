/** `wl admin project`. */
import { isoTime } from '../../base/day.ts';
import { projectJson } from '../../control/json.ts';
import { recordText, tableText } from '../text.ts';
import { BY_OPERATOR, controlCommand, onlyOrganization } from './admin-command.ts';
import type { Project, Suspension } from '../../control/types.ts';
import { defineGroup, UsageError, flag, optional, required, positional } from '../command.ts';
import { projectImport, projectExport } from './copies/project-import.ts';
import { namedSettings, SETTINGS_OPTIONS, SUSPENSION_OPTIONS } from '../project/settings-options.ts';
import { purgeProject, tryLock } from './purge-project.ts';
import type { Config } from '../../base/config/config.ts';
import { askOlder } from '../../control/process/operator-socket.ts';
import { isShorter, type RetentionRemoval } from '../../control/projects/retention-changes.ts';

const PROJECT = positional('Id of the project');

const create = controlCommand({
  usage: 'create <name>',
  summary: 'Create a project and print its keys',
  examples: [
    ['wl admin project create "Web shop"', 'a project of the only organization'],
    ['wl admin project create "Web shop" --org org_…', 'a project of that organization'],
  ],
  options: {
    name: positional('Name of the project'),
    org: optional('Id of its organization; optional if there is only one'),
  },
  run: async ({ name, org }, control) => {
    const orgId = org ?? (await onlyOrganization(control));
    const { project, secretKey } = await control.projects.create(orgId, name, BY_OPERATOR, { exempt: true });
    const json = {
      ...{ id: project.id, org_id: project.orgId, name: project.name, public_key: project.publicKey },
      ...{ secret_key: secretKey, created_at: isoTime(project.createdAt) },
    };
    return { json, text: recordText(json) };
  },
});

const COLUMNS = [
  ...['id', 'org_id', 'name', 'public_key', 'created_at'],
  ...['retention_days', 'ip_policy', 'timezone', 'week_start', 'suspended'],
];

const list = controlCommand({
  usage: 'list',
  summary: 'List the projects',
  examples: [['wl admin project list --org org_…', 'the projects of one organization']],
  options: { org: optional('Only projects of the organization with this id') },
  run: async ({ org }, control) => {
    const projects = await control.projects.list(
      org === undefined ? undefined : (await control.organizations.get(org)).id,
    );
    const rows = projects.map(({ id, orgId, name, publicKey, createdAt, settings, suspensions }) => [
      ...[id, orgId, name, publicKey, isoTime(createdAt)],
      ...[settings.retentionDays ?? 'none', settings.ipPolicy, settings.timezone, settings.weekStart],
      suspensions.map((one) => `${one.what}${whose(one)}`).join(', ') || '-',
    ]);
    const json = projects.map((project) => ({ ...projectJson(project), suspended: byOperator(project) }));
    return { json, text: tableText(COLUMNS, rows) };
  },
});

function whose({ by, of }: Suspension): string {
  if (of === 'organization') return ' (its organization)';
  return by === 'operator' ? '' : ' (by its organization)';
}

function byOperator({ suspensions }: Project): object | null {
  const [found = null] = suspensions.filter(({ by, of }) => by === 'operator' && of === undefined);
  return found === null ? null : { what: found.what, reason: found.reason };
}

const set = controlCommand({
  usage: 'set <project>',
  summary: 'Change the name and the settings of a project',
  examples: [
    ['wl admin project set prj_… --name "Web shop"', 'rename it'],
    ['wl admin project set prj_… --retention-days 365', 'delete events older than a year, if there are none yet'],
    ['wl admin project set prj_… --retention-days 365 --yes', 'also if there are some: it begins in 24 hours'],
    ['wl admin project set prj_… --retention-days none', 'also undoes what has not begun yet'],
    [
      'wl admin project set prj_… --ip-policy none --timezone Europe/Paris',
      'store no IP addresses; days follow Paris time',
    ],
  ],
  options: {
    project: PROJECT,
    ...SETTINGS_OPTIONS,
    yes: flag('Remove the stored events that a shorter retention leaves no room for'),
  },
  run: async ({ project: id, yes, ...args }, control, config) => {
    const changes = namedSettings(args);
    const removal = await removalIn(config, await control.projects.get(id), changes.retentionDays, yes);
    const json = projectJson(await control.projects.change(id, changes, BY_OPERATOR, removal));
    const { retention_change: change } = json;
    const begins = change === undefined ? {} : { [`retention_days_from_${change.begins_at}`]: change.retention_days };
    return { json, text: recordText({ id: json.id, name: json.name, ...json.settings, ...begins }) };
  },
});

const suspend = controlCommand({
  usage: 'suspend <project>',
  summary: 'Suspend a project: refuse its events, queries or both with 403 and the reason; keeps its data',
  examples: [
    ['wl admin project suspend prj_… --reason "invoice 17 is unpaid"', 'refuses both events and queries'],
    ['wl admin project suspend prj_… --what ingest --reason "a loop sends the same event"', 'queries still work'],
  ],
  options: {
    project: PROJECT,
    ...SUSPENSION_OPTIONS,
  },
  run: async ({ project, what, reason }, control) => {
    const { id, name } = await control.projects.suspend(project, { by: 'operator', what, reason }, BY_OPERATOR);
    const suspended = { what, reason };
    return { json: { id, name, suspended }, text: recordText({ id, name, suspended: what, reason }) };
  },
});

const resume = controlCommand({
  usage: 'resume <project>',
  summary: 'Resume a suspended project',
  examples: [['wl admin project resume prj_…', 'suspensions by its organization remain']],
  options: { project: PROJECT },
  run: async ({ project }, control) => {
    const { id, name, suspensions } = await control.projects.resume(project, 'operator', BY_OPERATOR);
    const left = suspensions.map((one) => `${one.what}${whose(one)}: ${one.reason}`).join('; ');
    return {
      json: { id, name, suspended: null, suspensions },
      text: recordText({ id, name, suspended: left === '' ? 'no' : left }),
    };
  },
});

const remove = controlCommand({
  usage: 'delete <project>',
  summary: 'Delete a project and all of its events; works while the service runs',
  examples: [['wl admin project delete prj_… --name "My project"', 'its id and its name must match']],
  options: {
    project: PROJECT,
    name: required('Name of the project, to confirm'),
  },
  needsFolder: true,
  run: async ({ project: id, name }, control, config) => {
    if ((await control.projects.get(id)).name !== name) throw new UsageError(`the project is not named "${name}"`);
    await control.projects.delete(id, BY_OPERATOR);
    await purgeProject(control, config, id);
    return { json: { deleted: true, id }, text: `deleted ${id}` };
  },
});

export const adminProject = defineGroup({
  name: 'project',
  summary: 'Projects',
  commands: [create, list, set, suspend, resume, remove, projectExport, projectImport],
});

/** null: nothing that is kept now would go. `days`: the retention asked for; undefined: none. */
async function removalIn(
  config: Config,
  project: Project,
  days: number | null | undefined,
  confirmed: boolean,
): Promise<RetentionRemoval | null> {
  const { retentionDays: from } = project.settings;
  if (days === undefined || !isShorter(days, from)) return null;
  using lock = tryLock(config.data);
  if (lock === null) return { from, days, events: await askOlder(config.data, project.id, days), confirmed };
  // oxlint-disable-next-line no-restricted-imports -- counting is a query, and only a store answers those
  const { countOlder } = await import('../../server/count-older.ts');
  return { from, days, events: await countOlder(config, project, days), confirmed };
}
