import { clientCommand } from '../client/client-command.ts';
import { asRecord } from '../client/records.ts';
import { adminRequest } from './admin-api.ts';

export const projectOrganization = clientCommand({
  usage: 'organization',
  aliases: ['org'],
  summary: 'Show the organization of the key, with its limits',
  examples: [['wl project organization', 'its id, name and limits']],
  options: {},
  run: async (_args, { api, output }) => {
    await output.record(asRecord(await api.json(adminRequest('GET', '/organization'))));
  },
});
