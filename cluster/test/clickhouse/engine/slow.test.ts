import { expect } from 'chai';
import { buffer } from 'node:stream/consumers';
import { listenOnLoopback } from '../../../../test/support/listening.ts';
import { batch, openStore } from './clickhouse-store.ts';
import { refusal } from '../../../../test/support/refusal.ts';

const EVENTS = [{ event_type: 'e', device_id: 'd', insert_id: 'i' }];

describe('a ClickHouse that is too slow for events', () => {
  for (const [stopped, code, type] of [
    ['IN {ids:', 159, 'TIMEOUT_EXCEEDED'],
    ['INSERT INTO', 159, 'TIMEOUT_EXCEEDED'],
    ['INSERT INTO', 394, 'QUERY_WAS_CANCELLED'],
  ] as const) {
    it(`is told as a store that is not there at the moment, not as a query that took too long: ${stopped}, ${type}`, async () => {
      const server = await listenOnLoopback(() => (from, to) => {
        void buffer(from).then((body) => {
          const sql = `${new URL(from.url ?? '/', 'http://localhost').searchParams.get('query') ?? ''}${body.toString()}`;
          if (!sql.includes(stopped)) return to.end('{"data":[]}');
          to.writeHead(500, { 'X-ClickHouse-Exception-Code': String(code) });
          return to.end(`Code: ${code}. DB::Exception: It was stopped. (${type}) (version 26.7.2.1)`);
        });
      });
      const access = { url: server.url, user: 'u', password: '', database: 'd', cluster: null };
      const store = openStore(access, { onTrouble: () => undefined });
      expect(await refusal(() => store.append(batch('prj_1', EVENTS)))).to.include({ code: 'storage_unavailable' });
      await store.close();
      await server.stop();
    });
  }
});
