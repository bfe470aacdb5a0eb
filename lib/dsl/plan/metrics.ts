/**
 * The metrics of the language, a row each. Parser, binder, printer, completion, types of columns and answers of no rows go by this
 * table, and name no metric.
 */

interface MetricTraits {
  /** Whether a field follows its word. */
  readonly field: 'none' | 'optional' | 'required';
  /** `quantity`: seconds of a field of seconds, and a number of any other. `moment`: the same, and a time of a field of times. */
  readonly value: 'count' | 'quantity' | 'moment' | 'text';
  /** Work of a row, in that of a sum: an estimate. */
  readonly work: number;
}

const TRAITS = {
  count: { field: 'none', value: 'count', work: 0 },
  unique: { field: 'optional', value: 'count', work: 2 },
  sum: { field: 'required', value: 'quantity', work: 1 },
  avg: { field: 'required', value: 'quantity', work: 1 },
  min: { field: 'required', value: 'moment', work: 1 },
  max: { field: 'required', value: 'moment', work: 1 },
  median: { field: 'required', value: 'quantity', work: 2 },
  stddev: { field: 'required', value: 'quantity', work: 6 },
  mode: { field: 'required', value: 'text', work: 30 },
  percentile: { field: 'required', value: 'quantity', work: 2 },
} as const satisfies Record<string, MetricTraits>;

export type MetricName = keyof typeof TRAITS;

export const METRIC_TRAITS: Readonly<Record<MetricName, MetricTraits>> = TRAITS;

const isName = (text: string): text is MetricName => Object.hasOwn(TRAITS, text);

/** Words of metrics; percentiles have theirs, `p1` to `p99`, beside them. */
export const METRICS: readonly string[] = Object.keys(TRAITS).filter((name) => name !== 'percentile');

/** Those that a field follows. */
export const METRICS_OF_FIELDS = METRICS.filter((word) => isName(word) && TRAITS[word].field !== 'none');

/** The metric of a word in any case, or null. `p` is the percentile of `p1` to `p99`. */
export function readMetric(word: string): { readonly name: MetricName; readonly p: number | null } | null {
  const lower = word.toLowerCase();
  if (METRICS.includes(lower) && isName(lower)) return { name: lower, p: null };
  const percentile = /^p([1-9][0-9]?)$/.exec(lower);
  return percentile === null ? null : { name: 'percentile', p: Number(percentile[1]) };
}

/** Of no rows: nothing was counted, and of all else there is no value. */
export const valueOfNothing = ({ kind }: { readonly kind: MetricName }): 0 | null =>
  TRAITS[kind].value === 'count' ? 0 : null;
