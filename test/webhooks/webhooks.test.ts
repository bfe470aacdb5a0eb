import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { readConfig } from '../../lib/base/config/config.ts';
import { ControlDatabase } from '../../lib/control/database.ts';
import { MAX_MESSAGE_AGE } from '../../lib/control/operator/webhook-messages.ts';
import { silentLog } from '../../lib/base/log.ts';
import { shardPath } from '../../lib/shards/file/shard-file.ts';
import { WEBHOOKS } from '../../lib/router/openapi.ts';
import { startService, type RunningService } from '../../lib/server/service.ts';
import { Webhooks } from '../../lib/webhooks/webhooks.ts';
import { wlJson } from '../cli/run-inside.ts';
import { flipBit } from '../support/flip-bit.ts';
import { closed, record } from '../support/open-schemas.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { isSigned, Receiver } from './receiver.ts';

const SECRET = Buffer.from('a secret of at least 24 bytes').toString('base64');
const BY = { name: 'test', ip: null };

describe('webhooks for the host', () => {
  const folder = temporaryFolder();
  let receiver: Receiver;
  let service: RunningService;
  let keys: NonNullable<RunningService['defaults']>;
  let control: ControlDatabase;
  let settings: Record<string, string>;

  /** Starts the service, or restarts it, on the folder. */
  async function start(more: Record<string, string> = {}): Promise<void> {
    service = await startService({ config: readConfig({ ...settings, ...more }), log: silentLog() });
  }
  const post = (path: string, key: string, body: unknown, method: 'POST' | 'DELETE' = 'POST'): Promise<Response> =>
    fetch(service.url + path, { method, headers: { 'X-API-Key': key }, body: JSON.stringify(body) });
  const listed = async (): Promise<Record<string, unknown>[]> =>
    (await wlJson(folder, ['admin', 'webhooks'])) as Record<string, unknown>[];

  before(async () => {
    receiver = new Receiver();
    settings = {
      ...{ WINDLASS_DATA: folder, WINDLASS_ADDR: '127.0.0.1:0', WINDLASS_METRICS_ADDR: '127.0.0.1:0' },
      ...{ WINDLASS_THREADS: '1', WINDLASS_WEBHOOK_PAUSE: '10ms', WINDLASS_WEBHOOK_PRIVATE: 'on' },
      WINDLASS_WEBHOOK_URL: `http://127.0.0.1:${await receiver.start()}/hook`,
      WINDLASS_WEBHOOK_SECRET: `whsec_${SECRET}`,
    };
    await start();
    if (service.defaults === null) throw new Error('a new folder has keys');
    keys = service.defaults;
    control = await ControlDatabase.open(folder, { secret: null });
    expect((await receiver.next()).message.data['project_id']).to.equal(keys.project.id); // from the first start
  });
  after(async () => {
    await service.close();
    await control.close();
    await receiver.stop();
    const schema = WEBHOOKS.hostMessage.post.requestBody.content['application/json'].schema;
    const check = new Ajv2020({ formats: { 'date-time': true } }).compile(record(closed(schema)));
    for (const { message, body } of receiver.deliveries) expect(check(message), `${body} as described`).to.equal(true);
  });

  it('tell of projects that are created and deleted, signed, with ids and no names', async () => {
    const made = (await (await post('/api/admin/projects', keys.adminKey, { name: 'Shop' })).json()) as { id: string };
    const created = await receiver.next();
    const data = { org_id: keys.organization.id, project_id: made.id };
    expect(created.message).to.deep.include({ type: 'project.created', data });
    expect(isSigned(created, SECRET)).to.equal(true);
    expect(isSigned({ ...created, body: created.body.replace('created', 'deleted') }, SECRET)).to.equal(false);
    expect(created.body).to.not.include('Shop').and.not.include('sk_');
    expect(Math.abs(Number(created.headers['webhook-timestamp']) * 1_000 - Date.now())).to.be.below(60_000);
    const names = { project_name: 'Shop', project_name_confirm: 'Shop' };
    await post(`/api/admin/projects/${made.id}`, keys.adminKey, names, 'DELETE');
    expect((await receiver.next()).message).to.deep.include({ type: 'project.deleted', data });
  });

  it('are told of a limit of a minute as well, and can be tried', async () => {
    await service.close();
    await start({ WINDLASS_QUERIES_PER_MINUTE: '1', WINDLASS_EVENTS_PER_MINUTE: '1' });
    const asked = (): Promise<Response> => post('/query', keys.secretKey, { q: '* | count' });
    const sent = (): Promise<Response> => post('/track', keys.secretKey, { event_type: 'a' });
    for (const status of [200, 429, 429]) expect([(await asked()).status, (await sent()).status]).to.deep.equal([status, status]);
    const limits = [await receiver.next(), await receiver.next()].map(({ message }) => message.data);
    const of = { org_id: keys.organization.id, project_id: keys.project.id };
    expect(limits).to.have.deep.members(['queries', 'events'].map((what) => ({ ...of, limit: `${what}_per_minute` })));
    await service.close();
    await start();
    await wlJson(folder, ['admin', 'webhooks', '--test']);
    expect((await receiver.next()).message).to.deep.include({ type: 'webhook.test', data: {} });
  }); // prettier-ignore

  it('tell of what wl admin does beside the service', async () => {
    const { project } = await control.projects.create(keys.organization.id, 'Beside', BY);
    expect((await receiver.next()).message.data['project_id']).to.equal(project.id);
  });

  it('tell once of a limit, for each project and for the projects of an organization', async () => {
    const { id: orgId } = (await control.organizations.create('Small')).organization;
    const a = await control.projects.create(orgId, 'A', BY);
    const b = await control.projects.create(orgId, 'B', BY);
    const created = [await receiver.next(), await receiver.next()].map(({ message }) => message.data['project_id']);
    expect(created).to.deep.equal([a.project.id, b.project.id]);
    await control.organizations.setLimits(orgId, { projects: 2, eventsPerMonth: 0 }, BY);
    for (const { secretKey } of [a, a, b, b]) {
      expect((await post('/track', secretKey, { event_type: 'x' })).status).to.equal(403);
    }
    const limit = 'events_per_month';
    for (const one of [a, b]) {
      const { message } = await receiver.next();
      const data = { org_id: orgId, project_id: one.project.id, limit };
      expect(message).to.deep.include({ type: 'limit.reached', data });
    }
    const adminKey = await control.organizations.rotateAdminKey(orgId, BY);
    for (const name of ['C', 'D']) expect((await post('/api/admin/projects', adminKey, { name })).status).to.equal(403);
    const data = { org_id: orgId, project_id: null, limit: 'projects' };
    expect((await receiver.next()).message.data).to.deep.equal(data);
    expect((await post('/track', a.secretKey, { event_type: 'x' })).status).to.equal(403);
  });

  it('tell once when half of a month and four fifths of it are used, of an organization and of a project', async () => {
    const { id: orgId } = (await control.organizations.create('Careful')).organization;
    const { project, secretKey } = await control.projects.create(orgId, 'Careful', BY);
    await receiver.next();
    await control.organizations.setLimits(orgId, { eventsPerMonth: 20 }, BY);
    await control.projects.change(project.id, { eventsPerMonth: 10 }, BY);
    const send = async (events: number): Promise<number> =>
      (await post('/track', secretKey, { events: Array.from({ length: events }, () => ({ event_type: 'x' })) })).status;
    const near = async (): Promise<unknown> => (await receiver.next()).message;
    const told = (project_id: string | null, percent: number) => ({
      type: 'limit.near',
      data: { org_id: orgId, project_id, limit: 'events_per_month', percent },
    });
    for (const events of [4, 1, 1]) expect(await send(events)).to.equal(200);
    expect(await near()).to.deep.include(told(project.id, 50));
    for (const events of [2, 1, 1]) expect(await send(events)).to.equal(200);
    expect(await near()).to.deep.include(told(project.id, 80));
    expect(await send(1)).to.equal(403);
    expect(await near()).to.deep.include(told(null, 50));
    const reached = { org_id: orgId, project_id: project.id, limit: 'events_per_month' };
    expect(await near()).to.deep.include({ type: 'limit.reached', data: reached });
    await control.projects.change(project.id, { eventsPerMonth: null }, BY);
    expect(await send(6)).to.equal(200);
    expect(await send(1)).to.equal(200);
    expect(await near()).to.deep.include(told(null, 80));
  });

  it('are sent again with the same id after a 500, and after a restart, until they are taken', async () => {
    receiver.status = 500;
    const { project } = await control.projects.create(keys.organization.id, 'Again', BY);
    const [first, second] = [await receiver.next(), await receiver.next()];
    expect(first.message.data['project_id']).to.equal(project.id);
    expect(second.id).to.equal(first.id);
    expect(second.body).to.equal(first.body);
    await service.close();
    const [waiting] = await listed();
    expect(waiting).to.deep.include({ id: first.id, state: 'waiting', last_answer: '500' });
    receiver.status = 204;
    await start();
    let last = await receiver.next();
    while (receiver.deliveries.at(-1) !== last) last = await receiver.next();
    expect(last.id).to.equal(first.id);
    await service.close();
    const [delivered] = await listed();
    expect(delivered).to.deep.include({ id: first.id, state: 'delivered', last_answer: '204', next_try_at: null });
    expect(Number(delivered?.['tries'])).to.be.at.least(3);
  });

  it('wait in the audit trail while the queue is full, and all arrive', async () => {
    receiver.status = 500;
    await start({ WINDLASS_WEBHOOK_QUEUE: '2' });
    const ids = await Promise.all(
      [1, 2, 3, 4, 5].map(async (n) => (await control.projects.create(keys.organization.id, `P${n}`, BY)).project.id),
    );
    await receiver.next();
    expect((await control.operator.webhooks.waiting()).count).to.equal(2);
    receiver.status = 200;
    const seen = new Set<unknown>();
    while (seen.size < ids.length) seen.add((await receiver.next()).message.data['project_id']);
    expect([...seen]).to.have.members(ids);
  });

  it('tell once of a shard that is found damaged', async () => {
    const events = Array.from({ length: 50 }, (_, n) => ({ event_type: 'a', device_id: `d${n}`, user_id: `u${n}` }));
    expect((await post('/track', keys.secretKey, { events })).status).to.equal(200);
    await service.close(); // seals
    flipBit(shardPath(folder, keys.project.id), { table: 'columns', column: 'data', where: 'field = 5' });
    await start();
    const ask = (): Promise<Response> => post('/query', keys.secretKey, { q: 'a | last 1 d | count, unique' });
    for (const answer of [await ask(), await ask()]) expect(answer.status).to.equal(503);
    const { message, body } = await receiver.next();
    expect(message).to.deep.include({ type: 'damage.found', data: { where: 'shard', project_id: keys.project.id } });
    expect(body).to.not.include(folder);
    const read = receiver.deliveries.length;
    await ask();
    await control.projects.create(keys.organization.id, 'After', BY);
    expect((await receiver.next()).message.type).to.equal('project.created');
    expect(receiver.deliveries.length).to.equal(read + 1);
  });

  it('tell once of a damaged journal file that a start has set aside', async () => {
    await service.close();
    const file = 'w0of1-000000000001-0011223344556677';
    const report = { file: `${file}.log`, projects: [], records: 1, bytes: 9, holds: null, found_at: '2026-01-01' };
    writeFileSync(join(folder, 'journal', `damaged-${file}.json`), JSON.stringify(report));
    await start();
    const data = { where: 'journal', project_id: null };
    expect((await receiver.next()).message).to.deep.include({ type: 'damage.found', data });
    await service.close();
    await start();
    const { id } = (await control.projects.create(keys.organization.id, 'Then', BY)).project;
    expect((await receiver.next()).message.data['project_id']).to.equal(id);
  });

  it('are counted, and given up when they are too old', async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${service.metricsAddress?.port}/metrics`)).text();
    expect(metrics)
      .to.match(/^windlass_webhooks_delivered_total 1$/m)
      .and.match(/^windlass_webhooks_waiting 0$/m);
    const madeAt = Date.now() - MAX_MESSAGE_AGE + 1_000;
    const old = await ControlDatabase.open(temporaryFolder(), { secret: null, now: () => madeAt });
    const messages = old.operator.webhooks;
    await messages.addAudited(1);
    await old.ensureDefaults(BY);
    receiver.status = 500;
    const url = settings['WINDLASS_WEBHOOK_URL'] ?? '';
    const to = { url, secret: Buffer.from(SECRET, 'base64'), allowPrivate: true };
    const webhooks = new Webhooks({ messages, receiver: to, queue: 10, pause: 5_000, log: silentLog() });
    await webhooks.watch();
    await receiver.next();
    while (webhooks.counts.givenUp === 0) await new Promise((resolve) => setImmediate(resolve));
    await webhooks.close();
    expect(await messages.list(10)).to.have.length(1);
    expect((await messages.list(10))[0]).to.deep.include({ state: 'given up', answer: '500', tries: 1 });
    await old.close();
  });
});

describe('the settings of webhooks', () => {
  const url = 'https://example.com/hook';
  it('need a secret for a receiver, and one that is long enough', () => {
    expect(() => readConfig({ WINDLASS_WEBHOOK_URL: url })).to.throw('WINDLASS_WEBHOOK_SECRET must be set');
    for (const secret of ['short', 'whsec_c2hvcnQ=', 'whsec_not base64 but long enough', 'x'.repeat(65)]) {
      const read = (): unknown => readConfig({ WINDLASS_WEBHOOK_URL: url, WINDLASS_WEBHOOK_SECRET: secret });
      expect(read, secret).to.throw('WINDLASS_WEBHOOK_SECRET must be whsec_');
    }
    const { webhookSecret } = readConfig({ WINDLASS_WEBHOOK_URL: url, WINDLASS_WEBHOOK_SECRET: `whsec_${SECRET}` });
    expect(webhookSecret?.toString()).to.equal('a secret of at least 24 bytes');
  });
});
