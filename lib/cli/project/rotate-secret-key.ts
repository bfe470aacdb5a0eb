import { clientCommand } from '../client/client-command.ts';
import { confirm } from '../client/confirm.ts';
import { asRecord } from '../client/records.ts';
import { adminRequest, projectPath } from './admin-api.ts';

export const projectRotateSecretKey = clientCommand({
  usage: 'rotate-secret-key <id>',
  summary: 'Replace the secret key of a project; keeps the public key',
  examples: [
    ['wl project rotate-secret-key prj_…', 'the old key stops working at once'],
    ['wl project rotate-secret-key prj_… --grace 24h --yes', 'the old key works for one more day'],
  ],
  options: {
    id: { type: 'string', demandOption: true, describe: 'Id of the project' },
    grace: { type: 'string', requiresArg: true, describe: 'Time the old key keeps working [default: none]' },
  },
  run: async ({ id, grace }, { api, output, terminal, globals }) => {
    const end = grace === undefined ? 'at once' : `in ${grace}`;
    await confirm(`Replace the secret key of ${id}? The old one ends ${end}.`, { yes: globals.yes, terminal });
    const body = grace === undefined ? {} : { grace };
    const request = adminRequest('POST', `${projectPath(id)}/rotate-secret-key`, { body });
    await output.record(asRecord(await api.json(request)));
  },
});
