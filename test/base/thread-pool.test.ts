import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ThreadPool, type ReadSource } from '../../lib/base/thread-pool.ts';
import type { HeldTask } from '../support/held-thread.ts';

const HELD = new URL('../support/held-thread.js', import.meta.url).href;
const cell = (): Int32Array => new Int32Array(new SharedArrayBuffer(4));

describe('the threads of a pool', () => {
  const open = (maxThreads: number): ThreadPool<HeldTask, number> =>
    new ThreadPool({ filename: HELD, maxThreads, idleTimeout: 60_000 });
  const heldTask = (): HeldTask => ({ begun: cell(), free: cell() });
  const freeTask = (): HeldTask => ({ begun: cell(), free: new Int32Array(cell().buffer).fill(1) });
  const letGo = ({ free }: HeldTask): void => {
    Atomics.store(free, 0, 1);
    Atomics.notify(free, 0);
  };
  const begun = async ({ begun: count }: HeldTask, tasks: number): Promise<void> => {
    while (Atomics.load(count, 0) < tasks) await sleep(5);
  };

  it('turn their event loops between tasks, without which Node would keep all statements of closed files', async () => {
    const filename = new URL('../support/turns-thread.js', import.meta.url).href;
    const pool = new ThreadPool<object, number>({ filename, maxThreads: 1, idleTimeout: 60_000 });
    for (let turns = 0; turns < 4; turns = await pool.run({})) await sleep(20); // as many as it takes where much else runs
    await pool.destroy();
  });

  it('get the tasks that read what they have read, if they are free, and start only for tasks that find none', async () => {
    const pool = open(3);
    const task = heldTask();
    const sourceOf = (whole: string, part = 0): { readonly source: ReadSource } => ({ source: { whole, part } });
    const first = ['a', 'b'].map((whole) => pool.run(task, sourceOf(whole)));
    await begun(task, 2);
    letGo(task);
    const [a, b] = await Promise.all(first);
    expect(pool.threads).to.have.members([a, b]);
    for (const [whole, thread] of [
      ['b', b],
      ['a', a],
      ['a', a],
      ['b', b],
    ] as const)
      expect(await pool.run(freeTask(), sourceOf(whole))).to.equal(thread);
    expect(await pool.run(freeTask(), sourceOf('b', 1)), 'another part').to.equal(b);
    expect(await pool.run(freeTask(), sourceOf('c')), 'idle for longest').to.equal(a);
    const holding = heldTask();
    const held = pool.run(holding, sourceOf('a'));
    await begun(holding, 1);
    expect(await pool.run(freeTask(), sourceOf('a'))).to.equal(b);
    letGo(holding);
    expect(await held).to.equal(a);
    expect(pool.size).to.equal(2);
    await pool.destroy();
  });

  it('end if a task does not when nobody waits for it any longer; a task that has none yet leaves', async () => {
    const pool = open(1);
    const [task, running, waiting] = [heldTask(), new AbortController(), new AbortController()];
    const ran = pool.run(task, { signal: running.signal }).catch((error: unknown) => error);
    await begun(task, 1);
    const waited = pool.run(freeTask(), { signal: waiting.signal }).catch((error: unknown) => error);
    const [over, left] = [new Error('over'), new Error('left')];
    waiting.abort(left);
    expect(await waited).to.equal(left);
    running.abort(over);
    expect(await ran).to.equal(over);
    expect(pool.lost).to.equal(1);
    expect(await pool.run(freeTask())).to.be.a('number');
    await pool.destroy();
  });

  it('each get what is for all once they have nothing else to do, before any other task', async () => {
    const pool = open(2);
    const [one, other] = [heldTask(), heldTask()];
    const held = [pool.run(one), pool.run(other)];
    await begun(one, 1);
    await begun(other, 1);
    const results: number[] = [];
    const all = pool.runInAll(freeTask(), (thread) => results.push(thread));
    const after = pool.run(freeTask()).then((thread) => [...results, thread]);
    letGo(one);
    const threads = [await held[0]!];
    expect(await after).to.deep.equal([threads[0], threads[0]]);
    letGo(other);
    threads.push(await held[1]!);
    await all;
    expect(results).to.deep.equal(threads);
    await pool.close();
    expect(pool.size).to.equal(0);
  });
});
