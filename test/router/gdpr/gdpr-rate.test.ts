import { expect } from 'chai';
import { fetch } from '../../support/checked-fetch.ts';
import { startTestService } from '../../support/service.ts';

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
});
