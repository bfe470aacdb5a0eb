import http from 'node:http';
import { expect } from 'chai';
import { fetch } from '../../support/checked-fetch.ts';
import { startWithoutShards, type TestService } from '../../support/service.ts';

/** Bytes of a body, and how many of them come. */
const [LENGTH, COME] = [65_000, 60_000];

describe('bodies of the management APIs that are long in coming', () => {
  let test: TestService;
  before(async () => (test = await startWithoutShards({ WINDLASS_MEMORY: '16MiB' })));
  after(() => test.stop());

  const created = async ({ url, keys }: TestService): Promise<number> => {
    const init = { method: 'POST', headers: { 'X-API-Key': keys.adminKey }, body: '{"name":"One more"}' };
    return (await fetch(`${url}/api/admin/projects`, init)).status;
  };

  it('take the room of their own organization, and no other', async () => {
    const slow = Array.from({ length: 7 }, () => {
      const headers = { 'X-API-Key': test.keys.adminKey, 'Content-Length': LENGTH };
      const request = http.request(`${test.url}/api/admin/projects`, { method: 'POST', headers, agent: false });
      request.on('error', () => undefined).write(' '.repeat(COME));
      return request;
    });
    while ((await created(test)) !== 429);
    expect(await created(await test.another())).to.equal(201);
    for (const request of slow) request.destroy();
  });
});
