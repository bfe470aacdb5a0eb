import { clientCommand } from '../client/client-command.ts';
import { asRecord } from '../client/records.ts';
import { adminRequest, projectPath } from './admin-api.ts';

export const projectResume = clientCommand({
  usage: 'resume <id>',
  summary: 'Resume a project that its organization has suspended',
  examples: [['wl project resume prj_…', 'suspensions by the operator of the host remain']],
  options: { id: { type: 'string', demandOption: true, describe: 'Id of the project' } },
  run: async ({ id }, { api, output }) => {
    const resumed = asRecord(await api.json(adminRequest('POST', `${projectPath(id)}/resume`)));
    await output.record({ id: resumed['id'], name: resumed['name'], suspensions: resumed['suspensions'] ?? [] });
  },
});
