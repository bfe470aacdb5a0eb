import { AppError } from '../../base/errors.ts';
import { BY_OPERATOR, controlCommand } from './admin-command.ts';

export const tokenRevoke = controlCommand({
  usage: 'revoke <token>',
  summary: 'Revoke an access token; a running service refuses it at once',
  examples: [['wl admin token revoke tok_…', 'by its id, as `wl admin token list` shows it']],
  options: { token: { type: 'string', demandOption: true, describe: 'Id of the token' } },
  run: async ({ token: id }, control) => {
    const token = await control.tokens.find(id);
    if (token === null) throw new AppError('not_found', `there is no token "${id}"`);
    await control.tokens.revoke(token.projectId, id, BY_OPERATOR);
    return { json: { deleted: true, id }, text: `revoked ${id}` };
  },
});
