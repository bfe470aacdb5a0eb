import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { docsEntries } from '../../lib/router/pages/docs.ts';
import { docsAddress } from '../../lib/router/pages/docs-links.ts';
import { BrowserHost, expectSound, VIEWS } from './browser-host.ts';
import { axeFaults } from './dashboards/board-page.ts';
import { eventually } from './eventually.ts';

describe('the documentation, in a browser', () => {
  let host: BrowserHost;
  before(async () => {
    host = await BrowserHost.start({ WINDLASS_AUTH_FAILURES_PER_MINUTE: '0', WINDLASS_QUERIES_PER_MINUTE: '0' });
  });
  afterEach(() => host.finish());
  after(() => host.stop());

  const open = async (path: string, options = {}): Promise<Page> => {
    const page = await host.page(options);
    await page.goto(host.service.url + path);
    return page;
  };
  const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement.textContent');

  for (const { colorScheme, width } of VIEWS) {
    it(`is sound in ${colorScheme}, ${width} px wide`, async () => {
      const page = await host.page({ colorScheme, viewport: { width, height: 800 } });
      // Those with every kind of content; all of them once.
      const all = docsEntries().map(({ name }) => docsAddress(name));
      const looked = width === 1280 && colorScheme === 'light' ? all : ['/docs/', '/docs/query-language', '/docs/http-api', '/docs/configuration']; // prettier-ignore
      for (const path of looked) {
        await page.goto(host.service.url + path);
        await expectSound(page);
      }
      await page.goto(`${host.service.url}/docs/dashboards`);
      expect(await axeFaults(page)).to.deep.equal([]);
      await page.keyboard.press('/');
      await page.keyboard.type('previous');
      await page.locator('[data-found] a').first().waitFor();
      await expectSound(page);
      expect(await axeFaults(page)).to.deep.equal([]);
    });
  }

  it('is found from the landing page and the header', async () => {
    const page = await open('/');
    await page.getByRole('link', { name: 'Read the documentation' }).click();
    await page.waitForURL(/\/docs\/$/);
    await page.getByRole('article').getByRole('link', { name: 'The pipe query language' }).click();
    await page.waitForURL(/\/docs\/query-language$/);
    await page.getByRole('banner').getByRole('link', { name: 'Docs' }).click();
    await page.waitForURL(/\/docs\/$/);
  });

  it('finds sections by the keyboard alone', async () => {
    const page = await open('/docs/');
    await page.keyboard.press('/');
    await page.keyboard.type('acknowledged sync');
    const first = page.locator('[data-found] a').first();
    await first.waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).to.equal(await first.textContent());
    await page.keyboard.press('ArrowUp');
    expect(await page.evaluate('document.activeElement.id')).to.equal('docs-search');
    const address = await first.getAttribute('href');
    await page.keyboard.press('Enter');
    await page.waitForURL(host.service.url + address);
  });

  it('says how much it found, and closes with Esc', async () => {
    const page = await open('/docs/limits');
    await page.getByLabel('Search the documentation').fill('xyzzyx');
    await page.locator('[data-found]').getByText('Nothing found for “xyzzyx”.').waitFor();
    await page.getByLabel('Search the documentation').fill('journal');
    await page.getByRole('status').getByText(/^\d+ sections found\.$/).waitFor({ state: 'attached' }); // prettier-ignore
    await page.keyboard.press('Escape');
    expect(await page.locator('[data-found]').isVisible()).to.equal(false);
    expect(await page.getByLabel('Search the documentation').inputValue()).to.equal('');
  });

  it('shows what is sought as text', async () => {
    const page = await open('/docs/');
    await page.getByLabel('Search the documentation').fill('<img src=x onerror=console.error(1)>');
    await page.locator('[data-found]').getByText('Nothing found').waitFor();
    expect(await page.locator('[data-found] img').count()).to.equal(0);
  });

  it('says when the search cannot be loaded, and tries again', async () => {
    const page = await host.page();
    await page.route('**/docs/search.json', (route) => route.fulfill({ status: 404, body: '' }));
    await page.goto(`${host.service.url}/docs/`);
    await page.getByLabel('Search the documentation').fill('jour');
    await page.locator('[data-found]').getByText('The search cannot be loaded.').waitFor();
    await page.unroute('**/docs/search.json');
    await page.getByLabel('Search the documentation').fill('journal');
    await page.locator('[data-found] a').first().waitFor();
  });

  it('goes to a heading, and through the contents', async () => {
    const page = await open('/docs/query-language#metrics');
    await eventually(async () => {
      const top = await page.locator('#metrics').evaluate((heading) => heading.getBoundingClientRect().top);
      expect(top).to.be.within(0, 100);
    });
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Conditions' }).click();
    await page.waitForURL(/#conditions$/);
  });

  it('can be read without script', async () => {
    const page = await open('/docs/query-language', {
      javaScriptEnabled: false,
      viewport: { width: 390, height: 800 },
    });
    expect(await page.getByRole('searchbox').count()).to.equal(0);
    expect(await page.getByRole('button').count()).to.equal(0);
    await page.getByText('On this page').click();
    await page.getByRole('link', { name: 'Metrics', exact: true }).click();
    await page.waitForURL(/#metrics$/);
    await page.getByText('All pages', { exact: true }).click();
    await page.getByRole('navigation', { name: 'Documentation' }).getByRole('link', { name: 'Limits' }).click();
    await page.waitForURL(/\/docs\/limits$/);
  });

  it('runs an example in Ask, of the project that is chosen', async () => {
    const { organization, project } = host.service.keys;
    const page = await host.console('ruth@example.com', { orgId: organization.id, role: 'owner' });
    await page.goto(`${host.service.url}/docs/query-language`);
    await page.getByRole('link', { name: 'Run this' }).first().click();
    await page.waitForURL(`${host.service.url}/console/projects/${project.id}/ask#q=**`);
    expect(await page.getByLabel('Question', { exact: true }).inputValue()).to.equal('signup | where user.country = "DE" | count by day | last 3d');
    await page.request.post(`${host.service.url}/api/orgs/${organization.id}/projects`, { data: { name: 'Second' }, headers: { Origin: host.service.url } });
    await page.goto(`${host.service.url}/docs/query-language`);
    await page.getByRole('link', { name: 'Run this' }).first().click();
    await expectSound(page);
    await page.getByRole('main').getByRole('link', { name: 'Second' }).click();
    await page.waitForURL(/\/ask#q=signup/);
    expect(await page.getByLabel('Question', { exact: true }).inputValue()).to.match(/^signup \| where/);
  }); // prettier-ignore

  it('prints the text alone', async () => {
    const page = await open('/docs/query-language');
    await page.emulateMedia({ media: 'print' });
    for (const part of ['header.bar', 'footer', '.docs-side', '.docs-contents']) {
      expect(await page.locator(part).first().isVisible(), part).to.equal(false);
    }
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).to.equal(true);
    const cut = await page.locator('pre').evaluateAll((all) => all.filter((pre) => pre.scrollWidth > pre.clientWidth).length); // prettier-ignore
    expect(cut).to.equal(0);
  });
});
