import { expect } from 'chai';
import { text } from 'node:stream/consumers';
import { ClickHouse } from '../../lib/clickhouse/client.ts';
import { PastIds } from '../../lib/clickhouse/past-ids.ts';
import { listenOnLoopback } from '../../../test/support/listening.ts';

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

  it('about ids of past months look at a replica of each shard, and change all of them', async () => {
    const said: string[] = [];
    const server = await listenOnLoopback(() => (from, to) => {
      void text(from).then((body) => {
        const { searchParams } = new URL(from.url ?? '/', 'http://localhost');
        said.push([body, ...searchParams.values()].join('\n'));
        to.end(said.length === 1 ? '{"data":[["202605",9000],["202606",5]]}' : '{"data":[["202606",5]]}');
      });
    });
    const clickHouse = new ClickHouse({ url: server.url, user: 'u', password: '', database: 'd', cluster: 'main' });
    const failed: unknown[] = [];
    const pastIds = new PastIds({ clickHouse, turns: null, run: 'r', onTrouble: (error) => failed.push(error) });
    await pastIds.run();
    await Promise.all([pastIds.close(), clickHouse.close(), server.stop()]);
    expect(failed).to.deep.equal([]);
    const [indexed, lately, ...cleared] = said;
    expect(indexed).to.include('FROM cluster(`main`, system.projection_parts)').and.include('events_local');
    expect(lately).to.include('FROM events\n');
    expect(cleared).to.have.length(1);
    expect(cleared[0]).to.include(
      "ALTER TABLE events_local ON CLUSTER `main` CLEAR PROJECTION IF EXISTS ids IN PARTITION ID '202605'",
    );
  });
});
