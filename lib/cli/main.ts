import yargs, { type Argv } from 'yargs';
import { firstOf } from '../base/errors.ts';
import { VERSION } from '../base/version.ts';
import { CATALOG } from './catalog.ts';
import { Interrupted } from './client/client-error.ts';
import { globalsLast } from './client/global-options.ts';
import {
  Chosen,
  isNamed,
  nameOf,
  UsageError,
  type Command,
  shieldDashed,
  withoutShields,
  helpWidth,
} from './command.ts';
import { type CommandLine, lineProblem, proposal } from './line-problem.ts';
import { tell } from './tell.ts';
import type { Terminal } from './terminal.ts';

const NAMES = CATALOG.map(({ name }) => name);

/** Runs one command line. Returns the exit code: 0, or 1 for any failure, which stderr then reports. */
export async function main(given: readonly string[], terminal: Terminal): Promise<number> {
  const args = shieldDashed(globalsLast(given.length === 0 ? ['--help'] : withoutHelpWord(given)));
  let commands: readonly Command[] = [];
  try {
    commands = await loadNamed(args);
    mustNameCommand(args, commands);
    const chosen = await read(args, makeParser(args, commands, terminal));
    if (typeof chosen === 'string') terminal.print(chosen);
    else terminal.exitWith(await chosen.run());
  } catch (error) {
    if (args.includes('--quiet')) terminal.hush(); // --quiet also counts if no command has read it
    terminal.exitWith(error instanceof Interrupted ? error.exitCode : 1);
    tell(firstOf(error), terminal, { help: helpOf(args, commands), noColor: args.includes('--no-color') });
  }
  return terminal.exitCode;
}

/** The command that a line names, or the help or version that it requests. */
async function read(args: readonly string[], parser: Argv<object>): Promise<Chosen | string> {
  let output = '';
  try {
    await parser.parseAsync([...args], {}, (_error, _argv, text) => {
      output = text;
    });
  } catch (error) {
    if (error instanceof Chosen) return error;
    throw error;
  }
  return output;
}

/** Throws UsageError for an unknown command, also of a family: yargs would propose `q` for every short word, or name none. */
function mustNameCommand([word, ...more]: readonly string[], loaded: readonly Command[]): void {
  if (word === undefined || word.startsWith('-')) return;
  const entry = CATALOG.find(({ name, aliases = [] }) => name === word || aliases.includes(word));
  if (entry === undefined) throw noSuchCommand(word, NAMES);
  const family = ['wl', entry.name];
  let level = commandOf(loaded, entry.name)?.commands;
  for (const next of more) {
    if (level === undefined || next.startsWith('-')) return;
    const command = commandOf(level, next);
    if (command === undefined) throw noSuchCommand(next, level.map(nameOf), family.join(' '));
    family.push(nameOf(command));
    level = command.commands;
  }
}

function noSuchCommand(word: string, names: readonly string[], family = ''): UsageError {
  const typed = withoutShields(word);
  const where = family === '' ? '' : ` in \`${family}\``;
  return new UsageError(`there is no command \`${typed}\`${where}${proposal(typed, names)}`);
}

function commandOf(level: readonly Command[], word: string): Command | undefined {
  return level.find((command) => isNamed(command, word));
}

/** The commands that the line may mean: loading one too many does no harm. */
function loadNamed(args: readonly string[]): Promise<Command[]> {
  const named = CATALOG.filter(({ name, aliases = [] }) => [name, ...aliases].some((word) => args.includes(word)));
  return Promise.all(named.map((entry) => entry.load(args)));
}

function makeParser(args: readonly string[], commands: readonly Command[], terminal: Terminal): Argv<object> {
  const parser: Argv<object> = yargs([]);
  parser
    .scriptName('wl')
    .usage('Windlass: product analytics. Events in over HTTP, answers out of a pipe language.')
    .version(VERSION)
    .alias('h', 'help')
    .locale('en')
    .wrap(helpWidth())
    .parserConfiguration({ 'greedy-arrays': false, 'parse-positional-numbers': false, 'boolean-negation': false })
    .strict()
    .demandCommand(1, 'which command?')
    .recommendCommands()
    .exitProcess(false)
    .fail((message, error) => {
      throw usageError(message, error, { args, chain: chainOf(args, commands) });
    });
  for (const { name, aliases = [], summary } of CATALOG) {
    const command = commands.find((one) => nameOf(one) === name);
    if (command === undefined) parser.command([name, ...aliases], summary);
    else command.register(parser, terminal);
  }
  return parser;
}

/** What yargs finds wrong is the user's mistake; what a command throws stays what it is. */
function usageError(message: string | null, error: Error | undefined, line: CommandLine): Error {
  if (error !== undefined && error.name !== 'YError') return error;
  return new UsageError(lineProblem(withoutShields(error?.message ?? message ?? 'this makes no sense'), line));
}

/** The help command for the longest known beginning of the line. */
function helpOf(args: readonly string[], commands: readonly Command[]): string {
  return ['wl', ...chainOf(args, commands).map(nameOf), '--help'].join(' ');
}

/** The commands that the line names; what stands before the first is passed over. */
function chainOf(args: readonly string[], commands: readonly Command[]): readonly Command[] {
  const chain: Command[] = [];
  let level = commands;
  for (const word of args) {
    const command = commandOf(level, word);
    if (command === undefined && chain.length === 0) continue;
    if (command === undefined) break;
    chain.push(command);
    level = command.commands ?? [];
  }
  return chain;
}

/** `wl help admin org` means `wl admin org --help`; `wl help query` is the page of the language. Other lines stay as they are. */
function withoutHelpWord(args: readonly string[]): readonly string[] {
  const [first, ...topic] = args;
  const words = topic.filter((word) => !word.startsWith('-'));
  if (first !== 'help' || (words.join(' ') === 'query' && !topic.includes('--help'))) return args;
  const [command] = topic;
  const isCommand = CATALOG.some(({ name, aliases = [] }) => [name, ...aliases].some((one) => one === command));
  return command === undefined || command.startsWith('-') || isCommand ? [...topic, '--help'] : args;
}
