import { expect } from 'chai';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { wlJson } from '../../cli/run-inside.ts';
import { fetch } from '../../support/checked-fetch.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startTestService } from '../../support/service.ts';
import { makeTenant, send, type Tenant } from '../../support/tenants.ts';

type Json = Record<string, unknown>;
type Call = readonly [method: string, path: string];

describe('the operator API', () => {
  let test: TestService;
  let acme: Tenant;
  let key: string;
  let keyId: string;
  before(async () => {
    test = await startTestService();
    acme = await makeTenant(test, 'Acme');
    const made = (await wlJson(test.folder, ['admin', 'operator-key', 'create', 'provisioning'])) as Json;
    [key, keyId] = [String(made['key']), String(made['id'])];
  });
  after(() => test.stop());

  const call = ([method, path]: Call, body?: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(test.url + path, {
      method,
      headers: { 'X-API-Key': key, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const json = async (of: Call, body?: unknown): Promise<Json> => jsonOf(await call(of, body));
  const create = async (name: string, limits?: unknown): Promise<{ org: Json; adminKey: string }> => {
    const made = await json(['POST', '/operator/orgs'], { name, ...(limits === undefined ? {} : { limits }) });
    return { org: made['organization'] as Json, adminKey: String(made['admin_key']) };
  };

  it('makes an organization with limits, a project with settings, a token and a login link', async () => {
    const { org, adminKey } = await create('Shops', { projects: 3, events_per_month: 1_000 });
    expect(org).to.deep.include({ name: 'Shops', limits: { projects: 3, events_per_month: 1_000, weight: 1 } });
    expect((await send(test, ['GET', '/api/admin/organization'], { key: adminKey })).status).to.equal(200);
    const project = await json(['POST', `/operator/orgs/${String(org['id'])}/projects`], {
      name: 'Web',
      settings: { timezone: 'Europe/Berlin', events_per_month: 100 },
    });
    expect(project['settings']).to.deep.include({ timezone: 'Europe/Berlin', events_per_month: 100 });
    const one = `/operator/projects/${String(project['id'])}`;
    const token = await json(['POST', `${one}/tokens`], { name: 'agent', scopes: ['track'] });
    expect((await send(test, ['POST', '/track'], { key: String(token['token']) }, { event_type: 'a' })).status).to.equal(200);
    const link = await json(['POST', '/operator/login-links'], { email: 'Ada@shops.example', org_id: org['id'], role: 'admin' });
    const form = new URLSearchParams({ token: new URL(String(link['url'])).searchParams.get('token') ?? '' });
    const entered = await fetch(`${test.url}/auth/link`, { method: 'POST', body: form, headers: { Origin: test.url }, redirect: 'manual' });
    expect([entered.status, entered.headers.get('location')]).to.deep.equal([303, '/console']);
    const members = (await (await call(['GET', `/operator/orgs/${String(org['id'])}/members`])).json()) as Json[];
    expect(members.map(({ email, role }) => [email, role])).to.deep.equal([['ada@shops.example', 'admin']]);
    const audit = (await (await call(['GET', `/operator/orgs/${String(org['id'])}/audit`])).json()) as Json[];
    expect(audit.map(({ action, actor }) => [action, actor])).to.deep.include.members([
      ['org.create', `operator:${keyId}`],
      ['limits.update', `operator:${keyId}`],
      ['project.create', `operator:${keyId}`],
      ['token.create', `operator:${keyId}`],
    ]);
  }); // prettier-ignore

  it('pages through the organizations, in order of creation', async () => {
    for (const name of ['P1', 'P2', 'P3']) await create(name);
    const names: string[] = [];
    let cursor = '';
    do {
      const page = await call(['GET', `/operator/orgs?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`]);
      const some = (await page.json()) as Json[];
      expect(some.length).to.be.within(1, 2);
      names.push(...some.map(({ name }) => String(name)));
      cursor = page.headers.get('x-next-cursor') ?? '';
    } while (cursor !== '');
    const all = (await (await call(['GET', '/operator/orgs'])).json()) as Json[];
    expect(names).to.deep.equal(all.map(({ name }) => name));
    expect(names.slice(-3)).to.deep.equal(['P1', 'P2', 'P3']);
    for (const wrong of ['limit=0', 'limit=1001', 'limit=x'])
      expect((await call(['GET', `/operator/orgs?${wrong}`])).status, wrong).to.equal(400);
    expect((await call(['GET', '/operator/orgs?cursor=org_none'])).status).to.equal(404);
  });

  it('pages through the projects of all organizations, and revokes a token by its id', async () => {
    const { org } = await create('Paged');
    const made = await json(['POST', `/operator/orgs/${String(org['id'])}/projects`], { name: 'Last' });
    const ids: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await call(['GET', `/operator/projects?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`]);
      ids.push(...((await page.json()) as Json[]).map(({ id }) => id));
      cursor = page.headers.get('x-next-cursor');
    }
    const all = (await (await call(['GET', '/operator/projects'])).json()) as Json[];
    expect(ids).to.deep.equal(all.map(({ id }) => id));
    expect(ids[0]).to.equal(test.keys.project.id);
    expect(ids.at(-1)).to.equal(made['id']);
    expect(JSON.stringify(all)).to.not.contain('sk_');
    expect((await call(['GET', '/operator/projects?cursor=prj_none'])).status).to.equal(404);
    expect((await call(['GET', '/operator/projects?limit=0'])).status).to.equal(400);
    const token = await json(['POST', `/operator/projects/${String(made['id'])}/tokens`], { name: 't', scopes: ['query'] });
    const one = `/operator/tokens/${String(token['id'])}`;
    expect(await json(['DELETE', one])).to.deep.equal({ deleted: true, id: token['id'] });
    expect((await call(['DELETE', one])).status).to.equal(404);
  }); // prettier-ignore

  it('renames, limits, suspends and resumes, and is above the limits of the organization', async () => {
    const { org } = await create('Changing', { projects: 0 });
    const one = `/operator/orgs/${String(org['id'])}`;
    const made = await call(['POST', `${one}/projects`], { name: 'Above' });
    expect(made.status).to.equal(201);
    const project = await jsonOf(made);
    const changed = await json(['PATCH', one], { name: 'Changed', weight: 5, events_per_month: null });
    expect(changed).to.deep.include({ name: 'Changed', limits: { projects: 0, events_per_month: null, weight: 5 } });
    const track = async (): Promise<number> =>
      (await send(test, ['POST', '/track'], { key: String(project['secret_key']) }, { event_type: 'a' })).status;
    expect(await json(['POST', `${one}/suspend`], { reason: 'unpaid' })).to.have.deep.property('suspension', { what: 'all', reason: 'unpaid' });
    expect(await track()).to.equal(403);
    expect(await json(['POST', `${one}/resume`])).to.not.have.property('suspension');
    expect(await track()).to.equal(200);
    const of = `/operator/projects/${String(project['id'])}`;
    const suspended = await json(['POST', `${of}/suspend`], { what: 'ingest', reason: 'too many' });
    expect(suspended['suspensions']).to.deep.equal([{ by: 'operator', what: 'ingest', reason: 'too many' }]);
    expect(await track()).to.equal(403);
    await json(['POST', `${of}/resume`]);
    expect(await track()).to.equal(200);
    for (const body of [{ weight: 0 }, { projects: -1 }, { events_per_month: 'many' }, { rows: 1 }])
      expect((await call(['PATCH', one], body)).status, JSON.stringify(body)).to.equal(400);
  }); // prettier-ignore

  it('deletes an organization by its name, with its projects; usage and audit trail stay', async () => {
    const { org } = await create('Leaving');
    const one = `/operator/orgs/${String(org['id'])}`;
    const project = await json(['POST', `${one}/projects`], { name: 'Going' });
    expect((await call(['DELETE', one], { name: 'leaving' })).status).to.equal(400);
    expect(await json(['DELETE', one], { name: 'Leaving' })).to.deep.equal({ deleted: true, id: org['id'], projects: [project['id']] });
    expect((await call(['GET', one])).status).to.equal(404);
    expect((await call(['GET', `/operator/projects/${String(project['id'])}`])).status).to.equal(404);
  }); // prettier-ignore

  it('creates once for an Idempotency-Key, of each operator key', async () => {
    const twice = [1, 2].map(() => call(['POST', '/operator/orgs'], { name: 'Once' }, { 'Idempotency-Key': 'k1' }));
    const [first, second] = await Promise.all((await Promise.all(twice)).map((one) => jsonOf(one)));
    expect(first).to.deep.equal(second);
    const other = await call(['POST', '/operator/orgs'], { name: 'Other' }, { 'Idempotency-Key': 'k1' });
    expect(other.status).to.equal(409);
  });

  it('tells usage and bills of a month, as JSON and CSV', async () => {
    const month = new Date().toISOString().slice(0, 7);
    const control = await ControlDatabase.open(test.folder, { secret: null });
    control.usage.record({ project: acme.projectId, date: `${month}-01`, eventsIngested: 12_000_000, eventsStored: 12_000_000, eventsRejected: 0, eventsDuplicate: 0, eventsDropped: 0, timesReplaced: 0, fieldsIgnored: 0, valuesTrimmed: 0, idsIgnored: 0, bytesStored: 1 });
    await control.close();
    const all = (await (await call(['GET', `/operator/usage?month=${month}`])).json()) as Json[];
    expect(all.find(({ org_id }) => org_id === acme.orgId)).to.deep.include({ month, events_stored: 12_000_000, billable_events: 2_000_000, amount_usd: 10 });
    const csv = await (await call(['GET', `/operator/usage?month=${month}&format=csv`])).text();
    expect(csv.split('\r\n')[0]).to.equal('month,org_id,org_name,project_id,project_name,events_ingested,events_stored,queries_run,query_ms,billable_events,amount_usd');
    expect(csv).to.match(new RegExp(`^${month},${acme.orgId},Acme,,,12000000,12000000,\\d+,\\d+,2000000,10\\r$`, 'm'));
    expect((await call(['GET', '/operator/usage?month=2026-13'])).status).to.equal(400);
    const days = await json(['GET', `/operator/orgs/${acme.orgId}/usage`]);
    expect(days).to.have.nested.property('months[0].events_stored', 12_000_000);
  }); // prettier-ignore

  it('lets no other key in, and an operator key nowhere else', async () => {
    const keys = [test.keys.secretKey, test.keys.project.publicKey, acme.adminKey];
    for (const other of keys)
      for (const path of ['/operator/orgs', `/operator/orgs/${acme.orgId}`, '/operator/usage', '/operator/audit'])
        expect((await send(test, ['GET', path], { key: other })).status, path).to.equal(403);
    expect((await send(test, ['GET', '/operator/orgs'], {})).status).to.equal(401);
    expect((await send(test, ['GET', '/operator/orgs'], { key: `op_${'x'.repeat(43)}` })).status).to.equal(401);
    expect((await fetch(`${test.url}/operator/orgs?key=${key}`)).status, 'only in a header').to.equal(401);
    expect((await fetch(`${test.url}/operator/orgs`, { headers: { Authorization: `Bearer ${key}` } })).status).to.equal(200);
    for (const [method, path, body] of [
      ['POST', '/track', { event_type: 'a' }],
      ['POST', '/query', { q: '*' }],
      ['GET', '/api/admin/organization', undefined],
      ['GET', '/cohorts', undefined],
    ] as const)
      expect((await call([method, path], body)).status, path).to.equal(403);
    expect(await json(['GET', '/key'])).to.deep.equal({ kind: 'operator', project_id: null, scopes: [], personal: true });
  }); // prettier-ignore

  it('ends with its key: revoked at once, or expired', async () => {
    const made = (await wlJson(test.folder, ['admin', 'operator-key', 'create', 'short', '--expires-in', '1m'])) as Json;
    const [short, id] = [String(made['key']), String(made['id'])];
    const status = async (): Promise<number> => (await send(test, ['GET', '/operator/orgs'], { key: short })).status;
    expect(await status()).to.equal(200);
    const control = await ControlDatabase.open(test.folder, { secret: null, now: () => Date.now() + 61_000 });
    expect(await control.credentials.find(short), 'a minute later').to.equal(null);
    await control.close();
    const listed = (await wlJson(test.folder, ['admin', 'operator-key', 'list'])) as Json[];
    expect(listed.map(({ name }) => name)).to.deep.equal(['provisioning', 'short']);
    expect(JSON.stringify(listed)).to.not.contain(short);
    await wlJson(test.folder, ['admin', 'operator-key', 'revoke', id]);
    let last = await status();
    for (; last === 200; last = await status()) await new Promise((done) => setTimeout(done, 20)); // within a second
    expect(last).to.equal(401);
    const audit = (await (await call(['GET', '/operator/audit'])).json()) as Json[];
    expect(audit.map(({ action, target }) => [action, target])).to.deep.include.members([
      ['operator_key.create', keyId],
      ['operator_key.create', id],
      ['operator_key.revoke', id],
    ]);
  }); // prettier-ignore
});

describe('the operator API of a running host', () => {
  let test: TestService;
  let key: string;
  before(async () => {
    test = await startTestService();
    key = String(((await wlJson(test.folder, ['admin', 'operator-key', 'create', 'host'])) as Json)['key']);
  });
  after(() => test.stop());

  const call = ([method, path]: Call, body?: Uint8Array<ArrayBuffer>): Promise<Response> =>
    fetch(test.url + path, { method, headers: { 'X-API-Key': key }, ...(body === undefined ? {} : { body }) });

  it('tells what the doctor finds, one at a time', async () => {
    const [first, second] = await Promise.all([call(['GET', '/operator/health']), call(['GET', '/operator/health'])]);
    expect([first.status, second.status]).to.have.members([200, 409]);
    const health = await jsonOf(first.status === 200 ? first : second);
    expect((health['findings'] as Json[]).map(({ check }) => check)).to.include.members(['versions', 'permissions']);
  });

  it('tells what projects do, and what the receiver of the host got', async () => {
    await test.post('/track', { event_type: 'a' });
    const { tenants } = await jsonOf(await call(['GET', '/operator/tenants']));
    expect((tenants as Json[])[0]).to.deep.include({
      ...{ project_id: test.keys.project.id, project: 'My project', organization: 'Default' },
      ...{ events: 1, queries: 0 },
    });
    expect(await (await call(['GET', '/operator/webhooks'])).json()).to.deep.equal([]);
    expect(await jsonOf(await call(['POST', '/operator/webhooks/test']))).to.deep.equal({ queued: true });
    const [message] = (await (await call(['GET', '/operator/webhooks?limit=1'])).json()) as Json[];
    expect(message).to.deep.include({ type: 'webhook.test', state: 'waiting' });
    expect((await call(['GET', '/operator/webhooks?limit=0'])).status).to.equal(400);
  });

  it('moves a project: its file is exported, and imported as a new one with the same answers', async () => {
    await test.post('/track', { events: [{ event_type: 'moved', user_id: 'u', insert_id: '1' }, { event_type: 'moved' }] });
    const exported = await call(['GET', `/operator/projects/${test.keys.project.id}/export`]);
    expect(exported.headers.get('content-disposition')).to.contain('.windlass');
    const file = new Uint8Array(await exported.arrayBuffer());
    const made = await call(['POST', `/operator/orgs/${test.keys.organization.id}/projects/import`], file);
    expect(made.status).to.equal(201);
    const { secret_key: secret } = await jsonOf(made);
    const answer = await send(test, ['POST', '/query'], { key: String(secret) }, { q: 'moved | all | count', format: 'json' });
    expect(await answer.json()).to.deep.equal([{ count: 2 }]);
    const cut = await call(['POST', `/operator/orgs/${test.keys.organization.id}/projects/import`], file.slice(0, 2_000));
    expect(cut.status).to.equal(400);
    expect((await jsonOf(cut))['error']).to.match(/cannot|not|torn|damaged/);
    const unnamed = await call(['POST', `/operator/orgs/${test.keys.organization.id}/projects/import?name=`], file);
    expect([unnamed.status, (await jsonOf(unnamed))['error']]).to.deep.equal([400, 'The name of the project is empty.']);
    expect((await call(['GET', '/operator/projects/prj_none/export'])).status).to.equal(404);
  }); // prettier-ignore
});
