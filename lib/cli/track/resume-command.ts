/** The command that sends the rest of stdin, with what decides how its lines are read and where they go. */
import type { Globals } from '../client/global-options.ts';

/** What was typed. */
interface Given {
  readonly map?: string | undefined;
  readonly 'batch-size': number;
  readonly concurrency: number;
  readonly bulk: boolean;
  readonly 'skip-bad': boolean;
  readonly lenient: boolean;
}

/** Options whose values are repeated as they are, unless they are the usual ones. */
export const USUAL = { 'batch-size': 100, concurrency: 8 };

/** Words that shells take as they are. */
const PLAIN = /^[\w.,:=@%+/-]+$/;

/**
 * The command line that sends stdin again, through a program that takes part of it or unpacks it. Of a pipe, lines are counted as
 * they came out of it: the command that fed it may itself have been `tail`.
 */
export type Again = (program: string) => string;

/** A key is not repeated: stderr may be kept. The word in its place is no key, so nothing goes to another project. */
export function againFor(given: Given, { host, apiKey }: Pick<Globals, 'host' | 'apiKey'>, isFile: boolean): Again {
  const sizes = (['batch-size', 'concurrency'] as const).filter((name) => given[name] !== USUAL[name]);
  const command = [
    'wl track --stdin',
    ...(given.bulk ? ['--bulk'] : []),
    ...(given.map === undefined ? [] : ['--map', quoted(given.map)]),
    ...(given.bulk ? [] : sizes.map((name) => `--${name} ${given[name]}`)),
    ...(given.lenient ? ['--lenient'] : []),
    ...(given['skip-bad'] ? ['--skip-bad'] : []),
    ...(host === undefined ? [] : ['--host', quoted(host)]),
    ...(apiKey === undefined ? [] : ['--api-key KEY']),
  ].join(' ');
  return (program) => (isFile ? `${program} FILE | ${command}` : `COMMAND | ${program} | ${command}`);
}

function quoted(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
