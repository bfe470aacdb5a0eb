import { recordText } from '../text.ts';
import { BY_OPERATOR, controlCommand } from './admin-command.ts';

export const projectResume = controlCommand({
  usage: 'resume <project>',
  summary: 'Resume a suspended project',
  examples: [['wl admin project resume prj_…', 'suspensions by its organization remain']],
  options: { project: { type: 'string', demandOption: true, describe: 'Id of the project' } },
  run: async ({ project }, control) => {
    const { id, name, suspensions } = await control.projects.resume(project, 'operator', BY_OPERATOR);
    const left = suspensions.map(({ what, reason }) => `${what}, by its organization: ${reason}`).join('; ');
    return {
      json: { id, name, suspended: null, suspensions },
      text: recordText({ id, name, suspended: left === '' ? 'no' : left }),
    };
  },
});
