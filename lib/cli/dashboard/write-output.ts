/** The meaning of `--output <file or ->`. */
import { open } from 'node:fs/promises';
import { ClientError } from '../client/client-error.ts';
import type { Session } from '../client/client-command.ts';
import { codeOf, messageOf } from '../../base/errors.ts';

export const OUTPUT_OPTION = {
  type: 'string',
  requiresArg: true,
  default: '-',
  describe: 'The file to write; - is stdout',
} as const;

/** Writes a text; replaces an existing file only with --yes. `mode`: set before the text is written. Throws ClientError. */
export async function writeOutput(
  { terminal, globals }: Session,
  { output, text, mode }: { output: string; text: string; mode?: number },
): Promise<void> {
  if (output === '-') {
    terminal.print(text);
    return;
  }
  try {
    await using handle = await open(output, globals.yes ? 'w' : 'wx', mode);
    if (mode !== undefined) await handle.chmod(mode); // it may have existed before
    await handle.writeFile(text);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw new ClientError(`${output} already exists.`, ['Use --yes to overwrite it.']);
    throw new ClientError(`Cannot write ${output}: ${messageOf(error)}`);
  }
  terminal.say(`wl: wrote ${output}`);
}
