import { expect } from 'chai';
import { Browser } from '../../support/session-browser.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startWithoutShards } from '../../support/service.ts';

const ADA = 'ada@example.com';

describe('an invitation to somebody who has an account', () => {
  let test: TestService;
  let owner: Browser;
  let ada: Browser;
  let orgId: string;
  beforeEach(async () => {
    test = await startWithoutShards();
    orgId = test.keys.organization.id;
    owner = await Browser.loggedIn(test, 'owner@example.com', { orgId, role: 'owner' });
    ada = await Browser.loggedIn(test, ADA);
  });
  afterEach(() => test.stop());

  const list = async (browser: Browser, path: string): Promise<unknown> => (await browser.get(path)).json();
  const invite = async (): Promise<void> => {
    const body = { email: ADA, role: 'member' };
    expect((await owner.call('POST', `/api/orgs/${orgId}/members`, body)).status).to.equal(201);
  };
  const members = (): Promise<unknown> => list(owner, `/api/orgs/${orgId}/members`);
  const answer = (word: string, browser = ada): Promise<Response> =>
    browser.call('POST', `/api/invitations/${orgId}/${word}`);

  it('tells the organization nothing of their name, logins and acts until they accept it', async () => {
    await invite();
    const invited = { email: ADA, name: null, role: 'member', status: 'invited', joined_at: null };
    const audit = `/api/orgs/${orgId}/audit`;
    const before = await list(owner, audit);
    const again = await Browser.loggedIn(test, ADA);
    expect(await list(again, '/api/orgs')).to.have.length(1);
    expect((await again.get(`/api/orgs/${orgId}`)).status).to.equal(404);
    expect((await again.get('/console')).status).to.equal(200);
    expect(await members()).to.deep.include(invited);
    expect(await list(owner, audit)).to.deep.equal(before);
    expect(await list(ada, '/api/invitations')).to.have.nested.property('[0].org_name', 'Default');
    const accepted = await answer('accept');
    expect([accepted.status, await jsonOf(accepted)]).to.have.deep.nested.property('[1].role', 'member');
    expect(await list(ada, '/api/invitations')).to.deep.equal([]);
    expect(await members()).to.have.nested.property('[1].status', 'active');
    expect(await list(owner, audit)).to.have.nested.property('[0].action', 'member.join');
  });

  it('is gone when they decline it, and leaves them as unknown as before', async () => {
    await invite();
    const declined = await answer('decline');
    expect([declined.status, await jsonOf(declined)]).to.deep.equal([200, { deleted: true, id: orgId }]);
    expect(await members()).to.have.length(1);
    expect((await ada.get(`/api/orgs/${orgId}`)).status).to.equal(404);
    expect([(await answer('accept')).status, (await answer('decline')).status]).to.deep.equal([404, 404]);
  });

  it('is seen and answered by nobody else, and by no page of others', async () => {
    await invite();
    const eve = await Browser.loggedIn(test, 'eve@example.com');
    expect(await list(eve, '/api/invitations')).to.deep.equal([]);
    const missing = await eve.call('POST', '/api/invitations/org_AAAAAAAAAAAAAAAAAAAAAA/accept');
    for (const word of ['accept', 'decline']) {
      const theirs = await answer(word, eve);
      expect(theirs.status).to.equal(404);
      expect((await answer(word, new Browser(test.url))).status).to.equal(401);
      const init = { method: 'POST', headers: { Origin: 'https://evil.example' } };
      expect((await ada.send(`/api/invitations/${orgId}/${word}`, init)).status).to.equal(403);
    }
    expect(await (await answer('accept', eve)).json()).to.deep.equal(await missing.json());
    expect((await answer('accept')).status).to.equal(200);
  });

  it('shows the first act of a session as its login, without the address of who is no owner', async () => {
    await invite();
    await answer('accept');
    for (let n = 0; n < 3; n++) await ada.get(`/api/orgs/${orgId}/members`);
    const entries: unknown = await list(owner, `/api/orgs/${orgId}/audit`);
    const logins = (Array.isArray(entries) ? entries : []).filter(
      (entry: unknown) => JSON.stringify(entry).includes('"login"') && JSON.stringify(entry).includes(ADA),
    );
    expect(logins).to.have.length(1);
    expect(logins).to.have.nested.property('[0].ip', null);
    expect(JSON.stringify(entries)).to.match(/"actor":"owner@example.com","action":"login"[^}]*"ip":"127.0.0.1"/);
  });
});
