import { expect } from 'chai';
import { Client } from 'pg';
import { readConfig } from '../../../lib/base/config/config.ts';
import { AppError } from '../../../lib/base/errors.ts';
import type { PostgresLocation } from '../../../lib/base/config/postgres-location.ts';
import { silentLog } from '../../../lib/base/log.ts';
import { engineAt } from '../../../lib/cluster.ts';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { startService, type RunningService } from '../../../lib/server/service.ts';
import { getCallback } from '../../../test/support/log-in.ts';
import { MemoryStore } from '../../../test/support/memory-store.ts';
import { OpenIdTestProvider } from '../../../test/support/openid-provider.ts';
import { dropSchemas, newSchema, urlOf } from '../support/postgres-schema.ts';
import { RedirectBrowser } from '../../../test/support/redirect-browser.ts';
import { refusal } from '../../../test/support/refusal.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const SECRET = 'a secret of all nodes';
/** What browsers see: a balancer. */
const PUBLIC = 'http://127.0.0.1:9';
const BY = { name: 'test', ip: null };

describe('two nodes on one PostgreSQL', () => {
  const schemas: PostgresLocation[] = [];
  const stores: MemoryStore[] = [];
  let location: PostgresLocation;
  let a: RunningService;
  let b: RunningService;
  let control: ControlDatabase;
  let provider: OpenIdTestProvider;
  let adminKey = '';

  const start = (): Promise<RunningService> => {
    const config = readConfig({
      WINDLASS_DATA: temporaryFolder(),
      WINDLASS_ADDR: '127.0.0.1:0',
      WINDLASS_METRICS_ADDR: 'none',
      WINDLASS_SECRET: SECRET,
      WINDLASS_URL: PUBLIC,
      WINDLASS_CONTROL: urlOf(location),
      WINDLASS_STORE: 'clickhouse://nobody@127.0.0.1:1/events',
      ...provider.settings(),
    });
    return startService({
      config,
      log: silentLog(),
      store: () => Promise.resolve(stores[stores.push(new MemoryStore()) - 1]!),
    });
  };
  const post = (node: RunningService, path: string, key: string, body: unknown) =>
    fetch(node.url + path, { method: 'POST', headers: { 'X-API-Key': key }, body: JSON.stringify(body) });
  const track = async (node: RunningService, key: string): Promise<number> =>
    (await post(node, '/track', key, { event_type: 'e', device_id: 'd' })).status;

  before(async () => {
    schemas.push((location = await newSchema()));
    provider = await OpenIdTestProvider.start({ people: { ada: { email: 'ada@example.org', emailVerified: true } } });
    [a, b] = await Promise.all([start(), start()]);
    control = await ControlDatabase.open(temporaryFolder(), { secret: SECRET, engine: engineAt(location) });
    const made = [a.defaults, b.defaults].filter((defaults) => defaults !== null);
    expect(made, 'one of them makes what a first start makes').to.have.length(1);
    adminKey = made[0]?.adminKey ?? '';
  });
  after(async () => {
    await Promise.all([a.close(), b.close(), control.close(), provider.stop()]);
    await dropSchemas(schemas);
  });

  it('use on one at once what was made on the other', async () => {
    const created = await post(a, '/api/admin/projects', adminKey, { name: 'Shop' });
    expect(created.status).to.equal(201);
    const { secret_key: key } = (await created.json()) as { secret_key: string };
    expect(await track(b, key)).to.equal(200);
  });

  it('know a device that stores nothing as the same', async () => {
    const { organization } = await control.organizations.create('Pages');
    const { project } = await control.projects.create(organization.id, 'Shop', BY);
    for (const node of [a, b])
      expect((await post(node, '/track?device=daily', project.publicKey, { event_type: 'e' })).status).to.equal(200);
    const [one, other] = stores.map(({ contexts }) => contexts.at(-1)?.device);
    expect(one)
      .to.match(/^daily_/)
      .and.to.equal(other);
  });

  it('log erasures where the others know of them, by hashes', async () => {
    const { organization } = await control.organizations.create('Erasing');
    const { project, secretKey } = await control.projects.create(organization.id, 'Shop', BY);
    for (const [node, user] of [
      [a, 'ann'],
      [b, 'bob'],
    ] as const) {
      const headers = { 'X-API-Key': secretKey };
      expect((await fetch(`${node.url}/api/gdpr/users/${user}`, { method: 'DELETE', headers })).status).to.equal(200);
    }
    const logged = await control.erasedUsers.ofProject(project.id);
    expect(logged.map(({ user }) => user)).to.deep.equal(
      ['ann', 'bob'].map((user) => control.hashId(project.id, user)),
    );
    expect(JSON.stringify(logged)).to.not.include('ann');
  });

  it('make together no more than an organization may have', async () => {
    const { organization, adminKey: key } = await control.organizations.create('Small');
    await control.organizations.setLimits(organization.id, { projects: 3 }, BY);
    const asked = [a, b, a, b, a, b].map((node, n) => post(node, '/api/admin/projects', key, { name: `P${n}` }));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).to.have.length(3);
    expect(statuses.filter((status) => status === 403)).to.have.length(3);
    expect(await control.projects.list(organization.id)).to.have.length(3);
  });

  it('refuse a token that was revoked on the other, also when the connection that tells so has broken', async () => {
    const { organization } = await control.organizations.create('Org');
    const { project } = await control.projects.create(organization.id, 'Shop', BY);
    for (const broken of [false, true]) {
      const wanted = { projectId: project.id, name: 't', scopes: ['track'] };
      const { token, key } = await control.tokens.create(wanted, BY);
      expect(await track(b, key)).to.equal(200);
      if (broken) await breakConnections(location);
      // A statement may meet a connection of which it is not known yet that it broke: tried again, as a client does.
      const revoke = (): Promise<unknown> => control.tokens.revoke(project.id, token.id, BY);
      while ((await refusalOf(revoke)) === 'storage_unavailable');
      while ((await track(b, key)) !== 401) await new Promise((resolve) => setTimeout(resolve, 5));
      let status = 503;
      while (status === 503) status = await track(a, key);
      expect(status).to.equal(401);
    }
  });

  it('answer again after all their connections have broken', async () => {
    const { organization, adminKey: key } = await control.organizations.create('Again');
    await breakConnections(location);
    for (const node of [a, b]) {
      let answer = await ask(node, key);
      for (; answer.status === 503; answer = await ask(node, key)) await answer.text(); // said once or twice, not for ever
      expect(await answer.json()).to.include({ id: organization.id, name: 'Again' });
    }
  });

  it('end a login that was begun on the other, once', async () => {
    const browser = new RedirectBrowser();
    const callback = await getCallback(browser, `${a.url}/auth/test`, 'ada');
    const cookie = browser.cookieHeader(new URL(a.url));
    const finish = (): Promise<Response> =>
      fetch(`${b.url}${callback.pathname}${callback.search}`, { headers: { Cookie: cookie }, redirect: 'manual' });
    const finished = await finish();
    expect(finished.headers.get('location')).to.equal('/console');
    expect(await emailOf(a, cookiesOf(finished))).to.equal('ada@example.org');
    expect((await finish()).headers.get('location')).to.equal('/login?error=state');
  });

  it('know a session that the other began', async () => {
    const { token } = await control.logins.createLink('grace@example.org');
    const body = new URLSearchParams({ token });
    const headers = { Origin: PUBLIC };
    const begun = await fetch(`${b.url}/auth/link`, { method: 'POST', body, headers, redirect: 'manual' });
    for (const node of [a, b]) expect(await emailOf(node, cookiesOf(begun))).to.equal('grace@example.org');
  });

  it('count queries together', async () => {
    const { organization } = await control.organizations.create('Counted');
    const { project } = await control.projects.create(organization.id, 'Shop', BY);
    const other = await ControlDatabase.open(temporaryFolder(), { secret: SECRET, engine: engineAt(location) });
    for (const node of [control, other]) node.usage.addQueries(project.id, '2026-01-02', 2, 1.5);
    await Promise.all([control.flush(), other.flush()]);
    const [day] = await control.usage.ofProject(project.id, { from: '2026-01-02', to: '2026-01-02' });
    await other.close();
    expect([day?.queries_run, day?.query_ms]).to.deep.equal([4, 3]);
  });

  it('keep an audit trail that SQL cannot change either', async () => {
    for (const text of ['DELETE FROM audit', "UPDATE audit SET actor = 'nobody'"])
      expect(await query(location, text).catch(String)).to.include('append-only');
  });

  it('do not start with another secret, a wrong address, or the tables of a newer release, and say why', async () => {
    const open = (options: object) =>
      refusal(() =>
        ControlDatabase.open(temporaryFolder(), { secret: SECRET, engine: engineAt(location), ...options }),
      );
    expect((await open({ secret: 'quite another secret' })).message).to.include('WINDLASS_SECRET');
    expect((await open({ secret: null })).message).to.include('WINDLASS_SECRET must be set');
    expect((await open({ engine: engineAt({ ...location, port: 1 }) })).message).to.include(
      'does not answer (ECONNREFUSED)',
    );
    expect((await open({ engine: engineAt({ ...location, database: 'no such' }) })).message).to.include(
      'refuses (3D000)',
    );
    const newer = await newSchema();
    schemas.push(newer);
    await (await ControlDatabase.open(temporaryFolder(), { secret: SECRET, engine: engineAt(newer) })).close();
    await query(newer, "UPDATE meta SET value = '9999' WHERE name = 'schema_version'");
    expect((await open({ engine: engineAt(newer) })).message).to.include('newer release');
  });
});

/** The code of the refusal; null once it was done. */
async function refusalOf(action: () => Promise<unknown>): Promise<string | null> {
  try {
    await action();
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.data.code;
    throw error;
  }
}

const ask = (node: RunningService, key: string): Promise<Response> =>
  fetch(`${node.url}/api/admin/organization`, { headers: { 'X-API-Key': key } });

const cookiesOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');

async function emailOf(node: RunningService, cookie: string): Promise<unknown> {
  const response = await fetch(`${node.url}/api/session`, { headers: { Cookie: cookie } });
  const { account } = (await response.json()) as { account?: { email: unknown } };
  return account?.email;
}

/** Of all nodes on the schema. */
async function breakConnections({ schema, ...location }: PostgresLocation): Promise<void> {
  const text = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'windlass ${schema}'`;
  await query({ ...location, schema: 'public' }, text);
}

async function query(location: PostgresLocation, text: string): Promise<void> {
  const client = new Client(urlOf(location).replace(/\?.*/, ''));
  await client.connect();
  try {
    await client.query(`SET search_path = ${location.schema}`);
    await client.query(text);
  } finally {
    await client.end();
  }
}
