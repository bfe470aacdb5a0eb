/** The options of every command that talks to a server. */
import type { Options } from 'yargs';
import { UsageError } from '../command.ts';

export type OutputFormat = 'table' | 'json' | 'csv' | 'markdown';

export interface Globals {
  readonly apiKey: string | undefined;
  readonly host: string | undefined;
  /** null: a table on a terminal, else JSON. */
  readonly format: OutputFormat | null;
  readonly color: boolean;
  /** Milliseconds for one attempt of a request. */
  readonly timeout: number;
  readonly quiet: boolean;
  readonly yes: boolean;
}

const FORMATS: readonly OutputFormat[] = ['table', 'json', 'csv', 'markdown'];
const group = 'Global options:';

export const GLOBAL_OPTIONS = {
  'api-key': { group, type: 'string', requiresArg: true, describe: 'API key (default: WINDLASS_API_KEY, then the configuration file)' },
  host: { group, type: 'string', requiresArg: true, describe: 'Address of the server (default: WINDLASS_HOST, then the configuration file, then http://localhost:8080)' },
  format: { group, choices: ['auto', ...FORMATS], default: 'auto', requiresArg: true, describe: 'auto prints a table at a terminal, JSON otherwise' },
  json: { group, type: 'boolean', default: false, describe: 'Same as --format json' },
  'no-color': { group, type: 'boolean', default: false, describe: 'Disable color, as the variable NO_COLOR does' },
  timeout: { group, type: 'string', default: '30s', requiresArg: true, describe: 'Timeout of each request attempt' },
  quiet: { group, type: 'boolean', default: false, describe: 'Print nothing to stderr' },
  yes: { group, type: 'boolean', default: false, describe: 'Skip confirmation prompts' },
} as const satisfies Readonly<Record<string, Options>>; // prettier-ignore

/** Reads them from parsed arguments. Throws UsageError. */
export function readGlobals(args: Readonly<Record<string, unknown>>): Globals {
  return {
    apiKey: textOf(args['api-key']),
    host: textOf(args['host']),
    format: formatOf(args['format'], args['json'] === true),
    color: args['no-color'] !== true,
    timeout: timeoutOf(textOf(args['timeout']) ?? GLOBAL_OPTIONS.timeout.default),
    quiet: args['quiet'] === true,
    yes: args['yes'] === true,
  };
}

/** Moves the global options to the end, where every command's parser knows them. What follows `--` stays. */
export function globalsLast(args: readonly string[]): readonly string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const [others, globals]: [string[], string[]] = [[], []];
  for (let at = 0; at < end;) {
    const taken = args.slice(at, Math.min(end, at + lengthOfGlobal(args[at] ?? '')));
    (taken.length > 0 ? globals : others).push(...(taken.length > 0 ? taken : args.slice(at, at + 1)));
    at += Math.max(1, taken.length);
  }
  return [...others, ...globals, ...args.slice(end)];
}

/** How many words a global option takes if it begins with this one; 0: it is not one. */
function lengthOfGlobal(word: string): number {
  const [name, value] = word.split('=', 2);
  const option = Object.entries<Options>(GLOBAL_OPTIONS).find(([one]) => name === `--${one}`)?.[1];
  if (option === undefined) return 0;
  return option.type === 'boolean' || value !== undefined ? 1 : 2;
}

function formatOf(given: unknown, json: boolean): OutputFormat | null {
  const format = FORMATS.find((one) => one === given) ?? null;
  if (!json) return format;
  if (format !== null && format !== 'json') throw new UsageError(`--json and --format ${format} contradict each other`);
  return 'json';
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

const FACTORS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** `<n>ms|s|m|h` in milliseconds, at most a day. Throws UsageError. */
function timeoutOf(text: string): number {
  const match = /^(\d{1,8})(ms|s|m|h)$/.exec(text.trim());
  const value = Number(match?.[1]) * (FACTORS.get(match?.[2] ?? '') ?? Number.NaN);
  if (!(value > 0 && value <= 86_400_000))
    // a day; timers end at 24 days
    throw new UsageError(`--timeout must be a time like 30s, 500ms or 5m, at most 24h`);
  return value;
}

/**
 * The global options except those named, for a command without a server: it accepts them from users who always pass them, and
 * hides them in its help.
 */
export function unseenGlobals(...except: readonly (keyof typeof GLOBAL_OPTIONS)[]): Readonly<Record<string, Options>> {
  const own: readonly string[] = except;
  const others = Object.entries<Options>(GLOBAL_OPTIONS).filter(([name]) => !own.includes(name));
  return Object.fromEntries(others.map(([name, option]) => [name, { ...option, hidden: true }]));
}
