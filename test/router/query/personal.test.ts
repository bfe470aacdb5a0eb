import { expect } from 'chai';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { fetch } from '../../support/checked-fetch.ts';
import { jsonOf, type TestService } from '../../support/service.ts';
import { makeTenant, send } from '../../support/tenants.ts';
import { sharedService } from '../../support/shared-service.ts';

const BY = { name: 'test', ip: null };

/** In all that a token without personal data may not see. */
const SECRET = 'secret';

describe('a token that sees no personal data', () => {
  let test: TestService;
  let token = '';
  let hashKey = '';
  before(async () => {
    test = await sharedService();
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const wanted = { projectId: test.keys.project.id, name: 'agent', scopes: ['query', 'dashboards'], personal: false };
    token = (await control.tokens.create(wanted, BY)).key;
    const credential = await control.credentials.find(token);
    if (credential?.kind === 'token') hashKey = credential.hashKey ?? '';
    expect(hashKey).to.have.length(64);
    await control.projects.change(wanted.projectId, { ipPolicy: 'full', personalProperties: ['phone'] }, BY);
    await control.close();
    const user_properties = { email: `${SECRET}@example.com`, name: SECRET, phone: SECRET, plan: 'pro' };
    await test.post('/identify', { user_id: `${SECRET}-user`, device_id: `${SECRET}-device`, user_properties });
    const ids = { user_id: `${SECRET}-user`, device_id: `${SECRET}-device`, session_id: `${SECRET}-session` };
    const event_properties = { email: `${SECRET}@example.com`, phone: SECRET, step: 1, mixed: 'some' };
    const events = [
      { event_type: 'signup', ...ids, insert_id: `${SECRET}-1`, event_properties },
      { event_type: 'signup', ...ids, insert_id: `${SECRET}-2`, event_properties: { ...event_properties, mixed: 2 } },
    ];
    const seen = ['control', 'b'].flatMap((variant_key) =>
      [1, 2].map((nth) => ({
        event_type: 'choice.exposure',
        ...{ user_id: `${SECRET}-${variant_key}${nth}`, session_id: `${SECRET}-shown` },
        event_properties: { choice_key: 'k', variant_key },
      })),
    );
    expect((await test.post('/track', { events: seen })).status).to.equal(200);
    const headers = { 'User-Agent': `${SECRET}/1.0` };
    expect((await test.post('/track', { events }, headers)).status).to.equal(200);
  });

  /** The answer with that token, or another. */
  async function ask(q: string, more: Readonly<Record<string, unknown>> = {}, key = token): Promise<Response> {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    return fetch(`${test.url}/query`, { method: 'POST', headers, body: JSON.stringify({ q, ...more }) });
  }

  const all = [
    ...[
      '* | list',
      'users',
      'inspect signup',
      'inspect *',
      'fields',
      '* | count by user_id',
      'signup | list user_id, time',
      'signup | people',
      'funnel signup -> signup | people reached 2',
    ],
    ...['* | latest session_id per device_id', '* | unique by day', 'sessions | by distinct_id'],
    ...[
      '* | sum event_properties.mixed by insert_id',
      'funnel signup -> signup | by device_id',
      'nothing | count by user_id',
      'choice "k" | results signup | by session_id',
    ],
  ];
  for (const q of all) {
    it(`sees nothing of anybody in \`${q}\`, in any format, and its plan has no key`, async () => {
      const wanted = [{}, { format: 'json', envelope: true }, { format: 'csv' }, { explain: true }];
      for (const more of wanted) {
        const response = await ask(q, more);
        const text = await response.text();
        expect(response.status, text).to.equal(200);
        expect(text, q).to.not.include(SECRET);
        expect(text, q).to.not.include(hashKey);
      }
    });
  }

  it('gets the same hash for an id wherever it stands, and in each answer', async () => {
    const by = (await (await ask('signup | count by user_id, distinct_id', { format: 'json' })).json()) as Record<
      string,
      unknown
    >[];
    expect(by).to.have.length(1);
    const { user_id: hash, distinct_id: person } = by[0]!;
    expect(hash)
      .to.match(/^h_[0-9a-f]{32}$/)
      .and.equal(person);
    const users = await (await ask('users', { format: 'csv' })).text();
    expect(users).to.include(String(hash));
    expect(users.split('\r\n')[0]).to.equal('user_id,email_domain,first_seen,last_seen,properties');
  });

  it('gets no _ip and _ua among the columns of rows, which others do', async () => {
    const columnsOf = async (key: string): Promise<unknown> =>
      (await jsonOf(await ask('* | list', { format: 'json', envelope: true }, key)))['columns'];
    expect(await columnsOf(token))
      .to.not.include.members(['_ip'])
      .and.not.include.members(['_ua']);
    expect(await columnsOf(test.keys.secretKey)).to.include.members(['_ip', '_ua']);
  });

  it('does not change what another key sees after it, and sees nothing of what another key asked before', async () => {
    const q = '* | count by user_id';
    const [first, whole, again] = [await ask(q), await ask(q, {}, test.keys.secretKey), await ask(q)];
    expect(await whole.text()).to.include(`${SECRET}-user`);
    const [before, after] = [await first.text(), await again.text()];
    expect(before).to.include('h_').and.not.include(SECRET);
    expect(after.match(/h_\w+/g)).to.deep.equal(before.match(/h_\w+/g));
  });

  it('is told what it may not ask, with the place', async () => {
    const refused = await ask('signup | where user.email = "a@b.c" | count');
    expect(refused.status).to.equal(400);
    const error = await jsonOf(refused);
    expect(error).to.include({ code: 'bad_query', position: 'signup | where '.length });
    expect(String(error['error'])).to.include('`user.email` is personal, and this token sees none');
  });

  it('is refused also in long queries, which another thread reads', async () => {
    const q = `signup | where ${'event_properties.step = 1 and '.repeat(100)} event_properties.Phone ~ "1" | count`;
    const error = await jsonOf(await ask(q));
    expect(String(error['error'])).to.include('`event_properties.Phone` is personal');
    const text = await (await ask(`signup | where event_properties.plan !~ "x" | count by user_id`)).text();
    expect(text).to.include('h_').and.not.include(SECRET);
  });

  it('shows by GET /key what it is, and opens nothing else of a user', async () => {
    const get = (path: string): Promise<Response> => fetch(`${test.url}${path}`, { headers: { 'X-API-Key': token } });
    expect(await jsonOf(await get('/key'))).to.deep.include({ scopes: ['query', 'dashboards'], personal: false });
    for (const path of [
      `/api/gdpr/users/${SECRET}-user/export`,
      `/api/projects/${test.keys.project.id}/devices/${SECRET}-device`,
    ])
      expect((await get(path)).status, path).to.be.oneOf([401, 403]);
  });

  it('is made by who manages the project, and cannot be one that exports', async () => {
    const acme = await makeTenant(test, 'Hiding');
    const path = `/api/projects/${acme.projectId}/tokens`;
    const make = (more: object): Promise<Response> =>
      send(test, ['POST', path], { cookie: acme.cookies.admin }, { name: 'agent', scopes: ['query'], ...more });
    expect(await jsonOf(await make({ personal: false }))).to.include({ personal: false });
    for (const [more, told] of [
      [{ personal: false, scopes: ['query', 'admin'] }, 'scope "admin"'],
      [{ personal: 'no' }, '"personal" must be true or false'],
    ] as const) {
      const refused = await make(more);
      expect(refused.status).to.equal(400);
      expect(await refused.text()).to.include(told.replaceAll('"', '\\"'));
    }
    const list = await (await send(test, ['GET', path], { cookie: acme.cookies.member })).text();
    expect(list).to.match(/"name":"agent"[^}]*"personal":false/);
  });
});
