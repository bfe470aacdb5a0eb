import { expect } from 'chai';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { fetch } from '../../support/checked-fetch.ts';
import { jsonOf, startTestService, type TestService } from '../../support/service.ts';
import { makeTenant, send, type Sender, type Tenant } from '../../support/tenants.ts';
import { isSigned, Receiver } from '../../webhooks/receiver.ts';
import { MailServer } from '../mail/mail-server.ts';

const BY = { name: 'test', ip: null };
const DASHBOARD = `version: 1
id: growth
title: Growth
sections:
  - cards:
      - { kind: metric, title: All, query: "* | count" }
`;

describe('alerts of a project', () => {
  let test: TestService;
  let acme: Tenant;
  let receiver: Receiver;
  let hook: string;
  const server = new MailServer();
  before(async () => {
    receiver = new Receiver();
    hook = `http://127.0.0.1:${await receiver.start()}/hook`;
    test = await startTestService({ WINDLASS_ALERT_PRIVATE: 'on', WINDLASS_SMTP_URL: await server.start() });
    acme = await makeTenant(test, 'Acme');
  });
  after(async () => {
    await test.stop();
    await receiver.stop();
    await server.stop();
  });

  const yamlOf = (id: string, ...lines: readonly string[]): string =>
    [`version: 1`, `id: ${id}`, `title: Alert ${id}`, ...lines].join('\n');
  const few = (id: string): string => yamlOf(id, 'schedule: daily 00:00', 'query: purchase | last 1h | count', 'when: any count < 2', 'to:', `  - webhook: ${hook}`); // prettier-ignore
  const ask = (method: string, path: string, sender: Sender = { key: acme.secretKey }, body?: unknown): Promise<Response> =>
    send(test, [method, path], sender, body); // prettier-ignore
  const put = (id: string, yaml = few(id), sender?: Sender): Promise<Response> => ask('PUT', `/alerts/${id}`, sender, { yaml }); // prettier-ignore
  const inSession = (rest = ''): string => `/api/projects/${acme.projectId}/alerts${rest}`;
  const runsOf = async (id: string): Promise<Record<string, unknown>[]> =>
    Object(await (await ask('GET', `/alerts/${id}/runs`)).json());
  /** The newest run, once there are so many and all are told. */
  const run = async (id: string, count: number): Promise<Record<string, unknown>> => {
    expect((await ask('POST', `/alerts/${id}/runs`)).status).to.equal(200);
    for (;;) {
      const runs = await runsOf(id);
      if (runs.length === count && !JSON.stringify(runs).includes('waiting')) return runs[0]!;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  it('are saved in versions with a key, and shown with what receivers check', async () => {
    const first = await put('few');
    expect(first.status).to.equal(201);
    expect(await jsonOf(first)).to.deep.include({
      ...{ id: 'few', title: 'Alert few', schedule: 'daily 00:00', when: 'any count < 2', state: 'ok', version: 1 },
      ...{ to: [`webhook ${new URL(hook).host}`], updated_by: `secret:${acme.projectId}`, unchanged: false },
    });
    expect(await jsonOf(await put('few'))).to.include({ version: 1, unchanged: true });
    expect(await jsonOf(await put('few', `${few('few')}\n`))).to.include({ version: 2, unchanged: false });
    const shown = await jsonOf(await ask('GET', '/alerts/few?version=1'));
    expect(shown['yaml']).to.equal(few('few'));
    expect(shown['webhook_secret']).to.match(/^whsec_[\w+/]{43}=$/);
    expect(JSON.stringify(await (await ask('GET', '/alerts')).json()))
      .to.include('"id":"few"')
      .and.not.include('/hook');
    expect((await ask('GET', '/alerts/none')).status).to.equal(404);
    expect((await ask('GET', '/alerts/few?version=9')).status).to.equal(404);
    expect((await ask('GET', '/alerts/none/runs')).status).to.equal(404);
    expect((await ask('POST', '/alerts/none/runs')).status).to.equal(404);
    expect((await ask('DELETE', '/alerts/few')).status).to.equal(200);
    expect((await ask('DELETE', '/alerts/few')).status).to.equal(404);
  });

  it('fire once by a signed webhook, and say when it is over', async () => {
    await put('signed');
    const { webhook_secret: secret } = await jsonOf(await ask('GET', '/alerts/signed'));
    expect(await run('signed', 1)).to.deep.include({ outcome: 'fired', saw: 'count 0', told: [{ to: `webhook ${new URL(hook).host}`, state: 'delivered', answer: '200' }] });
    const fired = await receiver.next();
    expect(isSigned(fired, String(secret).slice('whsec_'.length))).to.equal(true);
    expect(fired.message).to.deep.include({ type: 'alert.fired' });
    expect(fired.message.data).to.deep.include({ project_id: acme.projectId, alert_id: 'signed', title: 'Alert signed', saw: 'count 0', columns: ['count'], rows: [{ count: 0 }], url: `${test.url}/console/projects/${acme.projectId}/alerts/signed` });
    expect(await run('signed', 2)).to.deep.include({ outcome: 'firing', told: [] });
    await test.post('/track', { events: [{ event_type: 'purchase', device_id: 'a' }, { event_type: 'purchase', device_id: 'b' }] }, { 'X-API-Key': acme.secretKey });
    expect(await run('signed', 3)).to.include({ outcome: 'over', saw: 'count 2' });
    expect((await receiver.next()).message).to.include({ type: 'alert.over' });
    expect(receiver.deliveries).to.have.length(2);
  }); // prettier-ignore

  it('are told once when a cohort that they name is gone', async () => {
    await ask('PUT', '/cohorts/buyers', undefined, { where: 'did(purchase)' });
    const yaml = yamlOf('named', 'schedule: every 1h', "query: '* | where cohort \"buyers\" | count'", 'to:', `  - webhook: ${hook}`); // prettier-ignore
    expect((await put('named', yaml)).status).to.equal(201);
    expect(await run('named', 1)).to.include({ outcome: 'report' });
    await receiver.next();
    await ask('DELETE', '/cohorts/buyers');
    expect(await run('named', 2))
      .to.include({ outcome: 'broken' })
      .and.have.property('saw')
      .that.matches(/buyers/);
    expect((await receiver.next()).message).to.include({ type: 'alert.broken' });
    expect(await run('named', 3)).to.deep.include({ outcome: 'broken', told: [] });
    expect(await jsonOf(await ask('GET', '/alerts/named'))).to.include({ state: 'broken' });
  });

  it('send a dashboard to members as a report', async () => {
    const report = yamlOf('weekly', 'schedule: weekly monday 09:00', 'dashboard: growth', 'to:', '  - email: viewer@acme.example'); // prettier-ignore
    expect(await jsonOf(await put('weekly', report))).to.deep.include({
      error: 'The project has no dashboard "growth".',
    });
    const stored = await fetch(`${test.url}/dashboards/growth`, { method: 'PUT', headers: { 'X-API-Key': acme.secretKey, 'Content-Type': 'application/yaml' }, body: DASHBOARD }); // prettier-ignore
    expect(stored.status).to.equal(201);
    expect((await put('weekly', report)).status).to.equal(201);
    expect(await run('weekly', 1)).to.deep.include({ outcome: 'report', saw: 'the dashboard “Growth”' });
    const { to, subject, raw } = await server.next();
    expect([to, subject]).to.deep.equal(['viewer@acme.example', 'Report: Alert weekly (Acme project)']);
    const [, encoded = ''] = /filename=weekly-[\d-]+\.html[^]*?\r\n\r\n([^]*?)\r\n----/.exec(raw) ?? [];
    expect(Buffer.from(encoded, 'base64').toString()).to.include('"rows":[{"count":');
  });

  it('send a dashboard with more queries than a minute has as far as it was answered', async () => {
    const poor = await startTestService({ WINDLASS_ALERT_PRIVATE: 'on', WINDLASS_QUERIES_PER_MINUTE: '20' });
    try {
      const headers = { 'X-API-Key': poor.keys.secretKey };
      const cards = Array.from({ length: 24 }, (_, nth) => `      - { kind: metric, title: N${nth}, query: "* | last ${nth + 1}d | count" }\n`);
      const dashboard = DASHBOARD.replace(/      - .*\n/, cards.join(''));
      await fetch(`${poor.url}/dashboards/growth`, { method: 'PUT', headers: { ...headers, 'Content-Type': 'application/yaml' }, body: dashboard });
      const yaml = yamlOf('large', 'schedule: daily 00:00', 'dashboard: growth', 'to:', `  - webhook: ${hook}`);
      await fetch(`${poor.url}/alerts/large`, { method: 'PUT', headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify({ yaml }) });
      expect((await fetch(`${poor.url}/alerts/large/runs`, { method: 'POST', headers })).status).to.equal(200);
      const { message } = await receiver.next();
      expect(message.data['saw']).to.match(/^the dashboard “Growth”, of which \d+ cards have no answer$/);
    } finally {
      await poor.stop();
    }
  }); // prettier-ignore

  it('say every problem of a file, and mail nobody who is no member', async () => {
    const refused = async (yaml: string): Promise<string> => JSON.stringify(await jsonOf(await put('few', yaml)));
    expect(await refused(few('other'))).to.include('must be the one of the path, \\"few\\"; it has \\"other\\"');
    expect(await refused(few('few').replace('count <', 'cuont <').replace('daily', 'dayly'))).to.match(/The alert has 2 problems: 4:11 .*6:7 the answer has no column/); // prettier-ignore
    expect(await refused(few('few').replace(/webhook: .*/, 'email: eve@evil.example'))).to.include('eve@evil.example is no member of the organization'); // prettier-ignore
    expect((await ask('PUT', '/alerts/few', undefined, { yaml: 3 })).status).to.equal(400);
    expect((await ask('PUT', '/alerts/few', undefined, {})).status).to.equal(400);
  });

  it('are for keys that both ask and write dashboards, and see personal data', async () => {
    for (const key of [acme.publicKey, acme.adminKey, acme.tokens.track.key, acme.tokens.admin.key, acme.tokens.query.key, acme.tokens.dashboards.key]) {
      expect((await put('x', few('x'), { key })).status).to.equal(403);
      expect((await ask('GET', '/alerts', { key })).status).to.equal(403);
    }
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const scopes = ['query', 'dashboards'] as const;
    const both = await control.tokens.create({ projectId: acme.projectId, name: 'both', scopes }, BY);
    const blind = await control.tokens.create({ projectId: acme.projectId, name: 'blind', scopes, personal: false }, BY);
    await control.close();
    expect((await put('x', few('x'), { key: both.key })).status).to.equal(201);
    expect((await put('y', few('y'), { key: blind.key })).status).to.equal(403);
    expect((await ask('GET', '/alerts', {})).status).to.equal(401);
  }); // prettier-ignore

  it('are for members in the console, not for viewers', async () => {
    const { viewer, member } = acme.cookies;
    const yaml = few('console');
    expect((await ask('POST', inSession(), { cookie: viewer }, { yaml })).status).to.equal(403);
    expect((await ask('POST', inSession(), { cookie: member }, { yaml })).status).to.equal(201);
    expect((await ask('POST', inSession(), { cookie: member }, { yaml })).status).to.equal(409);
    const put2 = ask('PUT', inSession('/console'), { cookie: member }, { yaml: `${yaml}\n` });
    expect(await jsonOf(await put2)).to.include({ version: 2, updated_by: 'member@acme.example' });
    expect((await ask('GET', inSession(), { cookie: viewer })).status).to.equal(403);
    for (const path of ['', '/console', '/console/runs'])
      expect((await ask('GET', inSession(path), { cookie: member })).status).to.equal(200);
    const page = await (await fetch(`${test.url}/console/projects/${acme.projectId}/alerts/console`, { headers: { Cookie: member } })).text(); // prettier-ignore
    expect(page).to.include('whsec_').and.include('any count &lt; 2').and.include('It has not asked yet.');
    const list = await (await fetch(`${test.url}/console/projects/${acme.projectId}/alerts`, { headers: { Cookie: member } })).text(); // prettier-ignore
    expect(list).to.include('Alert console').and.include('daily 00:00');
    expect((await fetch(`${test.url}/console/projects/${acme.projectId}/alerts`, { headers: { Cookie: viewer } })).status).to.equal(403); // prettier-ignore
    expect((await ask('DELETE', inSession('/console'), { cookie: member })).status).to.equal(200);
  });

  it('forget what they saw when a person is erased', async () => {
    await put('people', yamlOf('people', 'schedule: every 1d', 'query: purchase | by user_id | count', 'to:', `  - webhook: ${hook}`)); // prettier-ignore
    await test.post('/track', { events: [{ event_type: 'purchase', user_id: 'ann-1' }] }, { 'X-API-Key': acme.secretKey }); // prettier-ignore
    await put('ann', yamlOf('ann', 'schedule: every 1d', 'query: purchase | by user_id | count', 'when: any count > 0', 'to:', `  - webhook: ${hook}`)); // prettier-ignore
    expect((await run('ann', 1))['saw']).to.include('ann-1');
    const erased = await fetch(`${test.url}/api/gdpr/users/ann-1`, { method: 'DELETE', headers: { 'X-API-Key': acme.secretKey } }); // prettier-ignore
    expect(erased.status).to.equal(200);
    expect((await runsOf('ann'))[0]).to.include({ saw: 'forgotten, as a person was erased' });
  });
});
