/** Random conditions on events in both languages. In SQL none is ever unknown: a missing value makes a test false. */
import { quoted, type Dialect } from './dialect.ts';
import type { Random } from './random.ts';
import { BROWSERS, EVENTS, PATHS } from './world.ts';

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

function textField(random: Random): { readonly pipe: string; readonly column: string; readonly value: string } {
  return random.chance(0.5)
    ? { pipe: 'event_properties.browser', column: 'browser', value: random.one(BROWSERS) }
    : { pipe: 'event_properties.path', column: 'path', value: random.one([...PATHS, '']) };
}

function numberTest(random: Random): BothWays {
  const sign = random.one(['<', '<=', '>', '>=', '=']);
  const limit = random.one([0, 5, -3, 12.5]);
  return test(`event_properties.n ${sign} ${limit}`, () => `n ${sign} ${limit}`);
}

function textTest(random: Random): BothWays {
  const { pipe, column, value } = textField(random);
  const equals = test(`${pipe} = ${JSON.stringify(value)}`, () => `${column} = ${quoted(value)}`);
  if (random.chance(0.5)) return equals;
  return { pipe: `${pipe} != ${JSON.stringify(value)}`, sql: (dialect) => `NOT ${equals.sql(dialect)}` };
}

function listTest(random: Random): BothWays {
  const values = random.some(PATHS, random.whole(1, 3));
  return test(`event_properties.path in (${values.map((value) => JSON.stringify(value)).join(', ')})`, () =>
    `path IN (${values.map(quoted).join(', ')})`);
}

const PART_TESTS = [
  { word: 'contains', of: (dialect: Dialect, column: string, part: string) => dialect.contains(column, part) },
  { word: 'starts with', of: (dialect: Dialect, column: string, part: string) => dialect.startsWith(column, part) },
  { word: 'ends with', of: (dialect: Dialect, column: string, part: string) => dialect.endsWith(column, part) },
] as const;

function partTest(random: Random): BothWays {
  const { pipe, column } = textField(random);
  const part = random.one(['o', '/docs', 'D', '42', "'", 'ラ', '?x']);
  const { word, of } = random.one(PART_TESTS);
  const holds = test(`${pipe} ${word} ${JSON.stringify(part)}`, (dialect) => of(dialect, column, part));
  if (random.chance(0.7)) return holds;
  return { pipe: `${pipe} not ${word} ${JSON.stringify(part)}`, sql: (dialect) => `NOT ${holds.sql(dialect)}` };
}

function patternTest(random: Random): BothWays {
  const pattern = random.one(['^/docs/[ab]$', '[0-9]+', '(?i)docs', 'o.*e|ラ', '^$', '.']);
  const { pipe, column } = textField(random);
  return test(`${pipe} ~ ${JSON.stringify(pattern)}`, (dialect) => dialect.matches(column, pattern));
}

function existsTest(random: Random): BothWays {
  const { pipe, column } = random.one([
    { pipe: 'event_properties.path', column: 'path' },
    { pipe: 'event_properties.browser', column: 'browser' },
    { pipe: 'user_id', column: 'user_id' },
    { pipe: 'distinct_id', column: 'person' },
  ]);
  return random.chance(0.5)
    ? test(`${pipe} exists`, () => `${column} <> ''`)
    : { pipe: `${pipe} not exists`, sql: () => `coalesce(${column}, '') = ''` };
}

function typeTest(random: Random): BothWays {
  const names = random.some(EVENTS, 2);
  return test(`event_type in (${names.map((name) => JSON.stringify(name)).join(', ')})`, () =>
    `event_type IN (${names.map(quoted).join(', ')})`);
}
