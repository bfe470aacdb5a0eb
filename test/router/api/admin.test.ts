import { expect } from 'chai';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { Browser } from '../../support/session-browser.ts';
import { fetch } from '../../support/checked-fetch.ts';
import { filesWith } from '../../support/files-with.ts';
import { jsonOf, startWithoutShards, type TestService } from '../../support/service.ts';
import { utcDay } from '../../../lib/base/day.ts';

type Json = Record<string, unknown>;

/** A host that provisions a customer with only the organization's key. */
describe('/api/admin with an admin key', () => {
  let test: TestService;
  before(async () => {
    test = await startWithoutShards({ WINDLASS_AUTH_FAILURES_PER_MINUTE: '0' });
    await Browser.loggedIn(test, 'owner@example.com', { orgId: test.keys.organization.id, role: 'owner' });
  });
  after(() => test.stop());

  const call = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    fetch(`${test.url}/api/admin${path}`, {
      method,
      headers: { 'X-API-Key': test.keys.adminKey, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const made = async (
    path: string,
    body: unknown,
    key?: string,
  ): Promise<{ status: number; body: Json; replayed: boolean }> => {
    const answer = await call('POST', path, body, key === undefined ? {} : { 'Idempotency-Key': key });
    return { status: answer.status, body: await jsonOf(answer), replayed: answer.headers.has('idempotency-replayed') };
  };
  const listed = async (path: string): Promise<Json[]> => (await (await call('GET', path)).json()) as Json[];

  it('makes a project once for a key of the caller, whatever is sent again, and keeps no secret in clear', async () => {
    const before = (await listed('/projects')).length;
    const first = await made('/projects', { name: 'Shop' }, 'order-17');
    const again = await made('/projects', { name: 'Shop' }, 'order-17');
    expect([first.status, first.replayed, again.status, again.replayed]).to.deep.equal([201, false, 201, true]);
    expect(again.body).to.deep.equal(first.body);
    const other = await made('/projects', { name: 'Another' }, 'order-17');
    expect([other.status, other.body['code']]).to.deep.equal([409, 'conflict']);
    expect((await made('/projects', { name: 'Shop' }, 'order 18')).status, 'a key with a space').to.equal(400);
    expect((await made('/projects', { name: '' }, 'order-19')).status).to.equal(400);
    expect((await made('/projects', { name: 'Third' }, 'order-19')).status, 'what failed is not kept').to.equal(201);
    expect(await listed('/projects')).to.have.length(before + 2);
    expect(filesWith(test.folder, String(first.body['secret_key']))).to.deep.equal([]);
  });

  it("keeps each organization's keys apart, and forgets them after a day", async () => {
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const { adminKey } = await control.organizations.create('Umbrella');
    await control.close();
    await made('/projects', { name: 'Same' }, 'same');
    const answer = await call(
      'POST',
      '/projects',
      { name: 'Same' },
      { 'Idempotency-Key': 'same', 'X-API-Key': adminKey },
    );
    expect([answer.status, answer.headers.has('idempotency-replayed')]).to.deep.equal([201, false]);
    await answer.text();
    const later = await ControlDatabase.open(test.folder, { secret: null, now: () => Date.now() + 86_400_001 });
    const owner = test.keys.organization.id;
    const once = await later.idempotency.once({ owner, key: 'same', request: 'x' }, () =>
      Promise.resolve({ status: 1, body: 'new' }),
    );
    await later.close();
    expect(once).to.deep.equal({ status: 1, body: 'new', replayed: false });
  });

  it('changes settings, and makes, lists and revokes tokens, which work', async () => {
    const { id } = (await made('/projects', { name: 'Settings' })).body;
    const changed = await call('PATCH', `/projects/${String(id)}`, { settings: { timezone: 'Asia/Tokyo' } });
    expect((await jsonOf(changed))['settings']).to.include({ timezone: 'Asia/Tokyo' });
    const path = `/projects/${String(id)}/tokens`;
    const first = await made(path, { name: 'robot', scopes: ['query'] }, 'robot-1');
    expect((await made(path, { name: 'robot', scopes: ['query'] }, 'robot-1')).body).to.deep.equal(first.body);
    expect((await listed(path)).map(({ name, created_by: by }) => [name, by])).to.deep.equal([['robot', 'admin key']]);
    const asked = (): Promise<Response> => {
      const headers = { 'X-API-Key': String(first.body['token']) };
      return fetch(`${test.url}/query`, { method: 'POST', headers, body: JSON.stringify({ q: '* | count' }) });
    };
    expect((await asked()).status).to.equal(200);
    expect((await call('DELETE', `${path}/${String(first.body['id'])}`)).status).to.equal(200);
    expect((await asked()).status).to.equal(401);
  });

  it('invites, changes and removes members, and nothing that concerns owners', async () => {
    const invited = await made('/members', { email: 'Grace@example.com', role: 'member' }, 'invite-1');
    expect([invited.status, invited.body['email'], invited.body['status']]).to.deep.equal([
      201,
      'grace@example.com',
      'invited',
    ]);
    expect((await made('/members', { email: 'Grace@example.com', role: 'member' }, 'invite-1')).replayed).to.equal(
      true,
    );
    expect((await made('/members', { email: 'grace@example.com', role: 'member' })).status).to.equal(409);
    expect((await made('/members', { email: 'grace@example.com', role: 'admin' })).status).to.equal(200);
    expect((await listed('/members')).map(({ email, role }) => [email, role])).to.deep.equal([
      ['owner@example.com', 'owner'],
      ['grace@example.com', 'admin'],
    ]);
    for (const [email, role] of [
      ['grace@example.com', 'owner'],
      ['new@example.com', 'owner'],
      ['owner@example.com', 'viewer'],
    ] as const)
      expect((await made('/members', { email, role })).status, `${email} ${role}`).to.equal(403);
    expect((await call('DELETE', '/members', { email: 'owner@example.com' })).status).to.equal(403);
    expect((await call('DELETE', '/members', { email: 'grace@example.com' })).status).to.equal(200);
    expect((await call('DELETE', '/members', { email: 'grace@example.com' })).status).to.equal(404);
  });

  it('tells usage by project and day, with the bill of the months, as JSON and as CSV, of deleted projects too', async () => {
    const since = utcDay(Date.now());
    const { body: project } = await made('/projects', { name: '=formula()' });
    const sent = await fetch(`${test.url}/track`, {
      method: 'POST',
      headers: { 'X-API-Key': String(project['secret_key']) },
      body: JSON.stringify({
        events: [
          { event_type: 'e', user_id: 'u' },
          { event_type: 'e', user_id: 'u' },
        ],
      }),
    });
    expect(sent.status).to.equal(200);
    const day = async (): Promise<Json | undefined> => {
      const { days } = await jsonOf(await call('GET', `/usage?from=${since}`));
      return (days as Json[]).find((each) => each['project_id'] === project['id'] && each['events_stored'] === 2);
    };
    let counted = await day();
    for (; counted === undefined; counted = await day()) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(counted).to.include({ project_name: '=formula()', events_ingested: 2 });
    const today = String(counted['date']);
    expect([since, utcDay(Date.now())]).to.include(today);
    const csv = await call('GET', `/usage?from=${today}&to=${today}&format=csv`);
    expect(csv.headers.get('content-type')).to.equal('text/csv; charset=utf-8');
    const text = await csv.text();
    expect(text).to.include(`${today},${String(project['id'])},'=formula(),2,2,0,`);
    expect(text).to.match(new RegExp(`\\r\\n${today.slice(0, 7)},,,,\\d+,,,,,,0,0\\r\\n$`));
    const names = { project_name: '=formula()', project_name_confirm: '=formula()' };
    expect((await call('DELETE', `/projects/${String(project['id'])}`, names)).status).to.equal(200);
    expect(await day()).to.include({ project_name: null, events_stored: 2 });
    expect((await call('GET', '/usage?format=xml')).status).to.equal(400);
    expect((await call('GET', '/usage?from=2020-01-01')).status, 'more than 366 days').to.equal(400);
  });

  it('reads the audit trail and the organization, where the key acts under its own name', async () => {
    expect(await jsonOf(await call('GET', '/organization'))).to.include({
      id: test.keys.organization.id,
      name: 'Default',
    });
    const page = await call('GET', '/audit?limit=1');
    expect(page.headers.get('x-next-cursor')).to.match(/^\d+$/);
    expect((await page.json()) as Json[]).to.have.length(1);
    const trail = await listed('/audit?limit=1000');
    expect(trail.filter(({ action }) => action === 'project.create').map(({ actor }) => actor)).to.include('admin key');
  });

  it('is closed to other credentials', async () => {
    for (const path of ['/organization', '/members', '/usage', '/audit']) {
      expect((await call('GET', path, undefined, { 'X-API-Key': test.keys.secretKey })).status, path).to.equal(403);
      expect((await call('GET', path, undefined, { 'X-API-Key': `ak_${'x'.repeat(43)}` })).status, path).to.equal(401);
    }
  });
});
