/** Times of the peers beside Windlass's: above 1, Windlass is faster. */
import type { PeerName } from './peers/peer.ts';
import type { Times } from './measure.ts';
import { geometricMean, quantile } from './statistics.ts';

export type Ratios = Readonly<Record<PeerName | 'best', number>>;

/** `best`: of the peer that is faster. */
export function ratiosOf(times: Times): Ratios {
  const duckdb = times.duckdb / times.windlass;
  const clickhouse = times.clickhouse / times.windlass;
  return { duckdb, clickhouse, best: Math.min(duckdb, clickhouse) };
}

/** What many ratios are as one. */
const SUMMARIES = {
  'geometric mean': geometricMean,
  '10th percentile': (values: readonly number[]): number => quantile(values, 0.1),
  worst: (values: readonly number[]): number => Math.min(...values),
} as const;

export type Summary = Readonly<Record<keyof typeof SUMMARIES, Ratios>>;

/** Null of no questions. */
export function summaryOf(all: readonly Times[]): Summary | null {
  if (all.length === 0) return null;
  const ratios = all.map(ratiosOf);
  const reduced = (reduce: (values: readonly number[]) => number): Ratios => ({
    duckdb: reduce(ratios.map(({ duckdb }) => duckdb)),
    clickhouse: reduce(ratios.map(({ clickhouse }) => clickhouse)),
    best: reduce(ratios.map(({ best }) => best)),
  });
  return {
    'geometric mean': reduced(SUMMARIES['geometric mean']),
    '10th percentile': reduced(SUMMARIES['10th percentile']),
    worst: reduced(SUMMARIES.worst),
  };
}
