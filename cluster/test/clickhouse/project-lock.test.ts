import { expect } from 'chai';
import {
  InsertFailed,
  LockInProcess,
  SharedLock,
  type SharedLockOptions,
} from '../../lib/clickhouse/ingest/project-lock.ts';
import { ServerClock } from '../../lib/clickhouse/server-clock.ts';
import type { ControlDatabase } from '../../../lib/control/database.ts';
import { newWorld, openControl, TESTER } from '../../../test/control/open-control.ts';
import { refusal } from '../../../test/support/refusal.ts';

/** How far ahead ClickHouse's clock is here, milliseconds. */
const AHEAD = 3_600_000;

const clock = (): ServerClock => {
  const rows = () => [[Date.now() + AHEAD]];
  return new ServerClock({ query: () => Promise.resolve({ rows: rows(), elapsed: 0, rowsRead: 1, bytesRead: 1 }) });
};

describe('the lock of a project that nodes share', () => {
  let runs = 0;
  const lockOf = ({ ingestTurns: turns }: ControlDatabase, more: Partial<SharedLockOptions> = {}): SharedLock =>
    new SharedLock({
      ...{ turns, run: `run${runs++}`, clock: clock(), last: () => Promise.resolve(0), ...more },
      endInserts: more.endInserts ?? (() => Promise.reject(new Error('nobody was killed'))),
      onTrouble: (error) => {
        throw error;
      },
    });

  it('lets one in at a time, with numbers that nobody had', async () => {
    const { control, folder, clock: time } = await newWorld();
    const last = (): Promise<number> => Promise.resolve(40);
    const nodes = [lockOf(control, { last }), lockOf(await openControl(folder, time), { last })];
    let inside = 0;
    const numbers: number[] = [];
    const use = async (first: number): Promise<void> => {
      expect(++inside).to.equal(1);
      numbers.push(first, first + 1);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
    };
    await Promise.all(Array.from({ length: 12 }, (_, at) => nodes[at % 2]!.hold('prj_a', 2, use)));
    expect(numbers).to.deep.equal(Array.from({ length: 24 }, (_, at) => 41 + at));
  });

  it('is given back by what fails', async () => {
    const { control } = await newWorld();
    const lock = lockOf(control);
    const failed = await refusal(() => lock.hold('prj_a', 1, () => control.projects.get('prj_nobody')));
    expect(failed.code).to.equal('not_found');
    expect(await lockOf(control).hold('prj_a', 1, (first) => Promise.resolve(first))).to.equal(2);
  });

  it('is kept by who does not know whether its insert is over, but had by another node that ends it', async () => {
    const { control } = await newWorld();
    const ended: string[] = [];
    const node = lockOf(control, { run: 'cut off', lease: 200 });
    const other = lockOf(control, { endInserts: (run) => Promise.resolve(void ended.push(run)) });
    const over = Promise.withResolvers<void>();
    const failed = node
      .hold('prj_a', 1, () => Promise.reject(new InsertFailed(new Error('no answer'), over.promise)))
      .catch((error: unknown) => error);
    const order: string[] = [];
    const next = node.hold('prj_a', 1, () => Promise.resolve(void order.push('node')));
    await other.hold('prj_a', 1, () => Promise.resolve(void order.push('other')));
    expect(ended).to.deep.equal(['cut off']);
    over.resolve();
    expect(await failed).to.be.instanceOf(InsertFailed);
    await next;
    expect(order).to.deep.equal(['other', 'node']);
  });

  it('is had in the place of a node that was killed when its time is over and its inserts have ended', async () => {
    const { control } = await newWorld();
    const killed = { holder: 'killed/7', lease: 50 };
    await control.ingestTurns.begin('prj_a', 1);
    await control.ingestTurns.take('prj_a', { ...killed, ofRun: 'killed/', over: null, count: 5 });
    const ended: string[] = [];
    const endInserts = async (run: string): Promise<void> => {
      if (ended.push(run) > 1) return;
      // It lived, and may have begun another insert since.
      expect(await control.ingestTurns.renew('prj_a', killed)).to.equal(true);
    };
    expect(await lockOf(control, { endInserts }).hold('prj_a', 1, (first) => Promise.resolve(first))).to.equal(6);
    expect(ended).to.deep.equal(['killed', 'killed']);
  });

  it('says by ClickHouse’s clock until when inserts may begin: before others may have it, later when it is renewed', async () => {
    const { control } = await newWorld();
    const lease = 1_000;
    const before = Date.now() + AHEAD;
    await lockOf(control, { lease }).hold('prj_a', 1, async (_first, deadline) => {
      const given = deadline() ?? 0;
      expect(given).to.be.within(before - 1, Date.now() + AHEAD + lease * 0.85);
      while ((deadline() ?? 0) < given + 2 * lease) await new Promise((resolve) => setTimeout(resolve, 5));
    });
  });

  it('is not had after a deletion, on a node either that did not hear of it', async () => {
    const { control, project, folder, clock: time } = await newWorld();
    const still = lockOf(await openControl(folder, time));
    expect(await still.hold(project.id, 1, (first) => Promise.resolve(first))).to.equal(1);
    await control.projects.delete(project.id, TESTER);
    const node = lockOf(control);
    let removals = 0;
    const remove = (): Promise<void> => Promise.resolve(void removals++);
    await node.holdLast(project.id, remove);
    await node.holdLast(project.id, remove);
    expect(removals).to.equal(2);
    const refused = await refusal(() => still.hold(project.id, 1, () => Promise.reject(new Error('it was let in'))));
    expect(refused.code).to.equal('not_found');
  });
});

describe('the lock of a project in the only node', () => {
  it('lets inserts begin for 20 s, and is not had before one that failed is over', async () => {
    const lock = new LockInProcess(() => Promise.resolve(0), clock());
    const over = Promise.withResolvers<void>();
    let beginsBy = 0;
    const failed = lock
      .hold('prj_a', 1, (_first, deadline) => {
        beginsBy = deadline() - AHEAD - Date.now();
        return Promise.reject(new InsertFailed(new Error('no answer'), over.promise));
      })
      .catch((error: unknown) => error);
    let had = false;
    const next = lock.hold('prj_a', 1, () => Promise.resolve(void (had = true)));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(had).to.equal(false);
    expect(beginsBy).to.be.within(19_000, 20_100);
    over.resolve();
    expect(await failed).to.be.instanceOf(InsertFailed);
    await next;
  });

  it('is not had by those who waited behind a deletion', async () => {
    const lock = new LockInProcess(() => Promise.resolve(0), clock());
    const [began, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const before = lock.hold('prj_a', 1, () => {
      began.resolve();
      return held.promise;
    });
    await began.promise;
    let removed = false;
    const removing = lock.holdLast('prj_a', () => Promise.resolve(void (removed = true)));
    const behind = refusal(() => lock.hold('prj_a', 1, () => Promise.reject(new Error('it was let in'))));
    held.resolve();
    await Promise.all([before, removing]);
    expect((await behind).code).to.equal('not_found');
    expect(removed).to.equal(true);
    expect(await lock.hold('prj_b', 1, (first) => Promise.resolve(first))).to.equal(1);
  });
});
