import { expect } from 'chai';
import type { AppError } from '../../../../lib/base/errors.ts';
import { ClickHouse, type Access } from '../../../lib/clickhouse/client.ts';
import { LockInProcess, type ProjectLock } from '../../../lib/clickhouse/ingest/project-lock.ts';
import { ServerClock } from '../../../lib/clickhouse/server-clock.ts';
import { readLastArrival } from '../../../lib/clickhouse/names.ts';
import { Retention, type RetentionOptions } from '../../../lib/clickhouse/retention.ts';
import type { ClickHouseStore } from '../../../lib/clickhouse/store.ts';
import { openControl } from '../../../../test/control/open-control.ts';
import { clickHouseAccess } from '../../support/chdb-server/chdb-server.ts';
import { compile } from '../../../../test/support/compile.ts';
import { monotonic } from '../../../../lib/base/monotonic.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { batch, openStore } from './clickhouse-store.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 20, 12);

describe('events in ClickHouse that are older than their project keeps them', () => {
  let access: Access;
  let clickHouse: ClickHouse;
  let store: ClickHouseStore;
  const open: Retention[] = [];

  before(async () => {
    access = await clickHouseAccess();
    clickHouse = new ClickHouse(access);
    store = openStore(access);
  });
  after(async () => {
    await Promise.all([store.close(), clickHouse.close(), ...open.map((retention) => retention.close())]);
  });

  const retention = (projects: RetentionOptions['projects'], more: Partial<RetentionOptions> = {}): Retention => {
    const lock = new LockInProcess((project) => readLastArrival(clickHouse, project), new ServerClock(clickHouse));
    const fail = (error: unknown): never => {
      throw error;
    };
    const made = new Retention({ clickHouse, lock, projects, turns: null, run: 'run', now: () => NOW, onTrouble: fail, ...more }); // prettier-ignore
    open.push(made);
    return made;
  };
  const rows = async (project: string): Promise<number> => (await store.extent(batch(project, []).project))?.rows ?? 0;
  /** An event a day of each of the last days, of a user of its own and of ann. */
  const fill = async (project: string, days: number): Promise<void> => {
    const events = Array.from({ length: days }, (_, n) => [`u${n}`, 'ann'].map((user) => ({ event_type: 'a', user_id: user, time: NOW - n * DAY }))).flat(); // prettier-ignore
    expect(await store.append(batch(project, events, NOW))).to.include({ accepted: events.length });
  };
  const users = async (project: string): Promise<unknown> => {
    const plan = compile('users | sort user_id | limit 100', { now: NOW, timezone: null, limit: 100, offset: 0 }, []); // prettier-ignore
    const { table } = await store.query(batch(project, []).project, plan.optimized, {
      deadline: monotonic() + 300_000,
    });
    return table.rows;
  };

  it('are dropped by whole days, of each project as long as it keeps them, and of no other', async () => {
    for (const project of ['prj_7', 'prj_30', 'prj_all']) await fill(project, 40);
    const kept = [{ id: 'prj_7', retentionDays: 7 }, { id: 'prj_30', retentionDays: 30 }, { id: 'prj_all', retentionDays: null }, { id: 'prj_none', retentionDays: 1 }]; // prettier-ignore
    await retention(() => Promise.resolve(kept)).run();
    expect([await rows('prj_7'), await rows('prj_30'), await rows('prj_all')]).to.deep.equal([16, 62, 80]);
    const { rows: first } = await clickHouse.query({ sql: "SELECT min(time) FROM events WHERE project = 'prj_7'" });
    expect(first).to.deep.equal([[NOW - 7 * DAY]]);
    const { rows: types } = await clickHouse.query({ sql: "SELECT count() FROM events WHERE project = 'prj_7' AND event_type = 'a'" }); // prettier-ignore
    expect(types, 'its projections know').to.deep.equal([[16]]);
  });

  it('are kept where the clock of the node is ahead', async () => {
    expect(await store.append(batch('prj_ahead', [{ event_type: 'a', user_id: 'ann' }]))).to.include({ accepted: 1 });
    const kept = [{ id: 'prj_ahead', retentionDays: 7 }];
    await retention(() => Promise.resolve(kept), { now: () => Date.now() + 400 * DAY }).run();
    expect(await rows('prj_ahead')).to.equal(1);
  });

  it('leave their users known, and when they were seen first and last', async () => {
    const project = 'prj_seen';
    await fill(project, 20);
    const identify = { ...batch(project, [], NOW), kind: 'identify' as const };
    const body = new Uint8Array(Buffer.from(JSON.stringify({ user_id: 'u19', user_properties: { plan: 'pro' } })));
    await store.append({ ...identify, body });
    const before = await users(project);
    expect(before).to.have.length(21);
    const kept = retention(() => Promise.resolve([{ id: project, retentionDays: 3 }]));
    await kept.run();
    expect(await rows(project)).to.equal(8);
    expect(await users(project)).to.deep.equal(before);
    await clickHouse.run({ sql: 'OPTIMIZE TABLE identities FINAL' });
    await kept.run();
    expect(await users(project)).to.deep.equal(before);
  });

  it('are dropped by one node at a time, and by another when that was killed', async () => {
    const { ingestTurns: turns } = await openControl(temporaryFolder());
    let runs = 0;
    const [held, began] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = retention(
      async () => {
        runs++;
        began.resolve();
        await held.promise;
        return [];
      },
      { turns, run: 'a' },
    );
    const other = retention(() => Promise.resolve((runs++, [])), { turns, run: 'b' });
    const running = slow.run();
    await began.promise;
    await other.run();
    expect(runs).to.equal(1);
    held.resolve();
    await running;
    await other.run();
    expect(runs).to.equal(2);
    await turns.take('retention', { holder: 'gone/retention', ofRun: 'gone/', over: null, count: 0, lease: 0 });
    await new Promise((resolve) => setTimeout(resolve, 10));
    await other.run();
    expect(runs).to.equal(3);
  });

  it('bring no user back after the turn of their project, when another node may have erased them', async () => {
    const project = 'prj_late';
    await fill(project, 20);
    const ids: (string | undefined)[] = [];
    const told: unknown[] = [];
    const watched = new Proxy(clickHouse, {
      get: (target, name: keyof ClickHouse) => {
        if (name !== 'run') return typeof target[name] === 'function' ? (target[name] as () => unknown).bind(target) : target[name]; // prettier-ignore
        return (...[statement, options]: Parameters<ClickHouse['run']>) => {
          ids.push(options?.queryId);
          return target.run(statement, options);
        };
      },
    });
    const over: ProjectLock = { hold: (_, __, use) => use(1, () => 1), holdLast: (_, use) => use() };
    const kept = (): Promise<readonly { id: string; retentionDays: number }[]> =>
      Promise.resolve([{ id: project, retentionDays: 3 }]);
    await retention(kept, { clickHouse: watched, lock: over, run: 'of-this-run-', onTrouble: (error) => told.push(error) }).run(); // prettier-ignore
    expect(told.map((error) => (error as AppError).data.code)).to.deep.equal(['storage_unavailable']);
    expect(ids).to.have.length(1);
    expect(ids[0], 'ended with all that the run has begun').to.match(/^of-this-run-/);
    const { rows: profiles } = await clickHouse.query({ sql: "SELECT count() FROM identities WHERE project = 'prj_late'" }); // prettier-ignore
    expect(profiles).to.deep.equal([[0]]);
    expect(await rows(project), 'nothing was dropped').to.equal(40);
    await retention(kept).run();
    expect(await rows(project)).to.equal(8);
  });

  it('are tried again when ClickHouse could not drop them', async () => {
    const told: string[] = [];
    const broken = retention(() => Promise.reject(new Error('away')), { onTrouble: (_, what) => told.push(what) });
    await broken.run();
    expect(told).to.deep.equal(['events that are too old could not be dropped']);
  });
});
