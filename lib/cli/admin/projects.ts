/** `wl admin project`. */
import { projectJson, type ProjectJson, projectKeysJson, type ProjectKeysJson } from '../../control/json.ts';
import { recordText } from '../text.ts';
import {
  BY_OPERATOR,
  type CommandResult,
  controlCommand,
  onlyOf,
  onlyOrganization,
  suspendedText,
  tableResult,
} from './admin-command.ts';
import { operatorOrgPath } from './remote-host.ts';
import { projectPath } from '../project/admin-api.ts';
import type { Project, Suspension } from '../../control/types.ts';
import { defineGroup, UsageError, flag, optional, required, positional } from '../command.ts';
import { projectImport, projectExport } from './copies/project-import.ts';
import { namedSettings, settingsBody, SETTINGS_OPTIONS, SUSPENSION_OPTIONS } from '../project/settings-options.ts';
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
    return created(projectKeysJson(project, secretKey));
  },
  remote: async ({ name, org }, host) => {
    const orgId = org ?? onlyOf(await host.firstTwo());
    return created(await host.create(`${operatorOrgPath(orgId)}/projects`, { name }));
  },
});

function created({ id, org_id, name, public_key, secret_key, created_at }: ProjectKeysJson): CommandResult {
  const json = { id, org_id, name, public_key, secret_key, created_at };
  return { json, text: recordText(json) };
}

const COLUMNS = [
  ...['id', { name: 'org_id', whole: true, rank: 5 }, 'name', { name: 'public_key', whole: true, rank: 6 }],
  ...[{ name: 'created_at', rank: 4 }, 'retention_days', { name: 'ip_policy', rank: 2 }],
  ...[{ name: 'timezone', rank: 1 }, { name: 'week_start', rank: 3 }, 'suspended'],
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
    return listed(projects.map(projectJson));
  },
  remote: async ({ org }, host) =>
    listed(org === undefined ? await host.all('/projects') : await host.ask('GET', `${operatorOrgPath(org)}/projects`)),
});

function listed(projects: readonly ProjectJson[]): CommandResult {
  const rows = projects.map(({ id, org_id, name, public_key, created_at, settings, suspensions }) => [
    ...[id, org_id, name, public_key, created_at],
    ...[settings.retention_days ?? 'none', settings.ip_policy, settings.timezone, settings.week_start],
    suspensions?.map((one) => `${one.what}${whose(one)}`).join(', ') ?? null,
  ]);
  const json = projects.map((project) => ({ ...project, suspended: byOperator(project) }));
  return tableResult(json, { columns: COLUMNS, rows });
}

function whose({ by, of }: Suspension): string {
  if (of === 'organization') return ' (its organization)';
  return by === 'operator' ? '' : ' (by its organization)';
}

function byOperator({ suspensions = [] }: ProjectJson): object | null {
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
    return changed(projectJson(await control.projects.change(id, changes, BY_OPERATOR, removal)));
  },
  remote: async ({ project: id, yes, ...args }, host) => {
    const body = { ...settingsBody(namedSettings(args)), ...(yes ? { confirm: true } : {}) };
    const { secret_key: _key, ...json } = await host.ask<ProjectKeysJson>('PATCH', projectPath(id), { body });
    return changed(json);
  },
});

function changed(json: ProjectJson): CommandResult {
  const { retention_change: change } = json;
  const begins = change === undefined ? {} : { [`retention_days_from_${change.begins_at}`]: change.retention_days };
  return { json, text: recordText({ id: json.id, name: json.name, ...json.settings, ...begins }) };
}

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
  run: async ({ project, what, reason }, control) =>
    suspendedText(await control.projects.suspend(project, { by: 'operator', what, reason }, BY_OPERATOR), {
      what,
      reason,
    }),
  remote: async ({ project, what, reason }, host) =>
    suspendedText(await host.ask('POST', `${projectPath(project)}/suspend`, { body: { what, reason } }), {
      what,
      reason,
    }),
});

const resume = controlCommand({
  usage: 'resume <project>',
  summary: 'Resume a suspended project',
  examples: [['wl admin project resume prj_…', 'suspensions by its organization remain']],
  options: { project: PROJECT },
  run: async ({ project }, control) => resumed(await control.projects.resume(project, 'operator', BY_OPERATOR)),
  remote: async ({ project }, host) => resumed(await host.ask('POST', `${projectPath(project)}/resume`)),
});

function resumed({ id, name, suspensions = [] }: Pick<ProjectJson, 'id' | 'name' | 'suspensions'>): CommandResult {
  const left = suspensions.map((one) => `${one.what}${whose(one)}: ${one.reason}`).join('; ');
  return {
    json: { id, name, suspended: null, suspensions },
    text: recordText({ id, name, suspended: left === '' ? 'no' : left }),
  };
}

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
    return removed(id);
  },
  remote: async ({ project: id, name }, host) => {
    await host.ask('DELETE', projectPath(id), { body: { project_name: name, project_name_confirm: name }, slow: true });
    return removed(id);
  },
});

const removed = (id: string): CommandResult => ({ json: { deleted: true, id }, text: `deleted ${id}` });

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
