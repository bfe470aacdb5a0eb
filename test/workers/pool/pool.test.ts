import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from '../../../lib/workers/pool/pool.ts';
import type { ThreadTask } from '../../../lib/workers/pool/query-thread.ts';
import { WHOLE } from '../../../lib/workers/query-context.ts';
import * as plans from '../../dsl/plans.ts';
import { IS_LINUX, lessUrgent } from '../../support/less-urgent.ts';
import { projectShard } from '../../support/memory-projects.ts';

const FAILING_START = new URL('../../support/failing-start-worker.js', import.meta.url).href;
const SLOW_START = new URL('../../support/slow-start-worker.js', import.meta.url).href;

const CACHE_BYTES = new URL('../../support/cache-bytes-worker.js', import.meta.url).href;

/** Longer than until a thread starts that is wanted. Milliseconds. */
const AFTER_START = 150;

describe('query threads', () => {
  it('are not ended while they load their modules, which would abort the process', async () => {
    const started = join(tmpdir(), `windlass-${process.pid}-started`);
    rmSync(started, { force: true });
    const pool = new Pool({ threads: 1, cacheBytes: 0, filename: SLOW_START });
    pool.start(0);
    await pool.close();
    expect(existsSync(started)).to.equal(true);
    rmSync(started);
  });

  it('that fail twice while they start leave no task waiting, and the next task has another', async () => {
    const pool = new Pool({ threads: 1, cacheBytes: 0, filename: FAILING_START });
    const ask = (run: number): Promise<unknown> =>
      pool.run(0, { id: '', orgId: '', weight: 1 }, { kind: 'probe', run }).reply;
    expect(String(await ask(1).catch((error: unknown) => error))).to.equal('Error: a query thread died');
    expect(await ask(2)).to.deep.equal({ kind: 'done' });
    await pool.close();
    rmSync(join(tmpdir(), `windlass-${process.pid}-failed`));
  });

  it('are started when they are first needed', async () => {
    const pool = new Pool({ threads: 2, cacheBytes: 0 });
    expect(pool.started()).to.deep.equal([]);
    const { reply } = pool.run(1, { id: '', orgId: '', weight: 1 }, { kind: 'probe', run: 1 });
    expect(pool.started()).to.deep.equal([1]);
    expect(await reply).to.deep.equal({ kind: 'done' });
    await pool.close();
    expect(pool.started()).to.deep.equal([1]);
  });

  for (const [cacheBytes, large, small, relief] of [
    [3 << 20, 1 << 20, 1 << 20, 0],
    [300 << 20, 100 << 20, 16 << 20, 42 << 20],
    [3 * 2 ** 30, 2 ** 30, 16 << 20, 64 << 20],
  ] as const)
    it(`share ${cacheBytes} bytes of columns, of which those for small tasks and for relief keep few`, async () => {
      const pool = new Pool({ threads: 2, cacheBytes, filename: CACHE_BYTES });
      const keeps = (thread: number): Promise<unknown> =>
        pool.run(thread, { id: '', orgId: '', weight: 1 }, { kind: 'forget', project: 'p', run: 1 }).reply;
      const kept = await Promise.all([0, 1, pool.small, pool.small + 1, pool.small + 2].map(keeps));
      const bytes = [large, large, small, relief, relief].map((most) => ({
        kind: 'bug',
        message: String(most),
        stack: '',
      }));
      expect(kept).to.deep.equal(bytes);
      await pool.close();
    });

  it("do not load Node's cryptography, which would take a third of the time of their program's start", () => {
    const program = readFileSync(new URL('../../../bundle/worker.code.cjs', import.meta.url), 'utf8');
    expect(program).to.include('require("node:zlib")').and.not.include('node:crypto');
  });

  it('start after tasks that the thread for small ones runs in their stead, once these take long together', async () => {
    const pool = new Pool({ threads: 1, cacheBytes: 0, startWorth: 0 });
    const tenant = { id: '', orgId: '', weight: 1 };
    await pool.run(pool.small, tenant, { kind: 'probe', run: 1 }).reply;
    const running = pool.run(0, tenant, LARGE);
    expect([running.thread(), pool.started()]).to.deep.equal([pool.small, [pool.small]]);
    await running.reply;
    while (!pool.areUp([0])) await sleep(5);
    await pool.close();
  });

  it('do not start for a few large tasks, which the thread for small ones runs in their stead', async () => {
    const pool = new Pool({ threads: 1, cacheBytes: 0, startWorth: Infinity });
    const tenant = { id: '', orgId: '', weight: 1 };
    await pool.run(pool.small, tenant, { kind: 'probe', run: 1 }).reply;
    for (let time = 0; time < 3; time += 1) {
      const running = pool.run(0, tenant, LARGE);
      await running.reply;
      await sleep(AFTER_START);
      expect([running.thread(), pool.started()]).to.deep.equal([pool.small, [pool.small]]);
    }
    await pool.close();
  });

  it('end when no project has asked them for long, but not the one for small tasks, and start again', async () => {
    const pool = new Pool({ threads: 1, cacheBytes: 0, restAfter: 500 });
    const tenant = { id: '', orgId: '', weight: 1 };
    const probed = (thread: number): Promise<unknown> => pool.run(thread, tenant, { kind: 'probe', run: 1 }).reply;
    for (let time = 0; time < 2; time += 1) {
      await Promise.all([probed(0), probed(pool.small)]);
      await pool.run(0, tenant, LARGE).reply;
      expect(pool.started()).to.deep.equal([0, pool.small]);
      while (pool.started().includes(0)) {
        await sleep(10);
        if (pool.areUp([0])) await probed(0); // is no reason to stay
      }
      expect([pool.started(), pool.areUp([0])]).to.deep.equal([[pool.small], false]);
    }
    expect(pool.restarts).to.equal(0);
    await pool.close();
  });

  it('end once they are idle if all together keep too much, and that for small tasks starts again at once', async () => {
    const pool = new Pool({ threads: 1, cacheBytes: 0, keptBytes: 0 });
    const tenant = { id: '', orgId: '', weight: 1 };
    pool.start(0);
    pool.start(pool.small);
    while (!pool.areUp([0, pool.small])) await sleep(5);
    await pool.run(0, tenant, LARGE).reply;
    while (pool.started().includes(0)) await sleep(5);
    await pool.run(pool.small, tenant, LARGE, { small: true }).reply;
    expect(pool.started()).to.deep.equal([pool.small]);
    while (!pool.areUp([pool.small])) await sleep(5);
    expect(pool.restarts).to.equal(0);
    await pool.close();
  });

  it('that have read a project get its small tasks, too, unless another task runs', async () => {
    const pool = new Pool({ threads: 1, cacheBytes: 0 });
    const [tenant, other] = ['prj_plain', 'prj_other'].map((id) => ({ id, orgId: '', weight: 1 }));
    const placeOf = async (of = tenant): Promise<number> => {
      const running = pool.run(0, of!, LARGE, { small: true });
      const place = running.thread();
      await running.reply;
      return place;
    };
    expect(await placeOf()).to.equal(pool.small);
    await pool.run(0, tenant!, { kind: 'probe', run: 1 }).reply; // starts the thread, and reads nothing
    expect(await placeOf()).to.equal(pool.small);
    await pool.run(0, tenant!, LARGE).reply;
    expect([await placeOf(), await placeOf(other)]).to.deep.equal([0, pool.small]);
    const running = pool.run(0, other!, LARGE);
    expect([running.thread(), await placeOf()]).to.deep.equal([0, pool.small]);
    await running.reply;
    await pool.close();
  });

  it('that large questions come to are less urgent than that of small ones, where the system knows', async () => {
    const before = lessUrgent();
    const pool = new Pool({ threads: 1, cacheBytes: 0 });
    const started = async (thread: number): Promise<number> => {
      await pool.run(thread, { id: '', orgId: '', weight: 1 }, { kind: 'probe', run: 1 }).reply;
      return lessUrgent() - before;
    };
    const threads = [pool.small, 0, pool.small + 1];
    const counts = [];
    for (const thread of threads) counts.push(await started(thread));
    expect(counts).to.deep.equal(IS_LINUX ? [0, 1, 2] : [0, 0, 0]);
    await pool.close();
  });
});

/** A part that may go to any thread; it ends at once, as its deadline is over. */
const LARGE: ThreadTask = {
  kind: 'part',
  run: 2,
  plan: plans.aggregate({}),
  snapshot: projectShard('prj_plain').snapshot('prj_plain'),
  segments: [],
  elsewhere: [],
  slice: WHOLE,
  sole: true,
  memory: 0,
  queryMemory: 0,
  maxGroups: 1,
  deadline: 0,
};
