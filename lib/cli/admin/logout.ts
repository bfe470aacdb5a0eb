import { checkEmail } from '../../control/email.ts';
import { recordText } from '../text.ts';
import { controlCommand } from './admin-command.ts';

export const logout = controlCommand({
  usage: 'logout',
  summary: 'End all sessions of an address, and login links for it that nobody has used',
  examples: [
    ['wl admin logout --email ada@example.com', 'a laptop was stolen: its cookie is worth nothing from now on'],
  ],
  options: {
    email: { type: 'string', demandOption: true, requiresArg: true, describe: 'Address of the account' },
  },
  run: ({ email }, control) => {
    const address = checkEmail(email);
    const json = { email: address, sessions_ended: control.sessions.endOfAddress(address) };
    return { json, text: recordText(json) };
  },
});
