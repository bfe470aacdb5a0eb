/** What the current word of a command line may become, from the definitions of the commands. */
import type { CatalogEntry } from '../catalog.ts';
import { GLOBAL_OPTIONS } from '../client/global-options.ts';
import { isNamed, nameOf, type Command, type Completable, type OptionTable } from '../command.ts';
import type { NameKind } from './project-names.ts';
// oxlint-disable-next-line no-restricted-imports -- words and nothing else: completion must know those of the language
import { gapIn, wordsFor } from '../../dsl/hints/complete.ts';

export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** `partial`: a candidate is not yet the whole word, so no blank follows. `files`: file names fit. */
export interface Candidates {
  readonly values: readonly Candidate[];
  readonly partial: boolean;
  readonly files: boolean;
}

export interface Typed {
  /** Words between the program's name and the current one. */
  readonly before: readonly string[];
  readonly current: string;
}

/** Names on the server that the words select, the most frequent events first; none if it cannot be asked. */
export type Names = (kind: NameKind, words: readonly string[]) => Promise<readonly string[]>;

/** Where the words before the current one lead. */
interface Place {
  /** null: no command is named yet. */
  readonly command: Command | null;
  readonly options: OptionTable;
  /** Positionals already given. */
  readonly given: number;
  /** The option whose value the current word is. */
  readonly pending: string | null;
  /** `--` was given: no more options. */
  readonly ended: boolean;
}

const COMMON: OptionTable = {
  help: { type: 'boolean', describe: 'Show help' },
  version: { type: 'boolean', describe: 'Show version number' },
};
const NOTHING: Candidates = { values: [], partial: false, files: false };

/** All that begins with the current word. */
export async function candidatesFor(
  { before, current }: Typed,
  catalog: readonly CatalogEntry[],
  names: Names,
): Promise<Candidates> {
  const found = await candidatesAt(await placeOf(before, catalog), current, { before, catalog, names });
  return { ...found, values: found.values.filter(({ value }) => value.startsWith(current)) };
}

interface Context {
  readonly before: readonly string[];
  readonly catalog: readonly CatalogEntry[];
  readonly names: Names;
}

async function candidatesAt(place: Place, current: string, context: Context): Promise<Candidates> {
  const { command, options, pending, ended } = place;
  if (pending !== null) return valuesOf(place, pending, current, context);
  const [, name, value] = /^--([^=]+)=(.*)$/s.exec(current) ?? [];
  if (!ended && name !== undefined && value !== undefined) {
    const found = await valuesOf(place, name, value, context);
    return { ...found, values: found.values.map((one) => ({ ...one, value: `--${name}=${one.value}` })) };
  }
  if (!ended && current.startsWith('-')) return { ...NOTHING, values: flagsOf(options, command, context.before) };
  if (command === null) return { ...NOTHING, values: context.catalog.flatMap(namesOf) };
  if (command.commands !== undefined) return { ...NOTHING, values: command.commands.flatMap(namesOf) };
  const positionals = positionalsOf(command);
  const last = positionals.at(-1);
  const positional = positionals[place.given] ?? (last?.many === true ? last : undefined);
  return positional === undefined ? NOTHING : valuesOf(place, positional.name, current, context);
}

async function placeOf(words: readonly string[], catalog: readonly CatalogEntry[]): Promise<Place> {
  let command: Command | null = null;
  let options: OptionTable = { ...COMMON, ...GLOBAL_OPTIONS };
  let pending: string | null = null;
  let ended = false;
  let given = 0;
  for (const word of words) {
    if (pending !== null) pending = null;
    else if (!ended && word === '--') ended = true;
    else if (!ended && word.startsWith('-')) pending = takesNext(word, options) ? word.slice(2) : null;
    else {
      const next: Command | undefined = command === null ? await named(word, words, catalog) : command.commands?.find((one) => isNamed(one, word)); // prettier-ignore
      if (next === undefined) given += 1;
      else {
        options = { ...(command === null ? COMMON : options), ...next.shared, ...next.options };
        command = next;
      }
    }
  }
  return { command, options, given, pending, ended };
}

async function named(
  word: string,
  words: readonly string[],
  catalog: readonly CatalogEntry[],
): Promise<Command | undefined> {
  return catalog.find(({ name, aliases = [] }) => [name, ...aliases].includes(word))?.load(words);
}

function takesNext(word: string, options: OptionTable): boolean {
  const option = options[word.slice(2)];
  return word.startsWith('--') && option !== undefined && option.type !== 'boolean';
}

async function valuesOf(
  { command, options }: Place,
  name: string,
  current: string,
  { before, names }: Context,
): Promise<Candidates> {
  const completable: Completable | undefined = command?.completes[name];
  switch (completable) {
    case 'file':
      return { ...NOTHING, files: true };
    case 'event':
    case 'cohort': {
      const found = await names(completable, before);
      return { ...NOTHING, values: found.map((value) => ({ value, about: completable })) };
    }
    case 'query':
      return { ...NOTHING, partial: true, values: await completeQuery(current, (kind) => names(kind, before)) };
    case 'condition': {
      const found = await completeQuery(CONDITION + current, (kind) => names(kind, before));
      const values = found.map((one) => ({ ...one, value: one.value.slice(CONDITION.length) }));
      return { ...NOTHING, partial: true, values };
    }
    default: {
      const choices = options[name]?.choices ?? [];
      const texts = typeof choices === 'string' ? [choices] : (choices as readonly unknown[]).map(String);
      return { ...NOTHING, values: texts.map((value) => ({ value, about: '' })) };
    }
  }
}

/** What a condition stands behind. */
const CONDITION = '* | where ';

/** The query's possible continuations at the cursor: the language's proposals, with names from the server. */
async function completeQuery(
  query: string,
  namesOfKind: (kind: NameKind) => Promise<readonly string[]>,
): Promise<readonly Candidate[]> {
  const gap = gapIn(query);
  const wanted = async (kind: NameKind) => (gap.wants.includes(kind) ? namesOfKind(kind) : []);
  const names = { events: await wanted('event'), cohorts: await wanted('cohort'), fields: [] };
  const before = query.slice(0, gap.start);
  return wordsFor(gap, names).map(({ text, kind }) => ({ value: before + text, about: kind }));
}

/** Options not given yet, or repeatable. */
function flagsOf(options: OptionTable, command: Command | null, before: readonly string[]): Candidate[] {
  const positionals = command === null ? [] : positionalsOf(command).map(({ name }) => name);
  return Object.entries(options)
    .filter(([name, option]) => {
      const isGiven = before.some((word) => word === `--${name}` || word.startsWith(`--${name}=`));
      const isMany = option.array === true || option.type === 'array';
      return option.hidden !== true && !positionals.includes(name) && (isMany || !isGiven);
    })
    .map(([name, { describe = '' }]) => ({ value: `--${name}`, about: describe }));
}

function namesOf(one: Command | CatalogEntry): Candidate[] {
  const name = 'usage' in one ? nameOf(one) : one.name;
  return [{ value: name, about: one.summary }];
}

/** For `create <name> [words..]`: `name`, then `words`, which is many. */
function positionalsOf({ usage }: Command): { name: string; many: boolean }[] {
  return [...usage.matchAll(/[<[]([^\]>.]+)(\.\.)?[\]>]/g)].map(([, name = '', dots]) => ({ name, many: dots !== undefined })); // prettier-ignore
}
