/** `wl admin org`, and the limits of an organization. */
import { recordText } from '../text.ts';
import { BY_OPERATOR, type CommandResult, controlCommand, suspendedText, tableResult } from './admin-command.ts';
import { organizationJson, type OrganizationJson } from '../../control/json.ts';
import type { OrganizationLimits } from '../../control/organizations.ts';
import { defineGroup, UsageError, numberOrNone, wholeNumber, optional, required, positional } from '../command.ts';
import { purgeProject } from './purge-project.ts';
import { operatorOrgPath } from './remote-host.ts';
import { SUSPENSION_OPTIONS } from '../project/settings-options.ts';

const ORG = positional('Id of the organization');

const create = controlCommand({
  usage: 'create <name>',
  summary: 'Create an organization and print its admin key; it is shown only once',
  examples: [['wl admin org create "Acme Inc"', 'an organization and its admin key (ak_)']],
  options: { name: positional('Name of the organization') },
  makes: true,
  run: async ({ name }, control) => {
    const { organization, adminKey } = await control.organizations.create(name);
    return created(organization, adminKey);
  },
  remote: async ({ name }, host) => {
    const made = await host.create<{ organization: OrganizationJson; admin_key: string }>('/orgs', { name });
    return created(made.organization, made.admin_key);
  },
}); // prettier-ignore

function created({ id, name }: Pick<OrganizationJson, 'id' | 'name'>, adminKey: string): CommandResult {
  const json = { id, name, admin_key: adminKey };
  return { json, text: recordText(json) };
}

const list = controlCommand({
  usage: 'list',
  summary: 'List the organizations',
  examples: [
    ['wl admin org list', 'every organization of this data folder'],
    ['wl admin org list --host https://analytics.example.com', 'of that host, with WINDLASS_OPERATOR_KEY'],
  ],
  options: {},
  run: async (_args, control) => listed((await control.organizations.list()).map(organizationJson)),
  remote: async (_args, host) => listed(await host.all('/orgs')),
});

const COLUMNS = [
  'id',
  'name',
  { name: 'created_at', rank: 1 },
  'projects_limit',
  'events_per_month_limit',
  'suspended',
];

function listed(organizations: readonly OrganizationJson[]): CommandResult {
  const rows = organizations.map(({ id, name, created_at, limits: most, suspension }) => [
    ...[id, name, created_at, most.projects ?? 'none', most.events_per_month ?? 'none', suspension?.what ?? null],
  ]);
  return tableResult(organizations, { columns: COLUMNS, rows });
}

const remove = controlCommand({
  usage: 'delete <org>',
  summary: 'Delete an organization, its projects and all their events; keeps its usage and bill',
  examples: [['wl admin org delete org_… --name "Acme Inc"', 'its id and its name must match']],
  options: {
    org: ORG,
    name: required('Name of the organization, to confirm'),
  },
  needsFolder: true,
  run: async ({ org: id, name }, control, config) => {
    if ((await control.organizations.get(id)).name !== name)
      throw new UsageError(`the organization is not named "${name}"`);
    const projects = await control.operator.deleteOrganization(id, BY_OPERATOR);
    for (const project of projects) await purgeProject(control, config, project);
    return removed({ deleted: true, id, projects });
  },
  remote: async ({ org: id, name }, host) =>
    removed(await host.ask('DELETE', operatorOrgPath(id), { body: { name }, slow: true })),
});

function removed(json: {
  readonly deleted: true;
  readonly id: string;
  readonly projects: readonly string[];
}): CommandResult {
  return { json, text: `deleted ${json.id} and ${json.projects.length} projects` };
}

const set = controlCommand({
  usage: 'set <org>',
  summary: 'Rename an organization',
  examples: [['wl admin org set org_… --name "Acme Inc"', 'its id stays, and so do its keys']],
  options: { org: ORG, name: required('New name of the organization') },
  run: async ({ org: id, name }, control) =>
    renamed(organizationJson(await control.organizations.rename(id, name, BY_OPERATOR))),
  remote: async ({ org: id, name }, host) => renamed(await host.ask('PATCH', operatorOrgPath(id), { body: { name } })),
});

const renamed = (json: OrganizationJson): CommandResult => ({
  json,
  text: recordText({ id: json.id, name: json.name }),
});

const suspend = controlCommand({
  usage: 'suspend <org>',
  summary:
    'Suspend an organization: all of its projects as with `project suspend`, and it can create none, nor keys or tokens',
  examples: [
    ['wl admin org suspend org_… --reason "invoice 17 is unpaid"', 'refuses events and queries of all its projects'],
    ['wl admin org suspend org_… --what ingest --reason "too many events"', 'queries still work'],
  ],
  options: { org: ORG, ...SUSPENSION_OPTIONS },
  run: async ({ org: id, what, reason }, control) =>
    suspendedText(await control.organizations.suspend(id, { what, reason }, BY_OPERATOR), { what, reason }),
  remote: async ({ org: id, what, reason }, host) =>
    suspendedText(await host.ask('POST', `${operatorOrgPath(id)}/suspend`, { body: { what, reason } }), {
      what,
      reason,
    }),
});

const resume = controlCommand({
  usage: 'resume <org>',
  summary: 'Resume a suspended organization',
  examples: [['wl admin org resume org_…', 'suspensions of single projects remain']],
  options: { org: ORG },
  run: async ({ org: id }, control) => resumed(await control.organizations.resume(id, BY_OPERATOR)),
  remote: async ({ org: id }, host) => resumed(await host.ask('POST', `${operatorOrgPath(id)}/resume`)),
});

const resumed = ({ id, name }: Pick<OrganizationJson, 'id' | 'name'>): CommandResult => ({
  json: { id, name, suspended: null },
  text: recordText({ id, name, suspended: 'no' }),
});

export const org = defineGroup({
  name: 'org',
  summary: 'Organizations',
  commands: [create, list, set, suspend, resume, remove],
});

export const limits = controlCommand({
  usage: 'limits <org>',
  summary: 'Show or change the limits of an organization',
  examples: [
    ['wl admin limits org_…', 'the limits'],
    ['wl admin limits org_… --projects 10 --events-per-month none', 'ten projects, any number of events'],
    ['wl admin limits org_… --weight 20', 'gives it the share of twenty organizations'],
  ],
  options: {
    org: ORG,
    projects: optional('Maximum number of projects, or none'),
    'events-per-month': optional('Maximum events stored per UTC month, or none'),
    weight: optional('Share of rate limits and turns, as a multiple of an ordinary organization'),
  },
  run: async (args, { organizations }) => {
    const asked = askedLimits(args);
    const unchanged = Object.keys(asked).length === 0;
    return limited(
      organizationJson(
        unchanged ? await organizations.get(args.org) : await organizations.setLimits(args.org, asked, BY_OPERATOR),
      ),
    );
  },
  remote: async (args, host) => {
    const { eventsPerMonth, ...asked } = askedLimits(args);
    const body = { ...asked, ...(eventsPerMonth === undefined ? {} : { events_per_month: eventsPerMonth }) };
    const isChange = Object.keys(body).length > 0;
    return limited(await host.ask(isChange ? 'PATCH' : 'GET', operatorOrgPath(args.org), isChange ? { body } : {}));
  },
});

function askedLimits({
  projects,
  'events-per-month': events,
  weight,
}: Readonly<Record<'projects' | 'events-per-month' | 'weight', string | undefined>>): Partial<OrganizationLimits> {
  return {
    ...(projects === undefined ? {} : { projects: numberOrNone('projects', projects) }),
    ...(events === undefined ? {} : { eventsPerMonth: numberOrNone('events-per-month', events) }),
    ...(weight === undefined ? {} : { weight: wholeNumber('weight', weight) }),
  };
}

function limited(json: OrganizationJson): CommandResult {
  const { projects, events_per_month: events, weight } = json.limits;
  const named = { id: json.id, name: json.name };
  return { json, text: recordText({ ...named, projects: projects ?? 'none', events_per_month: events ?? 'none', weight }) }; // prettier-ignore
}
