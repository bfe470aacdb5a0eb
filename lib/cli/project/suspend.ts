import { clientCommand } from '../client/client-command.ts';
import { asRecord } from '../client/records.ts';
import { adminRequest, projectPath } from './admin-api.ts';

const SUSPENDABLE = ['ingest', 'queries', 'all'];

export const projectSuspend = clientCommand({
  usage: 'suspend <id>',
  summary: 'Refuse events, queries or both of a project (403, with the reason); its data stays',
  examples: [
    ['wl project suspend prj_… --what ingest --reason "a loop sends the same event"', 'queries go on'],
    ['wl project suspend prj_… --reason "the trial is over"', 'neither events nor queries'],
  ],
  options: {
    id: { type: 'string', demandOption: true, describe: 'Id of the project' },
    what: { choices: SUSPENDABLE, default: 'all', requiresArg: true, describe: 'What is refused' },
    reason: { type: 'string', demandOption: true, requiresArg: true, describe: 'Told to whoever is refused' },
  },
  run: async ({ id, what, reason }, { api, output }) => {
    const request = adminRequest('POST', `${projectPath(id)}/suspend`, { body: { what, reason } });
    const { id: known, name, suspensions = [] } = asRecord(await api.json(request));
    await output.record({ id: known, name, suspensions });
  },
});
