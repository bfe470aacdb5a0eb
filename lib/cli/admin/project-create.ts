import { isoTime } from '../../control/json.ts';
import { recordText } from '../text.ts';
import { BY_OPERATOR, controlCommand } from './admin-command.ts';
import { onlyOrganization } from './only-organization.ts';

export const projectCreate = controlCommand({
  usage: 'create <name>',
  summary: 'Create a project and print its keys',
  examples: [
    ['wl admin project create "Web shop"', 'a project of the only organization'],
    ['wl admin project create "Web shop" --org org_…', 'a project of that organization'],
  ],
  options: {
    name: { type: 'string', demandOption: true, describe: 'Name of the project' },
    org: { type: 'string', requiresArg: true, describe: 'Id of its organization; optional if there is only one' },
  },
  run: async ({ name, org }, control) => {
    const { project, secretKey } = await control.projects.create(
      org ?? (await onlyOrganization(control)),
      name,
      BY_OPERATOR,
      true,
    );
    const json = {
      id: project.id,
      org_id: project.orgId,
      name: project.name,
      public_key: project.publicKey,
      secret_key: secretKey,
      created_at: isoTime(project.createdAt),
    };
    return { json, text: recordText(json) };
  },
});
