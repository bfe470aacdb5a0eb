/** The command that sends the rest of a file, with what decides how its lines are read and where they go. */
import type { Globals } from '../client/global-options.ts';

/** What was typed. */
interface Given {
  readonly map?: string | undefined;
  readonly 'batch-size': number;
  readonly concurrency: number;
  readonly bulk: boolean;
  readonly 'skip-bad': boolean;
}

/** Options whose values are repeated as they are, unless they are the usual ones. */
export const USUAL = { 'batch-size': 100, concurrency: 8 };

/** Words that shells take as they are. */
const PLAIN = /^[\w.,:=@%+/-]+$/;

/** A key is not repeated: stderr may be kept. The word in its place is no key, so nothing goes to another project. */
export function resumeCommand(given: Given, { host, apiKey }: Pick<Globals, 'host' | 'apiKey'>): string {
  const sizes = (['batch-size', 'concurrency'] as const).filter((name) => given[name] !== USUAL[name]);
  return [
    'wl track --stdin',
    ...(given.bulk ? ['--bulk'] : []),
    ...(given.map === undefined ? [] : ['--map', quoted(given.map)]),
    ...(given.bulk ? [] : sizes.map((name) => `--${name} ${given[name]}`)),
    ...(given['skip-bad'] ? ['--skip-bad'] : []),
    ...(host === undefined ? [] : ['--host', quoted(host)]),
    ...(apiKey === undefined ? [] : ['--api-key KEY']),
  ].join(' ');
}

function quoted(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
