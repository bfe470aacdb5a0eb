/** Replaces `serve` and `admin` where only the client commands exist: in the single executable. */
import { ClientError } from './client/client-error.ts';
import { BARE, type Command } from './command.ts';

export const serve = missing('serve', 'Run the service (not in this executable)');
const admin = missing('admin', 'Manage the data folder of a service on this machine (not in this executable)');

export const adminFor = (): Command => admin;

function missing(name: string, summary: string): Command {
  return {
    ...BARE,
    usage: name,
    summary,
    register: (parser) => {
      parser.command(
        `${name} [words..]`,
        summary,
        (y) => y.strict(false).help(false).version(false),
        () => {
          throw new ClientError(`\`wl ${name}\` is not part of the single executable, which has the client commands.`, [
            'Use the npm package: npm install --global windlass (Node 22.12 or newer).',
          ]);
        },
      );
    },
  };
}
