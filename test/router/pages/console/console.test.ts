import { expect } from 'chai';
import { ControlDatabase } from '../../../../lib/control/database.ts';
import type { Role } from '../../../../lib/control/types.ts';
import { AUDIT_KINDS } from '../../../../lib/router/audit-filter.ts';
import type { TestService } from '../../../support/service.ts';
import { startWithoutShards } from '../../../support/service.ts';
import { Browser } from '../../../support/session-browser.ts';
import { utcDay } from '../../../../lib/base/day.ts';
import { monthName } from '../../../../lib/router/pages/figures.ts';

const HOSTILE = `"><img src=x onerror=alert(1)><script>alert('1')</script>{{7*7}}`;
const BY = { name: `actor ${HOSTILE}`, ip: null };

describe('the console', () => {
  let test: TestService;
  let orgId: string;
  let projectId: string;
  const cookies = new Map<Role | 'stranger', string>();

  before(async () => {
    test = await startWithoutShards();
    const control = await ControlDatabase.open(test.folder, { secret: null });
    orgId = (await control.organizations.create(`org ${HOSTILE}`)).organization.id;
    projectId = (await control.projects.create(orgId, `project ${HOSTILE}`, BY)).project.id;
    await control.tokens.create({ projectId, name: `token ${HOSTILE}`, scopes: ['query'] }, BY);
    await control.members.invite(orgId, 'invited@example.com', 'member', BY);
    await control.logins.logIn(
      { issuer: 'https://id.example.com', subject: '1', email: 'invited@example.com', emailVerified: true, name: `name ${HOSTILE}` },
      { ip: null },
    ); // prettier-ignore
    await control.close();
    for (const role of ['member', 'admin', 'owner'] as const) {
      cookies.set(role, (await Browser.loggedIn(test, `${role}@example.com`, { orgId, role })).cookies);
    }
    cookies.set('stranger', (await Browser.loggedIn(test, 'stranger@example.com')).cookies);
  });
  after(() => test.stop());

  function open(path: string, who: Role | 'stranger' | null): Promise<Response> {
    const cookie = who === null ? '' : (cookies.get(who) ?? '');
    return fetch(test.url + path, { headers: { Cookie: cookie }, redirect: 'manual' });
  }

  function pages(): string[] {
    const [org, project] = [`/console/orgs/${orgId}`, `/console/projects/${projectId}`];
    const tabs = ['', '/usage', '/members', '/audit', '/settings'].map((tab) => org + tab);
    return [
      '/console',
      ...tabs,
      project,
      `${project}/ask`,
      `${project}/usage`,
      `${project}/keys`,
      `${project}/settings`,
    ];
  }

  it('sends who is not logged in to the login, and back', async () => {
    for (const path of [...pages(), '/console/nothing', `/console/orgs/${orgId}/usage?month=2026-01`]) {
      const response = await open(path, null);
      expect([response.status, response.headers.get('location')]).to.deep.equal([303, `/login?return_to=${encodeURIComponent(path)}`]);
    }
  }); // prettier-ignore

  it('shows every page to an owner, kept by no cache, under the policy of pages', async () => {
    for (const path of pages()) {
      const response = await open(path, 'owner');
      expect([path, response.status, response.headers.get('cache-control')]).to.deep.equal([path, 200, 'no-store']);
      expect(response.headers.get('content-security-policy')).to.contain("script-src 'self'");
    }
  });

  it('shows the names of tenants as text, everywhere', async () => {
    let shown = 0;
    for (const path of pages()) {
      const text = await (await open(path, 'owner')).text();
      expect([path, /<img|<script>|onerror=(?!alert\(1\)&gt;)/i.test(text)]).to.deep.equal([path, false]);
      for (const name of ['org ', 'project ', 'token ', 'name ', 'actor ']) if (text.includes(`${name}&quot;&gt;&lt;img`)) shown++;
    }
    expect(shown).to.be.at.least(pages().length + 3); // the organization's name alone is on all of them
  }); // prettier-ignore

  it('says on the page of a project how to get wl and windlass-client from this host', async () => {
    const text = await (await open(`/console/projects/${projectId}`, 'owner')).text();
    const scripts = (await (await fetch(`${test.url}/public/scripts.json`)).json()) as Record<string, { path: string }>;
    for (const [command, path] of [
      ['npm install -g', '/public/wl.tgz'],
      ['npm install', scripts['windlass-client.tgz']?.path ?? ''],
    ]) {
      expect(text).to.include(`${command} ${test.url}${path}`);
      expect((await fetch(`${test.url}${path}`)).status).to.equal(200);
    }
  });

  it('has no secret in any page', async () => {
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const secret = await control.projects.secretKey(projectId);
    await control.close();
    for (const path of pages()) expect(await (await open(path, 'owner')).text()).to.not.contain(secret);
  });

  it('answers what is not there and what belongs to others with the same page', async () => {
    const known = [`/console/orgs/${orgId}`, `/console/orgs/${orgId}/audit`, `/console/projects/${projectId}/keys`];
    const unknown = ['/console/orgs/org_x', '/console/orgs/org_x/audit', '/console/projects/prj_x/keys'];
    for (const [index, path] of known.entries()) {
      const [theirs, nobodys] = [await open(path, 'stranger'), await open(unknown[index] ?? '', 'stranger')];
      expect([theirs.status, nobodys.status]).to.deep.equal([404, 404]);
      expect(await theirs.text()).to.equal(await nobodys.text());
    }
    expect((await open('/console/nothing', 'owner')).status).to.equal(404);
  });

  it('shows members all but the audit trail, and nothing that they may not do', async () => {
    for (const path of pages()) {
      const response = await open(path, 'member');
      expect([path, response.status]).to.deep.equal([path, path.endsWith('/audit') ? 403 : 200]);
      const text = await response.text();
      const calls = [...text.matchAll(/data-path="([^"]*)"/g)].map(([, api]) => api);
      const allowed =
        path === '/console' ? ['/api/orgs'] : path.endsWith('/members') ? [`/api/orgs/${orgId}/members`] : [];
      expect([path, calls]).to.deep.equal([path, allowed]);
      if (path.endsWith('/members')) expect(text).to.contain('Leave').and.not.contain('Invite a member');
      expect(text).to.not.contain('/audit"');
    }
  });

  it('lets only owners rotate the admin key and make owners', async () => {
    for (const [role, may] of [['admin', false], ['owner', true]] as const) {
      const settings = await (await open(`/console/orgs/${orgId}/settings`, role)).text();
      expect(settings.includes('/rotate-admin-key')).to.equal(may);
      const members = await (await open(`/console/orgs/${orgId}/members`, role)).text();
      expect(members.includes('<option value="owner"')).to.equal(may);
    }
  }); // prettier-ignore

  it('asks before an invitation is revoked or a member removed, and says what each means', async () => {
    const control = await ControlDatabase.open(test.folder, { secret: null });
    await control.members.invite(orgId, 'expected@example.com', 'viewer', BY);
    await control.close();
    const text = await (await open(`/console/orgs/${orgId}/members`, 'owner')).text();
    expect(text).to.match(/Revoke the invitation of expected@example\.com\? They can no longer join org /);
    expect(text).to.match(
      /Remove member@example\.com\? Their role in org .* ends at once\. Access tokens that they made.* keep working/,
    );
    expect(text).to.not.match(/session[^"]*expected@example\.com|expected@example\.com[^"]*session/);
  });

  it('filters the audit trail by every kind of action but those of operators', async () => {
    const page = await (await open(`/console/orgs/${orgId}/audit`, 'admin')).text();
    const asked = [...page.matchAll(/<option value="([^"]+)"/g)].map(([, kind]) => kind);
    expect(asked).to.have.members(AUDIT_KINDS.filter((kind) => kind !== 'operator_key'));
  });

  it('pages through the audit trail', async () => {
    const control = await ControlDatabase.open(test.folder, { secret: null });
    for (let n = 0; n < 60; n++)
      await control.organizations.rotateAdminKey(orgId, { name: `rotation ${n}.`, ip: '127.0.0.1' });
    await control.close();
    const first = await (await open(`/console/orgs/${orgId}/audit`, 'admin')).text();
    expect(first).to.contain('rotation 59.').and.contain('rotation 10.').and.not.contain('rotation 9.');
    const older = /href="([^"]*\?cursor=[^"]*)"/.exec(first)?.[1] ?? '';
    const second = await (await open(older, 'admin')).text();
    expect(second).to.contain('rotation 9.').and.contain('created the project').and.not.contain('rotation 10.');
    expect(second).to.match(new RegExp(`created the project <a href="[^"]*" title="${projectId}">project &quot;`)); // its name is hostile
    expect(second).to.match(/created the token <strong title="tok_[^"]*">token &quot;/);
  });

  it('says on the pages of a project and its organization how much of a month is used, where that is much', async () => {
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const notice = /<p class="notice\s+(wrong)?[^"]*">([^<]*events that this [^<]*)</;
    const told = async (page: string): Promise<unknown> => {
      const [, wrong, text = ''] = notice.exec(await (await open(page, 'member')).text()) ?? [];
      return [wrong, text.trim().replaceAll(/\s+/g, ' ').split(' in ')[0]];
    };
    const [ofProject, ofOrg] = [`/console/projects/${projectId}`, `/console/orgs/${orgId}`];
    expect(await told(ofProject)).to.deep.equal([undefined, '']);
    await control.projects.change(projectId, { eventsPerMonth: 0 }, { name: 'test', ip: null });
    expect(await told(ofProject)).to.deep.equal(['wrong', 'All of the 0 events that this project may store']);
    expect(await told(ofOrg)).to.deep.equal([undefined, '']);
    await control.projects.change(projectId, { eventsPerMonth: null }, { name: 'test', ip: null });
    await control.organizations.setLimits(orgId, { eventsPerMonth: 0 }, { name: 'test', ip: null });
    expect(await told(ofOrg)).to.deep.equal(['wrong', 'All of the 0 events that this organization may store']);
    await control.organizations.setLimits(orgId, { eventsPerMonth: null }, { name: 'test', ip: null });
    await control.close();
  });

  it('shows the usage and the bill of a month', async () => {
    const day = utcDay(Date.now());
    const control = await ControlDatabase.open(test.folder, { secret: null });
    control.usage.record({ project: projectId, date: day, eventsIngested: 12_000_100, eventsStored: 12_000_000, eventsRejected: 7, eventsDuplicate: 100, eventsDropped: 0, timesReplaced: 3, fieldsIgnored: 40, valuesTrimmed: 0, idsIgnored: 0, bytesStored: 3_145_728 });
    await control.close();
    const overview = await (await open(`/console/projects/${projectId}`, 'member')).text();
    expect(overview).to.match(/<span title="3">3<\/span> times could not be read/).and.match(/40<\/span> unknown fields/);
    expect(overview).to.not.contain('values were cut');
    const text = await (await open(`/console/orgs/${orgId}/usage?month=${day.slice(0, 7)}`, 'member')).text();
    expect(text).to.contain('<strong>$10</strong>').and.contain('for 2,000,000 events beyond the free allowance');
    expect(text).to.contain('>12M<').and.contain('3 MiB').and.contain('12,000,000 events, most on');
    expect(text).to.match(new RegExp(`usage">[^<]+</a></th\\s*>\\s*<td class="number">12,000,000</td>[^]*100%`));
    const before = await (await open(`/console/orgs/${orgId}/usage?month=2025-02`, 'member')).text();
    expect(before).to.contain('Bill for February 2025').and.contain('<td>Feb 28, 2025</td>').and.not.contain('Feb 29, 2025');
    for (const month of ['2025-13', '9999-01', 'x', '2025-02-01']) {
      const other = await open(`/console/orgs/${orgId}/usage?month=${month}`, 'member');
      const page = await other.text();
      const months = [day, utcDay(Date.now())].map((each) => `Events stored, ${monthName(each.slice(0, 7))}`);
      expect([other.status, months.some((each) => page.includes(each))]).to.deep.equal([200, true]);
    }
  }); // prettier-ignore
});
