import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import { listenOnLoopback } from '../../../../test/support/listening.ts';
import { outcomeOf } from '../../../../test/support/refusal.ts';
import { batch, openStore } from './clickhouse-store.ts';

/** How long the end of the insert is awaited here, milliseconds. */
const ENDING = 2_000;

describe('a ClickHouse that stands still in an insert and may go on with it', () => {
  it('is asked for ids only when that insert was ended, though its time is over', async () => {
    const seen: string[] = [];
    let inserts = 0;
    const server = await listenOnLoopback(() => (from, to) => {
      void buffer(from).then(async (body) => {
        const asked = new URL(from.url ?? '/', 'http://localhost').searchParams.get('query') ?? '';
        const sql = `${asked}${body.toString()}`;
        if (sql.includes('now64') && sql.startsWith('SELECT')) return to.end(`{"data":[[${Date.now()}]]}`);
        if (sql.includes('IN {ids:')) seen.push('ids');
        if (sql.includes('INSERT INTO events')) {
          seen.push('insert');
          if (inserts++ === 0) return undefined; // no answer
        }
        if (sql.includes('KILL QUERY WHERE query_id =')) {
          await pause(ENDING);
          seen.push('ended');
        }
        return to.end('{"data":[]}');
      });
    });
    const access = { url: server.url, user: 'u', password: '', database: 'd', cluster: null };
    const store = openStore(access, { onTrouble: () => undefined });
    const send = async (): Promise<string> => {
      const events = [{ event_type: 'e', device_id: 'd', insert_id: 'i' }];
      const answer = await outcomeOf(store.append(batch('prj_1', events)));
      return 'error' in answer ? answer.error.code : 'ok';
    };
    expect(await send()).to.equal('storage_unavailable');
    while ((await send()) !== 'ok') await pause(20);
    expect(seen).to.deep.equal(['ids', 'insert', 'ended', 'ids', 'insert']);
    await store.close();
    await server.stop();
  });
});
