import { recordText } from '../text.ts';
import { BY_OPERATOR, controlCommand } from './admin-command.ts';

export const projectResume = controlCommand({
  usage: 'resume <project>',
  summary: 'Take events and queries of a suspended project again',
  examples: [['wl admin project resume prj_…', 'what the organization itself has suspended stays so']],
  options: { project: { type: 'string', demandOption: true, describe: 'Id of the project' } },
  run: ({ project }, control) => {
    const { id, name, suspensions } = control.projects.resume(project, 'operator', BY_OPERATOR);
    const left = suspensions.map(({ what, reason }) => `${what}, by its organization: ${reason}`).join('; ');
    return {
      json: { id, name, suspended: null, suspensions },
      text: recordText({ id, name, suspended: left === '' ? 'no' : left }),
    };
  },
});
