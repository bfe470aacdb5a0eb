import { expect } from 'chai';
import { fetch } from '../../support/checked-fetch.ts';
import { Browser, makeLink } from '../../support/session-browser.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startWithoutShards } from '../../support/service.ts';
import { refusal } from '../../support/refusal.ts';

const OWNER = 'owner@example.com';

describe('members over HTTP', () => {
  let test: TestService;
  let owner: Browser;
  let path: string;
  before(async () => (test = await startWithoutShards()));
  beforeEach(async () => {
    test = await test.another();
    path = `/api/orgs/${test.keys.organization.id}/members`;
    owner = await Browser.loggedIn(test, OWNER, { orgId: test.keys.organization.id, role: 'owner' });
  });
  after(() => test.stop());

  const invite = (email: string, role: string, browser = owner): Promise<Response> =>
    browser.call('POST', path, { email, role });
  const remove = (email: string, browser = owner): Promise<Response> => browser.call('DELETE', path, { email });

  /** Somebody with that role, after an invitation and a login, and a yes if there was an account. */
  async function joined(email: string, role: string): Promise<Browser> {
    expect((await invite(email, role)).status).to.equal(201);
    const browser = await Browser.loggedIn(test, email);
    const open: unknown = await (await browser.get('/api/invitations')).json();
    if (JSON.stringify(open) === '[]') return browser;
    const accepted = await browser.call('POST', `/api/invitations/${test.keys.organization.id}/accept`);
    expect(accepted.status).to.equal(200);
    return browser;
  }

  it('are listed with their roles, and who is invited too', async () => {
    const response = await invite('Grace@Example.com', 'member');
    expect(response.status).to.equal(201);
    const invited = { email: 'grace@example.com', name: null, role: 'member', status: 'invited', joined_at: null };
    expect(await jsonOf(response)).to.deep.equal({ ...invited, mailed: false });
    const list: unknown = await (await owner.get(path)).json();
    expect(list).to.have.length(2);
    expect(list).to.have.nested.property('[0].email', OWNER);
    expect(list).to.have.nested.property('[0].status', 'active');
    expect(list).to.deep.include(invited);
  });

  it('come in with their first login and go out at once, their session staying theirs', async () => {
    const grace = await joined('grace@example.com', 'member');
    expect((await grace.get(path)).status).to.equal(200);
    const gone = await remove('Grace@example.com');
    expect(await jsonOf(gone)).to.deep.equal({ deleted: true, id: 'grace@example.com' });
    expect((await grace.get(path)).status).to.equal(404);
    expect((await grace.get('/api/session')).status).to.equal(200);
    expect((await remove('grace@example.com')).status).to.equal(404);
  });

  it('leave behind the tokens that they made, listed with their address, until somebody revokes them', async () => {
    const grace = await joined('grace@example.com', 'admin');
    const tokens = `/api/projects/${test.keys.project.id}/tokens`;
    const { id, token } = await jsonOf(await grace.call('POST', tokens, { name: 'ci', scopes: ['track'] }));
    expect((await remove('grace@example.com')).status).to.equal(200);
    expect((await grace.get(tokens)).status).to.equal(404);
    const ask = (): Promise<Response> => fetch(`${test.url}/key`, { headers: { 'X-API-Key': String(token) } });
    expect((await ask()).status).to.equal(200);
    const list: unknown = await (await owner.get(tokens)).json();
    expect(list).to.have.nested.property('[0].created_by', 'grace@example.com');
    expect((await owner.call('DELETE', `${tokens}/${String(id)}`)).status).to.equal(200);
    expect((await ask()).status).to.equal(401);
  });

  it('are invited once; another role is a change', async () => {
    expect((await invite('grace@example.com', 'member')).status).to.equal(201);
    expect((await invite('grace@example.com', 'member')).status).to.equal(409);
    const changed = await invite('grace@example.com', 'admin');
    expect([changed.status, (await jsonOf(changed))['role']]).to.deep.equal([200, 'admin']);
  });

  it('cannot lose their last owner', async () => {
    expect((await remove(OWNER)).status).to.equal(400);
    expect((await invite(OWNER, 'admin')).status).to.equal(400);
    expect((await owner.get(path)).status).to.equal(200);
  });

  it('leave by themselves whatever their role, but for the last owner', async () => {
    for (const role of ['viewer', 'member', 'admin']) {
      const leaver = await joined(`${role}@example.com`, role);
      expect((await remove(OWNER, leaver)).status).to.equal(403);
      const left = await remove(` ${role.toUpperCase()}@example.com`, leaver);
      expect([left.status, await jsonOf(left)]).to.deep.equal([200, { deleted: true, id: `${role}@example.com` }]);
      expect((await leaver.get(path)).status).to.equal(404);
      expect((await leaver.get('/api/session')).status).to.equal(200);
    }
    expect((await remove(OWNER)).status).to.equal(400);
  });

  it('are not let in by an address that only looks like theirs', async () => {
    await invite('kate@example.com', 'owner');
    for (const address of ['\u212aate@example.com', 'ka\u200bte@example.com']) {
      const refused = await invite(address, 'owner');
      expect(refused.status).to.equal(400);
      expect((await jsonOf(refused))['hints']).to.match(/plain letters/);
    }
    expect((await refusal(() => makeLink(test, '\u212aate@example.com'))).message).to.include('e-mail address');
  });

  it('leave what concerns owners to owners', async () => {
    const admin = await joined('admin@example.com', 'admin');
    expect((await invite('new@example.com', 'owner', admin)).status).to.equal(403);
    expect((await invite('admin@example.com', 'owner', admin)).status).to.equal(403);
    expect((await invite(OWNER, 'member', admin)).status).to.equal(403);
    expect((await remove(OWNER, admin)).status).to.equal(403);
    expect((await invite('new@example.com', 'member', admin)).status).to.equal(201);
    expect((await remove('new@example.com', admin)).status).to.equal(200);
    expect((await invite('admin@example.com', 'owner')).status).to.equal(200);
    expect((await remove(OWNER, admin)).status).to.equal(200);
    expect((await owner.get(path)).status).to.equal(404);
  });

  it('say what is wrong with a body', async () => {
    const wrong: [unknown, string][] = [
      [{ role: 'member' }, '"email" must be an e-mail address, a string.'],
      [{ email: 'a@example.com' }, '"role" must be one of viewer, member, admin, owner.'],
      [{ email: 'a@example.com', role: 'king' }, '"role" must be one of viewer, member, admin, owner.'],
      [{ email: 'nobody', role: 'member' }, 'That is no e-mail address: it should look like ada@example.com.'],
    ];
    for (const [body, error] of wrong) {
      const response = await owner.call('POST', path, body);
      expect(response.status).to.equal(400);
      expect(await jsonOf(response)).to.include({ error, field: /role/.test(error) ? 'role' : 'email' });
    }
    expect((await owner.call('DELETE', path)).status).to.equal(400);
  });

  it('who were removed while they sent a body change nothing any more', async () => {
    const admin = await joined('admin@example.com', 'admin');
    let send: (text: string) => void = () => {};
    const body = new ReadableStream({
      start: (controller) => {
        send = (text) => {
          controller.enqueue(new TextEncoder().encode(text));
          controller.close();
        };
      },
    });
    const late = admin.send(path, { method: 'POST', body, duplex: 'half' });
    await new Promise((resolve) => setTimeout(resolve, 100));
    await remove('admin@example.com');
    send(JSON.stringify({ email: 'friend@example.com', role: 'admin' }));
    expect((await late).status).to.equal(404);
    const list: unknown = await (await owner.get(path)).json();
    expect(list).to.have.length(1);
  });
});
