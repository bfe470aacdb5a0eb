import { once } from 'node:events';
import net from 'node:net';
import { expect } from 'chai';
import { actorOf } from '../../../lib/control/accounts/accounts.ts';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { MAX_VERSIONS } from '../../../lib/control/projects/dashboards.ts';
import type { Account } from '../../../lib/control/types.ts';
import { refusal } from '../../support/refusal.ts';
import { SAMPLE } from '../../dashboards/dashboard-files.ts';
import { fetch } from '../../support/checked-fetch.ts';
import { jsonOf, startTestService, startWithoutShards, type TestService } from '../../support/service.ts';
import { makeTenant, send, type Sender, type Tenant } from '../../support/tenants.ts';
import { sharedService } from '../../support/shared-service.ts';

const BY = { name: 'test', ip: null };

describe('stored dashboards', () => {
  let test: TestService;
  let acme: Tenant;
  let umbrella: Tenant;
  /** Tokens with scope dashboards made by Acme's admin and owner. */
  const made: Record<'admin' | 'owner', string> = { admin: '', owner: '' };
  before(async () => {
    test = await sharedService();
    acme = await makeTenant(test, 'Acme');
    umbrella = await makeTenant(test, 'Umbrella');
    for (const role of ['admin', 'owner'] as const) {
      const body = { name: 'boards', scopes: ['dashboards'] };
      const path = `/api/projects/${acme.projectId}/tokens`;
      const { token } = await jsonOf(await send(test, ['POST', path], { cookie: acme.cookies[role] }, body));
      made[role] = String(token);
    }
  });

  const put = (id: string, yaml: string, key = acme.secretKey, query = ''): Promise<Response> =>
    send(test, ['PUT', `/dashboards/${id}${query}`], { key }, yaml);
  const get = (path: string, sender: Sender = { key: acme.secretKey }): Promise<Response> =>
    send(test, ['GET', path], sender);
  const named = (id: string, title = id): string =>
    SAMPLE.replace('id: sample', `id: ${id}`).replace('title: Sample', `title: ${title}`);
  const inSession = (id = ''): string => `/api/projects/${acme.projectId}/dashboards${id}`;

  it('are stored in versions that never change; what is unchanged is said, and adds none', async () => {
    const first = await put('growth', named('growth'));
    expect(first.status).to.equal(201);
    expect(await jsonOf(first)).to.include({ id: 'growth', title: 'growth', order: 2, version: 1, visibility: 'project', owner: null, unchanged: false, updated_by: `secret:${acme.projectId}` });
    const again = await put('growth', named('growth'), acme.tokens.dashboards.key);
    expect(again.status).to.equal(200);
    expect(await jsonOf(again)).to.include({ version: 1, unchanged: true });
    const second = await jsonOf(await put('growth', named('growth', 'Growth'), acme.tokens.dashboards.key));
    expect(second).to.include({ version: 2, unchanged: false, updated_by: `token:${acme.tokens.dashboards.id}` });
    const newest = await jsonOf(await get('/dashboards/growth'));
    expect(newest).to.include({ version: 2, title: 'Growth', yaml: named('growth', 'Growth') });
    expect(newest['dashboard']).to.include({ id: 'growth', title: 'Growth', refreshMs: 300_000 });
    await put('growth', named('growth', 'Third').replace('order: 2', 'order: 7'));
    const earliest = await jsonOf(await get('/dashboards/growth?version=1'));
    expect(earliest).to.include({ version: 1, title: 'growth', order: 2, yaml: named('growth') });
    expect(earliest['dashboard']).to.include({ title: 'growth', order: 2 });
    expect(await jsonOf(await get('/dashboards/growth'))).to.include({ version: 3, title: 'Third', order: 7 });
    expect((await get('/dashboards/growth?version=4')).status).to.equal(404);
    expect((await get('/dashboards/growth?version=0')).status).to.equal(400);
  }); // prettier-ignore

  it('take a secret key and tokens with scope dashboards, in the header alone', async () => {
    for (const key of [acme.publicKey, acme.tokens.query.key, acme.tokens.admin.key, acme.adminKey]) {
      expect((await put('x', named('x'), key)).status).to.equal(403);
      expect((await get('/dashboards', { key })).status).to.equal(403);
    }
    expect((await get('/dashboards', {})).status).to.equal(401);
    expect((await get(`/dashboards?key=${acme.secretKey}`, {})).status).to.equal(401);
    expect((await get('/dashboards', { cookie: acme.cookies.owner })).status).to.equal(401);
    expect((await get(inSession(), { key: acme.secretKey })).status).to.equal(401);
  });

  it('are seen by the project alone, by viewers too', async () => {
    await put('shared', named('shared'));
    expect((await get('/dashboards/shared', { key: umbrella.secretKey })).status).to.equal(404);
    expect(await (await get('/dashboards', { key: umbrella.secretKey })).json()).to.deep.equal([]);
    expect((await get(inSession('/shared'), { cookie: umbrella.cookies.owner })).status).to.equal(404);
    expect(await jsonOf(await get(inSession('/shared'), { cookie: acme.cookies.viewer }))).to.include({ id: 'shared' });
    expect(await idsOf(get(inSession(), { cookie: acme.cookies.viewer }))).to.include('shared');
  });

  it('that are personal belong to who made the token, and go before those of the project', async () => {
    const personal = await put('mine', named('mine', 'Of admin'), made.admin, '?visibility=personal');
    expect(await jsonOf(personal)).to.include({ visibility: 'personal', owner: 'admin@acme.example', version: 1 });
    expect((await put('mine', named('mine', 'Of all'))).status).to.equal(201);
    expect(await jsonOf(await get('/dashboards/mine', { key: made.admin }))).to.include({ title: 'Of admin' });
    expect(await jsonOf(await get('/dashboards/mine?visibility=project', { key: made.admin }))).to.include({ title: 'Of all' });
    expect(await jsonOf(await get('/dashboards/mine', { key: made.owner }))).to.include({ title: 'Of all' });
    expect(await jsonOf(await get(inSession('/mine'), { cookie: acme.cookies.admin }))).to.include({ title: 'Of admin' });
    expect(await jsonOf(await get(inSession('/mine'), { cookie: acme.cookies.owner }))).to.include({ title: 'Of all' });
    expect((await get('/dashboards/mine?visibility=personal', { key: made.owner })).status).to.equal(404);
  }); // prettier-ignore

  it('cannot be personal with a secret key, or with a token that is of no member', async () => {
    for (const key of [acme.secretKey, acme.tokens.dashboards.key]) {
      const refused = await put('p', named('p'), key, '?visibility=personal');
      expect(refused.status).to.equal(400);
      expect((await jsonOf(refused))['error']).to.match(/belong to the member who created the token/);
    }
    expect((await put('p', named('p'), acme.secretKey, '?visibility=public')).status).to.equal(400);
  });

  it('are refused with everything that is wrong, and by their size', async () => {
    const wrong = await put('w', named('w').replace('count {{bucket}}', 'cuont').replace('refresh: 5m', 'refresh: 1s'));
    const { error, hints } = await jsonOf(wrong);
    expect([wrong.status, error, (hints as string[]).length]).to.deep.equal([400, 'The dashboard has 2 problems: 5:10 a page can refresh every 10s at most', 1]);
    expect((hints as string[])[0]).to.match(/^\d+:\d+ expected a stage.*did you mean `count`/);
    expect((await jsonOf(await put('other', named('w'))))['error']).to.match(/must be the one of the path, "other"; it has "w"/);
    expect((await jsonOf(await put('w', 'a: *b')))['error']).to.match(/there is no anchor/);
    expect((await put('w', `${named('w')}# ${'x'.repeat(262_144)}`)).status).to.equal(413);
    const bytes = await fetch(`${test.url}/dashboards/w`, { method: 'PUT', headers: { 'X-API-Key': acme.secretKey }, body: Buffer.from([0xff]) });
    expect((await jsonOf(bytes))['error']).to.match(/not valid UTF-8/);
    expect((await get('/dashboards/w')).status).to.equal(404);
  }); // prettier-ignore

  it('are checked in turns of organizations: one that sends very many has some of its own refused, and no others', async () => {
    const initech = await makeTenant(test, 'Initech');
    const flood = Array.from({ length: 40 }, (_, n) => put(`flood-${n}`, named(`flood-${n}`), initech.secretKey));
    expect((await put('calm', named('calm'), umbrella.secretKey)).status).to.equal(201);
    for (const { status } of await Promise.all(flood)) expect(status).to.be.oneOf([201, 429]);
  });

  it('of the project are deleted with a key or by admins, personal ones by their owner', async () => {
    await put('gone', named('gone'));
    const remove = (cookie: string, id: string): Promise<Response> => send(test, ['DELETE', inSession(id)], { cookie });
    expect((await remove(acme.cookies.member, '/gone')).status).to.equal(403);
    expect((await fetch(test.url + inSession('/gone'), { method: 'DELETE', headers: { Cookie: acme.cookies.admin } })).status).to.equal(403);
    expect(await jsonOf(await remove(acme.cookies.admin, '/gone'))).to.deep.equal({ deleted: true, id: 'gone' });
    expect((await remove(acme.cookies.admin, '/gone')).status).to.equal(404);
    await put('own', named('own'), made.admin, '?visibility=personal');
    expect((await remove(acme.cookies.owner, '/own')).status).to.equal(404);
    expect((await remove(acme.cookies.admin, '/own')).status).to.equal(200);
    await put('keyed', named('keyed'));
    expect((await send(test, ['DELETE', '/dashboards/keyed'], { key: acme.secretKey })).status).to.equal(200);
  }); // prettier-ignore

  it('are in the audit trail, who wrote and what', async () => {
    await put('trail', named('trail'));
    await send(test, ['DELETE', '/dashboards/trail'], { key: acme.tokens.dashboards.key });
    const path = `/api/orgs/${acme.orgId}/audit?limit=2`;
    const entries = (await (await get(path, { cookie: acme.cookies.owner })).json()) as Record<string, unknown>[];
    expect(entries.map(({ actor, action, target }) => [actor, action, target])).to.deep.equal([
      [`token:${acme.tokens.dashboards.id}`, 'dashboard.write', `${acme.projectId}/dashboard:trail/deleted`],
      [`secret:${acme.projectId}`, 'dashboard.write', `${acme.projectId}/dashboard:trail/version:1`],
    ]);
  });

  it('keep their newest versions, and go with their project and with the member they belong to', async () => {
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const { organization } = await control.organizations.create('Initech');
    const { project } = await control.projects.create(organization.id, 'P', BY);
    const link = await control.logins.createLink('bob@initech.example', { orgId: organization.id, role: 'member' });
    const bob = await control.logins.redeem(link.token, { ip: null });
    const write = (owner: string | null, yaml: string) =>
      control.dashboards.write({ projectId: project.id, id: 'd', owner, title: 'D', order: null, yaml, checked: '{}' }, BY);
    for (let version = 1; version <= MAX_VERSIONS + 2; version += 1) await write(null, `v${version}`);
    const name = { projectId: project.id, id: 'd', owner: null };
    expect((await control.dashboards.find(name))?.yaml).to.equal(`v${MAX_VERSIONS + 2}`);
    expect(await Promise.all([2, 3].map(async (version) => (await control.dashboards.find(name, version))?.yaml))).to.deep.equal([undefined, 'v3']);
    await write(bob?.id ?? '', 'personal');
    expect(await control.dashboards.list(project.id, bob?.id ?? '')).to.have.length(2);
    await control.members.remove(organization.id, 'bob@initech.example', BY);
    expect(await control.dashboards.list(project.id, bob?.id ?? '')).to.have.length(1);
    await control.projects.delete(project.id, BY);
    expect(await control.dashboards.list(project.id, null)).to.have.length(0);
    await control.close();
  }); // prettier-ignore

  it('keep as many bytes of a project: the oldest versions go first, and never the newest of a dashboard', async () => {
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const { organization } = await control.organizations.create('Hooli');
    const { project } = await control.projects.create(organization.id, 'P', BY);
    const { project: other } = await control.projects.create(organization.id, 'Other', BY);
    const write = (id: string, mebibytes: number, mark: string, projectId = project.id) => {
      const [yaml, checked] = ['é'.repeat((mebibytes << 20) / 4), `${mark}${' '.repeat((mebibytes << 20) / 2 - mark.length)}`];
      return control.dashboards.write({ projectId, id, owner: null, title: id, order: null, yaml, checked }, BY);
    };
    const has = async (id: string, version: number): Promise<boolean> =>
      (await control.dashboards.find({ projectId: project.id, id, owner: null }, version)) !== null;
    await write('a', 40, '1', other.id);
    await write('a', 16, '1');
    await write('b', 16, '1');
    await write('a', 16, '2');
    await write('a', 16, '3');
    expect(await Promise.all([has('a', 1), has('b', 1), has('a', 2), has('a', 3)])).to.deep.equal([true, true, true, true]);
    await write('c', 16, '1');
    expect(await Promise.all([has('a', 1), has('b', 1), has('a', 2), has('a', 3)])).to.deep.equal([false, true, true, true]);
    const refused = await refusal(() => write('d', 40, '1'));
    expect([refused.code, refused.message]).to.deep.equal(['limit_reached', 'the dashboards of a project may have 67,108,864 bytes, with what their anchors copy']);
    expect(await Promise.all([has('a', 2), has('d', 1)])).to.deep.equal([true, false]);
    await control.close();
  }); // prettier-ignore

  it('that are personal follow the account, not its address: who has it now sees none of who had it, nor the other way', async () => {
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const { organization } = await control.organizations.create('Globex');
    const { project } = await control.projects.create(organization.id, 'P', BY);
    const come = (subject: string, email: string) =>
      control.logins.logIn({ issuer: 'https://login.example', subject, email, emailVerified: true, name: null }, { ip: null });
    const join = async (subject: string, email: string) => {
      await control.members.invite(organization.id, email, 'admin', BY);
      const account = await come(subject, email);
      if ((await control.members.role(account.id, organization.id)) === null)
        await control.members.accept(organization.id, { account, email, ip: null }); // the address had an account
      return account;
    };
    const keyOf = async (account: Account): Promise<string> =>
      (await control.tokens.create({ projectId: project.id, name: 'boards', scopes: ['dashboards'] }, actorOf(account, null))).key;
    const titles = async (key: string): Promise<unknown[]> =>
      ((await (await get('/dashboards', { key })).json()) as { title: unknown }[]).map(({ title }) => title);

    const first = await keyOf(await join('first', 'boss@globex.example'));
    await put('plan', named('plan', 'Of the first'), first, '?visibility=personal');
    await join('second', 'new@globex.example');
    const second = await keyOf(await come('second', 'boss@globex.example')); // the provider has given it the address
    expect(await titles(second)).to.deep.equal([]);
    await put('plan', named('plan', 'Of the second'), second, '?visibility=personal');
    await come('first', 'former@globex.example');
    expect([await titles(first), await titles(second)]).to.deep.equal([['Of the first'], ['Of the second']]);

    await control.members.remove(organization.id, 'boss@globex.example', BY);
    await join('third', 'boss@globex.example');
    const third = await keyOf(await come('third', 'boss@globex.example'));
    await put('plan', named('plan', 'Of the third'), third, '?visibility=personal');
    expect([await titles(second), await titles(third)]).to.deep.equal([[], ['Of the third']]);
    const refused = await put('plan', named('plan', 'Again'), second, '?visibility=personal');
    expect([refused.status, await titles(third)]).to.deep.equal([400, ['Of the third']]);
    await control.close();
  }); // prettier-ignore

  it('are answered as they were stored, without being read', async () => {
    const checked = '{ "title": "Spaced", "order": 1 }';
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const wanted = { projectId: acme.projectId, id: 'spaced', owner: null, title: 'Spaced', order: 1, yaml: '', checked };
    await control.dashboards.write(wanted, BY);
    await control.close();
    const text = await (await get('/dashboards/spaced')).text();
    expect(text).to.include(`,"dashboard":${checked}}`);
    expect(JSON.parse(text)).to.include({ id: 'spaced', title: 'Spaced', order: 1, version: 1 });
  }); // prettier-ignore

  async function idsOf(response: Promise<Response>): Promise<unknown[]> {
    return ((await (await response).json()) as { id: unknown }[]).map(({ id }) => id);
  }
});

describe('stored dashboards that are switched off', () => {
  it('are 503, for keys and sessions', async () => {
    const test = await startTestService({ WINDLASS_DASHBOARDS: 'off' });
    const acme = await makeTenant(test, 'Acme');
    expect((await send(test, ['GET', '/dashboards'], { key: acme.secretKey })).status).to.equal(503);
    const path = `/api/projects/${acme.projectId}/dashboards`;
    expect((await send(test, ['GET', path], { cookie: acme.cookies.owner })).status).to.equal(503);
    await test.stop();
  });
});

describe('stored dashboards that are asked for and not read', () => {
  it('are bounded: who leaves a large one is refused more until it is gone', async () => {
    const test = await startWithoutShards({ WINDLASS_MEMORY: '128MiB' }); // 8 MiB of answers
    const { project, secretKey } = test.keys;
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const checked = JSON.stringify({ title: 'D', text: 'x'.repeat(12_000_000) }); // as files before had a limit
    const wanted = { projectId: project.id, id: 'd', owner: null, title: 'D', order: null, yaml: '', checked };
    await control.dashboards.write(wanted, BY);
    await control.close();
    const get = (): Promise<Response> => fetch(`${test.url}/dashboards/d`, { headers: { 'X-API-Key': secretKey } });
    const socket = net.connect(Number(new URL(test.url).port), '127.0.0.1');
    try {
      socket.write(`GET /dashboards/d HTTP/1.1\r\nhost: x\r\nx-api-key: ${secretKey}\r\n\r\n`);
      await once(socket, 'readable'); // reads the beginning of the answer, and no more
      const refused = await get();
      expect([refused.status, (await jsonOf(refused))['code']]).to.deep.equal([429, 'overloaded']);
    } finally {
      socket.destroy();
    }
    let answer = await get();
    while (answer.status === 429) answer = await get();
    expect(await jsonOf(answer)).to.include({ id: 'd' });
    await test.stop();
  });
});
