import { SUSPENDABLE } from '../../control/types.ts';
import { recordText } from '../text.ts';
import { BY_OPERATOR, controlCommand } from './admin-command.ts';

export const projectSuspend = controlCommand({
  usage: 'suspend <project>',
  summary: 'Suspend a project: refuse its events, queries or both with 403 and the reason; keeps its data',
  examples: [
    ['wl admin project suspend prj_… --reason "invoice 17 is unpaid"', 'refuses both events and queries'],
    ['wl admin project suspend prj_… --what ingest --reason "a loop sends the same event"', 'queries still work'],
  ],
  options: {
    project: { type: 'string', demandOption: true, describe: 'Id of the project' },
    what: { choices: SUSPENDABLE, default: 'all', requiresArg: true, describe: 'What to refuse' },
    reason: { type: 'string', demandOption: true, requiresArg: true, describe: 'Reason, included in the 403 answers' },
  },
  run: async ({ project, what, reason }, control) => {
    const { id, name } = await control.projects.suspend(project, { by: 'operator', what, reason }, BY_OPERATOR);
    const suspended = { what, reason };
    return { json: { id, name, suspended }, text: recordText({ id, name, suspended: what, reason }) };
  },
});
