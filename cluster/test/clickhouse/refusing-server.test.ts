import { expect } from 'chai';
import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClickHouseStore, ClickHouseStoreOptions } from '../../lib/clickhouse/store.ts';
import { listenOnLoopback, type Listening } from '../../../test/support/listening.ts';
import { outcomeOf } from '../../../test/support/refusal.ts';
import { batch, openStore } from './engine/clickhouse-store.ts';

/** How a server answers a statement; false: as one without rows does. */
type Answer = (sql: string, response: ServerResponse) => boolean;

const refuse = (response: ServerResponse, code: number, type: string): boolean => {
  response.writeHead(500, { 'X-ClickHouse-Exception-Code': String(code) });
  response.end(`Code: ${code}. DB::Exception: something is wrong. (${type}) (version 26.7.1.1)\n`);
  return true;
};

describe('the store on a ClickHouse that refuses', () => {
  let server: Listening;
  let store: ClickHouseStore;
  let troubles: string[];

  const start = async (answer: Answer, options: Partial<ClickHouseStoreOptions> = {}): Promise<void> => {
    troubles = [];
    server = await listenOnLoopback(() => (from, to) => {
      void buffer(from).then((body) => {
        const sql = `${new URL(from.url ?? '/', 'http://localhost').searchParams.get('query') ?? ''}${body.toString()}`;
        if (answer(sql, to)) return;
        to.end(sql.includes('now64') && sql.startsWith('SELECT') ? `{"data":[[${Date.now()}]]}` : '{"data":[]}');
      });
    });
    const access = { url: server.url, user: 'u', password: '', database: 'd', cluster: null };
    store = openStore(access, { onTrouble: (_, what) => troubles.push(what), ...options });
  };
  const send = async (project = 'prj_1'): Promise<string> => {
    const answer = await outcomeOf(store.append(batch(project, [{ event_type: 'e', insert_id: 'i' }])));
    return 'error' in answer ? answer.error.code : 'ok';
  };

  for (const [code, type] of [
    [241, 'MEMORY_LIMIT_EXCEEDED'],
    [252, 'TOO_MANY_PARTS'],
    [75, 'CANNOT_WRITE_TO_FILE_DESCRIPTOR'],
    [1001, 'STD_EXCEPTION'],
    [201, 'QUOTA_EXCEEDED'],
    [452, 'SETTING_CONSTRAINT_VIOLATION'],
  ] as const)
    it(`has events sent again when it says ${type}, wherever it does`, async () => {
      for (const statement of ['INSERT INTO events', 'FROM hot_keys', 'IN {ids:']) {
        let refuses = true;
        await start((sql, response) => refuses && sql.includes(statement) && refuse(response, code, type));
        expect(await send(), statement).to.equal('storage_unavailable');
        refuses = false;
        while (!store.ready().ok) await pause(20);
        expect(await send(), statement).to.equal('ok');
        await store.close();
        await server.stop();
      }
    });

  it('goes on with all other projects where only one is slow', async () => {
    const held: ServerResponse[] = [];
    await start(
      (sql, response) => sql.includes('INSERT INTO events') && sql.includes('prj_1') && held.push(response) > 0,
    );
    const first = send();
    while (held.length === 0) await pause(20);
    expect(await send(), 'behind it').to.equal('storage_unavailable');
    expect(store.ready()).to.deep.equal({ ok: true });
    expect(await send('prj_2')).to.equal('ok');
    held[0]?.end();
    expect(await first).to.equal('ok');
    await store.close();
    await server.stop();
  });

  it('asks again whether it is back when it has an answer that nobody knows', async () => {
    let refusals = 0;
    await start((sql, response) => {
      if (sql.includes('INSERT INTO events') && refusals === 0) return refuse(response, 243, 'NOT_ENOUGH_SPACE');
      return sql.startsWith('SELECT 1') && refusals++ === 0 && refuse(response, 12_345, 'WHAT_NOBODY_KNOWS');
    });
    expect(await send()).to.equal('storage_unavailable');
    while (!store.ready().ok) await pause(20);
    expect(troubles).to.deep.equal(['ClickHouse was asked whether it is back']);
    expect(await send()).to.equal('ok');
    await store.close();
    await server.stop();
  });

  it('tells the totals of usage later when it could store them, but not read them', async () => {
    let refuses = true;
    await start((sql, response) => {
      if (!sql.includes('FROM usage_counts')) return false;
      if (refuses) return refuse(response, 241, 'MEMORY_LIMIT_EXCEEDED');
      response.end(`{"data":[["prj_1","2026-01-02",5,4,0,1,0,0,0]]}`);
      return true;
    });
    const told = new Promise<number>((resolve) => store.onUsage(({ eventsStored }) => resolve(eventsStored)));
    expect(await send()).to.equal('ok');
    while (troubles.length === 0) await pause(20);
    refuses = false;
    expect(await told).to.equal(4);
    await store.close();
    await server.stop();
  });

  it('stops in time where it does not say that an insert has ended', async () => {
    await start(
      (sql, response) => {
        if (sql.includes('INSERT INTO events')) response.destroy();
        return sql.includes('INSERT INTO events') || sql.includes('KILL QUERY');
      },
      { stopping: 300 },
    );
    expect(await send()).to.equal('storage_unavailable');
    const since = performance.now();
    await store.close();
    expect(performance.now() - since).to.be.below(5_000);
    expect(troubles).to.deep.equal(['stopped although statements may still run in ClickHouse']);
    await server.stop();
  });
});
