import { chooseSegments } from '../compaction/choose-segments.ts';
import type { ShardState } from '../ingest/shard-state.ts';
import type { CompactionTask } from '../writer-messages.ts';

/** Rows that a compaction may hold in memory, counted in full segments. */
const COMPACTION_SEGMENTS = 6;

/** The segments and texts of a shard to compact next; null if none. `idle`: nothing has come for a while. */
export function wantedCompaction(
  state: ShardState,
  segmentRows: number,
  idle: boolean,
): Pick<CompactionTask, 'segments' | 'texts'> | null {
  const policy = { segmentRows, mostRows: segmentRows * COMPACTION_SEGMENTS, idle };
  const segments = chooseSegments(state.segments, policy).map(({ id }) => id);
  const texts = state.mergeableTexts();
  return segments.length === 0 && texts === null ? null : { segments, texts };
}
