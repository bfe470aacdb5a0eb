import { expect } from 'chai';
import { readConfig } from '../../../lib/base/config/config.ts';
import type { PostgresLocation } from '../../../lib/base/config/postgres-location.ts';
import { silentLog } from '../../../lib/base/log.ts';
import { engineAt } from '../../../lib/cluster.ts';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { startService, type RunningService } from '../../../lib/server/service.ts';
import { freezingProxy, type FreezingProxy } from '../../../test/support/freezing-proxy.ts';
import { MemoryStore } from '../../../test/support/memory-store.ts';
import { dropSchemas, newSchema, urlOf } from '../support/postgres-schema.ts';
import { refusal } from '../../../test/support/refusal.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const SECRET = 'a secret of all nodes';
/** The longest that a request may wait for an answer, milliseconds. */
const BOUND = 20_000;

describe('a node whose PostgreSQL is gone without a word', () => {
  let location: PostgresLocation;
  let proxy: FreezingProxy;
  let node: RunningService;
  let key = '';

  before(async () => {
    location = await newSchema();
    proxy = await freezingProxy(location.port, location.host);
    const config = readConfig({
      WINDLASS_DATA: temporaryFolder(),
      WINDLASS_ADDR: '127.0.0.1:0',
      WINDLASS_METRICS_ADDR: 'none',
      WINDLASS_SECRET: SECRET,
      WINDLASS_CONTROL: urlOf({ ...location, port: proxy.port }),
      WINDLASS_STORE: 'clickhouse://nobody@127.0.0.1:1/events',
      WINDLASS_EVENTS_PER_MINUTE: '0',
    });
    node = await startService({ config, log: silentLog(), store: () => Promise.resolve(new MemoryStore()) });
    key = node.defaults?.secretKey ?? '';
  });
  after(async () => {
    await node.close();
    await proxy.stop();
    await dropSchemas([location]);
  });

  /** The status, and whether the answer says when to come again, if it comes in time. */
  async function track(): Promise<readonly [status: number, later: boolean]> {
    const body = JSON.stringify({ event_type: 'e', device_id: 'd' });
    const signal = AbortSignal.timeout(BOUND);
    const answer = await fetch(`${node.url}/track`, { method: 'POST', headers: { 'X-API-Key': key }, body, signal });
    await answer.text();
    return [answer.status, answer.headers.has('retry-after')];
  }

  it('is ready again when it is back, and not before', async () => {
    const ready = async (): Promise<number> => (await fetch(`${node.url}/readyz`)).status;
    expect(await ready()).to.equal(200);
    proxy.freeze();
    const until = performance.now() + BOUND;
    while ((await ready()) === 200 && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await ready()).to.equal(503);
    proxy.thaw();
    while ((await ready()) === 503 && performance.now() < 2 * until)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await ready()).to.equal(200);
  });

  it('answers 503 with Retry-After in time, however many ask, and 200 again when it is back', async () => {
    expect(await track()).to.deep.equal([200, false]);
    proxy.freeze();
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // what is in memory counts for less
    const refused = await Promise.all(Array.from({ length: 50 }, track));
    for (const answer of refused) expect(answer).to.deep.equal([503, true]);
    proxy.thaw();
    const until = performance.now() + BOUND;
    let answer = await track();
    while (answer[0] === 503 && performance.now() < until) answer = await track();
    expect(answer).to.deep.equal([200, false]);
  });

  it('refuses changes in time, however many wait for each other', async () => {
    const options = { secret: SECRET, engine: engineAt({ ...location, port: proxy.port }) };
    const control = await ControlDatabase.open(temporaryFolder(), options);
    proxy.freeze();
    const since = performance.now();
    const create = async (): Promise<string> => (await refusal(() => control.organizations.create('Org'))).code;
    const refused = await Promise.all(Array.from({ length: 20 }, create));
    expect(performance.now() - since).to.be.below(BOUND);
    expect(new Set(refused)).to.deep.equal(new Set(['storage_unavailable']));
    proxy.thaw();
    await control.organizations.create('Org');
    await control.close();
  });

  it('gives up a connection on which nothing comes any more, and takes another', async () => {
    const options = { secret: SECRET, engine: engineAt({ ...location, port: proxy.port }) };
    const control = await ControlDatabase.open(temporaryFolder(), options);
    const known = await control.organizations.list();
    proxy.freeze();
    proxy.thaw(); // for new connections
    const since = performance.now();
    expect((await refusal(() => control.organizations.list())).code).to.equal('storage_unavailable');
    expect(performance.now() - since).to.be.within(1_000, BOUND);
    expect(await control.organizations.list()).to.deep.equal(known);
    await control.close();
  });
});
