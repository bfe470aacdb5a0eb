import { expect } from 'chai';
import { readConfig } from '../../../lib/base/config/config.ts';
import type { PostgresLocation } from '../../../lib/base/config/postgres-location.ts';
import { silentLog } from '../../../lib/base/log.ts';
import { startService, type RunningService } from '../../../lib/server/service.ts';
import { MemoryStore } from '../../../test/support/memory-store.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { dropSchemas, newSchema, urlOf } from '../support/postgres-schema.ts';

/** Events that each node takes of a project in a minute. */
const LIMIT = 5;

describe('each of several nodes', () => {
  let location: PostgresLocation;
  let nodes: RunningService[];

  before(async () => {
    location = await newSchema();
    const settings = {
      ...{ WINDLASS_ADDR: '127.0.0.1:0', WINDLASS_METRICS_ADDR: 'none', WINDLASS_SECRET: 'a secret of all nodes' },
      ...{ WINDLASS_URL: 'http://127.0.0.1:9', WINDLASS_CONTROL: urlOf(location) },
      ...{ WINDLASS_STORE: 'clickhouse://nobody@127.0.0.1:1/events', WINDLASS_EVENTS_PER_MINUTE: String(LIMIT) },
    };
    const start = (): Promise<RunningService> =>
      startService({
        config: readConfig({ ...settings, WINDLASS_DATA: temporaryFolder() }),
        log: silentLog(),
        store: () => Promise.resolve(new MemoryStore()),
      });
    nodes = await Promise.all([start(), start()]);
  }); // prettier-ignore
  after(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await dropSchemas([location]);
  });

  const secretKey = (): string => nodes.flatMap(({ defaults }) => defaults ?? [])[0]?.secretKey ?? '';
  const post = (node: RunningService, path: string, key: string, body: object): Promise<Response> =>
    fetch(node.url + path, { method: 'POST', headers: { 'X-API-Key': key }, body: JSON.stringify(body) });

  it('takes on each node as many events a minute as are set, so that a host divides them itself', async () => {
    const events = Array.from({ length: LIMIT }, () => ({ event_type: 'e', device_id: 'd' }));
    for (const node of nodes) {
      expect((await post(node, '/track', secretKey(), { events })).status, 'all of the limit').to.equal(200);
      const refused = await post(node, '/track', secretKey(), { event_type: 'e', device_id: 'd' });
      expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).to.deep.equal([429, true]);
    }
  });
});
