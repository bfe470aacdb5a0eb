import { BY_OPERATOR, controlCommand } from './admin-command.ts';

export const tokenRevoke = controlCommand({
  usage: 'revoke <token>',
  summary: 'Revoke an access token; a running service refuses it at once',
  examples: [['wl admin token revoke tok_…', 'by its id, as `wl admin token list` shows it']],
  options: { token: { type: 'string', demandOption: true, describe: 'Id of the token' } },
  run: async ({ token: id }, control) => {
    await control.tokens.revoke((await control.tokens.get(id)).projectId, id, BY_OPERATOR);
    return { json: { deleted: true, id }, text: `revoked ${id}` };
  },
});
