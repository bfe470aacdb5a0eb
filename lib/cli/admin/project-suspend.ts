import { SUSPENDABLE } from '../../control/types.ts';
import { recordText } from '../text.ts';
import { BY_OPERATOR, controlCommand } from './admin-command.ts';

export const projectSuspend = controlCommand({
  usage: 'suspend <project>',
  summary: 'Refuse events, queries or both of a project from now on (403, with the reason); its data stays',
  examples: [
    ['wl admin project suspend prj_… --reason "invoice 17 is unpaid"', 'neither events nor queries'],
    ['wl admin project suspend prj_… --what ingest --reason "a loop sends the same event"', 'queries go on'],
  ],
  options: {
    project: { type: 'string', demandOption: true, describe: 'Id of the project' },
    what: { choices: SUSPENDABLE, default: 'all', requiresArg: true, describe: 'What is refused' },
    reason: { type: 'string', demandOption: true, requiresArg: true, describe: 'Told to whoever is refused' },
  },
  run: ({ project, what, reason }, control) => {
    const { id, name } = control.projects.suspend(project, { by: 'operator', what, reason }, BY_OPERATOR);
    const suspended = { what, reason };
    return { json: { id, name, suspended }, text: recordText({ id, name, suspended: what, reason }) };
  },
});
