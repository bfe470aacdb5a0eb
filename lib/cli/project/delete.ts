import { clientCommand } from '../client/client-command.ts';
import { confirmByTyping, mustBeAsked } from '../client/confirm.ts';
import { asRecord } from '../client/records.ts';
import { adminRequest, findProject, projectPath } from './admin-api.ts';

export const projectDelete = clientCommand({
  usage: 'delete <id>',
  summary: 'Permanently delete a project and all of its events',
  examples: [
    ['wl project delete prj_…', 'asks for the name of the project'],
    ['wl project delete prj_… --yes', 'no prompts'],
  ],
  options: { id: { type: 'string', demandOption: true, describe: 'Id of the project' } },
  run: async ({ id }, { api, output, terminal, globals }) => {
    mustBeAsked(`Delete the project ${id} with all of its events, for ever?`, { yes: globals.yes, terminal });
    const { name } = await findProject(api, id);
    const question = `Delete the project ${JSON.stringify(name)} (${id}) with all of its events, for ever?`;
    const typed = await confirmByTyping(name, { question, yes: globals.yes, terminal });
    const body = { project_name: name, project_name_confirm: typed };
    await output.record(asRecord(await api.json(adminRequest('DELETE', projectPath(id), { body }))));
  },
});
