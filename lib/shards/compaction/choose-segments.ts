/** Which segments of a shard should be compacted next. Pure, so that the policy can be read and tested in one place. */
import type { SegmentEntry } from '../segment/shard-meta.ts';
import { threshold } from '../../base/threshold.ts';

export interface CompactionPolicy {
  /** Rows of a full segment. */
  readonly segmentRows: number;
  /** Rows that one compaction may read: it holds them in memory. */
  readonly mostRows: number;
  /** Nothing arrived for a while: tidy up what is left. */
  readonly idle: boolean;
}

/** Small segments are compacted when there are this many of a size. */
const MANY = threshold('segments of a compaction', 8, { least: 2 });

/**
 * Small segments first, of one size at a time, so that each row is rewritten once a size. Then segments that overlap in time,
 * because late events came: they are put in order together with the tidy ones they reach into, unless those are many more rows
 * than came late. An empty list: nothing to do.
 */
export function chooseSegments(segments: readonly SegmentEntry[], policy: CompactionPolicy): readonly SegmentEntry[] {
  const untidy = segments.filter((segment) => !segment.tidy);
  return smallOnes(untidy, policy) ?? overlapping(segments, untidy, policy) ?? [];
}

function smallOnes(untidy: readonly SegmentEntry[], policy: CompactionPolicy): readonly SegmentEntry[] | null {
  for (const share of [64, 8, 2]) {
    const small = untidy.filter((segment) => segment.rows <= policy.segmentRows / share);
    if (small.length >= (policy.idle ? 2 : MANY.value)) return upTo(small, policy.mostRows);
  }
  return null;
}

function overlapping(
  segments: readonly SegmentEntry[],
  untidy: readonly SegmentEntry[],
  policy: CompactionPolicy,
): readonly SegmentEntry[] | null {
  if (untidy.length < (policy.idle ? 1 : MANY.value)) return null;
  const chosen = upTo(
    [...untidy].sort((a, b) => a.first - b.first),
    policy.mostRows,
  );
  const rows = rowsOf(chosen);
  const reached = segments.filter((segment) => segment.tidy && chosen.some((other) => overlap(segment, other)));
  const together =
    rowsOf(reached) <= rows * 2 && rowsOf(reached) + rows <= policy.mostRows * 2 ? [...reached, ...chosen] : chosen;
  const mixed = together.some((a) => together.some((b) => a !== b && overlap(a, b)));
  const full = chosen.every((segment) => segment.rows > policy.segmentRows / 2);
  return mixed || full ? together : null;
}

/** Whether two segments share a moment. */
export const overlap = (a: SegmentEntry, b: SegmentEntry): boolean => a.first <= b.last && b.first <= a.last;

/**
 * Which of the segments that a compaction made are tidy, given those that are left: all but the newest two that later events still
 * reach into; those are compacted once more with them.
 */
export function tidyOnes(
  made: readonly SegmentEntry[],
  left: readonly SegmentEntry[],
  compacted: number,
): readonly boolean[] {
  const untidyLeft = left.filter((segment) => !segment.tidy);
  return made.map(
    (segment, i) => compacted < 3 || i < made.length - 2 || !untidyLeft.some((other) => overlap(segment, other)),
  );
}

function upTo(segments: readonly SegmentEntry[], mostRows: number): readonly SegmentEntry[] {
  const chosen: SegmentEntry[] = [];
  let rows = 0;
  for (const segment of segments) {
    if (chosen.length >= 2 && rows + segment.rows > mostRows) break;
    chosen.push(segment);
    rows += segment.rows;
  }
  return chosen;
}

const rowsOf = (segments: readonly SegmentEntry[]): number => segments.reduce((sum, segment) => sum + segment.rows, 0);
