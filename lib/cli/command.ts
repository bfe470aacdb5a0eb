/** Commands as data, and their registration with yargs. */
import type { Argv, ArgumentsCamelCase, InferredOptionTypes, Options } from 'yargs';
import type { Terminal } from './terminal.ts';

export type OptionTable = Readonly<Record<string, Options>>;

/** What shells complete for an option or a positional besides its choices. */
export type Completable = 'event' | 'cohort' | 'query' | 'condition' | 'file';

/** What yargs makes of an option table. */
export type ArgumentsOf<O extends OptionTable> = ArgumentsCamelCase<Omit<object, keyof O> & InferredOptionTypes<O>>;

/** An option with a value, which may be left out. */
export const optional = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const;

/** An option with a value, which must be given. */
export const required = (describe: string) => ({ ...optional(describe), demandOption: true }) as const;

/** One that may be given several times. */
export const repeated = (describe: string) => ({ ...optional(describe), array: true }) as const;

export const positional = (describe: string) => ({ type: 'string', demandOption: true, describe }) as const;

export const flag = (describe: string) => ({ type: 'boolean', default: false, describe }) as const;

/** A command: its help text and its action. */
export interface CommandSpec<O extends OptionTable> {
  /** Its name and positionals in yargs syntax: `create <name>`. */
  readonly usage: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** Whole command lines and their meaning; at least one. */
  readonly examples: readonly (readonly [line: string, what: string])[];
  /** Options, and positionals by their name in `usage`. */
  readonly options: O;
  /** Options of a family of commands, which `run` finds in its arguments without a type; a group's belong to its commands. */
  readonly shared?: OptionTable;
  /** Options and positionals that shells complete. */
  readonly completes?: Readonly<Partial<Record<keyof O & string, Completable>>>;
  /** Returns the exit code. AppError and UsageError are for the user, others are bugs. */
  run(args: ArgumentsOf<O>, terminal: Terminal): Promise<number>;
}

/** A command or a group, ready to register with yargs. */
export interface Command extends Required<Omit<CommandSpec<OptionTable>, 'completes' | 'run'>> {
  readonly completes: Readonly<Record<string, Completable | undefined>>;
  /** Only for groups. */
  readonly commands?: readonly Command[];
  register(parser: Argv<object>, terminal: Terminal): void;
}

/** What a command may lack. */
export const BARE = { aliases: [], examples: [], options: {}, shared: {}, completes: {} } satisfies Partial<Command>;

/** The first word of its usage. */
export const nameOf = ({ usage }: Command): string => usage.split(' ', 1)[0] ?? usage;

export const isNamed = (command: Command, word: string): boolean =>
  nameOf(command) === word || command.aliases.includes(word);

export function defineCommand<const O extends OptionTable>(spec: CommandSpec<O>): Command {
  const { usage, summary, aliases, shared } = { ...BARE, ...spec };
  return {
    ...BARE,
    ...spec,
    register: (parser, terminal) => {
      parser.command(
        [usage, ...aliases],
        summary,
        (y) => {
          const own = describe(y.options(spec.options), spec);
          const others = without(shared, spec.options);
          onceEach(own.options(others), others);
          return own;
        },
        (args) => {
          throw new Chosen(() => spec.run(args, terminal));
        },
      );
    },
  };
}

/** What a command has itself goes before an option of its family. */
function without(shared: OptionTable, own: OptionTable): OptionTable {
  return Object.fromEntries(Object.entries(shared).filter(([name]) => !Object.hasOwn(own, name)));
}

export interface GroupSpec {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly Command[];
  /** Options of every command of the group. */
  readonly options?: OptionTable;
}

/** `wl <name> <one of commands>`. */
export function defineGroup({ name, summary, commands, options = {} }: GroupSpec): Command {
  return {
    ...BARE,
    usage: name,
    summary,
    shared: options,
    commands,
    register: (parser, terminal) => {
      parser.command(name, summary, (y) => {
        onceEach(y.options(options), options);
        for (const command of commands) command.register(y, terminal);
        return y.demandCommand(1, `\`wl ${name}\` needs a subcommand`);
      });
    },
  };
}

function describe<T>(parser: Argv<T>, spec: CommandSpec<OptionTable>): Argv<T> {
  const named: string[] = [];
  for (const [name, { describe: text = '' }] of Object.entries(spec.options)) {
    const isPositional = spec.usage.includes(`<${name}`) || spec.usage.includes(`[${name}`);
    // One argument each, or yargs would read a lone `-` as an option.
    if (isPositional) parser.positional(name, { describe: text }).nargs(name, 1);
    else named.push(name);
  }
  parser.group([...named, 'help', 'version'], 'Options:'); // before the shared ones
  addExamples(parser, spec.examples);
  onceEach(parser, spec.options);
  return parser;
}

/** With what each does beside it; above it where yargs, which gives a line half the width, would break one: then it cannot be copied. */
function addExamples<T>(parser: Argv<T>, examples: CommandSpec<OptionTable>['examples']): void {
  const fit = examples.every(([line]) => line.length <= helpWidth() >> 1);
  for (const [line, what] of examples) {
    if (fit) parser.example(line, what);
    else parser.example(`# ${what}`, '').example(line, '');
  }
}

function onceEach<T>(parser: Argv<T>, options: OptionTable): void {
  for (const [name, option] of Object.entries(options)) {
    const isList = option.array === true || option.type === 'array';
    const read = (value: unknown): unknown =>
      isList && Array.isArray(value) ? value.map(unshielded) : unshielded(isList ? value : once(name, value));
    parser.coerce({ [name]: read });
  }
}

/** yargs makes an array of an option given twice, whatever its type. */
function once(name: string, value: unknown): unknown {
  if (Array.isArray(value)) throw new UsageError(`--${name} is given more than once`);
  return value;
}

/**
 * The command that a line names, with parsed arguments. It is thrown out of the parser, because yargs renders the whole help
 * after every handler that returns: a quarter of a small command's time.
 */
export class Chosen extends Error {
  readonly run: () => Promise<number>;

  constructor(run: () => Promise<number>) {
    super('a command was chosen');
    this.name = 'Chosen';
    this.run = run;
  }
}

/** An invalid command line. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** Digits → a number. Throws UsageError. */
export function wholeNumber(option: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`--${option} must be a whole number, not "${text}"`);
}

/** `none` → null, digits → a number. Throws UsageError. */
export function numberOrNone(option: string, text: string): number | null {
  if (text === 'none') return null;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`--${option} must be a whole number or "none", not "${text}"`);
}

/** No process argument can contain it. */
const SHIELD = '\u0000';

/**
 * The command line without `--`, the words after it shielded so as not to begin with a dash: yargs hides those from commands. So is a
 * lone dash anywhere, which a list would not take.
 */
export function shieldDashed(args: readonly string[]): readonly string[] {
  const found = args.indexOf('--');
  const at = found === -1 ? args.length : found;
  const shield = (word: string): string => SHIELD + word;
  return [
    ...args.slice(0, at).map((word) => (word === '-' ? shield(word) : word)),
    ...args.slice(at + 1).map((word) => (word.startsWith('-') ? shield(word) : word)),
  ];
}

/** A message about arguments, with them as typed. */
export function withoutShields(message: string): string {
  return message.replaceAll(SHIELD, '');
}

/** The argument as typed. */
function unshielded(value: unknown): unknown {
  return typeof value === 'string' && value.startsWith(SHIELD) ? value.slice(SHIELD.length) : value;
}

/** The value of a numeric option. Throws UsageError unless it is a whole number in the range. */
export function wholeNumberOption(option: string, value: number, from: number, to: number): number {
  if (Number.isInteger(value) && value >= from && value <= to) return value;
  const range = to === Number.MAX_SAFE_INTEGER ? `of at least ${from}` : `from ${from} to ${to.toLocaleString('en')}`;
  throw new UsageError(`--${option} must be a whole number ${range}`);
}

const MAX = 110;

/** Columns of a command's help: as many as the terminal has, up to what reads well. */
export const helpWidth = (): number => Math.min(process.stdout.columns ?? MAX, MAX);
