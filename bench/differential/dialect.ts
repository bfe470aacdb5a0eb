/** Where the SQL of the two databases differs. */
import type { PeerName } from '../peers/peer.ts';

export interface Dialect {
  readonly name: PeerName;
  /** Linear between the closest ranks of non-null values; null if there are none. */
  percentile(p: number, of: string): string;
  /** Of the sample; null for fewer than two values. */
  deviation(of: string): string;
  /** Breaks ties by code point; null if there are no values. */
  mostFrequent(text: string): string;
  contains(text: string, part: string): string;
  startsWith(text: string, part: string): string;
  endsWith(text: string, part: string): string;
  matches(text: string, pattern: string): string;
  /** The value at the group's first or last event in order of (t, arrival); it is never null. */
  atFirst(of: string): string;
  atLast(of: string): string;
  /** The labels of a group in order of (t, arrival), joined with arrows. */
  path(label: string): string;
  /** A table of the whole numbers `i` from 0 to below `count`. */
  series(count: number): string;
  /** The day of the month, or the month's number, of milliseconds since 1970. */
  part(part: 'day' | 'month', time: string): string;
}

export const DIALECTS: Readonly<Record<PeerName, Dialect>> = {
  duckdb: {
    name: 'duckdb',
    percentile: (p, of) => `quantile_cont(${of}, ${p / 100})`,
    deviation: (of) => `stddev_samp(${of})`,
    mostFrequent: (text) =>
      `list_sort(list_transform(map_entries(histogram(${text})), x -> {'n': -CAST(x.value AS BIGINT), 'text': x.key}))[1].text`,
    contains: (text, part) => `contains(${text}, ${quoted(part)})`,
    startsWith: (text, part) => `starts_with(${text}, ${quoted(part)})`,
    endsWith: (text, part) => `ends_with(${text}, ${quoted(part)})`,
    matches: (text, pattern) => `regexp_matches(${text}, ${quoted(pattern)})`,
    atFirst: (of) => `arg_min(${of}, (t, arrival))`,
    atLast: (of) => `arg_max(${of}, (t, arrival))`,
    path: (label) => `string_agg(${label}, ' -> ' ORDER BY t, arrival)`,
    series: (count) => `(SELECT unnest(range(${count})) AS i) AS series`,
    part: (part, time) => `extract(${part} FROM make_timestamp((${time}) * 1000))`,
  },
  clickhouse: {
    name: 'clickhouse',
    percentile: (p, of) => `quantileExactInclusive(${p / 100})(${of})`,
    deviation: (of) => `if(count(${of}) < 2, NULL, stddevSampStable(${of}))`,
    mostFrequent: (text) =>
      `if(count(${text}) = 0, NULL, arraySort(x -> (-x.2, x.1), CAST(sumMapIf(map(assumeNotNull(${text}), 1), ${text} IS NOT NULL), 'Array(Tuple(String, Int64))'))[1].1)`,
    contains: (text, part) => `position(${text}, ${quoted(part)}) > 0`,
    startsWith: (text, part) => `startsWith(${text}, ${quoted(part)})`,
    endsWith: (text, part) => `endsWith(${text}, ${quoted(part)})`,
    matches: (text, pattern) => `match(${text}, ${quoted(pattern)})`,
    atFirst: (of) => `argMin(${of}, (t, arrival))`,
    atLast: (of) => `argMax(${of}, (t, arrival))`,
    path: (label) =>
      `arrayStringConcat(arrayMap(x -> x.3, arraySort(groupArray((t, arrival, assumeNotNull(${label}))))), ' -> ')`,
    series: (count) => `(SELECT toInt64(number) AS i FROM numbers(${count})) AS series`,
    part: (part, time) =>
      `${part === 'day' ? 'toDayOfMonth' : 'toMonth'}(fromUnixTimestamp64Milli(toInt64(${time}), 'UTC'))`,
  },
};

/** A text in SQL. None of our texts has a backslash. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
