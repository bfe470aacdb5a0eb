import { inspect } from 'node:util';
import { ConfigError } from '../base/config/setting-source.ts';
import { AppError } from '../base/errors.ts';
import { VERSION } from '../base/version.ts';
import { ClientError, Interrupted } from './client/client-error.ts';
import { UsageError } from './command.ts';
import type { Terminal } from './terminal.ts';

/**
 * Reports why a command failed: what the user can act on as a message, anything else as our bug with its stack. `help`: the command
 * line that explains a wrong one.
 */
export function tell(error: unknown, terminal: Terminal, help: string): void {
  if (error instanceof Interrupted) return;
  if (error instanceof UsageError) terminal.say(`wl: ${error.message}\nSee: ${help}`);
  else if (error instanceof ClientError) terminal.say([`wl: ${error.message}`, ...error.hints].join('\n  '));
  else if (error instanceof AppError) terminal.say([`wl: ${error.message}`, ...(error.data.hints ?? [])].join('\n  '));
  else if (error instanceof ConfigError) terminal.say(`wl: ${error.message}`);
  else terminal.shout(`wl: this is a bug of wl ${VERSION}, please report it: ${inspect(error)}`);
}
