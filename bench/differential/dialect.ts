/** What the two databases say differently. */
import type { PeerName } from '../peers/peer.ts';

export interface Dialect {
  readonly name: PeerName;
  /** Linear between the closest ranks, of what is not null; null of nothing. */
  percentile(p: number, of: string): string;
  contains(text: string, part: string): string;
  matches(text: string, pattern: string): string;
  /** The labels of a group in order of (t, arrival), joined with arrows. */
  path(label: string): string;
}

export const DIALECTS: Readonly<Record<PeerName, Dialect>> = {
  duckdb: {
    name: 'duckdb',
    percentile: (p, of) => `quantile_cont(${of}, ${p / 100})`,
    contains: (text, part) => `contains(${text}, ${quoted(part)})`,
    matches: (text, pattern) => `regexp_matches(${text}, ${quoted(pattern)})`,
    path: (label) => `string_agg(${label}, ' -> ' ORDER BY t, arrival)`,
  },
  clickhouse: {
    name: 'clickhouse',
    percentile: (p, of) => `quantileExactInclusive(${p / 100})(${of})`,
    contains: (text, part) => `position(${text}, ${quoted(part)}) > 0`,
    matches: (text, pattern) => `match(${text}, ${quoted(pattern)})`,
    path: (label) =>
      `arrayStringConcat(arrayMap(x -> x.3, arraySort(groupArray((t, arrival, assumeNotNull(${label}))))), ' -> ')`,
  },
};

/** A text of SQL. No text of ours has a backslash. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
