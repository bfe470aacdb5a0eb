/** How the variants of a choice convert: persons who saw only one variant. */
import { quoted } from '../dialect.ts';
import { all, inRange, pipeOf, randomRange, type Question } from '../question.ts';
import type { Random } from '../random.ts';
import { DAY, EVENTS } from '../world.ts';

export function choiceQuestion(random: Random): Question {
  const range = randomRange(random);
  const conversion = random.one(EVENTS);
  const [stage, ms] = random.one([
    ['', 7 * DAY],
    ['window 1 h', DAY / 24],
    ['window 2 d', 2 * DAY],
  ] as const);
  return {
    pipe: pipeOf('choice k', range.stage, `results ${conversion}`, stage),
    sql: () => `
      WITH shown AS (SELECT person, min(t) AS first, min(variant_key) AS variant, count(DISTINCT variant_key) AS variants
        FROM e WHERE ${all(inRange(range), "event_type = 'choice.exposure'", "choice_key = 'k'", 'person IS NOT NULL')} GROUP BY person),
      c AS (SELECT person, t FROM e WHERE ${all(inRange(range), `event_type = ${quoted(conversion)}`, 'person IS NOT NULL')})
      SELECT shown.variant, count(DISTINCT shown.person),
        count(DISTINCT CASE WHEN c.t >= shown.first AND c.t <= shown.first + ${ms} THEN shown.person END)
      FROM shown LEFT JOIN c ON c.person = shown.person WHERE shown.variants = 1 GROUP BY shown.variant`,
    rows: (answer) => answer.map((row) => row.slice(0, 3)),
  };
}
