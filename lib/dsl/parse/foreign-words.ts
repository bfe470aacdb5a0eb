/** Words of SQL and of other tools' languages, and what says the same here. Errors propose it where such a word stands. */

const HAVING = '`where` chooses what is counted; `having` chooses rows of the answer: `| having count > 5`';

const PERCENTILE = '`p1` to `p99` are the percentiles: `| p95 event_properties.amount`';

const SHARE = '`share` adds what part of the whole each row is: `| count by _os | share`';

const WEEKDAY = '`by weekday` has the days of the week, `by hour_of_day` the hours of the day';

const PEOPLE = '`people` shows who is behind an answer: `funnel signup -> purchase | people dropped 1`';

/** The hint for a name that stands where a field is expected. */
const AS_FIELDS: ReadonlyMap<string, string> = new Map([
  ['day_of_week', WEEKDAY],
  ['dayofweek', WEEKDAY],
  ['dow', WEEKDAY],
  ['share', SHARE],
  ['percent', SHARE],
  ['distinct', '`unique user_id` counts different values'],
]);

const FOR_STAGES: ReadonlyMap<string, string> = new Map([
  ['filter', 'conditions follow `where`'],
  ['group', 'groups follow `by`: `| count by day`'],
  ['order', 'rows are sorted with `sort`: `| sort count desc`'],
  ['head', '`limit 10` cuts the rows'],
  ['take', '`limit 10` cuts the rows'],
  ['select', 'name the metrics: `| count, unique user_id`, or the fields of rows: `| list time, user_id`'],
  ['distinct', '`unique user_id` counts different values'],
  ['percent', SHARE],
  ['percentage', SHARE],
  ['weekday', WEEKDAY],
  ['users', PEOPLE],
  ['persons', PEOPLE],
  ['who', PEOPLE],
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
  ['per', 'groups follow `by`: `count by day`; `avg of count per user_id` is of what each of them did'],
  ['group', 'groups follow `by`: `count by day`'],
  ['users', '`unique user_id` counts users'],
  ['share', SHARE],
  ['percent', SHARE],
]);

const STARTS = 'did you mean `starts with`?';
const ENDS = 'did you mean `ends with`?';

const AS_OPERATORS: ReadonlyMap<string, string> = new Map([
  ['is', 'for no value write `= null` or `not exists`'],
  ['like', '`contains "text"` finds it anywhere, `starts with "text"` at the start'],
  ['startswith', STARTS],
  ['starts_with', STARTS],
  ['endswith', ENDS],
  ['ends_with', ENDS],
  ['matches', '`~ "…"` takes a regular expression'],
  ['between', 'write two comparisons: `>= 1 and … <= 9`'],
]);

/** What the word `given` should be: at the start of a stage, after metrics, as an operator, or as a field. */
export const foreignHints = {
  stage: (given: string): readonly string[] => hintOf(FOR_STAGES, given),
  afterMetrics: (given: string): readonly string[] => hintOf(AFTER_METRICS, given),
  operator: (given: string): readonly string[] => hintOf(AS_OPERATORS, given),
  field: (given: string): readonly string[] => hintOf(AS_FIELDS, given),
};

/** For a condition on a metric, as in `where count > 5`. */
export const metricInCondition: readonly string[] = [HAVING];

/** For a length of time where a date is expected, in one word or two: `since 7d`, `since 7 days ago`. */
export function hintsOfLength(text: string): readonly string[] {
  const [, length] = LENGTH.exec(text) ?? [];
  return length === undefined ? [] : [`did you mean \`last ${length}\`?`];
}

const LENGTH = /^-?([1-9]\d*(?:[mhdwqy]|mo| (?:minute|hour|day|week|month|quarter|year)s?))$/i;

/** For what is in parentheses behind the metric `word`, as functions have it. */
export function hintsOfCall(word: string): readonly string[] {
  return [`\`${word}\` counts rows and takes nothing; \`unique user_id\` counts different values`];
}

function hintOf(known: ReadonlyMap<string, string>, given: string): readonly string[] {
  const hint = known.get(given.toLowerCase());
  return hint === undefined ? [] : [hint];
}
