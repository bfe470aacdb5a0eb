import { expect } from 'chai';
import { BrowserHost, expectSound, VIEWS } from './browser-host.ts';
import { eventually } from './eventually.ts';

const PROVIDERS = {
  WINDLASS_AUTH_COMPANY_ISSUER: 'https://login.example.com',
  WINDLASS_AUTH_COMPANY_CLIENT_ID: 'windlass',
  WINDLASS_AUTH_COMPANY_CLIENT_SECRET: 'a secret of tests',
};

describe('pages for everybody, in a browser', () => {
  let bare: BrowserHost;
  let withProvider: BrowserHost;
  before(async () => {
    bare = await BrowserHost.start();
    withProvider = await BrowserHost.start(PROVIDERS);
  });
  afterEach(async () => {
    await bare.finish();
    await withProvider.finish();
  });
  after(async () => {
    await bare.stop();
    await withProvider.stop();
  });

  /** What the page's first step is copied as. */
  const commands = (): string => `npm install -g ${bare.service.url}/public/wl.tgz\nwl track signup --user-id ann`;

  for (const { colorScheme, width } of VIEWS) {
    it(`are sound in ${colorScheme}, ${width} px wide`, async () => {
      const options = { colorScheme, viewport: { width, height: 800 } };
      for (const host of [bare, withProvider]) {
        const page = await host.page(options);
        for (const path of ['/', '/login', '/login?error=denied', '/auth/link?token=x']) {
          await page.goto(host.service.url + path);
          await expectSound(page);
        }
      }
    });
  }

  it('say the same without script', async () => {
    const page = await bare.page({ javaScriptEnabled: false });
    await page.goto(bare.service.url);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal(
      'Product analytics that answers in text',
    );
    await page.getByRole('link', { name: 'Start for free' }).click();
    await page.waitForURL(/\/login$/);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('Log in');
    expect(await page.getByRole('button').count()).to.equal(0); // buttons that cannot work are not shown
  });

  it('copy a command', async () => {
    const page = await bare.page({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(bare.service.url);
    await page.getByRole('button', { name: 'Copy: send an event with wl' }).click();
    await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(commands());
  });

  it('select a command where the browser does not let pages copy', async () => {
    const page = await bare.page();
    await page.addInitScript({ content: `Object.defineProperty(navigator, 'clipboard', { value: undefined })` }); // as on plain HTTP
    await page.goto(bare.service.url);
    await page.getByRole('button', { name: 'Copy: send an event with wl' }).click();
    await page.getByRole('status').getByText('Selected: now copy it').waitFor({ state: 'attached' });
    expect(await page.evaluate('getSelection().toString()')).to.equal(commands());
  });

  it('skip to the content with one key', async () => {
    const page = await bare.page();
    await page.goto(bare.service.url);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Skip to content');
    await page.keyboard.press('Enter');
    await eventually(async () => expect(await page.evaluate('document.activeElement.id')).to.equal('main'));
  });

  it('move nothing for who asks for that', async () => {
    const page = await bare.page({ reducedMotion: 'reduce' });
    await page.goto(bare.service.url);
    const moving = `[...document.querySelectorAll('*')].filter((element) => getComputedStyle(element).transitionDuration !== '0s').length`;
    expect(await page.evaluate(moving)).to.equal(0);
  });
});
