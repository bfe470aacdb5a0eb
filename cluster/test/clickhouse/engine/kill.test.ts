import { expect } from 'chai';
import { ClickHouse } from '../../../lib/clickhouse/client.ts';
import { chdbFolder } from '../../support/chdb-server/chdb-process.ts';
import { startChdb } from '../../support/chdb-server/chdb-server.ts';
import { accessTo } from '../../support/chdb-server/new-database.ts';
import { batch, openStore } from './clickhouse-store.ts';
import { outcomeOf } from '../../../../test/support/refusal.ts';

const PROJECTS = ['prj_1', 'prj_2', 'prj_3'];
const BATCHES = 40;
const EVENTS = 20;

describe('a ClickHouse that is killed', () => {
  it('has what was acknowledged, once, when it is back and the rest is sent again', async () => {
    const folder = chdbFolder();
    const first = await startChdb(folder);
    const access = await accessTo(first.url);
    const troubles: string[] = [];
    const store = openStore(access, { onTrouble: (_error, what) => troubles.push(what) });
    const send = async (project: string, n: number): Promise<boolean> => {
      const events = Array.from({ length: EVENTS }, (_, i) => ({
        event_type: 'a',
        insert_id: `${n}-${i}`,
        device_id: 'd',
      }));
      const answer = await outcomeOf(store.append(batch(project, events)));
      if ('error' in answer) expect(answer.error).to.include({ code: 'storage_unavailable' });
      return !('error' in answer);
    };
    const acknowledged = new Set<string>();
    const killed: Promise<void>[] = [];
    for (let n = 0; n < BATCHES; n += 4) {
      await Promise.all(
        PROJECTS.flatMap((project) => [0, 1, 2, 3].map(async (more) => {
          if (await send(project, n + more)) acknowledged.add(`${project} ${n + more}`);
          if (acknowledged.size > 20 && killed.length === 0) killed.push(first.kill());
        })),
      ); // prettier-ignore
    }
    await Promise.all(killed);
    expect(acknowledged.size).to.be.within(21, PROJECTS.length * BATCHES - 1);
    expect(store.ready()).to.include({ ok: false });

    const again = await startChdb(folder, Number(new URL(first.url).port));
    while (!store.ready().ok) await new Promise((resolve) => setTimeout(resolve, 20)); // nothing is sent that would show it
    const clickHouse = new ClickHouse(access);
    const { rows } = await clickHouse.query({ sql: "SELECT DISTINCT project || ' ' || splitByChar('-', insert_id)[1] FROM events" }); // prettier-ignore
    expect(rows.flat()).to.include.members([...acknowledged]);
    for (const project of PROJECTS) {
      for (let n = 0; n < BATCHES; n++) expect(await send(project, n)).to.equal(true);
      expect(await store.extent(batch(project, []).project)).to.include({ rows: BATCHES * EVENTS });
    }
    expect(store.ready()).to.deep.equal({ ok: true });
    expect(troubles.join()).to.match(/^(counters of usage could not be stored and told; they will be tried again,?)*$/);
    await Promise.all([store.close(), clickHouse.close()]);
    await again.kill();
  });
});
