import { expect } from 'chai';
import type { CompactionTask } from '../../lib/shards/writer-messages.ts';
import type { WriterQuestion } from '../../lib/shards/writer/writer-client.ts';
import { reportCompacted } from '../../lib/store/report-compacted.ts';

describe('the report of a compaction', () => {
  const reported = async (segments: readonly number[], replaced: readonly number[]): Promise<WriterQuestion[]> => {
    const asked: WriterQuestion[] = [];
    const snapshot = {
      project: 'prj_a',
      file: '',
      incarnation: 3,
      segments: [],
      identityVersion: 0,
      profileVersion: 0,
    };
    const task = { project: 'prj_a', snapshot, segments, texts: null, idsSince: 0 } as unknown as CompactionTask;
    const made = { ok: true, replaced, segments: [], heavy: false, textRun: null } as const;
    await reportCompacted(task, made, async (message) => void asked.push(message));
    return asked;
  };

  const failed = async (segments: readonly number[], replaced: readonly number[]): Promise<unknown> =>
    (await reported(segments, replaced)).map((message) => 'failed' in message && message.failed);

  it('says that it failed where no segments fitted into memory, so that it is not tried again at once', async () => {
    expect(await failed([1, 2], [])).to.deep.equal([true]);
    expect(await failed([1, 2], [1, 2])).to.deep.equal([false]);
    expect(await failed([], [])).to.deep.equal([false]); // it merged texts
  });
});
