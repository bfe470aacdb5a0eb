import { expect } from 'chai';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { holdRequests } from '../../support/hold.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startHeldService, startWithoutShards } from '../../support/service.ts';
import { makeTenant, send, type Sender } from '../../support/tenants.ts';

const BY = { name: 'test', ip: null };

describe('limits of an organization', () => {
  let test: TestService;
  afterEach(() => test.stop());

  /** Secret keys of new projects in the first organization. */
  async function projects(count: number): Promise<string[]> {
    const made: string[] = [];
    for (let n = 0; n < count; n++) {
      const answer = await send(test, ['POST', '/api/admin/projects'], { key: test.keys.adminKey }, { name: `P${n}` });
      made.push(String((await jsonOf(answer))['secret_key']));
    }
    return made;
  }
  const ask = (key: string): Promise<Response> => test.post('/query', { q: '*' }, { 'X-API-Key': key });
  const weigh = async (weight: number): Promise<void> => {
    const control = await ControlDatabase.open(test.folder, { secret: null });
    await control.organizations.setLimits(test.keys.organization.id, { weight }, BY);
    await control.close();
  };

  it('are ten times those of a project: more projects bring no more queries a minute, and weight does', async () => {
    test = await startWithoutShards({ WINDLASS_QUERIES_PER_MINUTE: '1' });
    const keys = await projects(12);
    const statuses: number[] = [];
    for (const key of keys) statuses.push((await ask(key)).status);
    expect(statuses).to.deep.equal([...Array<number>(10).fill(200), 429, 429]);
    const refused = await ask(keys[11]!);
    expect(refused.headers.get('ratelimit-policy')).to.equal('"queries";q=10;w=60');
    expect(String((await jsonOf(refused))['error'])).to.contain('This organization exceeds');
    const other = await makeTenant(test, 'Other');
    expect((await ask(other.secretKey)).status, 'another organization').to.equal(200);
    await weigh(2);
    expect((await ask(keys[11]!)).status, 'with a larger share').to.equal(200);
  });

  it('count queries with a mistake, too: reading them takes as long', async () => {
    test = await startWithoutShards({ WINDLASS_QUERIES_PER_MINUTE: '1' });
    const wrong = (): Promise<Response> =>
      test.post('/query', { q: '* | cuont' }, { 'X-API-Key': test.keys.secretKey });
    expect([(await wrong()).status, (await wrong()).status]).to.deep.equal([400, 429]);
  });

  it('hold events a minute', async () => {
    test = await startWithoutShards({ WINDLASS_EVENTS_PER_MINUTE: '1' });
    const keys = await projects(11);
    const statuses: number[] = [];
    for (const key of keys)
      statuses.push((await test.post('/track', { event_type: 'a' }, { 'X-API-Key': key })).status);
    expect(statuses).to.deep.equal([...Array<number>(10).fill(200), 429]);
  });

  it('hold queries at once, and another organization does not wait', async () => {
    const held = await startHeldService({ WINDLASS_QUERY_CONCURRENCY: '1', WINDLASS_QUERY_WAIT: '50ms' });
    test = held;
    const keys = await projects(11);
    const other = await makeTenant(test, 'Other');
    const { reached, release } = holdRequests(held.store);
    const asked = keys.slice(0, 10).map(ask);
    await reached(10);
    expect((await ask(keys[10]!)).status).to.equal(429);
    const others = ask(other.secretKey);
    release();
    for (const query of [...asked, others]) expect((await query).status).to.equal(200);
  });

  it('hold new projects a minute: 429 with the rate, however often some are deleted; wl admin is exempt', async () => {
    test = await startWithoutShards({ WINDLASS_PROJECTS_PER_MINUTE: '2' });
    const { adminKey, organization } = test.keys;
    const make = (): Promise<Response> =>
      send(test, ['POST', '/api/admin/projects'], { key: adminKey }, { name: 'More' });
    const first = await jsonOf(await make());
    const confirmed = { project_name: 'More', project_name_confirm: 'More' };
    await send(test, ['DELETE', `/api/admin/projects/${String(first['id'])}`], { key: adminKey }, confirmed);
    expect((await make()).status).to.equal(201);
    const refused = await make();
    expect(refused.status).to.equal(429);
    expect([refused.headers.get('retry-after'), refused.headers.get('ratelimit-limit')]).to.deep.equal(['60', '2']);
    const control = await ControlDatabase.open(test.folder, { secret: null });
    await control.projects.create(organization.id, 'Of the operator', { name: 'wl admin', ip: null }, { exempt: true });
    await control.close();
  });

  it('hold the changes of an account and of an admin key, and keep nobody else from theirs', async () => {
    test = await startWithoutShards({ WINDLASS_CHANGES_PER_MINUTE: '2' });
    const acme = await makeTenant(test, 'Acme');
    const path = `/api/orgs/${acme.orgId}/members`;
    const change = (sender: Sender, email: string, at = path): Promise<Response> =>
      send(test, ['DELETE', at], sender, { email });
    const admin = { cookie: acme.cookies.admin };
    for (let n = 0; n < 2; n++) expect((await change(admin, 'nobody@acme.example')).status).to.equal(404);
    const refused = await change(admin, 'owner@acme.example');
    expect([refused.status, refused.headers.get('ratelimit-policy')]).to.deep.equal([429, '"changes";q=2;w=60']);
    expect((await jsonOf(refused))['error']).to.equal('This account or admin key exceeds 2 changes per minute.');
    expect((await send(test, ['GET', path], admin)).status).to.equal(200);
    expect((await send(test, ['DELETE', '/api/sessions'], admin)).status, 'whoever has a stolen session').to.equal(200);
    expect((await change({ cookie: acme.cookies.owner }, 'admin@acme.example')).status).to.equal(200);
    const key = { key: acme.adminKey };
    for (const status of [404, 404, 429])
      expect((await change(key, 'nobody@acme.example', '/api/admin/members')).status).to.equal(status);
  });

  it('hold its projects: 403, and the operator may make more', async () => {
    test = await startWithoutShards();
    const control = await ControlDatabase.open(test.folder, { secret: null });
    expect((await control.organizations.get(test.keys.organization.id)).limits.projects).to.equal(10_000);
    await control.organizations.setLimits(test.keys.organization.id, { projects: 1 }, BY);
    const refused = await send(test, ['POST', '/api/admin/projects'], { key: test.keys.adminKey }, { name: 'More' });
    expect([refused.status, (await jsonOf(refused))['code']]).to.deep.equal([403, 'limit_reached']);
    await control.projects.create(test.keys.organization.id, 'More', { name: 'wl admin', ip: null }, { exempt: true });
    await control.close();
  });

  it('let an account make only so many organizations', async () => {
    test = await startWithoutShards({ WINDLASS_ORGS_PER_ACCOUNT: '2' });
    const { cookies } = await makeTenant(test, 'Other');
    const make = (): Promise<Response> =>
      send(test, ['POST', '/api/orgs'], { cookie: cookies.owner }, { name: 'One more' });
    expect([(await make()).status, (await make()).status]).to.deep.equal([201, 201]);
    const refused = await make();
    expect([refused.status, (await jsonOf(refused))['code']]).to.deep.equal([403, 'limit_reached']);
    expect((await send(test, ['POST', '/api/orgs'], { cookie: cookies.member }, { name: 'Mine' })).status).to.equal(
      201,
    );
  });
});
