import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { BrowserHost, expectSound, VIEWS } from './browser-host.ts';
import { lastTwoDays } from '../support/last-two-days.ts';

const HOSTILE = `"><img src=x onerror="console.error('ran')"><script>console.error('ran')</script>`;

describe('the overview of a project, in a browser', () => {
  let host: BrowserHost;
  let path: string;
  before(async () => {
    host = await BrowserHost.start({ WINDLASS_AUTH_FAILURES_PER_MINUTE: '0', WINDLASS_QUERIES_PER_MINUTE: '0' });
    path = `${host.service.url}/console/projects/${host.service.keys.project.id}`;
    const events: object[] = [];
    for (let kind = 0; kind < 12; kind++) {
      const name = kind === 11 ? HOSTILE : `event ${kind}`;
      for (let index = 0; index <= kind; index++) events.push({ event_type: name, user_id: `u${index}` });
    }
    await host.service.post('/track', { events });
    // The page recognizes a new project by its lack of usage; usage appears within seconds.
    while (!(await hasUsage())) await new Promise((resolve) => setTimeout(resolve, 100));
  });
  afterEach(() => host.finish());
  after(() => host.stop());

  async function hasUsage(): Promise<boolean> {
    return (await host.service.usage(lastTwoDays())).some(({ events_stored: stored }) => stored > 0);
  }

  const viewer = (name: string, options = {}): Promise<Page> =>
    host.console(`${name}@example.com`, { orgId: host.service.keys.organization.id, role: 'viewer' }, options);

  const filled = (page: Page): Promise<void> => page.locator('[data-latest] tr').first().waitFor();

  it('shows events by day, the ten most frequent, users, and what came last, as text', async () => {
    const page = await viewer('shows');
    await page.goto(path);
    await filled(page);
    expect(await page.locator('[data-figure]').allInnerTexts()).to.deep.equal(['78', '12', '78', '12']);
    const names = await page.locator('[data-top] th').allInnerTexts();
    expect(names).to.deep.equal([HOSTILE, ...Array.from({ length: 9 }, (_, index) => `event ${10 - index}`)]);
    expect(await page.locator('.days').getAttribute('aria-label')).to.match(/^Events by day: 78 in 3[01] days, at most 78/);
    expect(await page.locator('[data-latest] tr').count()).to.equal(10);
    expect(await page.locator('main img').count()).to.equal(0);
  }); // prettier-ignore

  it('shows an event that arrives while somebody looks', async () => {
    const page = await viewer('live');
    await page.goto(path);
    await filled(page);
    await host.service.post('/track', { event_type: 'just now', user_id: 'u1' });
    await page.locator('[data-latest]').getByText('just now').waitFor();
  });

  it('stops asking after ten minutes, until it is told to go on', async () => {
    const page = await viewer('bounded');
    await page.clock.install();
    await page.goto(path);
    await filled(page);
    await page.clock.fastForward(10 * 60_000 + 1);
    const again = page.getByRole('button', { name: 'Keep watching' });
    await again.waitFor();
    let asked = 0;
    page.on('request', (request) => (asked += request.url().endsWith('/query') ? 1 : 0));
    await page.clock.fastForward(60_000);
    expect(asked).to.equal(0);
    const answered = page.waitForResponse(/\/query$/);
    await again.press('Enter');
    await answered;
    expect(await again.isVisible()).to.equal(false);
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Last 30 days');
  });

  it('says in words that an answer takes too long', async () => {
    const page = await viewer('too-long');
    await page.addInitScript(() => (AbortSignal.timeout = (_ms) => AbortSignal.abort(new DOMException('signal timed out', 'TimeoutError'))));
    await page.goto(path);
    await page.locator('[data-trouble]').getByText('The server does not respond.').waitFor();
  }); // prettier-ignore

  it('shows its bars in forced colors, and in print without backgrounds', async () => {
    const page = await viewer('bars', { forcedColors: 'active' });
    await page.goto(path);
    await filled(page);
    const looks = `(({ forcedColorAdjust, printColorAdjust, backgroundColor }) => [forcedColorAdjust, printColorAdjust, backgroundColor])(getComputedStyle(document.querySelector('.days i:not(.partial)')))`;
    const [forced, , color] = await page.evaluate<string[]>(looks);
    expect(forced).to.equal('none');
    expect(color).to.not.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
    await page.emulateMedia({ media: 'print', forcedColors: 'none' });
    expect((await page.evaluate<string[]>(looks))[1]).to.equal('exact');
  });

  it('asks with one click what can be asked next, and about an event', async () => {
    const page = await viewer('click');
    await page.goto(path);
    expect(await page.locator('.questions a').count()).to.equal(3);
    for (let index = 0; index < 3; index++) {
      await page.goto(path);
      const question = await page.locator('.questions code').nth(index).innerText();
      await page.locator('.questions a').nth(index).click();
      await page.locator('[data-context]').getByText('row').waitFor();
      expect(await page.getByLabel('Question').inputValue()).to.equal(question);
    }
    await page.goto(path);
    await page.locator('[data-top] a').first().click();
    await page.locator('table.answer').waitFor();
    expect(await page.getByLabel('Question').inputValue()).to.contain(' | count, unique by day');
  });

  for (const { colorScheme, width } of VIEWS) {
    it(`is sound in ${colorScheme} at ${width} px`, async () => {
      const page = await viewer(`sound-${colorScheme}-${width}`, { colorScheme, viewport: { width, height: 900 } });
      await page.goto(path);
      await filled(page);
      await page.locator('.by-day summary').click();
      await expectSound(page);
    });
  }
});
