import type { SegmentSummary } from '../shard-reader.ts';

/** A number of events, and the times of the first and the last, in milliseconds since the epoch. */
type Extent = Omit<SegmentSummary, 'id'>;

/** All of them together; null if there are none. */
export function extentOf(spans: readonly Extent[]): Extent | null {
  if (spans.length === 0) return null;
  return {
    rows: spans.reduce((sum, { rows }) => sum + rows, 0),
    first: spans.reduce((least, { first }) => Math.min(least, first), Infinity),
    last: spans.reduce((most, { last }) => Math.max(most, last), -Infinity),
  };
}
