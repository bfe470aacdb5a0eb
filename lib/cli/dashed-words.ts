/** Arguments that begin with a dash, such as a user id `-x`: yargs would read them as options even behind `--`. */

/** No argument of a process can have it. */
const SHIELD = '\u0000';

/** The command line without `--`, what stood behind it made to look like words without a dash: yargs gives no command what is there. */
export function shieldDashed(args: readonly string[]): readonly string[] {
  const at = args.indexOf('--');
  if (at === -1) return args;
  return [...args.slice(0, at), ...args.slice(at + 1).map((word) => (word.startsWith('-') ? SHIELD + word : word))];
}

/** A message about arguments, with them as they were typed. */
export function withoutShields(message: string): string {
  return message.replaceAll(SHIELD, '');
}

/** The argument as it was typed. */
export function unshielded(value: unknown): unknown {
  return typeof value === 'string' && value.startsWith(SHIELD) ? value.slice(SHIELD.length) : value;
}
