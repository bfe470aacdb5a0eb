/** Arguments that begin with a dash, such as a user id `-x`: yargs would read them as options even after `--`. */

/** No process argument can contain it. */
const SHIELD = '\u0000';

/** The command line without `--`, the words after it shielded so as not to begin with a dash: yargs hides those from commands. */
export function shieldDashed(args: readonly string[]): readonly string[] {
  const at = args.indexOf('--');
  if (at === -1) return args;
  return [...args.slice(0, at), ...args.slice(at + 1).map((word) => (word.startsWith('-') ? SHIELD + word : word))];
}

/** A message about arguments, with them as typed. */
export function withoutShields(message: string): string {
  return message.replaceAll(SHIELD, '');
}

/** The argument as typed. */
export function unshielded(value: unknown): unknown {
  return typeof value === 'string' && value.startsWith(SHIELD) ? value.slice(SHIELD.length) : value;
}
