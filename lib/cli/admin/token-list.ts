import { isoTime, tokenJson } from '../../control/json.ts';
import { tableText } from '../text.ts';
import { controlCommand } from './admin-command.ts';

export const tokenList = controlCommand({
  usage: 'list <project>',
  summary: 'List the access tokens of a project',
  examples: [['wl admin token list prj_…', 'its tokens, without the tokens themselves']],
  options: { project: { type: 'string', demandOption: true, describe: 'Id of the project' } },
  run: ({ project }, control) => {
    const tokens = control.tokens.list(control.projects.get(project).id);
    const rows = tokens.map(({ id, name, prefix, scopes, expiresAt, lastUsedAt, createdBy }) => [
      id,
      name,
      prefix,
      scopes,
      isoTime(expiresAt),
      lastUsedAt === null ? null : isoTime(lastUsedAt),
      createdBy,
    ]);
    const columns = ['id', 'name', 'prefix', 'scopes', 'expires_at', 'last_used_at', 'created_by'];
    return { json: tokens.map(tokenJson), text: tableText(columns, rows) };
  },
});
