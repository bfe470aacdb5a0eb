import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from '../../../lib/workers/pool/pool.ts';
import type { Running, ThreadTask } from '../../../lib/workers/pool/lane.ts';
import { WHOLE } from '../../../lib/workers/query-context.ts';
import * as plans from '../../dsl/plans.ts';
import { IS_LINUX, lessUrgent } from '../../support/less-urgent.ts';
import { projectShard } from '../../support/memory-projects.ts';

const FAILING_START = new URL('../../support/failing-start-worker.js', import.meta.url).href;
const SLOW_START = new URL('../../support/slow-start-worker.js', import.meta.url).href;
const HELD = new URL('../../support/held-query-worker.js', import.meta.url).href;
const CACHE_BYTES = new URL('../../support/cache-bytes-worker.js', import.meta.url).href;

const TENANT = { id: '', orgId: '', weight: 1 };
const PROBE = { kind: 'probe' } as const;

describe('query threads', () => {
  it('are not ended while they load their modules, which would abort the process', async () => {
    const started = join(tmpdir(), `windlass-${process.pid}-started`);
    rmSync(started, { force: true });
    const pool = new Pool({ threads: 1, cacheBytes: 0, filename: SLOW_START });
    pool.startLarge();
    await pool.close();
    expect(existsSync(started)).to.equal(true);
    rmSync(started);
  });

  it('that fail twice while they start leave no task waiting, and the next task has another', async () => {
    const pool = new Pool({ threads: 1, cacheBytes: 0, filename: FAILING_START });
    const failed = await pool.run(TENANT, PROBE).reply.catch((error: unknown) => error);
    expect(failed).to.have.nested.property('data.code', 'storage_unavailable');
    expect(failed).to.have.nested.property('data.cause', 'there is no room for a thread');
    expect(await pool.run(TENANT, PROBE).reply).to.deep.equal({ kind: 'done' });
    await pool.close();
    rmSync(join(tmpdir(), `windlass-${process.pid}-failed`));
  });

  it('are started when they are first needed', async () => {
    const pool = new Pool({ threads: 2, cacheBytes: 0 });
    expect(pool.up).to.deep.equal({ small: 0, large: 0 });
    expect(await pool.run(TENANT, PROBE).reply).to.deep.equal({ kind: 'done' });
    expect(pool.up).to.deep.equal({ small: 0, large: 1 });
    await Promise.all([pool.started(), pool.started()]);
    await pool.run(TENANT, PROBE, { small: true }).reply;
    expect(pool.up).to.deep.equal({ small: 1, large: 1 });
    await pool.close();
  });

  it('are as many as a question may use at once when these are started, those that are up among them', async () => {
    const pool = new Pool({ threads: 2, cacheBytes: 0 });
    await pool.run(TENANT, PROBE).reply;
    pool.startLarge();
    pool.startLarge();
    while (pool.up.large < 2) await sleep(5);
    await pool.close();
    expect(pool.up).to.deep.equal({ small: 0, large: 0 });
  });

  for (const [cacheBytes, large, small] of [
    [4 << 20, 1 << 20, 1 << 20],
    [300 << 20, 134 << 20, 16 << 20],
  ] as const)
    it(`share ${cacheBytes} bytes of columns, of which those for small tasks keep few`, async () => {
      const pool = new Pool({ threads: 2, cacheBytes, filename: CACHE_BYTES });
      const keeps = (isSmall: boolean): Promise<unknown> => pool.run(TENANT, PROBE, { small: isSmall }).reply;
      const kept = [await keeps(false), await keeps(true)];
      expect(kept).to.deep.equal([large, small].map((most) => ({ kind: 'bug', message: String(most), stack: '' })));
      await pool.close();
    });

  it("do not load Node's cryptography, which would take a third of the time of their program's start", () => {
    const program = readFileSync(new URL('../../../bundle/worker.cjs', import.meta.url), 'utf8');
    // It is asked for by name where an id is hashed.
    expect(program).to.include('require("node:zlib")').and.not.include('require("node:crypto")');
  });

  it('for small tasks run a large one while there is no other thread, and one for large tasks starts behind it', async () => {
    const pool = new Pool({ threads: 2, cacheBytes: 0 });
    await pool.started();
    await pool.run(TENANT, LARGE).reply;
    expect(pool.up).to.deep.equal({ small: 1, large: 0 });
    while (pool.up.large === 0) await sleep(5);
    await pool.run(TENANT, LARGE).reply;
    expect(pool.up).to.deep.equal({ small: 1, large: 1 });
    await pool.close();
  });

  it('for small tasks run none that takes longer than a thread to start', async () => {
    const pool = new Pool({ threads: 2, cacheBytes: 0 });
    await pool.started();
    await pool.run(TENANT, LARGE, { long: true }).reply;
    expect(pool.up).to.deep.equal({ small: 1, large: 1 });
    await pool.close();
  });

  it('for small tasks run one large one at a time', async () => {
    const pool = new Pool({ threads: 1, cacheBytes: 0 });
    await pool.started();
    await Promise.all([pool.run(TENANT, LARGE).reply, pool.run(TENANT, LARGE).reply]);
    expect(pool.up).to.deep.equal({ small: 1, large: 1 });
    await pool.close();
  });

  it('for large tasks end when they have had none for long, but not that for small ones, and start again', async () => {
    const pool = new Pool({ threads: 1, cacheBytes: 0, restAfter: 100 });
    for (let time = 0; time < 2; time += 1) {
      await Promise.all([LARGE, LARGE].map((task) => pool.run(TENANT, task).reply));
      await pool.run(TENANT, LARGE, { small: true }).reply;
      while (pool.up.large > 0) {
        await sleep(10);
        await pool.probe(); // is no reason to stay
      }
      expect(pool.up).to.deep.equal({ small: 1, large: 0 });
    }
    expect(pool.restarts).to.equal(0);
    await pool.close();
  });

  it('end once they are idle if all together keep too much, and that for small tasks starts again at once', async () => {
    const pool = new Pool({ threads: 1, cacheBytes: 0, keptBytes: 0 });
    await pool.run(TENANT, LARGE).reply;
    while (pool.up.large > 0) await sleep(5);
    await pool.run(TENANT, LARGE, { small: true }).reply;
    expect(pool.up).to.deep.equal({ small: 0, large: 0 });
    while (pool.up.small === 0) await sleep(5);
    expect(pool.restarts).to.equal(0);
    await pool.close();
  });

  it('for small questions have one of an organization at a time, and beside a large one that stands in there', async () => {
    const pool = new Pool({ threads: 1, cacheBytes: 0, filename: HELD });
    await pool.started();
    const other = { id: 'b', orgId: 'b', weight: 1 };
    const smalls = [TENANT, TENANT, other].map((tenant) => pool.run(tenant, LARGE, { small: true }));
    expect(pool.busy, 'one of each').to.equal(2);
    for (const running of smalls) await stopped(running);
    const large = pool.run(TENANT, LARGE);
    const small = pool.run(TENANT, LARGE, { small: true });
    expect(pool.busy, 'the large one, and a small one').to.equal(2);
    for (const running of [large, small]) await stopped(running);
    await pool.close();
  });

  it('that large questions come to are less urgent than that of small ones, where the system knows', async () => {
    const before = lessUrgent();
    const pool = new Pool({ threads: 1, cacheBytes: 0 });
    await pool.run(TENANT, PROBE, { small: true }).reply;
    const counts = [lessUrgent() - before];
    pool.startLarge();
    while (pool.up.large === 0) await sleep(5);
    counts.push(lessUrgent() - before);
    expect(counts).to.deep.equal(IS_LINUX ? [0, 1] : [0, 0]);
    await pool.close();
  });
});

async function stopped(running: Running): Promise<void> {
  running.stop();
  await running.reply;
}

/** A part that may go to any thread; it ends at once, as its deadline is over. */
const LARGE: ThreadTask = {
  kind: 'part',
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
