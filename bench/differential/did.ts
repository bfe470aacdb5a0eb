/** Random conditions on what persons did, as a semi join in SQL, and on cohorts that are made of such. */
import { present, randomCondition, type BothWays } from './conditions.ts';
import { quoted, type Dialect } from './dialect.ts';
import { all, inRange, type Range } from './question.ts';
import type { Random } from './random.ts';
import { DAY, NOW } from './world.ts';

/** The conditions of the cohorts that questions name. */
export const COHORTS: ReadonlyMap<string, string> = new Map([
  ['buyers', 'did(buy) in all'],
  ['faithful', 'cohort "buyers" and not did(cancel) in all'],
]);

/** The same in SQL. */
const everDid = (event: string): string =>
  `coalesce(person IN (SELECT person FROM e WHERE ${all(`event_type = ${quoted(event)}`, "person <> ''", inRange({ from: 0, to: NOW }))}), false)`;

function randomCohort(random: Random): BothWays {
  const negation = random.chance(0.3) ? 'not ' : '';
  const name = random.one(['buyers', 'faithful'] as const);
  const sql = name === 'buyers' ? everDid('buy') : `${everDid('buy')} AND NOT ${everDid('cancel')}`;
  return { pipe: `where ${negation}cohort "${name}"`, sql: () => `${negation}(${sql})` };
}

/** @param range The query's. */
export function randomDid(random: Random, range: Range): BothWays {
  if (random.words.hasCohorts && random.chance(0.2)) return randomCohort(random);
  const event = random.one(random.words.events);
  const filter = random.chance(0.3) ? randomCondition(random, 1) : null;
  const { sign, count, ofNobody } = random.one(TIMES);
  const span = random.one([inAsked, inAsked, inAll, inFrom, within])(random, range);
  const pipe = `did(${event}${filter === null ? '' : `[${filter.pipe}]`}) ${sign} ${count}${span.pipe}`;
  const persons = (dialect: Dialect, having: string): string => {
    const done = all(`event_type = ${quoted(event)}`, filter === null ? 'true' : filter.sql(dialect), "person <> ''");
    const who = (): string => `person IN (${span.persons(done)} GROUP BY person HAVING ${having})`;
    return present(random, pipe, who).sql(dialect);
  };
  const number = `count(*) ${sign} ${count}`;
  // Those without any such event are in no group.
  const sql = (dialect: Dialect): string =>
    ofNobody ? `NOT ${persons(dialect, `NOT (${number})`)}` : persons(dialect, number);
  const negated = random.chance(0.3);
  return {
    pipe: `where ${negated ? 'not ' : ''}${pipe}`,
    sql: (dialect) => (negated ? `NOT (${sql(dialect)})` : sql(dialect)),
  };
}

/** `ofNobody`: true of 0 events. */
const TIMES = [
  { sign: '>=', count: 1, ofNobody: false },
  { sign: '>=', count: 2, ofNobody: false },
  { sign: '=', count: 0, ofNobody: true },
  { sign: '!=', count: 1, ofNobody: true },
  { sign: '<', count: 3, ofNobody: true },
  { sign: '=', count: 1, ofNobody: false },
] as const;

interface Span {
  readonly pipe: string;
  /** @param done A condition on events, each of which selects its person. */
  readonly persons: (done: string) => string;
}

const between = (pipe: string, range: Pick<Range, 'from' | 'to'>): Span => ({
  pipe,
  persons: (done) => `SELECT person FROM e WHERE ${all(done, inRange(range))}`,
});

const inAsked = (_: Random, range: Range): Span => between('', range);
const inAll = ({ words }: Random): Span => between(' in all', { from: 0, to: words.now });

function inFrom(random: Random): Span {
  const from = random.words.start + random.whole(0, random.words.days) * DAY;
  const to = from + random.whole(1, 20) * DAY;
  return between(` in from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}`, { from, to });
}

function within(random: Random, range: Range): Span {
  const of = random.one(random.words.events);
  const days = random.whole(1, 9);
  const first = `SELECT person AS owner, min(t) AS began FROM e WHERE ${all(`event_type = ${quoted(of)}`, "person <> ''", inRange(range))} GROUP BY person`;
  const inWindow = all('t >= began', `t <= began + ${days * DAY}`, `t < ${random.words.now}`);
  return {
    pipe: ` within ${days}d of ${of}`,
    persons: (done) => `SELECT person FROM e JOIN (${first}) AS f ON person = owner WHERE ${all(done, inWindow)}`,
  };
}
