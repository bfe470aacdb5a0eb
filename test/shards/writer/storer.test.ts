import { expect } from 'chai';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { setThresholds } from '../../../lib/base/threshold.ts';
import { openForWriting } from '../../../lib/shards/file/shard-file.ts';
import { Storer, type TaskOutcome } from '../../../lib/shards/storer.ts';
import type { StoreTask } from '../../../lib/shards/seal/store-tasks.ts';
import { OPTIONS, PROJECT } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const REST = 'milliseconds until the store thread ends';

describe('the store thread', () => {
  let threads: Worker[];
  let ended: Promise<unknown>[];
  const note = (thread: Worker): void => {
    threads.push(thread);
    ended.push(new Promise((resolve) => thread.once('exit', resolve)));
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

  it('closes while its thread loads only once that has done its task', async () => {
    const file = join(temporaryFolder(), 'shard.sqlite');
    openForWriting(file).close();
    const storer = new Storer(OPTIONS);
    const outcomes: TaskOutcome[] = [];
    storer.run(PROJECT, file, { op: 'checkpoint' }, (outcome) => outcomes.push(outcome));
    await new Promise<void>((done) => storer.close(done));
    expect(outcomes).to.have.lengthOf(1);
    expect(outcomes[0]).to.deep.include({ ok: true });
    await ended[0];
  });

  it('is told of a thread that cannot start, keeps the arrays of the task, and starts one for the next', async () => {
    const file = join(temporaryFolder(), 'shard.sqlite');
    openForWriting(file).close();
    const storer = new Storer(OPTIONS);
    const fail = (thread: Worker): void => {
      thread.removeAllListeners('message'); // as of one that never loads
      thread.emit('error', Object.assign(new Error('open'), { code: 'EMFILE' }));
    };
    const task = { op: 'compacted', segments: new Uint8Array(8), texts: new Uint8Array(8) } as unknown as StoreTask;
    const run = (one: StoreTask): Promise<TaskOutcome> =>
      new Promise((resolve) => storer.run(PROJECT, file, one, resolve));
    const failed = run(task);
    process.nextTick(() => fail(threads[0]!));
    const outcome = await failed;
    expect(outcome).to.have.nested.property('error.code', 'storage_unavailable');
    expect(outcome).to.have.nested.property('error.message').that.includes('(EMFILE)');
    expect(task).to.have.nested.property('segments.byteLength', 8);
    expect(await run({ op: 'checkpoint' })).to.deep.include({ ok: true });
    await new Promise<void>((done) => storer.close(done));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    threads[0]!.postMessage(null); // ended while it loads, it would take the process along
    await ended[0];
  });
});
