/** Random conditions on events in both languages. In SQL none is ever unknown: a missing value makes a test false. */
import { quoted, type Dialect } from './dialect.ts';
import type { Random } from './random.ts';
import type { TextField } from './vocabulary.ts';

export interface BothWays {
  readonly pipe: string;
  readonly sql: (dialect: Dialect) => string;
}

const ANY: BothWays = { pipe: '', sql: () => 'true' };

/** A `where` stage, often empty. */
export function randomWhere(random: Random): BothWays {
  if (random.chance(0.5)) return ANY;
  const { pipe, sql } = randomCondition(random, 2);
  return { pipe: `where ${pipe}`, sql };
}

export function randomCondition(random: Random, depth: number): BothWays {
  if (depth === 0 || random.chance(0.5)) return randomTest(random);
  const term = randomCondition(random, depth - 1);
  if (random.chance(0.3)) return { pipe: `not (${term.pipe})`, sql: (dialect) => `NOT (${term.sql(dialect)})` };
  const other = randomCondition(random, depth - 1);
  const word = random.one(['and', 'or']);
  return {
    pipe: `(${term.pipe} ${word} ${other.pipe})`,
    sql: (dialect) => `((${term.sql(dialect)}) ${word.toUpperCase()} (${other.sql(dialect)}))`,
  };
}

function randomTest(random: Random): BothWays {
  const kinds = [numberTest, textTest, textTest, listTest, partTest, patternTest, existsTest, typeTest] as const;
  return random.one(kinds)(random);
}

/** @param sql Null if the field is missing. */
function test(pipe: string, sql: (dialect: Dialect) => string): BothWays {
  return { pipe, sql: (dialect) => `coalesce(${sql(dialect)}, false)` };
}

/** A test of a text or of a person, which some data never lacks. */
export function present({ words }: Random, pipe: string, sql: (dialect: Dialect) => string): BothWays {
  return words.isComplete ? { pipe, sql } : test(pipe, sql);
}

/** The field with the most values, for lists of them. */
const manyValued = ({ words }: Random): TextField => words.texts.reduce((most, field) => (field.values.length > most.values.length ? field : most)); // prettier-ignore

function numberTest(random: Random): BothWays {
  const { pipe, column, limits } = random.one(random.words.numbers);
  const sign = random.one(['<', '<=', '>', '>=', '=']);
  const limit = random.one(limits);
  return test(`${pipe} ${sign} ${limit}`, () => `${column} ${sign} ${limit}`);
}

function textTest(random: Random): BothWays {
  const { pipe, column, values } = random.one(random.words.texts);
  const value = random.one(values);
  const equals = present(random, `${pipe} = ${JSON.stringify(value)}`, () => `${column} = ${quoted(value)}`);
  if (random.chance(0.5)) return equals;
  return { pipe: `${pipe} != ${JSON.stringify(value)}`, sql: (dialect) => `NOT ${equals.sql(dialect)}` };
}

function listTest(random: Random): BothWays {
  const { pipe, column, values: known } = manyValued(random);
  const values = random.some(known, random.whole(1, 3));
  return present(
    random,
    `${pipe} in (${values.map((value) => JSON.stringify(value)).join(', ')})`,
    () => `${column} IN (${values.map(quoted).join(', ')})`,
  );
}

const PART_TESTS = [
  { word: 'contains', of: (dialect: Dialect, column: string, part: string) => dialect.contains(column, part) },
  { word: 'starts with', of: (dialect: Dialect, column: string, part: string) => dialect.startsWith(column, part) },
  { word: 'ends with', of: (dialect: Dialect, column: string, part: string) => dialect.endsWith(column, part) },
] as const;

function partTest(random: Random): BothWays {
  const { pipe, column, parts } = random.one(random.words.texts);
  const part = random.one(parts);
  const { word, of } = random.one(PART_TESTS);
  const holds = present(random, `${pipe} ${word} ${JSON.stringify(part)}`, (dialect) => of(dialect, column, part));
  if (random.chance(0.7)) return holds;
  return { pipe: `${pipe} not ${word} ${JSON.stringify(part)}`, sql: (dialect) => `NOT ${holds.sql(dialect)}` };
}

function patternTest(random: Random): BothWays {
  const { pipe, column, patterns } = random.one(random.words.texts);
  const pattern = random.one(patterns);
  return present(random, `${pipe} ~ ${JSON.stringify(pattern)}`, (dialect) => dialect.matches(column, pattern));
}

function existsTest(random: Random): BothWays {
  const { pipe, column } = random.one([
    random.one(random.words.texts),
    { pipe: 'user_id', column: 'user_id' },
    { pipe: 'distinct_id', column: 'person' },
  ]);
  return random.chance(0.5)
    ? test(`${pipe} exists`, () => `${column} <> ''`)
    : { pipe: `${pipe} not exists`, sql: () => `coalesce(${column}, '') = ''` };
}

function typeTest(random: Random): BothWays {
  const names = random.some(random.words.events, 2);
  return test(`event_type in (${names.map((name) => JSON.stringify(name)).join(', ')})`, () =>
    `event_type IN (${names.map(quoted).join(', ')})`);
}
