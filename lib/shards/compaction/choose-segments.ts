/** Chooses the segments of a shard to compact next. Pure, so that the policy can be read and tested in one place. */
import type { SegmentEntry } from '../segment/shard-meta.ts';
import { threshold } from '../../base/threshold.ts';

export interface CompactionPolicy {
  /** Rows of a full segment. */
  readonly segmentRows: number;
  /** Rows that one compaction may hold in memory. */
  readonly mostRows: number;
  /** Whether nothing has arrived for a while, so that the rest can be tidied up. */
  readonly idle: boolean;
}

/** Segments of one size that are enough for a compaction. */
const MANY = threshold('segments of a compaction', 8, { least: 2 });

/**
 * Small segments first, one size at a time, so that each row is rewritten once per size. Then segments that overlap in time
 * because of late events: they are sorted together with the tidy ones that they overlap, unless those have many more rows than
 * came late. An empty list if there is nothing to do.
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

/** Whether two segments overlap in time. */
export const overlap = (a: SegmentEntry, b: SegmentEntry): boolean => a.first <= b.last && b.first <= a.last;

/**
 * Which segments made by a compaction are tidy, given those that are left: all but those of the newest two that an untidy one
 * overlaps; these are compacted once more with it.
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
