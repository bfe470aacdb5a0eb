import { expect } from 'chai';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { formatPage } from '../../../lib/dsl/format/page.ts';
import { readConfig } from '../../../lib/base/config/config.ts';
import { silentLog } from '../../../lib/base/log.ts';
import { startService } from '../../../lib/server/service.ts';
import { startBalancer } from '../../support/balancer.ts';
import { connectHttp, type McpClient, REVISIONS, type Told } from '../../support/mcp-client.ts';
import { record } from '../../support/open-schemas.ts';
import { startHeldService, startWithoutShards, type TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const rowsOf = ({ data }: Pick<Told, 'data'>): Record<string, unknown>[] =>
  Array.isArray(data['rows']) ? data['rows'].map((row) => ({ ...record(row) })) : [];

describe('answers of tools', () => {
  let test: TestService;
  let client: McpClient;
  before(async () => {
    test = await sharedService();
    client = await connectHttp(test.url, test.keys.secretKey, '2026-07-28');
  });
  after(() => client.close());

  it('end after a whole row at 40 KB, say so, and go on from there', async () => {
    const events = Array.from({ length: 60 }, (_, at) => ({
      event_type: 'long',
      user_id: `u${at}`,
      event_properties: { at, text: `"{é\\${'x'.repeat(1_000 + at)}` },
    }));
    await test.post('/track', { events });
    const seen = new Set<unknown>();
    for (let offset: unknown = 0, calls = 0; offset !== null && calls < 10; calls++) {
      const told = await client.call('query', { q: 'long | list | last 1d', limit: 500, offset });
      expect(Buffer.byteLength(JSON.stringify(told.data))).to.be.below(40_961);
      if (told.data['next_offset'] !== null) expect(told.data['truncated']).to.equal(true);
      if (told.data['truncated'] === true) expect(told.text).to.match(/Cut after \d+ of \d+ rows, at 40,960 bytes/);
      for (const { user_id } of rowsOf(told)) {
        expect(seen.has(user_id), String(user_id)).to.equal(false);
        seen.add(user_id);
      }
      offset = told.data['next_offset'];
    }
    expect(seen.size).to.equal(60);
  });

  it('pass over a row that is too long alone', async () => {
    const properties = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`p${at}`, 'y'.repeat(7_000)]));
    await test.post('/track', { event_type: 'huge', user_id: 'u', event_properties: properties });
    const told = await client.call('query', { q: 'huge | list | last 1d' });
    expect(told.data).to.deep.include({ rows: [], total: 1, truncated: true, next_offset: null });
    expect(told.text).to.contain('Row 0 alone is longer than 40,960 bytes');
  });

  it('hide what is personal from a token that may not see it', async () => {
    await test.post('/identify', { user_id: 'ada', user_properties: { email: 'ada@example.com', plan: 'pro' } });
    await test.post('/track', { event_type: 'seen', user_id: 'ada' });
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const by = { name: 'test', ip: null };
    await control.cohorts.write(
      {
        projectId: test.keys.project.id,
        name: 'ada',
        where: 'user.email = "ada@example.com"',
        description: null,
        uses: [],
      },
      by,
    );
    const { key } = await control.tokens.create(
      { projectId: test.keys.project.id, name: 'agent', scopes: ['query'], personal: false },
      by,
    );
    await control.close();
    const hidden = await connectHttp(test.url, key, '2025-11-25');
    const all = await Promise.all([
      hidden.call('people', { q: 'seen' }),
      hidden.call('query', { q: 'seen | list | last 1d' }),
      hidden.call('inspect', { event: 'seen' }),
      hidden.call('cohorts'),
      hidden.call('user_timeline', { user_id: 'ada' }),
      hidden.call('query', { q: 'seen | count by user.email' }),
    ]);
    for (const { text, data } of all.slice(0, 4)) expect(text + JSON.stringify(data)).to.not.contain('ada@example');
    expect(rowsOf(all[0]!)[0]?.['distinct_id']).to.match(/^h_/);
    expect(all.slice(4).map(({ isError }) => isError)).to.deep.equal([true, true]);
    await hidden.close();
  });
});

describe('limits of tools', () => {
  let test: TestService | null = null;
  afterEach(async () => {
    await test?.stop();
    test = null;
  });

  for (const revision of REVISIONS) {
    it(`are those of POST /query, and say when to come back, in revision ${revision}`, async () => {
      test = await startWithoutShards({ WINDLASS_QUERIES_PER_MINUTE: '1', WINDLASS_EVENTS_PER_MINUTE: '1' });
      const client = await connectHttp(test.url, test.keys.secretKey, revision, '?write=true');
      expect(await client.call('query', { q: '* | count' })).to.include({ isError: false });
      const refused = await client.call('query', { q: '* | count' });
      expect(refused).to.include({ isError: true });
      expect(refused.data).to.include({ code: 'rate_limited', retry_after_seconds: 60 });
      expect(refused.text).to.contain('Try again in 60 seconds.');
      expect((await client.call('dashboards', { action: 'save', yaml: 'id: x' })).data).to.include({
        code: 'rate_limited',
      });
      expect((await client.call('track', { event_type: 'e', user_id: 'u' })).data).to.include({ accepted: 1 });
      expect((await client.call('track', { event_type: 'e', user_id: 'u' })).data).to.include({ code: 'rate_limited' });
      await client.close();
    });
  }

  it('leave a page of a million rows', async () => {
    const held = await startHeldService();
    test = held;
    const rows = Array.from({ length: 500 }, (_, at) => [at, 'x'.repeat(1_000)]);
    const columns = ['number', 'text'].map((name) => ({ name, type: 'json', role: 'metric' }) as const);
    const whole = held.store.answer.bind(held.store);
    held.store.answer = async (...asked) => ({
      ...(await whole(...asked)),
      page: formatPage('json', { columns, rows, total: 1_000_000 }, 'UTC'),
    });
    const client = await connectHttp(held.url, held.keys.secretKey, '2026-07-28');
    const { data, text } = await client.call('query', { q: '* | count', limit: 500 });
    expect(data).to.include({ total: 1_000_000, truncated: true, next_offset: rowsOf({ data }).length });
    expect(Buffer.byteLength(JSON.stringify(data))).to.be.within(39_000, 40_960);
    expect(Buffer.byteLength(text)).to.be.below(41_960);
    await client.close();
  });

  it('end a query that takes too long', async () => {
    const held = await startHeldService({ WINDLASS_QUERY_TIMEOUT: '100ms' });
    test = held;
    const client = await connectHttp(held.url, held.keys.secretKey, '2026-07-28');
    held.store.gate = () => new Promise(() => undefined);
    expect((await client.call('query', { q: '* | count' })).data).to.include({ code: 'query_timeout' });
    await client.close();
  });

  it('refuse what is switched off or suspended', async () => {
    test = await startWithoutShards({ WINDLASS_QUERIES: 'off' });
    const client = await connectHttp(test.url, test.keys.secretKey, '2026-07-28');
    expect((await client.call('query', { q: '* | count' })).data).to.include({ code: 'feature_disabled' });
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const suspension = { by: 'operator', what: 'queries', reason: 'unpaid' } as const;
    await control.projects.suspend(test.keys.project.id, suspension, { name: 'test', ip: null });
    await control.close();
    const said = async (): Promise<unknown> => (await client.call('query', { q: '* | count' })).data['code'];
    while ((await said()) !== 'suspended'); // projects are known for a moment after they were looked up
    await client.close();
  });
});

describe('clients of /mcp', () => {
  it('do not notice a restart of the service', async () => {
    const settings = {
      WINDLASS_DATA: temporaryFolder(),
      WINDLASS_ADDR: '127.0.0.1:0',
      WINDLASS_METRICS_ADDR: '127.0.0.1:0',
      WINDLASS_THREADS: '1',
    };
    const start = () => startService({ config: readConfig(settings), log: silentLog() });
    const balancer = await startBalancer();
    let service = await start();
    balancer.nodes = [service.url];
    const key = service.defaults?.secretKey ?? '';
    const clients = await Promise.all(
      REVISIONS.map((revision) => connectHttp(balancer.url, key, revision, '?write=true')),
    );
    for (const client of clients)
      expect((await client.call('track', { event_type: 'kept', user_id: 'u' })).data).to.include({ accepted: 1 });
    await service.close();
    const asked = clients.map((client) => client.call('query', { q: 'kept | count | last 1d' }));
    service = await start();
    balancer.nodes = [service.url];
    for (const told of await Promise.all(asked)) expect(rowsOf(told)).to.deep.equal([{ count: 2 }]);
    for (const client of clients) expect((await client.tools()).length).to.be.greaterThan(10);
    for (const client of clients) await client.close();
    await balancer.stop();
    await service.close();
  });
});
