import { clientCommand } from '../client/client-command.ts';
import { asRecord } from '../client/records.ts';
import { adminRequest, projectPath } from './admin-api.ts';

const SUSPENDABLE = ['ingest', 'queries', 'all'];

export const projectSuspend = clientCommand({
  usage: 'suspend <id>',
  summary: 'Suspend a project: refuse its events, queries or both with 403 and the reason; keeps its data',
  examples: [
    ['wl project suspend prj_… --what ingest --reason "a loop sends the same event"', 'queries still work'],
    ['wl project suspend prj_… --reason "the trial is over"', 'refuses both events and queries'],
  ],
  options: {
    id: { type: 'string', demandOption: true, describe: 'Id of the project' },
    what: { choices: SUSPENDABLE, default: 'all', requiresArg: true, describe: 'What to refuse' },
    reason: { type: 'string', demandOption: true, requiresArg: true, describe: 'Reason, included in the 403 answers' },
  },
  run: async ({ id, what, reason }, { api, output }) => {
    const request = adminRequest('POST', `${projectPath(id)}/suspend`, { body: { what, reason } });
    const { id: known, name, suspensions = [] } = asRecord(await api.json(request));
    await output.record({ id: known, name, suspensions });
  },
});
