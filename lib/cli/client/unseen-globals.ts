import type { Options } from 'yargs';
import { GLOBAL_OPTIONS } from './global-options.ts';

/**
 * The global options except those named, for a command without a server: it accepts them from users who always pass them, and
 * hides them in its help.
 */
export function unseenGlobals(...except: readonly (keyof typeof GLOBAL_OPTIONS)[]): Readonly<Record<string, Options>> {
  const own: readonly string[] = except;
  const others = Object.entries<Options>(GLOBAL_OPTIONS).filter(([name]) => !own.includes(name));
  return Object.fromEntries(others.map(([name, option]) => [name, { ...option, hidden: true }]));
}
