import { expect } from 'chai';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { wlJson } from '../../cli/run-inside.ts';
import { record } from '../../support/open-schemas.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startTestService } from '../../support/service.ts';
import { makeTenant, send, type Sender, type Tenant } from '../../support/tenants.ts';

const EVENT = { event_type: 'a', user_id: 'u' };

let test: TestService;
let acme: Tenant;
before(async () => {
  test = await startTestService();
  acme = await makeTenant(test, 'Acme');
});
after(() => test.stop());

/** The paths of the project in both APIs, and who may change it there. */
function doors(): readonly { list: string; one: string; sender: Sender }[] {
  const { orgId, projectId, adminKey, cookies } = acme;
  return [
    { list: `/api/orgs/${orgId}/projects`, one: `/api/projects/${projectId}`, sender: { cookie: cookies.admin } },
    { list: '/api/admin/projects', one: `/api/admin/projects/${projectId}`, sender: { key: adminKey } },
  ];
}

/** The error of a request that gets a 400. */
async function refusal(call: readonly [string, string], sender: Sender, body: unknown): Promise<string> {
  const response = await send(test, call, sender, body);
  expect(response.status, JSON.stringify(body)).to.equal(400);
  return String((await jsonOf(response))['error']);
}

const trackStatus = async (key: string): Promise<number> =>
  (await send(test, ['POST', '/track'], { key }, EVENT)).status;

describe('projects', () => {
  it('are created with keys that work at once, shown with them, and listed without the secret one', async () => {
    for (const { list, one, sender } of doors()) {
      const created = await send(test, ['POST', list], sender, { name: '  Blog ' });
      expect(created.status).to.equal(201);
      const project = await jsonOf(created);
      const fields = ['id', 'org_id', 'name', 'public_key', 'secret_key', 'created_at', 'settings'];
      expect(Object.keys(project)).to.deep.equal(fields);
      expect(project).to.deep.include({
        org_id: acme.orgId,
        name: 'Blog',
        settings: {
          retention_days: null,
          ip_policy: 'anonymized',
          timezone: 'UTC',
          week_start: 'monday',
          bots: 'leave out',
          personal_properties: [],
          events_per_month: null,
        },
      });
      expect(await trackStatus(String(project['public_key']))).to.equal(200);
      expect(await trackStatus(String(project['secret_key']))).to.equal(200);
      const shown = await send(test, ['GET', one.replace(acme.projectId, String(project['id']))], sender);
      expect(await jsonOf(shown)).to.deep.equal(project);
      const listed = await (await send(test, ['GET', list], sender)).text();
      expect(listed).to.contain(project['id']).and.not.contain('sk_');
    }
  });

  it('show their keys to every member, who reads everything but the audit', async () => {
    const shown = await send(test, ['GET', `/api/projects/${acme.projectId}`], { cookie: acme.cookies.member });
    expect(await jsonOf(shown)).to.include({ public_key: acme.publicKey, secret_key: acme.secretKey });
  });

  it('need a name that a person can read; what is wrong with a body is said', async () => {
    for (const { list, sender } of doors()) {
      const post = ['POST', list] as const;
      for (const name of ['', ' ', 'x'.repeat(201), 'a\u001b[31m']) await refusal(post, sender, { name });
      for (const name of [1, null, ['a']]) expect(await refusal(post, sender, { name })).to.contain('"name"');
      for (const body of [{}, '', undefined]) expect(await refusal(post, sender, body)).to.contain('"name"');
      for (const body of ['[]', '"Blog"', 'null']) expect(await refusal(post, sender, body)).to.contain('JSON object');
      for (const body of ['{', 'name=Blog', '\u0000']) expect(await refusal(post, sender, body)).to.contain('not JSON');
    }
  });

  it('refuse bodies over 64 KiB', async () => {
    for (const { list, sender } of doors()) {
      const response = await send(test, ['POST', list], sender, { name: 'a', more: 'x'.repeat(65_536) });
      expect(response.status).to.equal(413);
    }
  });

  it('may be so many in an organization, at once when the operator says so', async () => {
    const tenant = await makeTenant(test, 'Small');
    await wlJson(test.folder, ['admin', 'limits', tenant.orgId, '--projects', '1']);
    for (const [path, sender] of [
      ['/api/admin/projects', { key: tenant.adminKey }],
      [`/api/orgs/${tenant.orgId}/projects`, { cookie: tenant.cookies.owner }],
    ] as const) {
      const refused = await send(test, ['POST', path], sender, { name: 'Second' });
      expect([refused.status, (await jsonOf(refused))['code']]).to.deep.equal([403, 'limit_reached']);
    }
    await wlJson(test.folder, ['admin', 'limits', tenant.orgId, '--projects', '2']);
    const taken = await send(test, ['POST', '/api/admin/projects'], { key: tenant.adminKey }, { name: 'Second' });
    expect(taken.status).to.equal(201);
  });
});

describe('settings of a project', () => {
  const change = (body: unknown): Promise<Response> =>
    send(test, ['PATCH', `/api/projects/${acme.projectId}`], { cookie: acme.cookies.admin }, body);

  it('change one by one, and nothing else does', async () => {
    const before = await jsonOf(
      await send(test, ['GET', `/api/admin/projects/${acme.projectId}`], { key: acme.adminKey }),
    );
    await change({ settings: { retention_days: 30 } });
    await change({ ip_policy: 'none' });
    await change({ week_start: 'sunday', bots: 'keep' });
    await change({ personal_properties: ['phone', ' user.address.street ', 'phone'] });
    await change({ events_per_month: 0 });
    const changed = await jsonOf(await change({ settings: { timezone: 'Europe/Berlin' } }));
    const settings = {
      retention_days: 30,
      ip_policy: 'none',
      timezone: 'Europe/Berlin',
      week_start: 'sunday',
      bots: 'keep',
      personal_properties: ['phone', 'address.street'],
      events_per_month: 0,
    };
    expect(changed).to.deep.equal({ ...before, settings });
    const back = { retention_days: null, ip_policy: 'anonymized', timezone: 'UTC', week_start: 'monday', bots: 'leave out', personal_properties: [], events_per_month: null }; // prettier-ignore
    expect(await jsonOf(await change({ settings: back }))).to.deep.equal(before);
  });

  it('are refused when they make no sense, and say so', async () => {
    const patch = ['PATCH', `/api/projects/${acme.projectId}`] as const;
    const sender = { cookie: acme.cookies.admin };
    for (const retention_days of [0, -1, 1.5, '30', 40_000]) {
      expect(await refusal(patch, sender, { settings: { retention_days } })).to.contain('retention_days');
    }
    for (const ip_policy of ['some', null]) expect(await refusal(patch, sender, { ip_policy })).to.contain('ip_policy');
    for (const week_start of ['Sunday', null])
      expect(await refusal(patch, sender, { week_start })).to.contain('"sunday"');
    for (const bots of ['some', null, true]) expect(await refusal(patch, sender, { bots })).to.contain('"leave out"');
    for (const personal_properties of [
      'phone',
      [1],
      [''],
      ['a,b'],
      ['x'.repeat(201)],
      Array.from({ length: 101 }, String),
    ])
      expect(await refusal(patch, sender, { personal_properties })).to.match(/personal.properties/i);
    for (const events_per_month of [-1, 1.5, '30', 2 ** 60])
      expect(await refusal(patch, sender, { events_per_month })).to.contain('events_per_month');
    for (const timezone of ['Mars/Olympus', '+02:00', '', 1]) {
      expect(await refusal(patch, sender, { timezone })).to.match(/time ?zone/);
    }
    for (const body of [{}, { settings: {} }, { confirm: true }, { name: ' ' }, { settings: [] }])
      await refusal(patch, sender, body);
  });

  it('say on which day the weeks of answers begin, unless the query does', async () => {
    const { secretKey, projectId, cookies } = await makeTenant(test, 'Weeks');
    const event = { event_type: 'seen', user_id: 'ada', time: '2026-10-24T12:00:00Z' }; // a Saturday
    await send(test, ['POST', '/track'], { key: secretKey }, event);
    const weeks = async (stage: string): Promise<unknown> => {
      const q = `seen | count by week | from 2026-10-24 to 2026-10-25${stage}`;
      return (await send(test, ['POST', '/query'], { key: secretKey }, { q, format: 'json' })).json();
    };
    expect(await weeks('')).to.deep.equal([{ week: '2026-10-19', count: 1 }]);
    await send(test, ['PATCH', `/api/projects/${projectId}`], { cookie: cookies.owner }, { week_start: 'sunday' });
    expect(await weeks('')).to.deep.equal([{ week: '2026-10-18', count: 1 }]);
    expect(await weeks(' | where user_id ~ "a"'), 'read apart').to.deep.equal([{ week: '2026-10-18', count: 1 }]);
    expect(await weeks(' | weeks from monday')).to.deep.equal([{ week: '2026-10-19', count: 1 }]);
  });

  it('reach events that are sent a moment later', async () => {
    const { secretKey, projectId, cookies } = await makeTenant(test, 'Settings');
    const set = (settings: unknown): Promise<Response> =>
      send(test, ['PATCH', `/api/projects/${projectId}`], { cookie: cookies.owner }, { settings });
    const track = (event: object): Promise<Response> => send(test, ['POST', '/track'], { key: secretKey }, event);
    for (const ip_policy of ['full', 'none', 'anonymized']) {
      await set({ ip_policy });
      await track({ event_type: 'seen', user_id: `user ${ip_policy}`, ip: '198.51.100.77' });
    }
    await set({ retention_days: 7 });
    await track({ event_type: 'seen', user_id: 'too old', time: new Date(Date.now() - 8 * 86_400_000).toISOString() });
    const query = { q: 'seen | last 30d | list', format: 'json' };
    const rows: unknown = await (await send(test, ['POST', '/query'], { key: secretKey }, query)).json();
    const seen = (Array.isArray(rows) ? rows : []).map(record).map((row) => [row['user_id'], row['_ip']]);
    const kept = [
      ['user full', '198.51.100.77'],
      ['user none', null],
      ['user anonymized', '198.51.100.0'],
    ];
    expect(seen).to.have.deep.members(kept);
  });
});

describe('bodies of the management APIs', () => {
  it('with a field that nothing knows are refused, and the field and the nearest known one are named', async () => {
    const [admin, owner] = [{ key: acme.adminKey }, { cookie: acme.cookies.owner }];
    const one = `/api/admin/projects/${acme.projectId}`;
    const wrong: [readonly [string, string], Sender, object | string, string][] = [
      [['POST', '/api/admin/projects'], admin, { nam: 'x' }, '"nam" in this body; the nearest is "name"'],
      [['POST', '/api/admin/projects'], admin, { name: 'x', settings: { ip_polici: 'none' } }, '"ip_polici" in "settings"; the nearest is "ip_policy"'],
      [['PATCH', one], admin, { settings: { retention_day: 3 } }, '"retention_day" in "settings"; the nearest is "retention_days"'],
      [['PATCH', one], admin, '{"name":"x","__proto__":1}', '"__proto__" in this body.'],
      [['POST', `${one}/tokens`], admin, { name: 't', scopes: ['query'], expires: '1d' }, '"expires" in this body'],
      [['POST', `${one}/suspend`], admin, { reason: 'r', wat: 'all' }, '"wat" in this body; the nearest is "what"'],
      [['POST', `${one}/resume`], admin, { what: 'all' }, '"what" in this body.'],
      [['POST', `${one}/rotate-secret-key`], admin, { grase: '1h' }, '"grase" in this body; the nearest is "grace"'],
      [['POST', '/api/admin/members'], admin, { email: 'a@example.com', rolle: 'member' }, '"rolle" in this body; the nearest is "role"'],
      [['DELETE', '/api/admin/members'], admin, { email: 'a@example.com', role: 'member' }, '"role" in this body'],
      [['DELETE', one], admin, { project_name: 'a', project_name_confirm: 'a', force: true }, '"force" in this body'],
      [['PATCH', '/api/admin/organization'], admin, { name: 'a', limits: {} }, '"limits" in this body'],
      [['POST', '/api/orgs'], owner, { name: 'a', plan: 'pro' }, '"plan" in this body'],
      [['PATCH', `/api/orgs/${acme.orgId}`], owner, { title: 'a' }, '"title" in this body'],
      [['POST', `/api/orgs/${acme.orgId}/rotate-admin-key`], owner, { grace: '1h' }, '"grace" in this body'],
    ]; // prettier-ignore
    for (const [call, sender, body, error] of wrong) {
      const response = await send(test, call, sender, body);
      expect([call.join(' '), response.status]).to.deep.equal([call.join(' '), 400]);
      expect((await jsonOf(response))['error']).to.contain(`There is no field ${error}`);
    }
  });

  it('of requests for a project give it its name and settings, and change both later, as the audit trail tells', async () => {
    for (const [index, { list, sender }] of doors().entries()) {
      const settings = {
        retention_days: 30,
        ip_policy: 'none',
        timezone: 'Europe/Berlin',
        week_start: 'sunday',
        bots: 'keep',
        personal_properties: ['phone'],
        events_per_month: 5_000,
      };
      const created = await jsonOf(await send(test, ['POST', list], sender, { name: 'Set', settings }));
      expect(created['settings']).to.deep.equal(settings);
      const one = `${index === 0 ? '/api' : '/api/admin'}/projects/${String(created['id'])}`;
      const changes = { name: 'Renamed', timezone: 'UTC', week_start: 'monday', bots: 'leave out', personal_properties: [], events_per_month: null }; // prettier-ignore
      const { name, ...changed } = changes;
      const renamed = await jsonOf(await send(test, ['PATCH', one], sender, { ...changes, name: ' Renamed ' }));
      expect(renamed).to.deep.include({ name, settings: { ...settings, ...changed } });
      const audit: unknown = await (await send(test, ['GET', '/api/admin/audit'], { key: acme.adminKey })).json();
      expect(audit).to.have.deep.nested.property('[0].changes', {
        name: { from: 'Set', to: 'Renamed' },
        timezone: { from: 'Europe/Berlin', to: 'UTC' },
        week_start: { from: 'sunday', to: 'monday' },
        bots: { from: 'keep', to: 'leave out' },
        personal_properties: { from: 'phone', to: '' },
        events_per_month: { from: 5_000, to: null },
      });
      expect(audit).to.have.nested.property('[0].actor', index === 0 ? 'admin@acme.example' : 'admin key');
      const org = index === 0 ? `/api/orgs/${acme.orgId}` : '/api/admin/organization';
      expect(await jsonOf(await send(test, ['PATCH', org], sender, { name: `Acme ${index}` }))).to.include({
        name: `Acme ${index}`,
      });
    }
  });
});

describe('secret keys', () => {
  it('are replaced at once; the public key stays', async () => {
    for (const { one, sender } of doors()) {
      const before = await jsonOf(await send(test, ['GET', one], sender));
      const rotated = await jsonOf(await send(test, ['POST', `${one}/rotate-secret-key`], sender));
      expect(rotated).to.deep.equal({ ...before, secret_key: rotated['secret_key'] });
      expect(await trackStatus(String(before['secret_key']))).to.equal(401);
      expect(await trackStatus(String(rotated['secret_key']))).to.equal(200);
      expect(await trackStatus(acme.publicKey)).to.equal(200);
    }
  });

  it('of before go on working for the grace that is asked for, and not longer', async () => {
    const { one, sender } = doors()[1] ?? expect.fail();
    const rotate = (grace: unknown): Promise<Response> =>
      send(test, ['POST', `${one}/rotate-secret-key`], sender, { grace });
    const before = String((await jsonOf(await send(test, ['GET', one], sender)))['secret_key']);
    expect((await rotate('24h')).status).to.equal(200);
    expect(await trackStatus(before)).to.equal(200);
    expect((await rotate('0h')).status).to.equal(200);
    const second = String((await jsonOf(await rotate('0s')))['secret_key']);
    expect(await trackStatus(second)).to.equal(200);
    for (const grace of ['', '1', '-1h', '1s', '721h', '31d', '5w', 24, null]) {
      expect(await refusal(['POST', `${one}/rotate-secret-key`], sender, { grace })).to.contain('grace');
    }
    expect(await trackStatus(second), 'a refused rotation rotates nothing').to.equal(200);
  });
});

describe('tokens', () => {
  const tokens = (): string => `/api/projects/${acme.projectId}/tokens`;
  const admin = (): Sender => ({ cookie: acme.cookies.admin });

  it('are shown once, listed by their prefix, and revoked', async () => {
    const wanted = { name: ' ci ', scopes: ['query', 'track'], expires_in: '48h' };
    const created = await send(test, ['POST', tokens()], admin(), wanted);
    expect(created.status).to.equal(201);
    const { token, ...shown } = await jsonOf(created);
    const fields = [
      'id',
      'name',
      'prefix',
      'scopes',
      'personal',
      'expires_at',
      'created_at',
      'last_used_at',
      'created_by',
    ];
    expect(Object.keys(shown)).to.deep.equal(fields);
    expect(shown).to.deep.include({ name: 'ci', scopes: ['track', 'query'], personal: true, last_used_at: null });
    expect(shown['created_by']).to.equal('admin@acme.example');
    expect(Date.parse(String(shown['expires_at'])) - Date.parse(String(shown['created_at']))).to.equal(48 * 3_600_000);
    expect(await trackStatus(String(token))).to.equal(200);

    const list = await (await send(test, ['GET', tokens()], { cookie: acme.cookies.member })).text();
    expect(list).to.contain(shown['id']).and.not.contain(token);
    expect(list).to.match(new RegExp(`"id":"${String(shown['id'])}"[^}]*"last_used_at":"20`));

    const revoke = ['DELETE', `${tokens()}/${String(shown['id'])}`] as const;
    expect(await jsonOf(await send(test, revoke, admin()))).to.deep.equal({ deleted: true, id: shown['id'] });
    expect(await trackStatus(String(token))).to.equal(401);
    expect((await send(test, revoke, admin())).status).to.equal(404);
  });

  it('live 90 days when nobody says otherwise', async () => {
    const made = await jsonOf(await send(test, ['POST', tokens()], admin(), { name: 't', scopes: ['admin'] }));
    const lived = Date.parse(String(made['expires_at'])) - Date.parse(String(made['created_at']));
    expect(lived).to.equal(90 * 86_400_000);
  });

  it('need a name, scopes that exist and a lifetime', async () => {
    const post = ['POST', tokens()] as const;
    const good = { name: 't', scopes: ['query'] };
    for (const scopes of [[], ['root'], 'query', [1], null]) {
      expect(await refusal(post, admin(), { ...good, scopes })).to.match(/scope/);
    }
    expect(await refusal(post, admin(), { name: 't' })).to.contain('"scopes"');
    expect(await refusal(post, admin(), { scopes: ['query'] })).to.contain('"name"');
    await refusal(post, admin(), { ...good, name: '' });
    for (const expires_in of ['0h', '', '1', '1s', '11000000h', 5]) {
      expect(await refusal(post, admin(), { ...good, expires_in })).to.contain('expires_in');
    }
  });

  it('of another project of the same organization are not there', async () => {
    const made = await jsonOf(await send(test, ['POST', '/api/admin/projects'], { key: acme.adminKey }, { name: 'B' }));
    const path = `/api/projects/${String(made['id'])}/tokens/${acme.tokens.query.id}`;
    expect((await send(test, ['DELETE', path], admin())).status).to.equal(404);
    expect(await trackStatus(acme.tokens.track.key)).to.equal(200);
  });

  it('that another process revokes stop within a second, and so do keys that it rotates', async () => {
    const { tokens: made, projectId, secretKey } = await makeTenant(test, 'Revoked');
    expect(await trackStatus(made.track.key)).to.equal(200);
    await wlJson(test.folder, ['admin', 'token', 'revoke', made.track.id]);
    expect(await trackStatus(made.track.key)).to.equal(401);
    const control = await ControlDatabase.open(test.folder, { secret: null });
    await control.projects.rotateSecretKey(projectId, 0, { name: 'test', ip: null });
    await control.close();
    expect(await trackStatus(secretKey)).to.equal(401);
  });
});

describe('what was done to projects', () => {
  it('stands in the audit trail with who did it and from where', async () => {
    const tenant = await makeTenant(test, 'Audited');
    const { adminKey, orgId, projectId, cookies } = tenant;
    const owner = { cookie: cookies.owner };
    const created = await jsonOf(await send(test, ['POST', '/api/admin/projects'], { key: adminKey }, { name: 'A' }));
    const made = await jsonOf(
      await send(test, ['POST', `/api/projects/${projectId}/tokens`], owner, { name: 't', scopes: ['query'] }),
    );
    await send(test, ['DELETE', `/api/projects/${projectId}/tokens/${String(made['id'])}`], owner);
    await send(test, ['POST', `/api/projects/${projectId}/rotate-secret-key`], owner);
    const names = { project_name: 'A', project_name_confirm: 'A' };
    await send(test, ['DELETE', `/api/admin/projects/${String(created['id'])}`], { key: adminKey }, names);
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const entries = (await control.audit.page(orgId, { limit: 6 })).entries.map(({ actor, action, target, ip }) => [
      actor,
      action,
      target,
      ip,
    ]);
    await control.close();
    const person = 'owner@audited.example';
    expect(entries.toReversed()).to.deep.equal([
      ['admin key', 'project.create', created['id'], '127.0.0.1'],
      [person, 'login', entries[4]?.[2], '127.0.0.1'],
      [person, 'token.create', made['id'], '127.0.0.1'],
      [person, 'token.revoke', made['id'], '127.0.0.1'],
      [person, 'key.rotate', projectId, '127.0.0.1'],
      ['admin key', 'project.delete', created['id'], '127.0.0.1'],
    ]);
  });
});
