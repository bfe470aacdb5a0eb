import { clientCommand } from '../client/client-command.ts';
import { asRecords } from '../client/records.ts';
import { counted } from '../client/counted.ts';
import { adminRequest } from './admin-api.ts';

export const projectList = clientCommand({
  usage: 'list',
  summary: 'List the projects',
  examples: [['wl project list', 'without their secret keys']],
  options: {},
  run: async (_args, { api, output }) => {
    const projects = asRecords(await api.json(adminRequest('GET', '/projects')));
    await output.records(projects, ['id', 'name', 'public_key', 'created_at'], [counted(projects.length, 'project')]);
  },
});
