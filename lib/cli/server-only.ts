/** Replaces `serve` and `admin` where only the client commands exist: in the single executable, and in the `wl` that hosts give. */
import { VERSION } from '../base/version.ts';
import { ClientError } from './client/client-error.ts';
import { BARE, type Command } from './command.ts';

export const serve = missing('serve', 'Run the service (not in this program)');
const admin = missing(
  'admin',
  'Manage a service: its data folder on this machine, or a host from afar with --host (not in this program)',
);

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
          throw new ClientError(`\`wl ${name}\` is not part of this program, which has the client commands.`, [
            `It is in the package of the server, windlass-${VERSION}.tgz of a release: npm install --global ./windlass-${VERSION}.tgz (Node 22.12 or newer).`,
            'docs/install.md, on hosts /docs/install, says where to get that file.',
          ]);
        },
      );
    },
  };
}
