/** Whether the order of segments is the order of their events. */
import type { TimeRange } from '../../dsl/time/units.ts';
import type { SegmentSummary } from '../../shards/shard-reader.ts';

/** False where some segment of the range begins before another one's end, or in its last millisecond: late events do that. */
export function inOrderOfTime(segments: readonly SegmentSummary[], { from, to }: TimeRange): boolean {
  let end = -Infinity;
  for (const { first, last } of segments.toSorted((a, b) => a.first - b.first)) {
    if (first >= to || last < from) continue;
    if (first <= end) return false;
    end = last;
  }
  return true;
}
