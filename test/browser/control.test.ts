import { expect } from 'chai';
import { ControlDatabase } from '../../lib/control/database.ts';
import { utcDay } from '../../lib/base/day.ts';
import { BrowserHost, expectSound, VIEWS } from './browser-host.ts';
import { confirmAct, goUp, newProject, openTab, said } from './console-steps.ts';
import { axeFaults } from './dashboards/board-page.ts';

describe('what people change in the console', () => {
  let host: BrowserHost;
  before(async () => {
    host = await BrowserHost.start({ WINDLASS_AUTH_FAILURES_PER_MINUTE: '0' });
  });
  afterEach(() => host.finish());
  after(() => host.stop());

  it('shows an error at its field, which gets the focus, and takes back what was said before', async () => {
    const page = await host.console('field@example.com');
    await newProject(host, page);
    await openTab(page, 'Settings');
    await page.getByLabel('First day of the week').selectOption('Sunday');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await said(page, 'Settings saved.');
    const zone = page.getByLabel('Time zone');
    await zone.fill('Nowhere/City');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.locator('.field', { has: zone }).getByText('Unknown time zone "Nowhere/City".').waitFor();
    expect(await page.locator('#announcer').textContent()).to.equal('');
    expect(await page.evaluate('document.activeElement.id')).to.equal(await zone.getAttribute('id'));
    expect(await zone.getAttribute('aria-invalid')).to.equal('true');
    const described = await page.evaluate<string>(
      `document.activeElement.getAttribute('aria-describedby').split(' ').map((id) => document.getElementById(id).textContent).join(' ')`,
    );
    expect(described).to.contain('An IANA name').and.contain('Unknown time zone');
    await expectSound(page);
    expect(await axeFaults(page)).to.deep.equal([]);
    await zone.fill('Europe/Paris');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await said(page, 'Settings saved.');
    expect(await zone.getAttribute('aria-invalid')).to.equal(null);
    expect(await page.locator('.problem:visible').count()).to.equal(0);
  });

  it('undoes a name, settings and a role', async () => {
    const page = await host.console('undo@example.com');
    await newProject(host, page);
    await openTab(page, 'Settings');
    const undo = page.locator('#announcer').getByRole('button', { name: 'Undo' });
    await page.getByLabel('Name', { exact: true }).fill('Web shop');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { level: 1, name: 'Web shop' }).waitFor();
    expect(await page.title()).to.contain('Web shop');
    await undo.waitFor();
    await expectSound(page);
    await undo.click();
    expect(await page.evaluate('document.activeElement.tagName'), 'as the button goes').to.match(/^H[12]$/);
    await said(page, 'The project has its former name.');
    await page.getByRole('heading', { level: 1, name: 'Shop', exact: true }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal('Shop');

    await page.getByLabel('Time zone').fill('Europe/Paris');
    await page.getByLabel('Event retention, in days').fill('30');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await undo.click();
    await said(page, 'The settings are what they were.');
    expect(await page.getByLabel('Time zone').inputValue()).to.equal('UTC');
    expect(await page.getByLabel('Event retention, in days').inputValue()).to.equal('');

    await goUp(page, 'Acme');
    await openTab(page, 'Members');
    await page.getByLabel('E-mail address').fill('bob@example.com');
    await page.getByRole('button', { name: 'Invite' }).click();
    const row = page.getByRole('row', { name: /bob@example\.com/ });
    await row.getByRole('combobox').selectOption('admin');
    await row.getByRole('button', { name: 'Change' }).click();
    await undo.click();
    await said(page, 'bob@example.com has the former role.');
    expect(await row.getByRole('combobox').inputValue()).to.equal('member');
    await page.getByText('wl admin login-link --email bob@example.com').waitFor(); // this host has no other way in
    await row.getByRole('button', { name: 'Revoke invitation' }).click();
    await confirmAct(page, 'Revoke invitation');
    await row.waitFor({ state: 'detached' });
    expect(await page.getByText('wl admin login-link').count()).to.equal(0);
  });

  it('finds entries of the audit trail by who, what and when, and downloads them', async () => {
    const page = await host.console('audit@example.com');
    await newProject(host, page);
    await goUp(page, 'Acme');
    await openTab(page, 'Settings');
    await page.getByRole('button', { name: 'Rotate the admin key' }).click();
    await confirmAct(page, 'Rotate the admin key');
    await page.locator('#new-admin-key code').getByText(/ak_/).waitFor();
    await openTab(page, 'Audit trail');
    const rows = page.locator('tbody tr');
    await page.getByLabel('What').selectOption('Keys');
    await page.getByLabel('Who').fill('AUDIT@');
    await page.getByLabel('From (UTC)').fill('2026-01-01');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/action=key/);
    expect(await rows.count()).to.equal(1);
    expect(await rows.innerText())
      .to.contain('audit@example.com')
      .and.contain('rotated the admin key');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download as CSV' }).click(),
    ]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    const lines = Buffer.concat(chunks).toString().trim().split('\r\n');
    expect(lines[0]).to.equal('at,actor,action,target,ip,changes');
    expect(lines.slice(1).map((line) => line.split(',').slice(1, 3))).to.deep.equal([
      ['audit@example.com', 'key.rotate'],
    ]);
    await page.getByLabel('Who').fill('nobody');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('Nothing found.').waitFor();
    for (const { colorScheme, width } of VIEWS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await page.reload();
      await expectSound(page);
      expect(await axeFaults(page)).to.deep.equal([]);
    }
    await page.goto(page.url().split('?', 1)[0]!);
    const beyond = 'document.querySelector(".as-text").scrollWidth - document.querySelector(".as-text").clientWidth';
    expect(await page.evaluate(beyond), 'read on a phone without scrolling sideways').to.equal(0);
    const entry = page.locator('.as-text tr', { hasText: 'rotated the admin key' });
    expect(await entry.innerText()).to.match(/audit@example\.com\s*rotated the admin key/);
  });

  it('shows what goes on in projects, and finds one of many', async () => {
    const page = await host.console('many@example.com');
    await newProject(host, page);
    const projectId = page.url().split('/').pop() ?? '';
    const control = await ControlDatabase.open(host.service.folder, { secret: null });
    const { orgId } = await control.projects.get(projectId);
    for (let n = 1; n <= 10; n++) await control.projects.create(orgId, `Experiment ${n}`, { name: 'test', ip: null });
    await control.close();
    const key = /pk_\w+/.exec((await page.locator('.snippet code').first().textContent()) ?? '')?.[0] ?? '';
    const events = Array.from({ length: 1_234 }, () => ({ event_type: 'a' }));
    await fetch(`${host.service.url}/track`, { method: 'POST', headers: { 'X-API-Key': key }, body: JSON.stringify({ events }) });
    const day = utcDay(Date.now());
    const row = page.getByRole('row', { name: /^Shop / });
    for (;;) {
      await page.goto(`${host.service.url}/console/orgs/${orgId}`);
      if ((await row.innerText()).includes('1,234')) break; // usage comes within seconds
    }
    if (utcDay(Date.now()) === day) expect(await row.innerText()).to.match(/1,234\s+today/);
    expect(await row.getByRole('img').getAttribute('aria-label')).to.equal('1,234 events in the last 14 days');
    await page.getByRole('searchbox').fill('experiment 1');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(/search=/);
    expect(await page.locator('tbody th a').allInnerTexts()).to.deep.equal(['Experiment 1', 'Experiment 10']);
    for (const { colorScheme, width } of VIEWS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${host.service.url}/console?search=shop`);
      expect(await page.locator('.card li a').allInnerTexts()).to.deep.equal(['Shop']);
      await expectSound(page);
      expect(await axeFaults(page)).to.deep.equal([]);
    }
    await page.getByRole('link', { name: 'Show all' }).click();
    await page.getByRole('link', { name: 'All 11 projects in Acme' }).waitFor();
  }); // prettier-ignore

  it('writes numbers and dates as the reader does', async () => {
    const page = await host.console('german@example.com', undefined, { locale: 'de-DE' });
    await newProject(host, page);
    await openTab(page, 'Settings');
    const year = new Date().getUTCFullYear();
    expect(await page.getByText(new RegExp(`^\\d\\d\\.\\d\\d\\.${year}$`)).count()).to.equal(1);
  });
});
