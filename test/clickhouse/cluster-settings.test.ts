import { expect } from 'chai';
import { ClickHouse } from '../../lib/clickhouse/client.ts';
import { listenOnLoopback } from '../support/listening.ts';

describe('statements to a cluster', () => {
  it('go to the same replicas whichever server is asked, to none that lags behind, and wait for most of them', async () => {
    const asked: URLSearchParams[] = [];
    const server = await listenOnLoopback(() => (from, to) => {
      asked.push(new URL(from.url ?? '/', 'http://localhost').searchParams);
      from.resume().on('end', () => to.end('{"data":[[1]]}'));
    });
    for (const cluster of ['main', null]) {
      const clickHouse = new ClickHouse({ url: server.url, user: 'u', password: '', database: 'd', cluster });
      await clickHouse.query({ sql: 'SELECT 1' });
      await clickHouse.close();
    }
    await server.stop();
    const [many, one] = asked;
    const wanted = {
      ...{ insert_quorum: 'auto', distributed_foreground_insert: '1', load_balancing: 'in_order' },
      ...{ prefer_localhost_replica: '0', max_replica_delay_for_distributed_queries: '1' },
      fallback_to_stale_replicas_for_distributed_queries: '0',
    };
    for (const [name, value] of Object.entries(wanted)) {
      expect(many?.get(name), name).to.equal(value);
      expect(one?.has(name), name).to.equal(false);
    }
  });
});
