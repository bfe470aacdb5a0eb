/** `wl admin org`, and the limits of an organization. */
import { recordText, tableText } from '../text.ts';
import { BY_OPERATOR, controlCommand } from './admin-command.ts';
import { isoTime } from '../../base/day.ts';
import { organizationJson } from '../../control/json.ts';
import { defineGroup, UsageError, numberOrNone, wholeNumber, optional, required, positional } from '../command.ts';
import { purgeProject } from './purge-project.ts';
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
    const json = { id: organization.id, name: organization.name, admin_key: adminKey };
    return { json, text: recordText(json) };
  },
});

const list = controlCommand({
  usage: 'list',
  summary: 'List the organizations',
  examples: [['wl admin org list', 'every organization of this data folder']],
  options: {},
  run: async (_args, control) => {
    const organizations = await control.organizations.list();
    const rows = organizations.map(({ id, name, createdAt, limits: most, suspension }) => [
      id,
      name,
      isoTime(createdAt),
      most.projects ?? 'none',
      most.eventsPerMonth ?? 'none',
      suspension?.what ?? '-',
    ]);
    const columns = ['id', 'name', 'created_at', 'projects_limit', 'events_per_month_limit', 'suspended'];
    return { json: organizations.map(organizationJson), text: tableText(columns, rows) };
  },
});

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
    return { json: { deleted: true, id, projects }, text: `deleted ${id} and ${projects.length} projects` };
  },
});

const set = controlCommand({
  usage: 'set <org>',
  summary: 'Rename an organization',
  examples: [['wl admin org set org_… --name "Acme Inc"', 'its id stays, and so do its keys']],
  options: { org: ORG, name: required('New name of the organization') },
  run: async ({ org: id, name }, control) => {
    const json = organizationJson(await control.organizations.rename(id, name, BY_OPERATOR));
    return { json, text: recordText({ id: json.id, name: json.name }) };
  },
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
  run: async ({ org: id, what, reason }, control) => {
    const { name } = await control.organizations.suspend(id, { what, reason }, BY_OPERATOR);
    return { json: { id, name, suspended: { what, reason } }, text: recordText({ id, name, suspended: what, reason }) };
  },
});

const resume = controlCommand({
  usage: 'resume <org>',
  summary: 'Resume a suspended organization',
  examples: [['wl admin org resume org_…', 'suspensions of single projects remain']],
  options: { org: ORG },
  run: async ({ org: id }, control) => {
    const { name } = await control.organizations.resume(id, BY_OPERATOR);
    return { json: { id, name, suspended: null }, text: recordText({ id, name, suspended: 'no' }) };
  },
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
  run: async ({ org, projects, 'events-per-month': events, weight }, control) => {
    const asked = {
      ...(projects === undefined ? {} : { projects: numberOrNone('projects', projects) }),
      ...(events === undefined ? {} : { eventsPerMonth: numberOrNone('events-per-month', events) }),
      ...(weight === undefined ? {} : { weight: wholeNumber('weight', weight) }),
    };
    const unchanged = Object.keys(asked).length === 0;
    const json = organizationJson(
      unchanged ? await control.organizations.get(org) : await control.organizations.setLimits(org, asked, BY_OPERATOR),
    );
    const text = recordText({
      ...{ id: json.id, name: json.name },
      projects: json.limits.projects ?? 'none',
      events_per_month: json.limits.events_per_month ?? 'none',
      weight: json.limits.weight,
    });
    return { json, text };
  },
});
