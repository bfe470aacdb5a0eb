import { clientCommand } from '../client/client-command.ts';
import { findProject } from './admin-api.ts';

export const projectGet = clientCommand({
  usage: 'get <id>',
  summary: 'Show a project with its keys',
  examples: [['wl project get prj_… --json', 'for a script that needs its keys']],
  options: { id: { type: 'string', demandOption: true, describe: 'Id of the project' } },
  run: async ({ id }, { api, output }) => {
    await output.record(await findProject(api, id));
  },
});
