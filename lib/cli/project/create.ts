import { clientCommand } from '../client/client-command.ts';
import { asRecord } from '../client/records.ts';
import { projectRequest } from './projects.ts';

export const projectCreate = clientCommand({
  usage: 'create <name>',
  summary: 'Create a project; prints its keys',
  examples: [['wl project create "Shop"', 'id, public key, secret key']],
  options: { name: { type: 'string', demandOption: true, describe: 'Name of the project' } },
  run: async ({ name }, { api, output }) => {
    await output.record(asRecord(await api.json(projectRequest('POST', { body: { name } }))));
  },
});
