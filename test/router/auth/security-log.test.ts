import { expect } from 'chai';
import { fetch } from '../../support/checked-fetch.ts';
import { keptLog } from '../../support/kept-log.ts';
import { Browser } from '../../support/session-browser.ts';
import { startWithoutShards, type TestService } from '../../support/service.ts';

describe('the log of security events', () => {
  const { log, lines } = keptLog();
  let test: TestService;
  before(async () => {
    test = await startWithoutShards({ WINDLASS_AUTH_FAILURES_PER_MINUTE: '0' }, { log });
  });

  /** Entries of a kind, only those since this test began. */
  let seen = 0;
  function entries(security: string): Record<string, unknown>[] {
    const all = lines.slice(seen).map((line): Record<string, unknown> => ({ ...(JSON.parse(line) as object) }));
    return all.filter((entry) => entry['security'] === security);
  }
  beforeEach(() => {
    seen = lines.length;
  });

  const track = (key: string) =>
    fetch(`${test.url}/track`, { method: 'POST', headers: { 'X-API-Key': key }, body: '{}' });

  it('has who changed rights and keys, at info, as the audit trail does', async () => {
    const orgId = test.keys.organization.id;
    const owner = await Browser.loggedIn(test, 'owner@example.com', { orgId, role: 'owner' });
    await owner.call('POST', `/api/orgs/${orgId}/members`, { email: 'b@example.com', role: 'viewer' });
    await owner.call('DELETE', `/api/orgs/${orgId}/members`, { email: 'b@example.com' });
    await owner.call('POST', `/api/orgs/${orgId}/rotate-admin-key`);
    const tokens = `/api/projects/${test.keys.project.id}/tokens`;
    const { id } = (await (await owner.call('POST', tokens, { name: 't', scopes: ['query'] })).json()) as {
      id: string;
    };
    await owner.call('DELETE', `${tokens}/${id}`);
    const refused = await owner.call('DELETE', `/api/orgs/${orgId}/members`, { email: 'owner@example.com' });
    expect(refused.status).to.equal(400);
    for (const [action, target] of [
      ['login', null],
      ['member.invite', 'b@example.com/role:viewer'],
      ['member.remove', 'b@example.com'],
      ['key.rotate', orgId],
      ['token.create', id],
      ['token.revoke', id],
    ] as const) {
      const [entry] = entries(action).reverse();
      expect(entry, action).to.include({ level: 30, org: orgId, actor: 'owner@example.com', ip: '127.0.0.1' });
      if (target !== null) expect(entry?.['target']).to.equal(target);
    }
    expect(entries('member.remove'), 'what failed did not happen').to.have.length(1);
  });

  it('has failed logins and ended sessions', async () => {
    const browser = new Browser(test.url);
    await browser.openLink('no such token');
    await browser.openLink('nor this'); // counted, told a minute later
    expect(entries('login.failed')).to.have.length(1).and.have.nested.property('[0].address', '127.0.0.1');
    const ada = await Browser.loggedIn(test, 'ada@example.com');
    await Browser.loggedIn(test, 'ada@example.com');
    await ada.call('DELETE', '/api/sessions');
    await ada.call('POST', '/auth/logout');
    expect(entries('session.end').map(({ actor, count }) => [actor, count])).to.deep.equal([['ada@example.com', 1], ['ada@example.com', 1]]); // prettier-ignore
  });

  it('has refusals by address and beginning of the key: the first at once, the others counted', async () => {
    const unknown = `sk_${'x'.repeat(43)}`;
    for (let i = 0; i < 5; i++) expect((await track(unknown)).status).to.equal(401);
    const publicKey = test.keys.project.publicKey;
    for (let i = 0; i < 3; i++)
      expect((await test.post('/query', { q: 'a' }, { 'X-API-Key': publicKey })).status).to.equal(403);
    expect((await track('correct horse battery staple')).status).to.equal(401);
    expect((await fetch(`${test.url}/api/orgs`)).status).to.equal(401);
    const told = () =>
      entries('refused').map(({ code, credential, count, address }) => [code, credential, count, address]);
    const firsts = [
      ['unauthenticated', `${unknown.slice(0, 12)}…`, 1, '127.0.0.1'],
      ['forbidden', `${publicKey.slice(0, 12)}…`, 1, '127.0.0.1'],
      ['unauthenticated', 'no key of ours', 1, '127.0.0.1'],
      ['unauthenticated', 'none', 1, '127.0.0.1'],
    ];
    expect(told()).to.deep.equal(firsts);
    await test.stop(); // which reports the counts
    expect(told()).to.deep.equal([
      ...firsts,
      ['unauthenticated', `${unknown.slice(0, 12)}…`, 4, '127.0.0.1'],
      ['forbidden', `${publicKey.slice(0, 12)}…`, 2, '127.0.0.1'],
    ]);
  });

  it('has no secret, whatever happened', () => {
    const all = lines.join('');
    for (const secret of [test.keys.secretKey, test.keys.adminKey, 'x'.repeat(43), 'correct horse', 'no such token'])
      expect(all.includes(secret), secret.slice(0, 4)).to.equal(false);
    expect(all).to.not.match(/(?:sk|pk|ak|aat)_[0-9A-Za-z]{13}|wl_session/);
  });
});
