import { VERSION } from '../base/version.ts';

/** What `wl version` prints. */
export function versionText(json: boolean): string {
  return json ? JSON.stringify({ version: VERSION }) : VERSION;
}

/** The whole answer if a command line only asks for the version and needs no parsing, else null. */
export function versionAnswer(args: readonly string[]): string | null {
  const [command, option, ...more] = args;
  if ((command !== 'version' && command !== '--version') || more.length > 0) return null;
  if (option === undefined) return versionText(false);
  return command === 'version' && option === '--json' ? versionText(true) : null;
}
