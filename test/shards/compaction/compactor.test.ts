import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { Compactor } from '../../../lib/shards/compaction/compactor.ts';
import type { CompactionTask } from '../../../lib/shards/writer-messages.ts';
import { setThresholds } from '../../../lib/base/threshold.ts';
import { PROJECT, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const REST = ['milliseconds until the compaction thread ends'];

describe('the compaction thread', () => {
  beforeEach(() => setThresholds('least', REST));
  afterEach(() => setThresholds('usual', REST));

  it('ends when nothing waits to be compacted, and its memory with it; the next compaction has a new one', async () => {
    const probe = new WriterProbe(temporaryFolder());
    for (let n = 0; n < 2; n++) {
      probe.track([{ event_type: 'e', insert_id: `id ${n}` }]);
      probe.snapshot();
    }
    const { segments, ...snapshot } = probe.snapshot();
    const task: CompactionTask = {
      ...{ project: PROJECT.id, snapshot: { ...snapshot, segments }, segments: segments.map(({ id }) => id) },
      ...{ idsSince: -Infinity, texts: null, idGroup: null },
    };
    const threads: Worker[] = [];
    const keep = (thread: Worker): void => void threads.push(thread);
    process.on('worker', keep);
    const compactor = new Compactor(1000);
    try {
      for (let n = 0; n < 2; n++) {
        const compacted = await compactor.compact(task);
        expect(compacted.segments.map(({ rows }) => rows)).to.deep.equal([2]);
        await once(threads[n]!, 'exit');
      }
      expect(threads).to.have.length(2);
    } finally {
      process.off('worker', keep);
      await compactor.close();
    }
  });
});
