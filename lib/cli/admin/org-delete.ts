import { requireData } from '../../control/process/check.ts';
import { ControlDatabase } from '../../control/database.ts';
import { UsageError } from '../command.ts';
import { BY_OPERATOR, folderCommand } from './admin-command.ts';
import { purgeProject } from './purge-project.ts';

export const orgDelete = folderCommand({
  usage: 'delete <org>',
  summary: 'Delete an organization, its projects and all their events; keeps its usage and bill',
  examples: [['wl admin org delete org_… --name "Acme Inc"', 'its id and its name must match']],
  options: {
    org: { type: 'string', demandOption: true, describe: 'Id of the organization' },
    name: {
      type: 'string',
      demandOption: true,
      requiresArg: true,
      describe: 'Name of the organization, to confirm',
    },
  },
  run: async ({ org: id, name }, { path, secret }) => {
    requireData(path);
    await using control = await ControlDatabase.open(path, { secret });
    if ((await control.organizations.get(id)).name !== name)
      throw new UsageError(`the organization is not named "${name}"`);
    const projects = await control.operator.deleteOrganization(id, BY_OPERATOR);
    for (const project of projects) await purgeProject(control, path, project);
    return { json: { deleted: true, id, projects }, text: `deleted ${id} and ${projects.length} projects` };
  },
});
