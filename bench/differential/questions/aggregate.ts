/** Metrics of events by groups, with filters. */
import type { Row } from '../../peers/peer.ts';
import { randomWhere } from '../conditions.ts';
import { randomDid } from '../did.ts';
import { quoted, type Dialect } from '../dialect.ts';
import { all, bucketCell, inRange, pipeOf, randomCalendar, randomRange, type Question } from '../question.ts';
import type { Random } from '../random.ts';
import { EVENTS } from '../world.ts';

const METRICS: readonly { readonly pipe: string; readonly sql: (dialect: Dialect) => string }[] = [
  { pipe: 'unique', sql: () => 'count(DISTINCT person)' },
  { pipe: 'unique session_id', sql: () => 'count(DISTINCT session_id)' },
  { pipe: 'unique event_properties.path', sql: () => 'count(DISTINCT path)' },
  { pipe: 'sum event_properties.n', sql: () => 'sum(n)' },
  { pipe: 'avg event_properties.n', sql: () => 'avg(n)' },
  { pipe: 'min event_properties.n', sql: () => 'min(n)' },
  { pipe: 'max event_properties.n', sql: () => 'max(n)' },
  { pipe: 'median event_properties.n', sql: (dialect) => dialect.percentile(50, 'n') },
  { pipe: 'p95 event_properties.n', sql: (dialect) => dialect.percentile(95, 'n') },
  { pipe: 'stddev event_properties.n', sql: (dialect) => dialect.deviation('n') },
  { pipe: 'mode event_properties.browser', sql: (dialect) => dialect.mostFrequent('browser') },
  { pipe: 'count[event_properties.n > 5] as many', sql: () => 'count(CASE WHEN n > 5 THEN 1 END)' },
  {
    pipe: 'unique[event_properties.browser exists] as persons',
    sql: () => `count(DISTINCT CASE WHEN browser <> '' THEN person END)`,
  },
  { pipe: 'avg (event_properties.n * 2 - 1)', sql: () => 'avg(n * 2 - 1)' },
  { pipe: 'p1 event_properties.n', sql: (dialect) => dialect.percentile(1, 'n') },
];

interface Field {
  readonly pipe: string;
  readonly sql: (dialect: Dialect, local: string) => string;
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const MONTHS = ['January', 'February', 'March', 'April']; // those of the worlds
const numbers = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, at) => String(first + at).padStart(2, '0'));
/** One of some texts, by a number from 0. */
const oneOf = (texts: readonly string[], at: string): string =>
  `[${texts.map(quoted).join(', ')}][CAST(${at} AS BIGINT) + 1]`;

const FIELDS: readonly Field[] = [
  { pipe: 'event_properties.browser', sql: () => 'browser' },
  { pipe: 'event_properties.path', sql: () => 'path' },
  { pipe: 'event_type', sql: () => 'event_type' },
  { pipe: 'distinct_id', sql: () => 'person' },
  { pipe: 'session_id', sql: () => 'session_id' },
  { pipe: 'event_properties.n bin 7', sql: () => 'floor(n / 7.0) * 7' },
  { pipe: 'event_properties.n bin 0.5', sql: () => 'floor(n / 0.5) * 0.5' },
  { pipe: 'weekday', sql: (_, local) => oneOf(WEEKDAYS, `(floor(${local} / 86400000.0) + 3) % 7`) }, // 1970 began on a Thursday
  { pipe: 'hour_of_day', sql: (_, local) => oneOf(numbers(0, 23), `floor(${local} / 3600000.0) % 24`) },
  { pipe: 'day_of_month', sql: (dialect, local) => oneOf(numbers(1, 31), `${dialect.part('day', local)} - 1`) },
  { pipe: 'month_of_year', sql: (dialect, local) => oneOf(MONTHS, `${dialect.part('month', local)} - 1`) },
];

export function aggregateQuestion(random: Random): Question {
  const range = randomRange(random);
  const calendar = randomCalendar(random);
  const where = randomWhere(random);
  const did = random.chance(0.3) ? randomDid(random, range) : null;
  const event = random.chance(0.5) ? random.one(EVENTS) : null;
  const unit = random.chance(0.5) ? random.one(['day', 'week']) : null;
  const fields = random.some(FIELDS, random.one([0, 0, 1, 1, 2]));
  // One metric per name: a second one would be renamed.
  const metrics = random.some(METRICS, random.whole(0, 3)).filter(({ pipe }, at, list) => {
    const nameOf = (text: string): string => text.split(' ')[0] ?? '';
    return list.findIndex((other) => nameOf(other.pipe) === nameOf(pipe)) === at;
  });
  const by = [...(unit === null ? [] : [unit]), ...fields.map(({ pipe }) => pipe)];
  const stage = ['count', ...metrics.map(({ pipe }) => pipe)].join(', ');
  return {
    pipe: pipeOf(
      event ?? '*',
      range.stage,
      calendar.stage,
      where.pipe,
      did?.pipe ?? '',
      by.length === 0 ? stage : `${stage} by ${by.join(', ')}`,
    ),
    sql: (dialect) => {
      const bucket = unit === null ? [] : [calendar.bucket(unit, 't')];
      const groups = [...bucket, ...fields.map(({ sql }) => sql(dialect, `(t + ${calendar.ahead})`))];
      const columns = [...groups, 'count(*)', ...metrics.map(({ sql }) => sql(dialect))];
      const kept = all(
        inRange(range),
        where.sql(dialect),
        did === null ? 'true' : did.sql(dialect),
        event === null ? 'true' : `event_type = ${quoted(event)}`,
      );
      const grouped = groups.length === 0 ? '' : `GROUP BY ${groups.join(', ')}`;
      return `SELECT ${columns.join(', ')} FROM e WHERE ${kept} ${grouped}`;
    },
    rows: (answer) => plainRows(answer, unit !== null, by.length),
  };
}

/** Buckets as numbers, without buckets that were filled in. */
function plainRows(answer: readonly Row[], hasBucket: boolean, groups: number): Row[] {
  const real = groups === 0 ? answer : answer.filter((row) => row[groups] !== 0);
  return hasBucket ? real.map((row) => [bucketCell(row[0]), ...row.slice(1)]) : [...real];
}
