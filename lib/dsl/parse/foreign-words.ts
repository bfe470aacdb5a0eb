/** Words of SQL and of other tools' languages, and what says the same here. Errors propose it where such a word stands. */

const HAVING = '`where` chooses what is counted, not rows of the answer: `top 10` keeps the largest';

const PERCENTILE = '`p1` to `p99` are the percentiles: `| p95 event_properties.amount`';

const FOR_STAGES: ReadonlyMap<string, string> = new Map([
  ['filter', 'conditions follow `where`'],
  ['having', HAVING],
  ['group', 'groups follow `by`: `| count by day`'],
  ['order', 'rows are sorted with `sort`: `| sort count desc`'],
  ['head', '`limit 10` cuts the rows'],
  ['take', '`limit 10` cuts the rows'],
  ['select', 'name the metrics: `| count, unique user_id`'],
  ['distinct', '`unique user_id` counts different values'],
  ['mean', '`avg` is the mean'],
  ['average', '`avg` is the mean'],
  ['percentile', PERCENTILE],
  ['quantile', PERCENTILE],
  ['timezone', '`tz "Europe/Berlin"` sets the time zone'],
  ['within', '`window 7d` limits the time of a funnel'],
  ['between', 'a range is `from 2026-01-01 to 2026-02-01`; `to` is not included'],
  ['until', 'a range is `from 2026-01-01 to 2026-02-01`; `to` is not included'],
  ['|', '`or` joins conditions'],
]);

const AFTER_METRICS: ReadonlyMap<string, string> = new Map([
  ['distinct', '`unique user_id` counts different values'],
  ['per', 'groups follow `by`: `count by day`'],
  ['group', 'groups follow `by`: `count by day`'],
  ['as', 'columns have the names that the answer shows'],
  ['users', '`unique user_id` counts users'],
]);

const AS_OPERATORS: ReadonlyMap<string, string> = new Map([
  ['is', 'for no value write `= null` or `not exists`'],
  ['like', '`contains "text"` finds it anywhere, `~ "^text"` at the start'],
  ['startswith', '`~ "^text"` finds it at the start'],
  ['endswith', '`~ "text$"` finds it at the end'],
  ['matches', '`~ "…"` takes a regular expression'],
  ['between', 'write two comparisons: `>= 1 and … <= 9`'],
]);

/** What the word `given` should be: at the start of a stage, after metrics, or as an operator. */
export const foreignHints = {
  stage: (given: string): readonly string[] => hintOf(FOR_STAGES, given),
  afterMetrics: (given: string): readonly string[] => hintOf(AFTER_METRICS, given),
  operator: (given: string): readonly string[] => hintOf(AS_OPERATORS, given),
};

/** For a condition on a metric, as in `where count > 5`. */
export const metricInCondition: readonly string[] = [HAVING];

/** For a word behind `list`, as other languages choose columns there. */
export const fieldsOfList: readonly string[] = [
  '`list` shows whole events and takes no fields: `| count by <field>` has the values of one',
];

/** For a length of time where a date is expected, in one word or two: `since 7d`, `since 7 days ago`. */
export function hintsOfLength(text: string): readonly string[] {
  const [, length] = LENGTH.exec(text) ?? [];
  return length === undefined ? [] : [`did you mean \`last ${length}\`?`];
}

const LENGTH = /^-?([1-9]\d*(?:[mhdwqy]|mo| (?:minute|hour|day|week|month|quarter|year)s?))$/i;

/** For what is in parentheses behind the metric `word`, as functions have it. */
export function hintsOfCall(word: string, takesField: boolean): readonly string[] {
  return takesField
    ? [`only a formula has parentheses: write \`${word} event_properties.amount\``]
    : [`\`${word}\` counts rows and takes nothing; \`unique user_id\` counts different values`];
}

function hintOf(known: ReadonlyMap<string, string>, given: string): readonly string[] {
  const hint = known.get(given.toLowerCase());
  return hint === undefined ? [] : [hint];
}
