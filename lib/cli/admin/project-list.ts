import { isoTime, projectJson } from '../../control/json.ts';
import { tableText } from '../text.ts';
import { controlCommand } from './admin-command.ts';

export const projectList = controlCommand({
  usage: 'list',
  summary: 'List the projects',
  examples: [['wl admin project list --org org_…', 'the projects of one organization']],
  options: { org: { type: 'string', requiresArg: true, describe: 'Only those of the organization with this id' } },
  run: ({ org }, control) => {
    const projects = control.projects.list(org === undefined ? undefined : control.organizations.get(org).id);
    const rows = projects.map(({ id, orgId, name, publicKey, createdAt, settings, suspended }) => [
      id,
      orgId,
      name,
      publicKey,
      isoTime(createdAt),
      settings.retentionDays ?? 'none',
      settings.ipPolicy,
      settings.timezone,
      suspended?.what ?? '-',
    ]);
    const columns = [
      'id',
      'org_id',
      'name',
      'public_key',
      'created_at',
      'retention_days',
      'ip_policy',
      'timezone',
      'suspended',
    ];
    const json = projects.map((project) => ({ ...projectJson(project), suspended: project.suspended }));
    return { json, text: tableText(columns, rows) };
  },
});
