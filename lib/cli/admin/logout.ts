import { checkEmail } from '../../control/accounts/email.ts';
import { recordText } from '../text.ts';
import { controlCommand } from './admin-command.ts';

export const logout = controlCommand({
  usage: 'logout',
  summary: 'End all sessions of an e-mail address, and revoke its unused login links',
  examples: [['wl admin logout --email ada@example.com', 'after a laptop is stolen: its cookie stops working at once']],
  options: {
    email: { type: 'string', demandOption: true, requiresArg: true, describe: 'E-mail address of the account' },
  },
  run: async ({ email }, control) => {
    const address = checkEmail(email);
    const json = { email: address, sessions_ended: await control.sessions.endOfAddress(address) };
    return { json, text: recordText(json) };
  },
});
