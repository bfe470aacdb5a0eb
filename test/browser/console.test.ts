import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ControlDatabase } from '../../lib/control/database.ts';
import { BrowserHost, expectSound, VIEWS } from './browser-host.ts';
import { confirmAct, goUp, newProject, openAccount, openTab, said, unfold } from './console-steps.ts';
import { axeFaults } from './dashboards/board-page.ts';
import { holdRefresh } from './held-answer.ts';

const HOSTILE = `"><img src=x onerror="console.error('ran')"><script>console.error('ran')</script>`;

describe('the console, in a browser', () => {
  let host: BrowserHost;
  before(async () => {
    host = await BrowserHost.start({ WINDLASS_AUTH_FAILURES_PER_MINUTE: '0' });
  });
  afterEach(() => host.finish());
  after(() => host.stop());

  it('makes an organization with the first login, and asks for the first project', async () => {
    const page = await host.console('first@example.com');
    expect(await page.locator('.card').count()).to.equal(1);
    await page.getByRole('link', { name: 'Create one' }).click();
    await page.getByText('No projects yet.').waitFor();
    await expectSound(page);
  });

  it('sends the first event from the page, sees it arrive, and draws it', async () => {
    const page = await host.console('event@example.com');
    await newProject(host, page);
    expect(await page.getByRole('heading', { name: 'Send your first event' }).isVisible()).to.equal(true);
    const key = /pk_\w+/.exec((await page.locator('.snippet code').first().textContent()) ?? '')?.[0] ?? '';
    await page.getByRole('button', { name: 'Send a test event from here' }).click();
    await page.getByText('1 event received.').first().waitFor();
    expect(await page.getByText('No events yet').count()).to.equal(0);
    const arrived = page.locator('[data-events] tr').first();
    expect(await arrived.innerText()).to.match(/^test_event\s+console\s+\{.*"sent_from":"console".*\}\s+\d+ s$/);
    for (const question of await page.locator('[data-arrivals] .questions code').allInnerTexts()) {
      const path = `/api/projects/${page.url().split('/').pop()}/query`;
      const status = `fetch('${path}', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: ${JSON.stringify(JSON.stringify({ q: question }))} }).then((response) => response.status)`;
      expect(await page.evaluate(status), question).to.equal(200);
    }
    await expectSound(page);
    await fetch(`${host.service.url}/track`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'User-Agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' },
      body: JSON.stringify({ events: [{ event_type: 'a' }, { event_type: 'b' }] }),
    });
    await page.getByText('3 events received.').first().waitFor(); // of bots, too
    await openTab(page, 'Usage');
    const picture = page.locator('svg.large');
    while (!(await picture.getAttribute('aria-label'))?.includes('3 events')) {
      await page.waitForTimeout(250); // usage appears within seconds
      await page.reload();
    }
    const today = new Date().getUTCDate();
    const bar = picture.locator('.value').nth(today - 1);
    expect(Number(await bar.getAttribute('height'))).to.be.greaterThan(50);
    expect(await picture.getAttribute('aria-label')).to.contain('3 events');
    await page.locator('.chart summary').click();
    expect(
      await page
        .locator('.chart details tbody tr')
        .nth(today - 1)
        .innerText(),
    ).to.match(/\b3$/);
    await expectSound(page);
  });

  it('shows and copies the secret key when it is asked to, and rotates it with a grace', async () => {
    const page = await host.console('keys@example.com', undefined, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await newProject(host, page);
    await openTab(page, 'Keys and tokens');
    const secret = page.locator('[data-secret] code');
    expect(await page.content()).to.not.match(/sk_\w/);
    await page.getByRole('button', { name: 'Show' }).click();
    await secret.getByText(/sk_\w{20}/).waitFor();
    const old = await secret.textContent();
    await page.getByRole('button', { name: 'Hide' }).click();
    expect(await secret.textContent()).to.not.match(/sk_\w/);
    await page.getByRole('button', { name: 'Copy: secret key' }).click();
    await said(page, 'Copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(old);

    await unfold(page, 'Replace this key');
    await page.getByLabel('The old key stops working').selectOption('in 24 hours');
    await page.getByRole('button', { name: 'Rotate the secret key' }).click();
    await page.getByText('The old key stops working in 24 hours.').waitFor();
    await confirmAct(page, 'Rotate the secret key');
    await said(page, 'Secret key rotated.');
    await secret.getByText(/sk_\w{20}/).waitFor(); // the new one
    const fresh = await secret.textContent();
    expect(fresh).to.not.equal(old);
    for (const key of [old, fresh]) {
      const answer = await fetch(`${host.service.url}/query`, {
        method: 'POST',
        headers: { 'X-API-Key': key ?? '' },
        body: '{"q":"*"}',
      });
      expect(answer.status).to.equal(200);
    }
  });

  it('copies the secret key where the browser takes a text at the click alone, as WebKit does', async () => {
    const page = await host.console('ann@example.com', undefined, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.addInitScript({
      content: `
        let clicked = false;
        addEventListener('click', () => { clicked = true; setTimeout(() => (clicked = false)); }, true);
        for (const name of ['write', 'writeText']) {
          const original = Clipboard.prototype[name];
          Clipboard.prototype[name] = function (what) {
            return clicked ? original.call(this, what) : Promise.reject(new DOMException('too late', 'NotAllowedError'));
          };
        }`,
    });
    await newProject(host, page);
    await openTab(page, 'Keys and tokens');
    await page.getByRole('button', { name: 'Copy: secret key' }).click();
    await said(page, 'Copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).to.match(/^sk_/);
    expect(await page.locator('[data-secret] code').textContent(), 'not shown').to.not.match(/sk_\w/);
  });

  it('shows and selects the secret key where the browser does not let pages copy', async () => {
    const page = await host.console('plain-http@example.com');
    await newProject(host, page);
    await page.addInitScript({ content: `Object.defineProperty(navigator, 'clipboard', { value: undefined })` });
    await openTab(page, 'Keys and tokens');
    await page.getByRole('button', { name: 'Copy: secret key' }).click();
    await said(page, 'Selected: now copy it');
    expect(await page.evaluate('getSelection().toString()')).to.match(/^sk_\w{20,}$/);
    await page.getByRole('button', { name: 'Hide' }).waitFor();
  });

  it('does nothing when a question is answered with no', async () => {
    const page = await host.console('no@example.com');
    await newProject(host, page);
    await openTab(page, 'Keys and tokens');
    await unfold(page, 'Replace this key');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.method()));
    for (const no of [
      () => page.keyboard.press('Escape'),
      () => page.getByRole('button', { name: 'Cancel' }).click(),
    ]) {
      await page.getByRole('button', { name: 'Rotate the secret key' }).click();
      await page.getByRole('dialog').waitFor();
      await no();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    }
    expect(asked).to.not.include('POST');
  });

  it('makes a token, shows it once, and revokes it', async () => {
    const page = await host.console('token@example.com', undefined, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await newProject(host, page);
    await openTab(page, 'Keys and tokens');
    await page.getByLabel('Name').fill('Nightly report');
    await page.getByRole('checkbox', { name: 'query' }).uncheck();
    await page.getByRole('button', { name: 'Create token' }).click();
    const problem = page.locator('[data-list="scopes"] .problem');
    await problem.getByText('A token needs at least one scope.').waitFor();
    await problem.getByText('Scopes are track, query, admin, dashboards.').waitFor();
    expect(await page.getByLabel('Name').inputValue()).to.equal('Nightly report'); // the typed text stays

    await page.getByRole('checkbox', { name: 'track' }).check();
    await page.getByLabel('Lifetime').selectOption('7 days');
    await page.getByRole('button', { name: 'Create token' }).click();
    const shown = page.locator('#new-token-value code');
    await shown.getByText(/aat_\w{20}/).waitFor();
    expect(await page.locator('.problem:visible').count()).to.equal(0);
    const token = (await shown.textContent()) ?? '';
    await page.getByRole('button', { name: 'Copy: New token' }).click();
    await said(page, 'Copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(token);
    const track = (): Promise<Response> =>
      fetch(`${host.service.url}/track`, {
        method: 'POST',
        headers: { 'X-API-Key': token },
        body: '{"event_type":"a"}',
      });
    expect((await track()).status).to.equal(200);
    await page.getByRole('row', { name: /Nightly report/ }).waitFor();
    await expectSound(page);

    await page.reload();
    expect(await page.content()).to.not.contain(token);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByText('Revoke the token Nightly report?').waitFor();
    await confirmAct(page, 'Revoke');
    await page.getByText('No tokens yet.').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Access tokens');
    expect((await track()).status).to.equal(401);
  });

  it('invites members, changes their role and removes them', async () => {
    const page = await host.console('owner@example.com');
    await newProject(host, page);
    await goUp(page, 'Acme');
    await openTab(page, 'Members');
    await page.getByLabel('E-mail address').fill('bob@example.com');
    await page.getByLabel('Role', { exact: true }).selectOption('admin');
    await page.getByRole('button', { name: 'Invite' }).click();
    const row = page.getByRole('row', { name: /bob@example\.com/ });
    await row.getByText('invited').waitFor();
    await page.getByLabel('E-mail address').fill('bob@example.com');
    await page.getByLabel('Role', { exact: true }).selectOption('admin');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.locator('.problem:visible').waitFor(); // already invited
    const refresh = await holdRefresh(page);
    await row.getByRole('combobox', { name: 'Role of bob@example.com' }).selectOption('member');
    await row.getByRole('button', { name: 'Change' }).click();
    await refresh.answered;
    expect(await page.locator('#announcer').textContent()).to.not.contain('changed'); // the table does not show it yet
    refresh.release();
    await said(page, 'Role of bob@example.com changed.');
    expect(await row.getByRole('combobox').inputValue()).to.equal('member');
    await expectSound(page);
    await row.getByRole('button', { name: 'Revoke invitation' }).click();
    await confirmAct(page, 'Revoke invitation');
    await row.waitFor({ state: 'detached' });
    await openTab(page, 'Audit trail');
    for (const words of [
      'invited bob@example.com as admin',
      'changed the role of bob@example.com',
      'removed bob@example.com',
      'created the project Shop',
    ]) {
      await page.getByRole('cell', { name: words }).waitFor();
    }
    await expectSound(page);
  });

  it('changes settings, and deletes a project whose name was typed', async () => {
    const page = await host.console('settings@example.com');
    await newProject(host, page);
    await openTab(page, 'Settings');
    await page.getByLabel('Event retention, in days').fill('30');
    await page.getByLabel('Time zone').fill('Nowhere/City');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.locator('.problem:visible').waitFor();
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await said(page, 'Settings saved.');
    await page.reload();
    expect(await page.getByLabel('Event retention, in days').inputValue()).to.equal('30');
    expect(await page.getByLabel('Time zone').inputValue()).to.equal('Europe/Berlin');

    await page.getByLabel('Type the project’s name').fill('shop');
    await page.getByRole('button', { name: 'Delete permanently' }).click();
    await page.locator('.problem').getByText('Nothing was deleted').waitFor();
    await page.getByLabel('Type the project’s name').fill('Shop');
    await page.getByRole('button', { name: 'Delete permanently' }).click();
    await page.waitForURL(/\/console\/orgs\/org_/);
    await page.getByText('No projects yet.').waitFor();
  });

  it('shows the new admin key once', async () => {
    const page = await host.console('admin-key@example.com');
    await newProject(host, page);
    await goUp(page, 'Acme');
    await openTab(page, 'Settings');
    await page.getByRole('button', { name: 'Rotate the admin key' }).click();
    await confirmAct(page, 'Rotate the admin key');
    await page
      .locator('#new-admin-key code')
      .getByText(/ak_\w{20}/)
      .waitFor();
    const key = (await page.locator('#new-admin-key code').textContent()) ?? '';
    const projects = await fetch(`${host.service.url}/api/admin/projects`, { headers: { 'X-API-Key': key } });
    expect(projects.status).to.equal(200);
    await page.reload();
    expect(await page.content()).to.not.contain(key);
  });

  it('logs out, and leads back after the next login', async () => {
    const page = await host.console('leaving@example.com');
    await newProject(host, page);
    const { pathname } = new URL(page.url());
    await openAccount(page);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.waitForURL(/\/login$/);
    await page.goto(host.service.url + pathname);
    expect(page.url()).to.equal(`${host.service.url}/login?return_to=${encodeURIComponent(pathname)}`);
  });

  it('goes to the login when the session has ended under a page', async () => {
    const page = await host.console('ended@example.com');
    await newProject(host, page);
    await openTab(page, 'Keys and tokens');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/\/login\?return_to=%2Fconsole%2Fprojects%2Fprj_[^&]+%2Fkeys$/);
  });

  it('runs nothing that tenants write into names', async () => {
    const page = await host.console('hostile@example.com');
    await newProject(host, page, { org: HOSTILE, project: HOSTILE });
    await openTab(page, 'Keys and tokens');
    await page.getByLabel('Name').fill(HOSTILE);
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByRole('row', { name: HOSTILE }).waitFor();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByText(HOSTILE).waitFor();
    await confirmAct(page, 'Revoke');
    await page.getByText('No tokens yet.').waitFor();
    await openTab(page, 'Settings');
    await page.getByLabel('Type the project’s name').fill(HOSTILE);
    await goUp(page, HOSTILE);
    for (const tab of ['Usage and bill', 'Members', 'Audit trail', 'Settings']) {
      await openTab(page, tab);
      await page.locator('.tabs').locator('[aria-current]', { hasText: tab }).waitFor();
      expect(await page.locator('img, main script').count(), tab).to.equal(0);
    }
  });

  for (const { colorScheme, width } of VIEWS) {
    it(`is sound on every page in ${colorScheme}, ${width} px wide`, async () => {
      const email = `${colorScheme}-${width}@example.com`;
      const page = await host.console(email, undefined, { colorScheme, viewport: { width, height: 800 } });
      await newProject(host, page, { project: 'A project with quite a long name, such as people give' });
      const [projectPath, projectId = ''] = /\/console\/projects\/(\w[\w-]+)/.exec(page.url()) ?? [''];
      const orgId = await fill(projectId);
      const paths = [
        '/console',
        '/console/nothing',
        '/console/sessions',
        projectPath,
        `${projectPath}/ask`,
        `${projectPath}/dashboards`,
        `${projectPath}/usage`,
        `${projectPath}/keys`,
        `${projectPath}/settings`,
      ];
      for (const tab of ['', '/usage', '/members', '/audit', '/settings']) paths.push(`/console/orgs/${orgId}${tab}`);
      const titles = new Set<string>();
      for (const path of paths) {
        await page.goto(host.service.url + path);
        await expectSound(page);
        expect(await axeFaults(page), path).to.deep.equal([]);
        if (width === 1280) expect(await tablesCut(page), path).to.deep.equal([]);
        titles.add(await page.title());
      }
      expect(titles.size, [...titles].join(', ')).to.equal(paths.length);
    });
  }

  /** Tables wider than their place, by what they are called: their last columns are out of sight. */
  const tablesCut = (page: Page): Promise<(string | null)[]> =>
    page
      .locator('.scroll')
      .evaluateAll((regions) =>
        regions
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map((region) => region.getAttribute('aria-label')),
      );

  /** Puts something into every table. Returns the organization. */
  async function fill(projectId: string): Promise<string> {
    const control = await ControlDatabase.open(host.service.folder, { secret: null });
    try {
      const { orgId } = await control.projects.get(projectId);
      const by = { name: 'somebody@example.com', ip: '127.0.0.1' };
      await control.tokens.create(
        { projectId, name: 'A token with quite a long name', scopes: ['query', 'track'] },
        by,
      );
      await control.members.invite(orgId, 'somebody.with.a.long.address@a-long-company-name.example.com', 'member', by);
      return orgId;
    } finally {
      await control.close();
    }
  }
});
