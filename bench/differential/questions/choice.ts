/** What those who saw a variant did then: persons who saw only one. */
import { quoted, type Dialect } from '../dialect.ts';
import { all, inRange, pipeOf, randomRange, type Question } from '../question.ts';
import type { Random } from '../random.ts';
import { DAY, EVENTS } from '../world.ts';

const Z = 1.959963984540054;

/** Of each person, and of those who saw a variant. */
interface Outcome {
  readonly pipe: (event: string) => string;
  /** Over the person's events in the window: those whose `isIn` is 1. */
  readonly ofPerson: string;
  readonly ofVariant: (dialect: Dialect) => readonly string[];
  /** The cells of an answer's row behind its variant, which are these. */
  readonly cells: readonly number[];
}

const measured = (word: 'sum' | 'avg', ofPerson: string): Outcome => ({
  pipe: (event) => `results ${word} event_properties.n of ${event}`,
  ofPerson,
  ofVariant: (dialect) => {
    const low = `avg(done) - ${Z} * ${dialect.deviation('done')} / sqrt(count(done))`;
    return ['count(done)', 'sum(done)', 'avg(done)', `CASE WHEN count(done) > 1 THEN ${low} END`];
  },
  cells: [0, 1, 2, 4],
});

const OUTCOMES: readonly [Outcome, ...Outcome[]] = [
  {
    pipe: (event) => `results ${event}`,
    ofPerson: 'max(isIn)',
    ofVariant: () => ['count(done)', 'sum(done)', 'avg(done)'],
    cells: [0, 1, 2],
  },
  measured('sum', 'coalesce(sum(CASE WHEN isIn = 1 THEN n END), 0)'),
  measured('avg', 'avg(CASE WHEN isIn = 1 THEN n END)'),
];

export function choiceQuestion(random: Random): Question {
  const range = randomRange(random);
  const conversion = random.one(EVENTS);
  const outcome = random.one(OUTCOMES);
  const [stage, ms] = random.one([
    ['', 7 * DAY],
    ['window 1 h', DAY / 24],
    ['window 2 d', 2 * DAY],
  ] as const);
  const field = random.one([null, 'browser']);
  const groups = field === null ? [] : [field];
  const keys = [...groups, 'variant'].join(', ');
  const exposed = all(inRange(range), "event_type = 'choice.exposure'", "choice_key = 'k'", 'person IS NOT NULL');
  return {
    pipe: pipeOf('choice k', range.stage, outcome.pipe(conversion), field === null ? '' : `by event_properties.${field}`, stage), // prettier-ignore
    sql: (dialect) => `
      WITH shown AS (SELECT person, t AS first, variant_key AS variant, browser, ROW_NUMBER() OVER (PARTITION BY person ORDER BY t, arrival) AS nth
        FROM e WHERE ${exposed}),
      lone AS (SELECT person FROM shown GROUP BY person HAVING count(DISTINCT variant) = 1),
      c AS (SELECT person, t, n FROM e WHERE ${all(inRange(range), `event_type = ${quoted(conversion)}`, 'person IS NOT NULL')}),
      near AS (SELECT shown.person AS person, shown.variant AS variant, shown.browser AS browser, c.n AS n,
          CASE WHEN c.t >= shown.first AND c.t <= shown.first + ${ms} THEN 1 ELSE 0 END AS isIn
        FROM shown LEFT JOIN c ON c.person = shown.person WHERE shown.nth = 1 AND shown.person IN (SELECT person FROM lone)),
      persons AS (SELECT person, min(variant) AS variant, min(browser) AS browser, ${outcome.ofPerson} AS done FROM near GROUP BY person)
      SELECT ${[keys, ...outcome.ofVariant(dialect)].join(', ')} FROM persons GROUP BY ${keys}`,
    rows: (answer) =>
      answer.map((row) => {
        const named = groups.length + 1;
        return [...row.slice(0, named), ...outcome.cells.map((at) => row[named + at]!)];
      }),
  };
}
