/** The credit of conversions, by a field of events or by how sessions begin. */
import { randomWhere } from '../conditions.ts';
import { randomDid } from '../did.ts';
import { quoted } from '../dialect.ts';
import { all, inRange, pipeOf, randomRange, type Question } from '../question.ts';
import type { Random } from '../random.ts';
import { DAY, EVENTS, NOW } from '../world.ts';

const WINDOWS = [
  { stage: '', ms: 30 * DAY },
  { stage: 'window 1 h', ms: DAY / 24 },
  { stage: 'window 3 d', ms: 3 * DAY },
  { stage: 'window 2 w', ms: 14 * DAY },
] as const;

/** Weights of a conversion's touches: `k` of `m`, at the time `moment`. */
const MODELS = [
  { stage: '', weight: 'CASE WHEN k = m THEN 1.0 ELSE 0.0 END' },
  { stage: 'model first', weight: 'CASE WHEN k = 1 THEN 1.0 ELSE 0.0 END' },
  { stage: 'model linear', weight: '1.0' },
  { stage: 'model decay', weight: `pow(2.0, (moment - latest) / ${7 * DAY}.0)` },
  {
    stage: 'model position',
    weight: 'CASE WHEN m <= 2 THEN 1.0 WHEN k = 1 OR k = m THEN 0.4 ELSE 0.2 / greatest(m - 2, 1) END',
  },
] as const;

const FIELDS = [
  { pipe: 'event_properties.browser', sql: 'browser', ofSession: false },
  { pipe: 'event_properties.path', sql: 'path', ofSession: false },
  { pipe: 'event_type', sql: 'event_type', ofSession: false },
  { pipe: 'session.first_event', sql: 'event_type', ofSession: true },
] as const;

const SUMS = [
  { stage: '', sql: '' },
  { stage: 'sum event_properties.n', sql: ', sum(n * credit)' },
  { stage: 'sum event_properties.n[event_properties.n > 3]', sql: ', sum(CASE WHEN n > 3 THEN n END * credit)' },
] as const;

export function attributionQuestion(random: Random): Question {
  const range = randomRange(random);
  const where = random.chance(0.2) ? randomDid(random, range) : randomWhere(random);
  const [window, model, field, sum] = [random.one(WINDOWS), random.one(MODELS), random.one(FIELDS), random.one(SUMS)];
  const conversion = random.chance(0.8) ? random.one(EVENTS) : null;
  const touching = { from: range.from - window.ms, to: range.to };
  const forming = { from: touching.from - DAY, to: Math.min(range.to + DAY, NOW) };
  const isConversion = conversion === null ? 'true' : `event_type = ${quoted(conversion)}`;
  const begins = `SELECT *, row_number() OVER (PARTITION BY session_id ORDER BY t, arrival) AS nth
    FROM e WHERE ${all(inRange(forming), 'session_id IS NOT NULL')}`;
  return {
    pipe: pipeOf(
      `attribution ${conversion ?? '*'}`,
      `by ${field.pipe}`,
      range.stage,
      ...[where.pipe, window.stage, model.stage, sum.stage],
    ),
    sql: (dialect) => `
      WITH touches AS (SELECT person, t AS moment, arrival AS arrived, ${field.sql} AS value
        FROM ${field.ofSession ? `(${begins}) AS e` : 'e'}
        WHERE ${all(inRange(touching), where.sql(dialect), 'person IS NOT NULL', `${field.sql} IS NOT NULL`, field.ofSession ? 'nth = 1' : 'true')}),
      c AS (SELECT arrival AS id, person, t, n FROM e WHERE ${all(inRange(range), where.sql(dialect), isConversion)}),
      pairs AS (SELECT c.id AS id, value, moment, arrived FROM c JOIN touches ON c.person = touches.person WHERE moment <= t AND moment >= t - ${window.ms}),
      ranked AS (SELECT id, value, moment, row_number() OVER (PARTITION BY id ORDER BY moment, arrived) AS k,
        count(*) OVER (PARTITION BY id) AS m, max(moment) OVER (PARTITION BY id) AS latest FROM pairs),
      weighed AS (SELECT id, value, ${model.weight} AS weight FROM ranked),
      divided AS (SELECT id, value, weight / sum(weight) OVER (PARTITION BY id) AS part FROM weighed WHERE weight > 0),
      credits AS (SELECT c.n AS n, divided.value AS value, coalesce(part, 1.0) AS credit FROM c LEFT JOIN divided ON divided.id = c.id)
      SELECT value, sum(credit), sum(credit) / (SELECT count(*) FROM c)${sum.sql} FROM credits GROUP BY value`,
    rows: (answer) => [...answer],
  };
}
