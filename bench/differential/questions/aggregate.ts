/** Metrics of events by groups, with filters. */
import type { Row } from '../../peers/peer.ts';
import { randomWhere } from '../conditions.ts';
import { randomDid } from '../did.ts';
import { quoted, type Dialect } from '../dialect.ts';
import {
  all,
  bucketCell,
  firstRows,
  inRange,
  LENGTH,
  pipeOf,
  randomCalendar,
  randomRange,
  type BucketUnit,
  type Question,
} from '../question.ts';
import type { Random } from '../random.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { DAY } from '../world.ts';

interface Metric {
  readonly pipe: string;
  readonly sql: (dialect: Dialect) => string;
}

/** Of one number and one text. */
function metricsOf(random: Random): Metric[] {
  const [n, text] = [random.one(random.words.numbers), random.one(random.words.texts)];
  return [
    { pipe: 'unique', sql: () => 'count(DISTINCT person)' },
    { pipe: 'unique session_id', sql: () => 'count(DISTINCT session_id)' },
    { pipe: `unique ${text.pipe}`, sql: () => `count(DISTINCT ${text.column})` },
    { pipe: `sum ${n.pipe}`, sql: () => `sum(${n.column})` },
    { pipe: `avg ${n.pipe}`, sql: () => `avg(${n.column})` },
    { pipe: `min ${n.pipe}`, sql: () => `min(${n.column})` },
    { pipe: `max ${n.pipe}`, sql: () => `max(${n.column})` },
    { pipe: `median ${n.pipe}`, sql: (dialect) => dialect.percentile(50, n.column) },
    { pipe: `p95 ${n.pipe}`, sql: (dialect) => dialect.percentile(95, n.column) },
    { pipe: `stddev ${n.pipe}`, sql: (dialect) => dialect.deviation(n.column) },
    { pipe: `mode ${text.pipe}`, sql: (dialect) => dialect.mostFrequent(text.column) },
    { pipe: `count[${n.pipe} > 5] as many`, sql: () => `count(CASE WHEN ${n.column} > 5 THEN 1 END)` },
    {
      pipe: `unique[${text.pipe} exists] as persons`,
      sql: () => `count(DISTINCT CASE WHEN ${text.column} <> '' THEN person END)`,
    },
    { pipe: `avg (${n.pipe} * 2 - 1)`, sql: () => `avg(${n.column} * 2 - 1)` },
    { pipe: `p1 ${n.pipe}`, sql: (dialect) => dialect.percentile(1, n.column) },
  ];
}

interface Field {
  readonly pipe: string;
  readonly sql: (dialect: Dialect, local: string) => string;
  /** About how many it has. */
  readonly values: number;
  /** What orders its values, if not they themselves do: a number from the same. */
  readonly rank?: (dialect: Dialect, local: string) => string;
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']; // prettier-ignore
const numbers = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, at) => String(first + at).padStart(2, '0'));
/** One of some texts, by a number from 0. */
const oneOf = (texts: readonly string[], at: string): string =>
  `[${texts.map(quoted).join(', ')}][CAST(${at} AS BIGINT) + 1]`;

/** As many values as a field of persons or sessions may have. */
const MANY = 500_000;

const weekday = (_: Dialect, local: string): string => `(floor(${local} / 86400000.0) + 3) % 7`; // 1970 began on a Thursday

const fieldsOf = ({ events, texts, numbers: [n] }: Vocabulary): Field[] => [
  ...texts.map(({ pipe, column, values }) => ({ pipe, sql: () => column, values: values.length })),
  { pipe: 'event_type', sql: () => 'event_type', values: events.length },
  { pipe: 'distinct_id', sql: () => 'person', values: MANY },
  { pipe: 'session_id', sql: () => 'session_id', values: MANY },
  { pipe: `${n.pipe} bin 7`, sql: () => `floor(${n.column} / 7.0) * 7`, values: 1_000 },
  { pipe: `${n.pipe} bin 0.5`, sql: () => `floor(${n.column} / 0.5) * 0.5`, values: 10_000 },
  { pipe: 'weekday', sql: (dialect, local) => oneOf(WEEKDAYS, weekday(dialect, local)), values: 7, rank: weekday },
  { pipe: 'hour_of_day', sql: (_, local) => oneOf(numbers(0, 23), `floor(${local} / 3600000.0) % 24`), values: 24 },
  {
    pipe: 'day_of_month',
    sql: (dialect, local) => oneOf(numbers(1, 31), `${dialect.part('day', local)} - 1`),
    values: 31,
  },
  {
    pipe: 'month_of_year',
    sql: (dialect, local) => oneOf(MONTHS, `${dialect.part('month', local)} - 1`),
    values: 4,
    rank: (dialect, local) => dialect.part('month', local),
  },
];

export function aggregateQuestion(random: Random): Question {
  const range = randomRange(random);
  const calendar = randomCalendar(random);
  const where = randomWhere(random);
  const did = random.chance(0.3) ? randomDid(random, range) : null;
  const event = random.chance(0.5) ? random.one(random.words.events) : null;
  const unit = random.chance(0.5) ? random.one(['day', 'week']) : null;
  const fields = bounded(random, unit, random.some(fieldsOf(random.words), random.one([0, 0, 1, 1, 2])));
  // One metric per name: a second one would be renamed.
  const metrics = random.some(metricsOf(random), random.whole(0, 3)).filter(({ pipe }, at, list) => {
    const nameOf = (text: string): string => text.split(' ')[0] ?? '';
    return list.findIndex((other) => nameOf(other.pipe) === nameOf(pipe)) === at;
  });
  const by = [...(unit === null ? [] : [unit]), ...fields.map(({ pipe }) => pipe)];
  const [hasBucket, local] = [unit !== null, `(t + ${calendar.ahead})`];
  const order = (dialect: Dialect): string => {
    const ranks = fields.map(({ rank }, at) => rank === undefined ? `${at + 1 + Number(hasBucket)} NULLS LAST` : `min(${rank(dialect, local)})`); // prettier-ignore
    return ['count(*) DESC', ...(hasBucket ? ['1'] : []), ...ranks].join(', ');
  };
  const first = fields.length === 0 ? null : firstRows(random, 'top', order);
  const stage = ['count', ...metrics.map(({ pipe }) => pipe)].join(', ');
  return {
    pipe: pipeOf(
      event ?? '*',
      range.stage,
      calendar.stage,
      where.pipe,
      did?.pipe ?? '',
      by.length === 0 ? stage : `${stage} by ${by.join(', ')}`,
      first?.pipe ?? '',
    ),
    sql: (dialect) => {
      const bucket = unit === null ? [] : [calendar.bucket(unit, 't')];
      const groups = [...bucket, ...fields.map(({ sql }) => sql(dialect, local))];
      const columns = [...groups, 'count(*)', ...metrics.map(({ sql }) => sql(dialect))];
      const kept = all(
        inRange(range),
        where.sql(dialect),
        did === null ? 'true' : did.sql(dialect),
        event === null ? 'true' : `event_type = ${quoted(event)}`,
      );
      const grouped = groups.length === 0 ? '' : `GROUP BY ${groups.join(', ')}`;
      return `SELECT ${columns.join(', ')} FROM e WHERE ${kept} ${grouped} ${first?.sql(dialect) ?? ''}`;
    },
    rows: (answer) => plainRows(answer, unit !== null, by.length),
  };
}

/** Those that together have as many groups as may be. */
function bounded({ words }: Random, unit: BucketUnit | null, fields: readonly Field[]): readonly Field[] {
  let groups = unit === null ? 1 : (words.days * DAY) / LENGTH[unit];
  return fields.filter(({ values }) => {
    const fits = words.bounds === null || groups * values <= words.bounds.groups;
    if (fits) groups *= values;
    return fits;
  });
}

/** Buckets as numbers, without buckets that were filled in. */
function plainRows(answer: readonly Row[], hasBucket: boolean, groups: number): Row[] {
  const real = groups === 0 ? answer : answer.filter((row) => row[groups] !== 0);
  return hasBucket ? real.map((row) => [bucketCell(row[0]), ...row.slice(1)]) : [...real];
}
