import type { Options } from 'yargs';
import { GLOBAL_OPTIONS } from './global-options.ts';

/**
 * The global options, but for those named, for a command that speaks to no server: whoever gives them to every command may,
 * and the help is short.
 */
export function unseenGlobals(...except: readonly (keyof typeof GLOBAL_OPTIONS)[]): Readonly<Record<string, Options>> {
  const own: readonly string[] = except;
  const others = Object.entries<Options>(GLOBAL_OPTIONS).filter(([name]) => !own.includes(name));
  return Object.fromEntries(others.map(([name, option]) => [name, { ...option, hidden: true }]));
}
