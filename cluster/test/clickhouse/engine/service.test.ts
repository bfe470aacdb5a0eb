import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { ClickHouse } from '../../../lib/clickhouse/client.ts';
import { SCHEMA_VERSION } from '../../../lib/clickhouse/schema.ts';
import { ConfigError } from '../../../../lib/base/config/setting-source.ts';
import { wlInside } from '../../../../test/cli/run-inside.ts';
import { clickHouseServer } from '../../support/chdb-server/chdb-server.ts';
import { listenOnLoopback } from '../../../../test/support/listening.ts';
import { jsonOf, startTestService } from '../../../../test/support/service.ts';

describe('a service with its events in ClickHouse', () => {
  const database = `windlass_${randomUUID().replaceAll('-', '')}`;
  let url: URL;
  let store: string;

  before(async () => {
    url = new URL(await clickHouseServer());
    store = `clickhouse://${url.username === '' ? '' : `${url.username}:${url.password}@`}${url.host}/${database}`;
  });

  it('does not start before the tables are there, and says which command makes them', async () => {
    expect(await startError(store)).to.match(/no tables of Windlass yet: run `wl admin cluster init`/);
  });

  it('does not start where nobody answers', async () => {
    expect(await startError('clickhouse://user:secret@127.0.0.1:1/db'))
      .to.match(/ECONNREFUSED/)
      .and.not.include('secret');
  });

  it('does not start where something answers that is no ClickHouse', async () => {
    const server = await listenOnLoopback(() => (_from, to) => to.writeHead(404).end('<html>not here</html>'));
    expect(await startError(`clickhouse://${new URL(server.url).host}/db`)).to.match(
      /ClickHouse cannot be used: .*address/,
    );
    await server.stop();
  });

  it('takes events and answers queries once `wl admin cluster init` has made the tables', async () => {
    const env = { WINDLASS_STORE: store };
    const first = await wlInside(['admin', 'cluster', 'init'], env);
    expect(first.stdout).to.include('CREATE TABLE').and.include(`are now at version ${SCHEMA_VERSION}.`);
    const again = await wlInside(['admin', 'cluster', 'init', '--json'], env);
    expect(JSON.parse(again.stdout)).to.deep.equal({ version: SCHEMA_VERSION, statements: [] });

    const service = await startTestService(env);
    const events = [{ event_type: 'signup', device_id: 'd1', event_properties: { plan: 'pro' } }, { event_type: 'signup', device_id: 'd2' }]; // prettier-ignore
    expect((await service.post('/track', { events })).status).to.equal(200);
    expect((await service.post('/identify', { user_id: 'ann', device_id: 'd1' })).status).to.equal(200);
    expect(await service.rows('signup | count by distinct_id, event_properties.plan')).to.deep.equal([
      { distinct_id: 'ann', 'event_properties.plan': 'pro', count: 1 },
      { distinct_id: 'd2', 'event_properties.plan': null, count: 1 },
    ]);
    await service.stop();
  });

  it('counts what a shorter retention would remove, and asks first', async () => {
    const service = await startTestService({ WINDLASS_STORE: store });
    const time = new Date(Date.now() - 10 * 86_400_000).toISOString();
    await service.post('/track', {
      events: [{ event_type: 'a', time }, { event_type: 'a', time }, { event_type: 'a' }],
    });
    const path = `${service.url}/api/admin/projects/${service.keys.project.id}`;
    const change = async (body: object): Promise<Record<string, unknown>> =>
      jsonOf(await fetch(path, { method: 'PATCH', headers: { 'X-API-Key': service.keys.adminKey }, body: JSON.stringify(body) })); // prettier-ignore
    expect(await change({ retention_days: 7 })).to.include({ code: 'conflict', events: 2 });
    expect(await change({ retention_days: 7, confirm: true })).to.have.nested.property('retention_change.events', 2);
    await service.stop();
  });

  it('does not start on tables of an older release, and says which command brings them up to date', async () => {
    const setup = new ClickHouse({ url: url.origin, user: decodeURIComponent(url.username) || 'default', password: decodeURIComponent(url.password), database, cluster: null }); // prettier-ignore
    await setup.run({ sql: 'TRUNCATE TABLE schema_versions' });
    await setup.run({ sql: `INSERT INTO schema_versions (version) VALUES (${SCHEMA_VERSION - 1})` });
    await setup.close();
    expect(await startError(store)).to.match(/has tables of version \d+, .*: run `wl admin cluster upgrade`/);
  });

  it('does not start on tables of a newer release', async () => {
    const setup = new ClickHouse({ url: url.origin, user: decodeURIComponent(url.username) || 'default', password: decodeURIComponent(url.password), database, cluster: null }); // prettier-ignore
    await setup.run({ sql: `INSERT INTO schema_versions (version) VALUES (${SCHEMA_VERSION + 1})` });
    await setup.close();
    expect(await startError(store)).to.match(/are of version \d+, and this release knows \d+/);
    const { code, stderr } = await wlInside(['admin', 'cluster', 'upgrade'], { WINDLASS_STORE: store });
    expect([code, stderr]).to.deep.equal([1, `wl: ${await startError(store)}\n`]);
  });
});

async function startError(store: string): Promise<string> {
  try {
    await (await startTestService({ WINDLASS_STORE: store })).stop();
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError);
    return error instanceof Error ? error.message : '';
  }
  throw new Error('it started');
}
