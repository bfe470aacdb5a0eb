import { recordText } from '../text.ts';
import { controlCommand } from './admin-command.ts';

export const orgCreate = controlCommand({
  usage: 'create <name>',
  summary: 'Create an organization and print its admin key; it is shown only once',
  examples: [['wl admin org create "Acme Inc"', 'an organization and its admin key (ak_)']],
  options: { name: { type: 'string', demandOption: true, describe: 'Name of the organization' } },
  makes: true,
  run: async ({ name }, control) => {
    const { organization, adminKey } = await control.organizations.create(name);
    const json = { id: organization.id, name: organization.name, admin_key: adminKey };
    return { json, text: recordText(json) };
  },
});
