import { expect } from 'chai';
import { Browser, makeLink } from '../support/session-browser.ts';
import { BrowserHost, expectSound } from './browser-host.ts';
import { confirmAct, openAccount } from './console-steps.ts';

describe('sessions and roles, in a browser', () => {
  let host: BrowserHost;
  before(async () => {
    host = await BrowserHost.start({ WINDLASS_AUTH_FAILURES_PER_MINUTE: '0' });
  });
  afterEach(() => host.finish());
  after(() => host.stop());

  it('ends one session, then all others, from the list that the address at the top leads to', async () => {
    const email = 'sessions@example.com';
    const others = await Promise.all([1, 2, 3].map(() => Browser.loggedIn(host.service, email)));
    const page = await host.console(email);
    await openAccount(page);
    await page.getByRole('link', { name: 'Your sessions' }).click();
    await page.getByRole('heading', { name: 'Where you are logged in' }).waitFor();
    const rows = page.locator('tbody tr');
    await rows.nth(3).waitFor();
    expect(await rows.count()).to.equal(4);
    expect(await rows.filter({ hasText: 'this session' }).count()).to.equal(1);
    await expectSound(page);
    await page.getByRole('button', { name: 'End', exact: true }).first().click();
    await page.locator('#announcer').getByText('ended').waitFor({ state: 'attached' });
    await rows.nth(3).waitFor({ state: 'detached' });
    expect(await rows.count()).to.equal(3);
    await page.getByRole('button', { name: 'End all others' }).click();
    await confirmAct(page, 'End all others');
    await rows.nth(1).waitFor({ state: 'detached' });
    expect(await rows.count()).to.equal(1);
    const statuses = await Promise.all(others.map(async (browser) => (await browser.get('/api/session')).status));
    expect(statuses).to.deep.equal([401, 401, 401]);
  });

  it('logs in with a double click on a slow network, though a link works once', async () => {
    const page = await host.page();
    await page.goto(`${host.service.url}/auth/link?token=${await makeLink(host.service, 'twice@example.com')}`);
    const network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
    await network.send('Network.emulateNetworkConditions', { offline: false, latency: 500, downloadThroughput: -1, uploadThroughput: -1 });
    await page.getByRole('main').getByRole('button', { name: 'Log in' }).dblclick({ noWaitAfter: true });
    await page.waitForURL((url) => url.pathname !== '/auth/link');
    expect(new URL(page.url()).pathname).to.equal('/console');
  }); // prettier-ignore

  it('leads to the sessions on a phone, too', async () => {
    const page = await host.console('phone@example.com', undefined, { viewport: { width: 320, height: 640 } });
    await openAccount(page);
    await page.getByRole('link', { name: 'Your sessions' }).click();
    await page.getByRole('heading', { name: 'Where you are logged in' }).waitFor();
    await expectSound(page);
  });

  it('shows a viewer no keys, and lets them leave', async () => {
    const orgId = host.service.keys.organization.id;
    await Browser.loggedIn(host.service, 'boss@example.com', { orgId, role: 'owner' });
    const owner = await Browser.loggedIn(host.service, 'boss@example.com');
    await owner.call('POST', `/api/orgs/${orgId}/members`, { email: 'look@example.com', role: 'viewer' });
    const page = await host.console('look@example.com');
    await page.goto(`${host.service.url}/console/projects/${host.service.keys.project.id}`);
    expect(await page.locator('.tabs').getByText('Keys and tokens').count()).to.equal(0);
    await expectSound(page);
    await page.goto(`${host.service.url}/console/orgs/${orgId}/members`);
    await expectSound(page);
    await page.getByRole('button', { name: 'Leave' }).click();
    await confirmAct(page, 'Leave');
    await page.waitForURL(/\/console$/);
    expect(await page.locator('main').innerText()).to.not.contain('Default');
  });

  it('shows a page for what is not there', async () => {
    const page = await host.console('lost@example.com');
    const answer = await page.goto(`${host.service.url}/nope`);
    expect(answer?.status()).to.equal(404);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await expectSound(page);
    await page.getByRole('link', { name: 'Open the console' }).click();
    await page.waitForURL(/\/console$/);
  });
});
