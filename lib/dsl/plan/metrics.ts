/**
 * The metrics of the language, one per row. The parser, binder, printer, completion, column types and empty answers use this
 * table and name no metric themselves.
 */

interface MetricTraits {
  /** Whether a field follows the word. */
  readonly field: 'none' | 'optional' | 'required';
  /** `quantity`: seconds for a field of seconds, else a number. `moment`: the same, but a time for a field of times. */
  readonly value: 'count' | 'quantity' | 'moment' | 'text';
  /** Work per row, in units of a sum's (estimate). */
  readonly work: number;
  /** Whether the values of parts of time make that of all of it, so that windows may overlap. */
  readonly rolls?: true;
}

const TRAITS = {
  count: { field: 'none', value: 'count', work: 0, rolls: true },
  unique: { field: 'optional', value: 'count', work: 2, rolls: true },
  sum: { field: 'required', value: 'quantity', work: 1, rolls: true },
  avg: { field: 'required', value: 'quantity', work: 1, rolls: true },
  min: { field: 'required', value: 'moment', work: 1, rolls: true },
  max: { field: 'required', value: 'moment', work: 1, rolls: true },
  median: { field: 'required', value: 'quantity', work: 2 },
  stddev: { field: 'required', value: 'quantity', work: 6 },
  mode: { field: 'required', value: 'text', work: 30 },
  percentile: { field: 'required', value: 'quantity', work: 2 },
} as const satisfies Record<string, MetricTraits>;

export type MetricName = keyof typeof TRAITS;

export const METRIC_TRAITS: Readonly<Record<MetricName, MetricTraits>> = TRAITS;

const isName = (text: string): text is MetricName => Object.hasOwn(TRAITS, text);

/** Words of metrics, besides the percentiles `p1` to `p99`. */
export const METRICS: readonly string[] = Object.keys(TRAITS).filter((name) => name !== 'percentile');

/** The words that a field may follow. */
export const METRICS_OF_FIELDS = METRICS.filter((word) => isName(word) && TRAITS[word].field !== 'none');

/** `p`: of a percentile. */
export interface MetricWord {
  readonly name: MetricName;
  readonly p: number | null;
}

/** The metric of a word in any case, or null. `p` is the percentile of `p1` to `p99`. */
export function readMetric(word: string): MetricWord | null {
  const lower = word.toLowerCase();
  if (METRICS.includes(lower) && isName(lower)) return { name: lower, p: null };
  const percentile = /^p([1-9][0-9]?)$/.exec(lower);
  return percentile === null ? null : { name: 'percentile', p: Number(percentile[1]) };
}

/** The value over no rows: 0 for counts, null for everything else. */
export const valueOfNothing = ({ kind }: { readonly kind: MetricName | 'per' }): 0 | null =>
  kind !== 'per' && TRAITS[kind].value === 'count' ? 0 : null;

/** Whether `of <metric> per <field>` may follow: it makes one number of several. */
export const isAggregate = (name: MetricName): name is Exclude<MetricName, 'count' | 'unique' | 'mode'> =>
  TRAITS[name].value === 'quantity' || TRAITS[name].value === 'moment';
