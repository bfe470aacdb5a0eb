import { isoTime } from '../../control/json.ts';
import { parseLifetime } from '../../control/projects/lifetime.ts';
import { SCOPES } from '../../control/types.ts';
import { recordText } from '../text.ts';
import { BY_OPERATOR, controlCommand } from './admin-command.ts';

export const tokenCreate = controlCommand({
  usage: 'create <project>',
  summary: 'Create an access token and print it; it is shown only once',
  examples: [['wl admin token create prj_… --scopes query --expires-in 720h', 'a token for queries, for 30 days']],
  options: {
    project: { type: 'string', demandOption: true, describe: 'Id of the project' },
    scopes: { type: 'string', demandOption: true, requiresArg: true, describe: `Some of ${SCOPES.join(',')}` },
    'expires-in': { type: 'string', requiresArg: true, describe: 'Lifetime: <n>m, h, d or w (default: 90d)' },
    name: { type: 'string', default: 'token', requiresArg: true, describe: 'Name of the token' },
  },
  run: async ({ project, scopes, 'expires-in': expiresIn, name }, control) => {
    const wanted = {
      projectId: project,
      name,
      scopes: scopes.split(',').flatMap((scope) => scope.trim() || []),
      ...(expiresIn === undefined ? {} : { lifetimeMs: parseLifetime(expiresIn, '--expires-in') }),
    };
    const { token, key } = await control.tokens.create(wanted, BY_OPERATOR);
    const json = {
      id: token.id,
      project_id: token.projectId,
      name: token.name,
      prefix: token.prefix,
      scopes: token.scopes,
      expires_at: isoTime(token.expiresAt),
      token: key,
    };
    return { json, text: recordText(json) };
  },
});
