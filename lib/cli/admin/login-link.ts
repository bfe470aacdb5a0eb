import { AppError } from '../../errors.ts';
import { folderCommand } from './admin-command.ts';

export const loginLink = folderCommand({
  usage: 'login-link',
  summary: 'Print a link that logs somebody in once (not available yet)',
  examples: [['wl admin login-link --email ada@example.com', 'a link for Ada']],
  options: { email: { type: 'string', demandOption: true, requiresArg: true, describe: 'Address of the account' } },
  run: () =>
    Promise.reject(
      new AppError('not_available', 'login links are not available yet: this release has no browser login', {
        hints: ['use `wl admin token create`, and the admin key of `wl admin org create`'],
      }),
    ),
});
