import { tokenJson } from '../../control/json.ts';
import { controlCommand, tableOutcome } from './admin-command.ts';

export const tokenList = controlCommand({
  usage: 'list <project>',
  summary: 'List the access tokens of a project',
  examples: [['wl admin token list prj_…', 'its tokens, without the tokens themselves']],
  options: { project: { type: 'string', demandOption: true, describe: 'Id of the project' } },
  run: async ({ project }, control) => {
    const tokens = (await control.tokens.list((await control.projects.get(project)).id)).map(tokenJson);
    return tableOutcome(tokens, ['id', 'name', 'prefix', 'scopes', 'expires_at', 'last_used_at', 'created_by']);
  },
});
