import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { OpenIdTestProvider } from '../support/openid-provider.ts';
import { BrowserHost, expectSound } from './browser-host.ts';
import { openAccount } from './console-steps.ts';

describe('a login through a provider, in a browser', () => {
  let provider: OpenIdTestProvider;
  let host: BrowserHost;
  before(async () => {
    provider = await OpenIdTestProvider.start({
      people: { ann: { email: 'ann@example.com', emailVerified: true, name: 'Ann Example' } },
    });
    host = await BrowserHost.start(provider.settings(), [provider.issuer]);
  });
  afterEach(() => host.finish());
  after(async () => {
    await host.stop();
    await provider.stop();
  });

  async function goToProvider(page: Page, path: string): Promise<void> {
    await page.goto(host.service.url + path);
    await page.getByRole('link', { name: 'Log in with Test' }).click();
    await page.waitForURL(`${provider.issuer}/**`);
  }

  it('leads to where somebody wanted to go, with an organization of their own', async () => {
    const page = await host.page();
    await page.goto(`${host.service.url}/console?from=a-link`);
    await page.getByRole('link', { name: 'Log in with Test' }).click();
    await page.getByRole('button', { name: 'ann' }).click();
    await page.waitForURL(`${host.service.url}/console?from=a-link`);
    expect(await page.locator('.who').textContent()).to.equal('ann@example.com');
    expect(await page.locator('.card .badge').textContent()).to.equal('owner');
    await expectSound(page);
    const cookie = (await page.context().cookies(host.service.url)).find(({ name }) => name === 'wl_session');
    expect(cookie).to.include({ httpOnly: true, sameSite: 'Lax', path: '/' });
  });

  it('says so when the provider refuses', async () => {
    const page = await host.page();
    await goToProvider(page, '/login');
    await page.getByRole('button', { name: 'No' }).click();
    await page.waitForURL(`${host.service.url}/login?error=denied`);
    expect(await page.getByRole('alert').textContent()).to.contain(
      'The provider did not log you in. You may have declined',
    );
    await expectSound(page);
  });

  it('is the same account the next time, and ends with a logout', async () => {
    const page = await host.page();
    await goToProvider(page, '/login');
    await page.getByRole('button', { name: 'ann' }).click();
    await page.waitForURL(`${host.service.url}/console`);
    expect(await page.locator('.card').count()).to.equal(1);
    await openAccount(page);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.waitForURL(`${host.service.url}/login`);
    await page.goto(`${host.service.url}/console`);
    await page.waitForURL(`${host.service.url}/login?return_to=%2Fconsole`);
  });
});
