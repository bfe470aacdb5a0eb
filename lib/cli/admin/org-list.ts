import { isoTime, organizationJson } from '../../control/json.ts';
import { tableText } from '../text.ts';
import { controlCommand } from './admin-command.ts';

export const orgList = controlCommand({
  usage: 'list',
  summary: 'List the organizations',
  examples: [['wl admin org list', 'every organization of this data folder']],
  options: {},
  run: async (_args, control) => {
    const organizations = await control.organizations.list();
    const rows = organizations.map(({ id, name, createdAt, limits }) => [
      id,
      name,
      isoTime(createdAt),
      limits.projects ?? 'none',
      limits.eventsPerMonth ?? 'none',
    ]);
    return {
      json: organizations.map(organizationJson),
      text: tableText(['id', 'name', 'created_at', 'projects_limit', 'events_per_month_limit'], rows),
    };
  },
});
