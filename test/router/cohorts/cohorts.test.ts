import { expect } from 'chai';
import { SAMPLE } from '../../dashboards/dashboard-files.ts';
import { fetch } from '../../support/checked-fetch.ts';
import { jsonOf, type TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { makeTenant, send, type Sender, type Tenant } from '../../support/tenants.ts';

describe('saved cohorts', () => {
  let test: TestService;
  let acme: Tenant;
  let umbrella: Tenant;
  before(async () => {
    test = await sharedService();
    acme = await makeTenant(test, 'Acme');
    umbrella = await makeTenant(test, 'Umbrella');
  });

  const put = (name: string, body: unknown, sender: Sender = { key: acme.secretKey }): Promise<Response> =>
    send(test, ['PUT', `/cohorts/${encodeURIComponent(name)}`], sender, body);
  const get = (path: string, sender: Sender = { key: acme.secretKey }): Promise<Response> =>
    send(test, ['GET', path], sender);
  const remove = (name: string, sender: Sender = { key: acme.secretKey }): Promise<Response> =>
    send(test, ['DELETE', `/cohorts/${encodeURIComponent(name)}`], sender);
  const inSession = (name = ''): string => `/api/projects/${acme.projectId}/cohorts${name}`;
  const ask = (q: string, key = acme.secretKey): Promise<Response> =>
    send(test, ['POST', '/query'], { key }, { q, format: 'json' });

  it('are saved in versions; what is unchanged is said, and adds none', async () => {
    const first = await put('big buyers', { where: 'did(purchase) >= 2', description: 'Twice or more' });
    expect(first.status).to.equal(201);
    expect(await jsonOf(first)).to.include({ name: 'big buyers', where: 'did(purchase) >= 2', description: 'Twice or more', version: 1, updated_by: `secret:${acme.projectId}`, unchanged: false });
    const again = await put('big buyers', { where: 'did(purchase) >= 2', description: 'Twice or more' });
    expect([again.status, await jsonOf(again)]).to.deep.include.members([200]);
    const second = await jsonOf(await put('big buyers', { where: 'did(purchase) >= 3' }, { key: acme.tokens.dashboards.key }));
    expect(second).to.include({ version: 2, description: null, unchanged: false, updated_by: `token:${acme.tokens.dashboards.id}` });
    expect(await jsonOf(await get('/cohorts/big%20buyers'))).to.include({ version: 2, where: 'did(purchase) >= 3' });
    expect(await jsonOf(await get('/cohorts/big%20buyers?version=1'))).to.include({ version: 1, where: 'did(purchase) >= 2' });
    expect((await get('/cohorts/big%20buyers?version=3')).status).to.equal(404);
    expect((await get('/cohorts/big%20buyers?version=0')).status).to.equal(400);
    const list: unknown = await (await get('/cohorts')).json();
    expect(list).to.have.length(1).and.to.have.nested.property('[0].name', 'big buyers');
  }); // prettier-ignore

  it('are read with the scope query and written with the scope dashboards', async () => {
    const body = { where: 'did(a)' };
    for (const key of [acme.publicKey, acme.tokens.track.key, acme.tokens.admin.key, acme.adminKey]) {
      expect((await put('x', body, { key })).status).to.equal(403);
      expect((await get('/cohorts', { key })).status).to.equal(403);
    }
    expect((await put('x', body, { key: acme.tokens.query.key })).status).to.equal(403);
    expect((await remove('x', { key: acme.tokens.query.key })).status).to.equal(403);
    expect((await get('/cohorts', { key: acme.tokens.query.key })).status).to.equal(200);
    expect((await get('/cohorts', { key: acme.tokens.dashboards.key })).status).to.equal(403);
    expect((await get('/cohorts', {})).status).to.equal(401);
    expect((await get(`/cohorts?key=${acme.secretKey}`, {})).status).to.equal(401);
    expect((await get('/cohorts', { cookie: acme.cookies.owner })).status).to.equal(401);
  });

  it('have no condition for a token that sees no personal data', async () => {
    await put('named', { where: 'user.email = "ann@example.com"' });
    const token = { name: 'agent', scopes: ['query'], personal: false };
    const path = `/api/projects/${acme.projectId}/tokens`;
    const made = await jsonOf(await send(test, ['POST', path], { cookie: acme.cookies.admin }, token));
    const agent = { key: String(made['token']) };
    for (const answer of [await get('/cohorts', agent), await get('/cohorts/named', agent)]) {
      const text = await answer.text();
      expect(text).to.contain('"named"').and.contain('"where":null').and.not.contain('ann@');
    }
    const refused = await jsonOf(await ask('* | where cohort "named" | count', agent.key));
    expect(String(refused['error'])).to.contain('personal');
    expect((await remove('named')).status).to.equal(200);
  });

  it('are read by viewers and written by members who are logged in', async () => {
    const call = (method: string, role: keyof Tenant['cookies'], of = acme): Promise<Response> =>
      send(test, [method, inSession('/mine')], { cookie: of.cookies[role] }, method === 'PUT' ? { where: 'did(a)' } : undefined);
    expect((await call('PUT', 'viewer')).status).to.equal(403);
    expect((await call('PUT', 'member')).status).to.equal(201);
    expect((await call('GET', 'viewer')).status).to.equal(200);
    expect((await get(inSession(), { cookie: acme.cookies.viewer })).status).to.equal(200);
    expect((await call('PUT', 'owner', umbrella)).status).to.equal(404);
    expect((await call('GET', 'owner', umbrella)).status).to.equal(404);
    expect((await call('DELETE', 'viewer')).status).to.equal(403);
    expect(await jsonOf(await call('DELETE', 'member'))).to.deep.equal({ deleted: true, name: 'mine' });
    expect((await call('GET', 'viewer')).status).to.equal(404);
    const foreign = await fetch(test.url + inSession('/mine'), { method: 'PUT', headers: { Cookie: acme.cookies.owner, Origin: 'https://evil.example' }, body: '{"where": "did(a)"}' });
    expect(foreign.status).to.equal(403);
  }); // prettier-ignore

  it('are refused with the place of a mistake', async () => {
    const mistake = async (where: unknown): Promise<Record<string, unknown>> => {
      const response = await put('wrong', { where });
      return { ...(await jsonOf(response)), status: response.status };
    };
    expect(await mistake('did(purchase) and did(')).to.include({ status: 400, position: 22 });
    const ofEvents = await mistake('user.plan = "pro" and _country = "DE"');
    expect(ofEvents).to.include({ position: 22 });
    expect(ofEvents['error']).to.include('expected a field of people').and.to.include('_country = "DE"');
    expect((await mistake('session.country = "DE"'))['error']).to.include('expected a field of people');
    expect((await mistake('event_type = "a"'))['error']).to.include('expected a field of people');
    expect((await mistake('where did(a)'))['error']).to.include('leave `where` out');
    expect((await mistake('did(a) | count'))['error']).to.include('expected `and`, `or` or the end of the condition');
    expect((await mistake('user.plan ~ "("'))['error']).to.include('expected a regular expression');
    expect((await mistake('did(a[cohort "b"])'))['error']).to.include('`cohort` chooses rows by their person');
    expect((await mistake(Array.from({ length: 17 }, () => 'did(a)').join(' or ')))['error']).to.include('at most 16');
    expect((await mistake('cohort "none"'))['error']).to.include('does not exist');
    expect((await mistake('cohort "wrong"'))['error']).to.include('leads back to itself');
    expect(await mistake(7)).to.include({ status: 400 });
    expect(await mistake(`user.a = "${'é'.repeat(2_100)}"`)).to.include({ status: 400 });
    expect((await put('a"b', { where: 'did(a)' })).status).to.equal(400);
    expect((await put('x', { where: 'did(a)', wher: 1 })).status).to.equal(400);
    expect((await get('/cohorts/wrong')).status).to.equal(404);
  });

  it('are asked for by queries of their project, as they are now', async () => {
    const own = await makeTenant(test, 'Buyers');
    const sender = { key: own.secretKey };
    const events = ['ann', 'ann', 'bob'].map((user_id) => ({ event_type: 'purchase', user_id, time: Date.now() }));
    await send(test, ['POST', '/track'], { key: own.secretKey }, { events });
    await put('buyers', { where: 'did(purchase) >= 2' }, sender);
    const rows = async (q: string): Promise<unknown> => (await ask(q, own.secretKey)).json();
    expect(await rows('* | where cohort "buyers" | unique')).to.deep.equal([{ unique: 1 }]);
    await put('buyers', { where: 'did(purchase)' }, sender);
    expect(await rows('* | where cohort "buyers" | unique')).to.deep.equal([{ unique: 2 }]);
    await put('anns', { where: 'cohort "buyers" and user_last_session.event_count exists or did(purchase) = 2' }, sender);
    expect(await rows('* | unique by cohort "anns"')).to.deep.equal([
      { 'cohort "anns"': 'in', unique: 1 },
      { 'cohort "anns"': 'out', unique: 1 },
    ]);
    await put('slow', { where: 'user.plan ~ "^(a|b)*$" or did(purchase) = 1' }, sender); // read in another thread
    expect(await rows('* | where cohort "slow" | count')).to.deep.equal([{ count: 1 }]);
    const unknown = await ask('* | where cohort "buyer"', own.secretKey);
    expect(await jsonOf(unknown)).to.include({ position: 17 }).and.to.have.property('error').that.includes('did you mean "buyers"?');
    expect((await ask('* | where cohort "buyers"', umbrella.secretKey)).status).to.equal(400);
  }); // prettier-ignore

  it('are named to whoever lists the events', async () => {
    const own = await makeTenant(test, 'Inspecting');
    const notes = async (q: string): Promise<unknown> => {
      const body = { q, format: 'json', envelope: true };
      return (await jsonOf(await send(test, ['POST', '/query'], { key: own.secretKey }, body)))['notes'];
    };
    expect(JSON.stringify(await notes('inspect *'))).to.not.include('Cohorts');
    for (let nth = 0; nth < 22; nth++)
      await put(`c ${String(nth).padStart(2, '0')}`, { where: 'did(a)' }, { key: own.secretKey });
    expect(await notes('inspect *')).to.satisfy((found: string[]) => found.some((note) => note.startsWith('Cohorts: "c 00", "c 01", ') && note.endsWith('"c 19" and 2 more (GET /cohorts).'))); // prettier-ignore
    expect(JSON.stringify(await notes('inspect a'))).to.not.include('Cohorts');
  });

  it('stay while a stored dashboard uses them, with its name', async () => {
    await put('active', { where: 'did(*)' });
    const yaml = SAMPLE.replace('id: sample', 'id: using').replace("query: '* | count by _country | top 20'", 'query: \'* | where cohort "active" | count by _country | top 20\''); // prettier-ignore
    const stored = await send(test, ['PUT', '/dashboards/using'], { key: acme.secretKey }, yaml);
    expect(stored.status, await stored.text()).to.equal(201);
    const refused = await remove('active');
    expect(refused.status).to.equal(409);
    expect((await jsonOf(refused))['error']).to.include('the cohort "active" is used by dashboard "using"');
    await send(test, ['DELETE', '/dashboards/using'], { key: acme.secretKey });
    expect((await remove('active')).status).to.equal(200);
    expect((await remove('active')).status).to.equal(404);
  });
});
