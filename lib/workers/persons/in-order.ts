/** Whether the segments of a query follow each other, so that events read one segment after the other are in order. */
import type { TimeRange } from '../../dsl/time/units.ts';
import type { SegmentSummary } from '../../shards/shard-reader.ts';

/** False if some segment of the range begins before another ends, or in its last millisecond: late events cause that. */
export function inOrderOfTime(segments: readonly SegmentSummary[], { from, to }: TimeRange): boolean {
  let end = -Infinity;
  for (const { first, last } of segments.toSorted((a, b) => a.first - b.first)) {
    if (first >= to || last < from) continue;
    if (first <= end) return false;
    end = last;
  }
  return true;
}
