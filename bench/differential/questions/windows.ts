/** `rolling` and `cumulative` metrics, and formulas by groups whose operands have conditions and windows. */
import { randomCondition } from '../conditions.ts';
import { quoted } from '../dialect.ts';
import type { Question } from '../question.ts';
import type { Random } from '../random.ts';
import { basePipe, byOf, MEASURES, randomBase, randomMeasures, tableOf, tableRows, type Measure, type Window } from '../windowed-table.ts'; // prettier-ignore
import { DAY, EVENTS } from '../world.ts';

const SPANS: readonly [Span, ...Span[]] = [
  { stage: 'rolling 7d', window: 7 * DAY },
  { stage: 'rolling 2w', window: 14 * DAY },
  { stage: 'rolling 5 h', window: (5 * DAY) / 24 },
  { stage: 'rolling 1d', window: DAY },
];

interface Span {
  readonly stage: string;
  readonly window: Window;
}

export function rollingQuestion(random: Random): Question {
  const base = randomBase(random, random.one([['unit'], ['unit', 'field']]));
  const event = random.chance(0.5) ? random.one(EVENTS) : null;
  const { stage, window } = random.one([...SPANS, { stage: 'cumulative', window: 'range' }]);
  const measures = randomMeasures(random, 3).map((measure) => ({ ...measure, window }));
  return {
    pipe: basePipe(event ?? '*', base, `${measures.map(({ pipe }) => pipe).join(', ')} ${byOf(base)}`, stage),
    sql: (dialect) => tableOf(dialect, base, measures, { events: event === null ? null : [event] }),
    rows: (answer) => tableRows(answer, base),
  };
}

export function formulaQuestion(random: Random): Question {
  const base = randomBase(random, random.one([[], ['unit'], ['field'], ['unit', 'field']]));
  const events = [random.one(EVENTS), random.one(EVENTS)];
  const operands = events.map((event) => randomOperand(random, event, base.unit !== null));
  // Equal operands are one column.
  const sign = random.one(['+', '-', '*', '/']);
  const by = byOf(base);
  const isApart = by !== '' && random.chance(0.5);
  return {
    pipe: basePipe(`formula ${operands.map(({ pipe }) => pipe).join(` ${sign} `)} ${isApart ? '' : by}`, base, isApart ? by : ''), // prettier-ignore
    sql: (
      dialect,
    ) => `SELECT bucket, grp, m0, ${operands[0]?.pipe === operands[1]?.pipe ? '' : 'm1,'} ${sign === '/' ? 'm0 * 1.0 / nullif(m1, 0)' : `m0 ${sign} m1`}
      FROM (${tableOf(dialect, base, operands, { events })}) AS operands`,
    rows: (answer) => tableRows(answer, base),
  };
}

/** `sum(event[condition], field) rolling 7d`: the metric's own condition is the event's. */
function randomOperand(random: Random, event: string, mayRoll: boolean): Measure {
  const measure = random.one(MEASURES);
  const [name = '', field] = measure.pipe.split(' ');
  const condition = random.chance(0.3) ? randomCondition(random, 1) : null;
  const span = mayRoll && random.chance(0.3) ? random.one(SPANS) : null;
  const inside = `${event}${condition === null ? '' : `[${condition.pipe}]`}${field === undefined ? '' : `, ${field}`}`;
  return {
    ...measure,
    pipe: `${name}(${inside})${span === null ? '' : ` ${span.stage}`}`,
    test: (dialect) => `event_type = ${quoted(event)} AND (${condition?.sql(dialect) ?? 'true'})`,
    window: span?.window ?? 'bucket',
  };
}
