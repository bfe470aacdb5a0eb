import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { BrowserHost, expectSound, VIEWS } from './browser-host.ts';
import { lastTwoDays } from '../support/last-two-days.ts';

/** Adds up how far what was there has moved, as Cumulative Layout Shift does. */
const MEASURE_SHIFTS = `const shifts = (globalThis.shifts = { sum: 0 });
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shifts.sum += value;
}).observe({ type: 'layout-shift', buffered: true });`;

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

  /** Goes to the last card, which loads when it is near, and waits for what is in it. */
  async function filled(page: Page): Promise<void> {
    await page.locator('[data-card="latest"]').scrollIntoViewIfNeeded();
    await page.locator('[data-card="latest"] .events li').first().waitFor();
  }

  const figure = (page: Page, card: string) => page.locator(`[data-card="${card}"] .figure-value`);

  it('shows numbers with their course, events by day, the most frequent, and what came last, as text', async () => {
    const page = await viewer('shows');
    await page.goto(path);
    await filled(page);
    for (const [card, value] of [
      ['people', '12'],
      ['events', '78'],
      ['now', '12'],
    ] as const) {
      // prettier-ignore
      await figure(page, card).filter({ hasText: value }).waitFor();
      await page.locator(`[data-card="${card}"] .sparkline polyline`).waitFor();
    }
    await page.locator('[data-card="by-time"] svg').first().waitFor();
    const names = await page.locator('[data-card="top"] tbody tr > :first-child').allInnerTexts();
    expect(names).to.deep.equal([HOSTILE, ...Array.from({ length: 9 }, (_, index) => `event ${10 - index}`)]);
    expect(await page.locator('main img').count()).to.equal(0);
  });

  it('counts an event that came meanwhile when it is refreshed', async () => {
    const page = await viewer('live');
    await page.goto(path);
    await filled(page);
    await host.service.post('/track', { event_type: 'just now', user_id: 'u1' });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.locator('[data-card="latest"]').getByText('just now').waitFor();
  });

  it('does not move what is there when more comes', async () => {
    for (const width of [1280, 390]) {
      const page = await viewer(`still-${width}`, { viewport: { width, height: 900 } });
      await page.addInitScript({ content: MEASURE_SHIFTS });
      await page.goto(path);
      await figure(page, 'people').waitFor();
      await page.locator('[data-card="now"] .sparkline').waitFor();
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
      expect(await page.evaluate('shifts.sum'), `at ${width} px`).to.be.at.most(0.05);
    }
  });

  it('needs one style sheet and one script', async () => {
    const page = await viewer('light');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(path);
    await filled(page);
    expect(asked.filter((one) => /\.(?:css|js)$/.test(one))).to.have.members(['/public/console/dashboards.css', '/public/console/dashboards.js']); // prettier-ignore
  });

  it('keeps how to send events folded, which then shows them as they arrive', async () => {
    const page = await viewer('sends');
    await page.goto(path);
    const send = page.getByRole('button', { name: 'Send a test event from here' });
    expect(await send.isVisible()).to.equal(false);
    await page.locator('summary').filter({ hasText: 'Send an event' }).click();
    await send.click();
    await page.locator('[data-events]').getByText('test_event').first().waitFor();
  });

  it('asks with one click what can be asked next', async () => {
    const page = await viewer('click');
    await page.goto(path);
    expect(await page.locator('.questions a').count()).to.equal(3);
    for (let index = 0; index < 3; index++) {
      await page.goto(path);
      const question = await page.locator('.questions code').nth(index).innerText();
      await page.locator('.questions a').nth(index).click();
      await page.locator('[data-context]').getByText('row').waitFor();
      expect(await page.getByLabel('Question', { exact: true }).inputValue()).to.equal(question);
    }
  });

  for (const { colorScheme, width } of VIEWS) {
    it(`is sound in ${colorScheme} at ${width} px`, async () => {
      const page = await viewer(`sound-${colorScheme}-${width}`, { colorScheme, viewport: { width, height: 900 } });
      await page.goto(path);
      await filled(page);
      await page.locator('summary').filter({ hasText: 'Send an event' }).click();
      await expectSound(page);
    });
  }
});
