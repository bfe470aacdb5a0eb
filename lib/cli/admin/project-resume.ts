import { recordText } from '../text.ts';
import { BY_OPERATOR, controlCommand } from './admin-command.ts';

export const projectResume = controlCommand({
  usage: 'resume <project>',
  summary: 'Take events and queries of a suspended project again',
  examples: [['wl admin project resume prj_…', 'whatever was suspended of it']],
  options: { project: { type: 'string', demandOption: true, describe: 'Id of the project' } },
  run: ({ project }, control) => {
    const { id, name, suspended } = control.operator.suspend(project, null, BY_OPERATOR);
    return { json: { id, name, suspended }, text: recordText({ id, name, suspended: 'no' }) };
  },
});
