/** What yargs finds wrong with a command line, in the words of this program, with what may have been meant. */
import { nearest } from '../base/text/nearest.ts';
import type { Options } from 'yargs';
import { GLOBAL_OPTIONS } from './client/global-options.ts';
import { nameOf, type Command, withoutShields } from './command.ts';

/** A command line, and what it names. */
export interface CommandLine {
  /** Its words; those behind `--` shielded. */
  readonly args: readonly string[];
  /** The commands that it names, outermost first: a family, and one of it. */
  readonly chain: readonly Command[];
}

/** `; did you mean …?`, or nothing. */
export function proposal(typed: string, names: Iterable<string>): string {
  const meant = nearest(typed, names);
  return meant === null ? '' : `; did you mean \`${meant}\`?`;
}

/** @param message What yargs says; others stay as they are. */
export function lineProblem(message: string, line: CommandLine): string {
  const [, few] = /^Not enough non-option arguments: got (\d+),/.exec(message) ?? [];
  if (few !== undefined) return withStrayOptions(line, missingArguments(Number(few), line));
  const [, names = ''] = /^[^:]*: (.*)$/s.exec(message) ?? [];
  if (message.startsWith('Unknown argument')) return unknownWords(names, line) ?? message;
  if (message.startsWith('Missing required argument')) return withStrayOptions(line, missingOptions(names.split(', ')));
  if (message.startsWith('Not enough arguments following')) return `${dashed(names)} needs a value`;
  if (message.startsWith('Invalid values:')) return wrongValues(message, line);
  return strayOptions(line)[0] ?? message; // it names no command, perhaps because an option stands in its place
}

/** yargs says what is missing first, though it may be there under a wrong name. */
function withStrayOptions(line: CommandLine, problem: string): string {
  return [...strayOptions(line), problem].join('\n  ');
}

function strayOptions(line: CommandLine): readonly string[] {
  const known = new Set([...optionsOf(line), 'help', 'h', 'version']);
  const inKebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return unknownOptions(line, (name) => !known.has(name) && !known.has(inKebab(name))); // yargs takes --userId, too
}

function missingArguments(given: number, { chain }: CommandLine): string {
  const missing =
    chain
      .at(-1)
      ?.usage.match(/<[^>]+>/g)
      ?.slice(given) ?? [];
  return missing.length > 1
    ? `arguments are missing: ${missing.join(' ')}`
    : `an argument is missing: ${missing.join(' ')}`;
}

function missingOptions(names: readonly string[]): string {
  return `${names.map(dashed).join(' and ')} ${names.length > 1 ? 'are' : 'is'} missing`;
}

/** @param names What yargs does not know: options and words, and some options again in other letters. */
function unknownWords(names: string, line: CommandLine): string | null {
  const isUnknown = (name: string): boolean => `, ${names}, `.includes(`, ${name}, `);
  const options = unknownOptions(line, isUnknown);
  const words = line.args.filter((word) => !isOption(word)).map(withoutShields);
  const further = [...new Set(words)].filter(isUnknown).map((word) => `\`${word}\``);
  if (further.length === 0) return options.length === 0 ? null : options.join('\n  ');
  const isQuery = line.chain[0] !== undefined && nameOf(line.chain[0]) === 'query';
  return [
    ...options,
    `${further.length > 1 ? 'unexpected arguments' : 'unexpected argument'}: ${further.join(', ')}`,
    ...(isQuery ? [`put the query in quotes: wl query ${quotedQuery(firstWords(line))}`] : []),
  ].join('\n  ');
}

/** The words between the name of the command and the first option. */
function firstWords({ args }: CommandLine): readonly string[] {
  const end = args.findIndex((word) => word.startsWith('-'));
  return args.slice(1, end < 0 ? args.length : end);
}

function unknownOptions(line: CommandLine, isUnknown: (name: string) => boolean): readonly string[] {
  const names = line.args.filter(isOption).flatMap((word) => {
    const [name = ''] = word.replace(/^-+/, '').split('=', 1);
    return word.startsWith('--') ? [name] : name.split('');
  });
  const positionals = line.chain.at(-1)?.usage ?? '';
  const proposed = [...optionsOf(line), 'help', 'version']
    .filter((name) => !isPositional(name, positionals))
    .map(dashed);
  return [...new Set(names)].filter(isUnknown).map((name) => {
    const option = dashed(name);
    return `there is no option \`${option}\`${name.length > 1 ? proposal(option, proposed) : ''}`;
  });
}

/** yargs takes negative numbers for values. */
function isOption(word: string): boolean {
  return /^--?[A-Za-z]/.test(word);
}

/** Names of the options of the named commands; without a command, those that every command of a client has. */
function optionsOf({ chain }: CommandLine): readonly string[] {
  const tables = chain.length === 0 ? [GLOBAL_OPTIONS] : chain.flatMap(({ options, shared }) => [options, shared]);
  return tables.flatMap((table) =>
    Object.entries<Options>(table).flatMap(([name, { alias = [] }]) => [name, ...[alias].flat()]),
  );
}

/** Of `Argument: format, Given: "xml", Choices: "json", "csv"`, a line for each. */
function wrongValues(message: string, { chain }: CommandLine): string {
  const usage = chain.at(-1)?.usage ?? '';
  const problems = [...message.matchAll(/^ {2}Argument: (.*?), Given: (.*), Choices: (.*)$/gm)];
  return problems
    .map(([, name = '', given = '', choices = '']) => {
      const what = isPositional(name, usage) ? `<${name}>` : dashed(name);
      const words = choices.replaceAll('"', '').split(', ');
      const list = words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : choices;
      return `${what} must be ${list}, not ${given}`;
    })
    .join('\n  ');
}

function isPositional(name: string, usage: string): boolean {
  return usage.includes(`<${name}`) || usage.includes(`[${name}`);
}

function dashed(name: string): string {
  return name.length > 1 ? `--${name}` : `-${name}`;
}

/** Words that begin a stage wherever they stand, but for `paths from`. Not the lists of `lib/dsl`: a command has none of it. */
const STAGE =
  /^(?:where|last|from|since|all|today|yesterday|this|list|latest|sort|top|limit|offset|window|depth|tz|results|unit|having|share|compare|rolling|cumulative|weeks|with|periods|unbounded|order|same|model|people)$/i;
/** Words that begin a stage behind the source, and may be part of one elsewhere. */
const METRIC = /^(?:as|by|count|unique|sum|avg|min|max|median|stddev|mode|p\d\d?)$/i;
/** What the shell passes on as it was typed. */
const PLAIN = /^[\p{L}\p{N}_.:/|*,][\p{L}\p{N}_.:/|*,-]*$/u;

/** The query in quotes, with `|` before its stages; an example where the words may not be all of what was typed. */
function quotedQuery(words: readonly string[]): string {
  const [source, ...more] = words;
  if (source === undefined || more.length === 0 || !words.every((word) => PLAIN.test(word)))
    return "'signup | last 7d'";
  const staged = more.map((word, at) => {
    const begins = at > 0 ? STAGE.test(word) : source !== 'paths' && (STAGE.test(word) || METRIC.test(word));
    return begins && words[at] !== '|' ? `| ${word}` : word; // words[at] is the word before
  });
  return `'${[source, ...staged].join(' ')}'`;
}
