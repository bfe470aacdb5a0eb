import { expect } from 'chai';
import { AppError } from '../../../../lib/base/errors.ts';
import { ClickHouse } from '../../../lib/clickhouse/client.ts';
import { SharedLock, InsertFailed } from '../../../lib/clickhouse/ingest/project-lock.ts';
import { TableInserts } from '../../../lib/clickhouse/ingest/table-inserts.ts';
import { IDENTITIES } from '../../../lib/clickhouse/schema.ts';
import { eraseUser } from '../../../lib/clickhouse/user-data.ts';
import type { IngestTurns } from '../../../../lib/control/projects/ingest-turns.ts';
import { ServerClock } from '../../../lib/clickhouse/server-clock.ts';
import { newWorld } from '../../../../test/control/open-control.ts';
import { clickHouseAccess } from '../../support/chdb-server/chdb-server.ts';

const LEASE = 1_500; // milliseconds
const SLOW = 'SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 2';

describe('turns of nodes on ClickHouse', () => {
  let clickHouse: ClickHouse;

  before(async () => {
    clickHouse = new ClickHouse(await clickHouseAccess());
  });
  after(() => clickHouse.close());

  /** Makes nodes of their own run. */
  const nodes =
    (turns: IngestTurns, onEnded: (run: string) => void = () => undefined) =>
    (run: string, renew: IngestTurns['renew'] = turns.renew.bind(turns)) => {
      const shared = {
        take: turns.take.bind(turns),
        begin: turns.begin.bind(turns),
        give: turns.give.bind(turns),
        end: turns.end.bind(turns),
        renew,
      };
      const lock = new SharedLock({
        ...{ turns: shared, run, lease: LEASE, clock: new ServerClock(clickHouse), last: () => Promise.resolve(0) },
        endInserts: (of) => {
          onEnded(of);
          return clickHouse.killAll(of);
        },
        onTrouble: () => undefined, // the other's turn is not renewed
      });
      return { lock, inserts: new TableInserts(clickHouse, IDENTITIES, run) };
    };

  it('store nothing of a node that stood still until after its turn', async () => {
    const { ingestTurns: turns } = (await newWorld()).control;
    const ended: string[] = [];
    const nodeOf = nodes(turns, (run) => ended.push(run));
    const still = nodeOf('still', () => new Promise(() => undefined));
    const other = nodeOf('other');
    const rows = (user: string): readonly string[] => [
      `["prj_1",1,1,"${user}","",0,0,"{\\"a\\":\\"it's\\"}",1,2,""]\n`,
    ];
    const [sleeps, woken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const late = still.lock.hold('prj_1', 1, async (_first, deadline) => {
      await still.inserts.insert(rows('in time'), deadline);
      sleeps.resolve();
      await woken.promise;
      await still.inserts.insert(rows('late'), deadline);
    });
    await sleeps.promise;
    await other.lock.hold('prj_1', 1, (_first, deadline) => other.inserts.insert(rows('other'), deadline));
    woken.resolve();
    const failed = await late.catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(InsertFailed);
    const { reason } = failed as InsertFailed;
    expect(reason).to.be.instanceOf(AppError);
    expect((reason as AppError).data.code).to.equal('storage_unavailable');
    expect(ended).to.deep.equal(['still']);
    const { rows: stored } = await clickHouse.query({
      sql: 'SELECT user_id, profile FROM identities ORDER BY user_id',
    });
    expect(stored).to.deep.equal(['in time', 'other'].map((user) => [user, '{"a":"it\'s"}']));
  });

  it('bring nobody back whom another node has erased while one stood still with rows of theirs', async () => {
    const nodeOf = nodes((await newWorld()).control.ingestTurns);
    const still = nodeOf('still-2', () => new Promise(() => undefined));
    const other = nodeOf('other-2');
    const ann = (arrival: number): readonly string[] => [`["prj_e",${arrival},1,"ann","",0,0,"{\\"a\\":1}",1,2,""]\n`];
    const [sleeps, woken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const late = still.lock.hold('prj_e', 2, async (first, deadline) => {
      await still.inserts.insert(ann(first), deadline);
      sleeps.resolve();
      await woken.promise;
      await still.inserts.insert(ann(first + 1), deadline);
    });
    await sleeps.promise;
    const erased = await other.lock.hold('prj_e', 1, (upTo) =>
      eraseUser(clickHouse, 'prj_e', { userId: 'ann', devices: [], upTo }),
    );
    expect(erased).to.include({ profiles: 1 });
    woken.resolve();
    expect(await late.catch((error: unknown) => error)).to.be.instanceOf(InsertFailed);
    const { rows } = await clickHouse.query({ sql: "SELECT count() FROM identities WHERE project = 'prj_e'" });
    expect(rows).to.deep.equal([[0]]);
  });

  it('end what a run has begun, and nothing of others', async () => {
    const begin = (queryId: string) =>
      clickHouse.query({ sql: SLOW }, { queryId, time: 20_000 }).then(
        () => 'answered',
        (error: unknown) => (error instanceof AppError ? error.data.code : error),
      );
    const running = [begin('run-a-1'), begin('run-a-2'), begin('run-b-1')];
    const count = "SELECT count() FROM system.processes WHERE query LIKE '%sipHash64(number) = 2%' AND query NOT LIKE '%system.processes%'"; // prettier-ignore
    while ((await clickHouse.query({ sql: count })).rows[0]?.[0] !== 3);
    await clickHouse.killAll('run-a-');
    expect(await Promise.all(running.slice(0, 2))).to.deep.equal(['overloaded', 'overloaded']);
    expect(await Promise.race([running[2], Promise.resolve('runs')])).to.equal('runs');
    await clickHouse.killAll('run-b-');
    expect(await running[2]).to.equal('overloaded');
  });
});
