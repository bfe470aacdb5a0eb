import { expect } from 'chai';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { setThresholds } from '../../../lib/base/threshold.ts';
import { openForWriting } from '../../../lib/shards/file/shard-file.ts';
import { Storer, type TaskOutcome } from '../../../lib/shards/storer.ts';
import { OPTIONS, PROJECT } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const REST = 'milliseconds until the store thread ends';

describe('the store thread', () => {
  let threads: Worker[];
  let ended: Promise<unknown>[];
  const note = (thread: Worker): void => {
    threads.push(thread);
    ended.push(once(thread, 'exit'));
  };

  beforeEach(() => {
    [threads, ended] = [[], []];
    process.on('worker', note);
  });

  afterEach(() => {
    process.off('worker', note);
    setThresholds('usual', [REST]);
  });

  it('ends when it has rested, and the next task gets a new one', async () => {
    setThresholds('least', [REST]);
    const file = join(temporaryFolder(), 'shard.sqlite');
    openForWriting(file).close();
    const storer = new Storer(OPTIONS);
    const checkpoint = (): Promise<TaskOutcome> =>
      new Promise((resolve) => storer.run(PROJECT, file, { op: 'checkpoint' }, resolve));
    for (let round = 1; round <= 3; round++) {
      expect(await checkpoint()).to.deep.include({ ok: true });
      expect(threads).to.have.lengthOf(round);
      await ended[round - 1];
    }
    expect(await checkpoint()).to.deep.include({ ok: true });
    await new Promise<void>((done) => storer.close(done));
  });
});
