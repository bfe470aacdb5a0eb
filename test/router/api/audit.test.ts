import { expect } from 'chai';
import { auditFilter } from '../../../lib/router/audit-filter.ts';
import { Browser } from '../../support/session-browser.ts';
import type { TestService } from '../../support/service.ts';
import { startWithoutShards } from '../../support/service.ts';
import { lastTwoDays } from '../../support/last-two-days.ts';

describe('GET /api/orgs/{orgID}/audit', () => {
  let test: TestService;
  let owner: Browser;
  let path: string;
  before(async () => {
    test = await startWithoutShards();
    const orgId = test.keys.organization.id;
    path = `/api/orgs/${orgId}/audit`;
    owner = await Browser.loggedIn(test, 'owner@example.com', { orgId, role: 'owner' });
    await owner.call('POST', `/api/orgs/${orgId}/members`, { email: 'a@example.com', role: 'member' });
    await owner.call('DELETE', `/api/orgs/${orgId}/members`, { email: 'a@example.com' });
    await owner.call('POST', `/api/orgs/${orgId}/rotate-admin-key`);
  });
  after(() => test.stop());

  async function read(query: string): Promise<{ entries: Record<string, unknown>[]; next: string | null }> {
    const response = await owner.get(`${path}?${query}`);
    const entries: unknown = await response.json();
    if (!Array.isArray(entries)) throw new Error(JSON.stringify(entries));
    const next = response.headers.get('x-next-cursor');
    return { entries: entries.map((entry: unknown) => Object(entry) as Record<string, unknown>), next };
  }

  it('tells who did what, from where, newest first', async () => {
    const { entries, next } = await read('');
    expect(next).to.equal(null);
    expect(entries.map(({ actor, action, target }) => [actor, action, target])).to.deep.equal([
      ['owner@example.com', 'key.rotate', test.keys.organization.id],
      ['owner@example.com', 'member.remove', 'a@example.com'],
      ['owner@example.com', 'member.invite', 'a@example.com/role:member'],
      ['owner@example.com', 'login', entries[3]?.['target']],
      ['wl admin', 'member.invite', 'owner@example.com/role:owner'],
      ['first start', 'project.create', test.keys.project.id],
    ]);
    expect(entries[3]?.['target']).to.match(/^usr_/);
    expect(entries[0]?.['ip']).to.equal('127.0.0.1');
  });

  it('comes in pages', async () => {
    const all = (await read('')).entries;
    const seen: unknown[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await read(`limit=4${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(page.entries.length).to.be.within(1, 4);
      seen.push(...page.entries);
      cursor = page.next;
    }
    expect(seen).to.deep.equal(all);
  });

  it('is cut by days and times', async () => {
    const { from: first, to: last } = lastTwoDays();
    expect((await read(`from=${first}&to=${last}`)).entries).to.have.length(6);
    expect((await read('to=2020-01-01')).entries).to.have.length(0);
    expect((await read('from=2099-01-01T00:00:00Z')).entries).to.have.length(0);
    const from = Date.parse('2026-01-02');
    expect(auditFilter(new URLSearchParams('from=2026-01-02&to=2026-01-02'))).to.deep.equal({
      from,
      to: from + 86_400_000,
    });
    expect(auditFilter(new URLSearchParams('from=2026-01-02T02:00%2B02:00&to=2026-01-02T00:00:01.5Z'))).to.deep.equal({
      from,
      to: from + 1500,
    });
  });

  it('is cut by who and what', async () => {
    const whats = async (query: string): Promise<unknown[]> => (await read(query)).entries.map(({ action }) => action);
    expect(await whats('actor=WL')).to.deep.equal(['member.invite']);
    expect(await whats('action=member&actor=owner%40')).to.deep.equal(['member.remove', 'member.invite']);
    expect(await whats('action=key.rotate')).to.deep.equal(['key.rotate']);
    expect(await whats('action=token')).to.deep.equal([]);
    const refused = await owner.get(`${path}?action=keys`);
    expect([refused.status, await refused.text()]).to.satisfy(([status, text]: [number, string]) => status === 400 && text.includes('Actions begin with login, key'));
  }); // prettier-ignore

  it('comes as CSV, whole, with what a spreadsheet would run made harmless', async () => {
    const response = await owner.get(`${path}?format=csv&action=member`);
    expect(response.headers.get('content-type')).to.equal('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).to.equal('attachment; filename="audit.csv"');
    const [head, ...lines] = (await response.text()).trimEnd().split('\r\n');
    expect(head).to.equal('at,actor,action,target,ip,changes');
    expect(lines.map((line) => line.split(',').slice(1))).to.deep.equal([
      ['owner@example.com', 'member.remove', 'a@example.com', '127.0.0.1', ''],
      ['owner@example.com', 'member.invite', 'a@example.com/role:member', '127.0.0.1', ''],
      ['wl admin', 'member.invite', 'owner@example.com/role:owner', '', ''],
    ]);
    for (const query of ['format=csv&limit=5', 'format=csv&cursor=5', 'format=xml'])
      expect((await owner.get(`${path}?${query}`)).status, query).to.equal(400);
  });

  it('takes a day of which only a part is asked for', async () => {
    for (const query of ['from=2026-01-02T12:00Z&to=2026-01-02', 'from=2026-01-02&to=2026-01-02T12:00Z']) {
      expect((await owner.get(`${path}?${query}`)).status, query).to.equal(200);
    }
  });

  it('refuses what makes no sense', async () => {
    const wrong = ['limit=0', 'limit=1001', 'limit=x', 'limit=', 'limit=1.5', 'cursor=x', 'cursor=', 'from=yesterday'];
    wrong.push('from=2026-02-30', 'from=2026-01-02T00:00:00', 'from=2026-01-03&to=2026-01-01', 'limit=1&limit=2');
    wrong.push('from=2026-01-02&to=2026-01-01', 'from=2026-02-30T00:00:00Z', 'to=2026-02-29T23:00:00-05:00');
    for (const query of wrong) expect((await owner.get(`${path}?${query}`)).status, query).to.equal(400);
  });
});
