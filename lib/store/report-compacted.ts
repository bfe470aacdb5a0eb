/** Reports a compaction's results to the project's writer: index runs first, since the segments end the compaction. */
import type { CompactionReply } from '../shards/compaction/compaction-thread.ts';
import type { WriterQuestion } from '../shards/writer/writer-client.ts';
import type { CompactionTask } from '../shards/writer-messages.ts';

export async function reportCompacted(
  task: CompactionTask,
  { replaced, segments, heavy, textRun }: Extract<CompactionReply, { ok: true }>,
  ask: (message: WriterQuestion) => Promise<unknown>,
): Promise<void> {
  const { project, texts } = task;
  const { incarnation } = task.snapshot;
  if (texts && textRun)
    await ask({ op: 'merged_texts', project, incarnation, field: texts.field, replaced: texts.runs, run: textRun });
  // If none fitted into memory, none would at once either: the writer waits before it tries again.
  const failed = task.segments.length > 0 && replaced.length === 0;
  await ask({ op: 'compacted', project, incarnation, replaced, segments, heavy, failed });
}
