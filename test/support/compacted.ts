import { compactSegments } from '../../lib/shards/compaction/compact-segments.ts';
import type { Unnumbered } from '../../lib/shards/writer/writer-client.ts';
import type { CompactedMessage, CompactionTask } from '../../lib/shards/writer-messages.ts';
import { openReader } from './shard-rows.ts';

/** What the compaction thread makes of a task, as it is told to the writer. */
export function compacted({ project, segments, snapshot, idsSince }: CompactionTask): Unnumbered<CompactedMessage> {
  const reader = openReader(snapshot);
  const made = compactSegments(
    segments.map((id) => reader.segment(id)),
    reader.fieldKeys(Math.max(...segments)),
    { segmentRows: 1000, bytes: 0, ids: { secret: reader.idSecret(), since: idsSince } },
  );
  reader.forget();
  const { incarnation } = snapshot;
  return {
    op: 'compacted',
    project,
    incarnation,
    replaced: segments,
    segments: made,
    heavy: false,
    failed: false,
    texts: null,
    idGroup: null,
  };
}
