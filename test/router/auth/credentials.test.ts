import { expect } from 'chai';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { fetch } from '../../support/checked-fetch.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startWithoutShards } from '../../support/service.ts';

const EVENT = { event_type: 'a' };

describe('credentials', () => {
  let test: TestService;
  let tokens: Record<'track' | 'query' | 'admin', string>;
  before(async () => {
    test = await startWithoutShards({ WINDLASS_AUTH_FAILURES_PER_MINUTE: '0' });
    tokens = await makeTokens(test);
  });
  after(() => test.stop());

  /** The status of a request with that key, in the header or the query string. */
  async function status(path: string, key: string | null, headers: Record<string, string> = {}): Promise<number> {
    const given: Record<string, string> = key === null ? {} : { 'X-API-Key': key };
    const body = JSON.stringify(path.startsWith('/query') ? { q: '*' } : { ...EVENT, user_id: 'u' });
    return (await fetch(test.url + path, { method: 'POST', headers: { ...given, ...headers }, body })).status;
  }

  for (const path of ['/track', '/identify']) {
    it(`of ${path} are pk_, sk_ and tokens with scope track`, async () => {
      expect(await status(path, test.keys.project.publicKey)).to.equal(200);
      expect(await status(path, test.keys.secretKey)).to.equal(200);
      expect(await status(path, tokens.track)).to.equal(200);
      expect(await status(path, tokens.query)).to.equal(403);
      expect(await status(path, test.keys.adminKey)).to.equal(403);
    });
  }

  it('of /query are sk_ and tokens with scope query', async () => {
    expect(await status('/query', test.keys.secretKey)).to.equal(200);
    expect(await status('/query', tokens.query)).to.equal(200);
    expect(await status('/query', test.keys.project.publicKey)).to.equal(403);
    expect(await status('/query', tokens.track)).to.equal(403);
    expect(await status('/query', tokens.admin)).to.equal(403);
    expect(await status('/query', test.keys.adminKey)).to.equal(403);
  });

  it('that are missing or unknown are 401 and say what is needed', async () => {
    for (const key of [null, 'sk_unknown', `${test.keys.secretKey}x`, 'x'.repeat(10_000)]) {
      expect(await status('/track', key)).to.equal(401);
    }
    const response = await fetch(`${test.url}/query`, { method: 'POST' });
    expect(await jsonOf(response)).to.include({ code: 'unauthenticated' });
    expect(response.headers.has('www-authenticate')).to.equal(true);
  });

  it('may stand in the query string, once', async () => {
    const key = test.keys.secretKey;
    expect(await status(`/track?key=${key}`, null)).to.equal(200);
    expect(await status(`/query?key=${key}`, null)).to.equal(200);
    expect(await status(`/track?key=${key}&key=${key}`, null)).to.equal(401);
    expect(await status(`/track?key[]=${key}`, null)).to.equal(401);
    expect(await status('/track?key=', null)).to.equal(401);
  });

  it('in the header win over those in the query string', async () => {
    expect(await status('/track?key=wrong', test.keys.secretKey)).to.equal(200);
    expect(await status(`/track?key=${test.keys.secretKey}`, 'wrong')).to.equal(401);
  });
});

describe('failed authentications', () => {
  let test: TestService;
  before(async () => {
    test = await startWithoutShards({
      WINDLASS_AUTH_FAILURES_PER_MINUTE: '3',
      WINDLASS_TRUSTED_PROXIES: '127.0.0.0/8',
    });
  });
  after(() => test.stop());

  it('of an address are 429 after the limit, while valid keys and other addresses go on', async () => {
    const from = async (ip: string, key: string): Promise<Response> =>
      test.post('/track', EVENT, { 'X-API-Key': key, 'X-Forwarded-For': ip });
    for (let i = 0; i < 3; i++) expect((await from('192.0.2.1', 'sk_wrong')).status).to.equal(401);
    const refused = await from('192.0.2.1', 'sk_wrong');
    expect(refused.status).to.equal(429);
    expect(refused.headers.get('retry-after')).to.equal('60');
    expect(refused.headers.get('ratelimit-reset')).to.equal('60');
    expect(refused.headers.get('ratelimit')).to.equal('"failed authentications";r=0;t=60');
    expect(refused.headers.get('ratelimit-limit')).to.equal('3');
    expect(refused.headers.get('ratelimit-remaining')).to.equal('0');
    expect((await from('192.0.2.1', test.keys.secretKey)).status).to.equal(200);
    expect((await from('192.0.2.2', 'sk_wrong')).status).to.equal(401);
  });

  it('count together, whatever they were for, keys and sessions alike', async () => {
    const call = (path: string, headers: Record<string, string>): Promise<Response> =>
      fetch(test.url + path, { headers: { 'X-Forwarded-For': '192.0.2.9', ...headers } });
    expect((await call('/api/admin/projects', { 'X-API-Key': 'ak_wrong' })).status).to.equal(401);
    expect((await call('/api/projects/prj_a', {})).status).to.equal(401);
    expect((await call('/api/orgs', { Cookie: 'wl_session=forged' })).status).to.equal(401);
    for (const path of ['/api/admin/projects', '/api/orgs', '/api/projects/prj_a/tokens']) {
      const refused = await call(path, {});
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([429, '60']);
    }
    const key = { 'X-API-Key': test.keys.adminKey };
    expect((await call('/api/admin/projects', key)).status).to.equal(200);
  });

  it('are 60 a minute unless told otherwise', async () => {
    const other = await startWithoutShards();
    const statuses = [];
    for (let i = 0; i < 62; i++) statuses.push((await other.post('/track', EVENT, { 'X-API-Key': 'sk_wrong' })).status);
    await other.stop();
    expect(statuses.filter((status) => status === 401)).to.have.length(60);
    expect(statuses.slice(60)).to.deep.equal([429, 429]);
  });
});

/** A token of each scope, made next to a running server, as by `wl admin`. */
async function makeTokens({ keys, folder }: TestService): Promise<Record<'track' | 'query' | 'admin', string>> {
  const control = await ControlDatabase.open(folder, { secret: null });
  const make = async (scope: 'track' | 'query' | 'admin'): Promise<string> =>
    (
      await control.tokens.create(
        { projectId: keys.project.id, name: scope, scopes: [scope] },
        { name: 'test', ip: null },
      )
    ).key;
  const made = { track: await make('track'), query: await make('query'), admin: await make('admin') };
  await control.close();
  return made;
}
