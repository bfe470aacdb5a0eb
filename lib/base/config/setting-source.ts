/** Finds the text of a setting: in its variable, or in the file that `<NAME>_FILE` names. */
import { readFileSync } from 'node:fs';
import { messageOf } from '../errors.ts';

const MAX_SETTING_FILE = 65_536; // bytes

/** A wrong setting: the message names it and what it must be. Prevents the start. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

/**
 * The text of `variable`, or of the file that `<variable>_FILE` names, trimmed; undefined if it is not set or empty. Throws
 * ConfigError if the file cannot be read.
 */
export function settingText(env: NodeJS.ProcessEnv, variable: string): string | undefined {
  const text = (env[variable] ?? textOfFile(env, `${variable}_FILE`))?.trim();
  return text === '' ? undefined : text;
}

function textOfFile(env: NodeJS.ProcessEnv, variable: string): string | undefined {
  const file = env[variable];
  if (file === undefined || file === '') return undefined;
  try {
    const bytes = readFileSync(file);
    if (bytes.length > MAX_SETTING_FILE) throw new Error(`larger than ${MAX_SETTING_FILE} bytes`);
    return bytes.toString('utf8');
  } catch (error) {
    throw new ConfigError(`${variable} names a file that cannot be read: ${messageOf(error)}`);
  }
}
