import { inspect } from 'node:util';
import { ConfigError } from '../base/config/setting-source.ts';
import { AppError, codeOf, type ErrorData, messageOf, isOfDisk } from '../base/errors.ts';
import { VERSION } from '../base/version.ts';
import { ClientError, Interrupted } from './client/client-error.ts';
import { UsageError } from './command.ts';
import { errorText } from './output/error-text.ts';
import { styleOf } from './output/table.ts';
import type { Terminal } from './terminal.ts';

/**
 * Reports why a command failed: what the user can act on as a message, anything else as our bug with its stack. `help`: the command
 * line that explains a wrong one.
 */
export function tell(error: unknown, terminal: Terminal, { help, noColor }: { help: string; noColor: boolean }): void {
  if (error instanceof Interrupted) return;
  const say = ([message, ...more]: readonly [string, ...string[]]): void => {
    if (terminal.stderr.isTTY !== true) terminal.say([`wl: ${message}`, ...more].join('\n  '));
    else terminal.sayStyled(errorText(message, more, styleOf(terminal.stderr, process.env, noColor)));
  };
  if (error instanceof UsageError) terminal.say(`wl: ${error.message}\nSee: ${help}`);
  else if (error instanceof ClientError) say([error.message, ...error.hints]);
  else if (error instanceof AppError) say(linesOf(error.data));
  else if (error instanceof ConfigError) terminal.say(`wl: ${error.message}`);
  else if (isAboutFile(error)) terminal.say(`wl: ${error.path}: ${reasonOf(error)}\n  ${LOOK}`);
  else if (isOfDisk(error)) terminal.say(`wl: ${reasonOf(error)} (${codeOf(error)})\n  ${ROOM}`);
  else terminal.shout(`wl: this is a bug of wl ${VERSION}, please report it: ${inspect(error)}`);
}

/** The cause too: who runs `wl` here may know it. */
function linesOf({ message, cause, hints = [] }: ErrorData): readonly [string, ...string[]] {
  return [message, ...(cause === undefined ? [] : [cause.split('\n', 1)[0]!]), ...hints];
}

const LOOK = 'Look at the path and at the rights of this account. The data folder is WINDLASS_DATA, or --data.';

const ROOM =
  'Look at the free space of the disk and at the rights of this account. The data folder is WINDLASS_DATA, or --data.';

/** What the system says of a file when the operator can mend it. */
const OF_FILES: ReadonlySet<unknown> = new Set([
  ...['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST', 'EROFS', 'ENOSPC', 'EDQUOT', 'ELOOP', 'ENAMETOOLONG'],
]);

function isAboutFile(error: unknown): error is Error & { readonly path: string } {
  return error instanceof Error && 'path' in error && typeof error.path === 'string' && OF_FILES.has(codeOf(error));
}

/**
 * `permission denied (mkdir)`, of Node's `EACCES: permission denied, mkdir '/var/lib/windlass'`, or what it quotes where it has no
 * code: `, Unknown error: Read-only file system '/var/lib/windlass'`.
 */
function reasonOf(error: unknown): string {
  const message = messageOf(error);
  const [, reason, call] = /^E\w+: (.+?), (\w+)/.exec(message) ?? [];
  if (reason !== undefined) return `${reason} (${call})`;
  return /^, Unknown error: ([^']+?) '/.exec(message)?.[1]?.toLowerCase() ?? message;
}
