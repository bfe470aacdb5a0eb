import { ControlDatabase } from '../../control/database.ts';
import { UsageError } from '../command.ts';
import { BY_OPERATOR, folderCommand } from './admin-command.ts';
import { purgeProject } from './purge-project.ts';

export const projectDelete = folderCommand({
  usage: 'delete <project>',
  summary: 'Delete a project and all of its events; works while the service runs',
  examples: [['wl admin project delete prj_… --name "My project"', 'its id and its name must match']],
  options: {
    project: { type: 'string', demandOption: true, describe: 'Id of the project' },
    name: {
      type: 'string',
      demandOption: true,
      requiresArg: true,
      describe: 'Name of the project, to confirm',
    },
  },
  run: async ({ project: id, name }, { path, secret }) => {
    await using control = await ControlDatabase.open(path, { secret });
    if ((await control.projects.get(id)).name !== name) throw new UsageError(`the project is not named "${name}"`);
    await control.projects.delete(id, BY_OPERATOR);
    await purgeProject(control, path, id);
    return { json: { deleted: true, id }, text: `deleted ${id}` };
  },
});
