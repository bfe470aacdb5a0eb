import { isoTime, projectJson } from '../../control/json.ts';
import { tableText } from '../text.ts';
import type { Project } from '../../control/types.ts';
import { controlCommand } from './admin-command.ts';

export const projectList = controlCommand({
  usage: 'list',
  summary: 'List the projects',
  examples: [['wl admin project list --org org_…', 'the projects of one organization']],
  options: { org: { type: 'string', requiresArg: true, describe: 'Only projects of the organization with this id' } },
  run: async ({ org }, control) => {
    const projects = await control.projects.list(
      org === undefined ? undefined : (await control.organizations.get(org)).id,
    );
    const rows = projects.map(({ id, orgId, name, publicKey, createdAt, settings, suspensions }) => [
      id,
      orgId,
      name,
      publicKey,
      isoTime(createdAt),
      settings.retentionDays ?? 'none',
      settings.ipPolicy,
      settings.timezone,
      suspensions.map(({ by, what }) => (by === 'operator' ? what : `${what} (by its organization)`)).join(', ') || '-',
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
    const json = projects.map((project) => ({ ...projectJson(project), suspended: byOperator(project) }));
    return { json, text: tableText(columns, rows) };
  },
});

function byOperator({ suspensions }: Project): object | null {
  const [found = null] = suspensions.filter(({ by }) => by === 'operator');
  return found === null ? null : { what: found.what, reason: found.reason };
}
