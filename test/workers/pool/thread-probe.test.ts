import { monotonic } from '../../../lib/base/monotonic.ts';
import { EventEmitter, once } from 'node:events';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import * as plans from '../../dsl/plans.ts';
import { QueryEngine } from '../../../lib/workers/engine.ts';
import { Pool } from '../../../lib/workers/pool/pool.ts';
import { ThreadProbe } from '../../../lib/workers/pool/thread-probe.ts';

const BROKEN = new URL('../../support/broken-worker.js', import.meta.url).href;
const OPTIONS = { threads: 1, memoryBytes: 2 ** 20, maxGroups: 10, cacheBytes: 0 };

describe('a look at whether query threads work', () => {
  it('finds a thread that does not, and has another take its place', async () => {
    const mark = join(tmpdir(), `windlass-${process.pid}-broken`);
    rmSync(mark, { force: true });
    const engine = new QueryEngine(OPTIONS, new Pool({ ...OPTIONS, filename: BROKEN }));
    const patience = (): number => monotonic() + 300_000;
    const unread = { project: 'p', file: '', incarnation: 0, segments: [], identityVersion: 0, profileVersion: 0 };
    const asked = { deadline: patience(), tenant: { id: 'p', orgId: 'o', weight: 1 } };
    try {
      await engine.probe(patience()); // no query yet, so there is no thread
      await engine.query(unread, plans.aggregate({}), asked).catch(() => undefined);
      const failed = await engine.probe(patience()).catch((error: unknown) => error);
      expect(String(failed)).to.contain("Cannot find module 'bindings'");
      await engine.probe(patience());
      expect(engine.stats().workerRestarts).to.equal(1);
    } finally {
      await engine.close();
      rmSync(mark, { force: true });
    }
  });

  it('tells of trouble once, and when it is over', async () => {
    const told: string[] = [];
    let works = false;
    const rounds = new EventEmitter();
    const threads = {
      probe: (): Promise<void> => {
        setImmediate(() => rounds.emit('round'));
        return works ? Promise.resolve() : Promise.reject(new Error('no descriptors'));
      },
    };
    const probe = new ThreadProbe({ threads, every: 1, onTrouble: (error) => told.push(String(error)) });
    expect(probe.failure).to.equal(null);
    for (let round = 0; round < 3; round++) await once(rounds, 'round');
    expect(probe.failure).to.match(/cannot be answered/);
    works = true;
    for (let round = 0; round < 2; round++) await once(rounds, 'round');
    expect([probe.failure, told]).to.deep.equal([null, ['Error: no descriptors']]);
    probe.close();
  });
});
