import { expect } from 'chai';
import { holdRequests } from '../../support/hold.ts';
import { jsonOf, startHeldService, startTestService } from '../../support/service.ts';
import type { TestService } from '../../support/service.ts';
import { makeTenant, send, type Tenant } from '../../support/tenants.ts';

describe('questions with a session', () => {
  let test: TestService;
  let acme: Tenant;
  before(async () => {
    test = await startTestService({ WINDLASS_QUERIES_PER_MINUTE: '20' });
    acme = await makeTenant(test, 'Acme');
    const events = ['signup', 'signup', 'purchase'].map((name, index) => ({
      event_type: name,
      user_id: `u${index}`,
      event_properties: { plan: 'pro' },
      user_properties: { team: 'blue' },
    }));
    await test.post('/track', { events }, { 'X-API-Key': acme.publicKey });
  });
  after(() => test.stop());

  const ask = (body: object, cookie = acme.cookies.viewer): Promise<Response> =>
    send(test, ['POST', `/api/projects/${acme.projectId}/query`], { cookie }, body);

  it('are answered to a viewer as POST /query answers them, in every form', async () => {
    for (const format of ['llm', 'json', 'csv']) {
      const q = 'inspect *';
      const mine = await ask({ q, format });
      const theirs = await test.post('/query', { q, format }, { 'X-API-Key': acme.secretKey });
      expect(mine.status).to.equal(200);
      expect(mine.headers.get('content-type')).to.equal(theirs.headers.get('content-type'));
      expect(mine.headers.get('x-total-count')).to.equal(theirs.headers.get('x-total-count'));
      const steady = (text: string): string => text.replaceAll(/\d+ ms|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '');
      expect(steady(await mine.text())).to.equal(steady(await theirs.text()));
    }
    const envelope = await jsonOf(await ask({ q: '* | count', format: 'json', envelope: true }));
    expect(envelope['rows']).to.deep.equal([{ count: 3 }]);
    expect(await jsonOf(await ask({ q: '* | count', explain: true }))).to.include.keys('plan', 'times');
  });

  it('are errors with the place of the mistake', async () => {
    const response = await ask({ q: '* | cuont' });
    const { code, position } = await jsonOf(response);
    expect([response.status, code, position]).to.deep.equal([400, 'bad_query', 4]);
  });

  it('take a body of the size that POST /query takes, and no larger one', async () => {
    expect((await ask({ q: 'x'.repeat(17_000) })).status).to.equal(400);
    expect((await ask({ q: 'x'.repeat(140_000) })).status).to.equal(413);
  });

  it('are completed with the events and properties that the project has', async () => {
    const path = `/api/projects/${acme.projectId}/names`;
    const names = await jsonOf(await send(test, ['GET', path], { cookie: acme.cookies.viewer }));
    expect(names['events']).to.have.members(['signup', 'purchase']);
    expect(names['fields']).to.include.members(['event_properties.plan', 'user_properties.team', 'user.team']);
  });

  it("use up the project's queries of the minute, together with those that keys ask", async () => {
    const left = async (): Promise<number> => {
      const response = await test.post('/query', { q: '*' }, { 'X-API-Key': acme.secretKey });
      return Number(response.headers.get('ratelimit-remaining'));
    };
    const before = await left();
    await ask({ q: '*' });
    await send(test, ['GET', `/api/projects/${acme.projectId}/names`], { cookie: acme.cookies.viewer });
    expect(await left()).to.equal(before - 3);
    for (let rest = before; rest > 0; rest--) await ask({ q: '*' });
    const refused = await ask({ q: '*' });
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([429, '60']);
    const names = await send(test, ['GET', `/api/projects/${acme.projectId}/names`], { cookie: acme.cookies.viewer });
    expect(names.status).to.equal(429);
  });
});

describe('questions with a session, where queries are switched off', () => {
  it('are 503, and so are the names that complete them', async () => {
    const test = await startTestService({ WINDLASS_QUERIES: 'off' });
    const { projectId, cookies } = await makeTenant(test, 'Quiet');
    const path = `/api/projects/${projectId}`;
    for (const answer of [
      await send(test, ['POST', `${path}/query`], { cookie: cookies.viewer }, { q: '*' }),
      await send(test, ['GET', `${path}/names`], { cookie: cookies.viewer }),
    ]) {
      expect([answer.status, (await jsonOf(answer))['code']]).to.deep.equal([503, 'feature_disabled']);
    }
    await test.stop();
  });
});

describe('questions with a session about a project whose queries are suspended', () => {
  it('are 403, and so are the names that complete them', async () => {
    const test = await startTestService();
    const { projectId, cookies } = await makeTenant(test, 'Suspended');
    const path = `/api/projects/${projectId}`;
    await send(test, ['POST', `${path}/suspend`], { cookie: cookies.admin }, { what: 'queries', reason: 'r' });
    for (const answer of [
      await send(test, ['POST', `${path}/query`], { cookie: cookies.viewer }, { q: '*' }),
      await send(test, ['GET', `${path}/names`], { cookie: cookies.viewer }),
    ]) {
      expect([answer.status, (await jsonOf(answer))['code']]).to.deep.equal([403, 'suspended']);
    }
    await test.stop();
  });
});

describe('the turns of questions with a session', () => {
  it("are the project's, and so is the deadline", async () => {
    const held = await startHeldService({
      WINDLASS_QUERY_CONCURRENCY: '1',
      WINDLASS_QUERY_WAIT: '50ms',
      WINDLASS_QUERY_TIMEOUT: '3s',
    });
    const acme = await makeTenant(held, 'Acme');
    const { reached } = holdRequests(held.store);
    const path = `/api/projects/${acme.projectId}/query`;
    const ask = (): Promise<Response> => send(held, ['POST', path], { cookie: acme.cookies.viewer }, { q: '*' });
    const running = ask();
    await reached(1);
    const others = await Promise.all([ask(), held.post('/query', { q: '*' }, { 'X-API-Key': acme.secretKey })]);
    expect(others.map(({ status }) => status)).to.deep.equal([429, 429]);
    expect((await running).status).to.equal(504);
    await held.stop();
  });
});
