import { expect } from 'chai';
import { fetch } from '../../support/checked-fetch.ts';
import { jsonOf, startTestService } from '../../support/service.ts';

describe('/api/gdpr', () => {
  it('has a rate of its own: each request starts a thread or rewrites a file', async () => {
    const test = await startTestService({ WINDLASS_QUERIES_PER_MINUTE: '2' });
    const headers = { 'X-API-Key': test.keys.secretKey };
    const ask = async (method: string, path: string): Promise<number> => {
      const answer = await fetch(`${test.url}/api/gdpr/users/${path}`, { method, headers });
      await answer.text();
      return answer.status;
    };
    expect(await ask('DELETE', 'a')).to.equal(200);
    expect(await ask('GET', 'a/export')).to.equal(200);
    expect([await ask('DELETE', 'a'), await ask('GET', 'a/export')]).to.deep.equal([429, 429]);
    expect((await test.post('/query', '{"q":"*"}')).status).to.equal(200);
    await test.stop();
  });

  it('erases no more users of an organization once they had too many devices: each stays in a log', async () => {
    const test = await startTestService({ WINDLASS_ERASED_DEVICES: '2' });
    const other = await test.another();
    const erase = (user: string, key = test.keys.secretKey): Promise<Response> =>
      fetch(`${test.url}/api/gdpr/users/${user}`, { method: 'DELETE', headers: { 'X-API-Key': key } });
    for (const device of ['a', 'b', 'c']) await test.post('/identify', { user_id: 'ann', device_id: device });
    expect(await jsonOf(await erase('bob'))).to.deep.equal({ deleted: { events: 0, profiles: 0, devices: 0 } });
    expect(await jsonOf(await erase('ann'))).to.deep.equal({ deleted: { events: 0, profiles: 1, devices: 3 } });
    const refused = await erase('bob');
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([429, '60']);
    expect((await jsonOf(refused))['error']).to.equal(
      'This organization has erased people with 2 devices, as many as it may at once.',
    );
    expect((await erase('bob', other.keys.secretKey)).status).to.equal(200);
    const path = `${test.url}/api/gdpr/users/ann/export`;
    expect((await fetch(path, { headers: { 'X-API-Key': test.keys.secretKey } })).status).to.equal(200);
    await test.stop();
  });
});
