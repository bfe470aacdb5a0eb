import { expect } from 'chai';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { BrowserHost, expectSound } from '../browser-host.ts';
import { allDrawn, axeFaults, SavedFiles } from './board-page.ts';
import { dashboardFrom, dataOf } from './demo-host.ts';

const DAY_MS = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const dayBefore = (days: number): string => new Date(TODAY - days * DAY_MS).toISOString().slice(0, 10);
const WEEK = `from "${dayBefore(7)}" to "${dayBefore(0)}"`;
const EVER = `from "${dayBefore(19)}" to "${dayBefore(0)}"`;

const FILE = `version: 1
id: previous
title: Previous
timezone: UTC
sections:
  - cards:
      - { id: line, title: Visits, kind: chart, viz: line, query: 'visit | ${WEEK} | count by day', options: { compare: true }, layout: { w: 6, h: 4 } }
      - { id: area, title: By plan, kind: chart, viz: area, query: 'visit | ${WEEK} | count by day, event_properties.plan', options: { compare: true }, layout: { w: 6, h: 4 } }
      - { id: share, title: Share, kind: chart, viz: line, queries: { part: 'visit | ${WEEK} | where event_properties.plan = "team" | count by day', whole: 'visit | ${WEEK} | count by day' }, options: { ratio: { part: part, whole: whole }, compare: true }, layout: { w: 6, h: 4 } }
      - { id: own, title: Own, kind: chart, viz: line, query: 'visit | ${WEEK} | count by day | compare 1w ago', layout: { w: 6, h: 4 } }
      - { id: ever, title: Ever, kind: chart, viz: line, query: 'visit | ${EVER} | count by day', options: { compare: true }, layout: { w: 6, h: 4 } }
`;

describe('the previous period of a chart', () => {
  let host: BrowserHost;
  const files = new SavedFiles();
  let address: string;
  before(async () => {
    host = await BrowserHost.start({ WINDLASS_QUERIES_PER_MINUTE: '0' });
    const events = Array.from({ length: 20 }, (_, before) => before + 1).flatMap((day) =>
      Array.from({ length: day <= 7 ? day : 2 * day }, (_, index) => ({
        event_type: 'visit',
        user_id: `u${index}`,
        time: `${dayBefore(day)}T12:00:00Z`,
        event_properties: { plan: index % 2 === 0 ? 'free' : 'team' },
      })),
    );
    await host.service.post('/track', { events });
    const data = await dataOf(host.service, dashboardFrom(FILE));
    address = files.save('previous', { mode: 'report', data });
  });
  afterEach(() => host.finish());
  after(async () => {
    files.remove();
    await host.stop();
  });

  async function opened(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await host.page({ locale: 'en-US', ...options });
    await page.goto(address);
    await allDrawn(page);
    return page;
  }
  const card = (page: Page, id: string): Locator => page.locator(`[data-card="${id}"]`);
  const dashed = (page: Page, id: string): Locator => card(page, id).locator('path.line.before');

  it('is a dashed line for each series, also of shares and of what a query compares by itself', async () => {
    const page = await opened();
    for (const [id, lines] of Object.entries({ line: 1, area: 2, share: 1, own: 1 }))
      expect(await dashed(page, id).count(), id).to.equal(lines);
    expect(await card(page, 'own').locator('path.line').count(), 'no second line for it').to.equal(2);
    expect(await page.evaluate('getComputedStyle(document.querySelector(".line.before")).strokeDasharray')).to.match(
      /\d/,
    );
    expect(await dashed(page, 'line').getAttribute('class')).to.include('s0');
  });

  it('is not drawn where it begins before the first event', async () => {
    const page = await opened();
    expect(await card(page, 'ever').locator('svg path.line').count()).to.be.greaterThan(0);
    expect(await dashed(page, 'ever').count()).to.equal(0);
    expect(await card(page, 'ever').locator('.legend').count()).to.equal(0);
  });

  it('is named in the legend, which hides it, and told beside each value', async () => {
    const page = await opened();
    const name = card(page, 'line').getByRole('button', { name: /^Previous: \w+ \d+.*20\d\d$/ });
    const ground = card(page, 'line').locator('.ground');
    await ground.focus();
    await page.keyboard.press('Home');
    expect(await ground.locator('.tip').innerText()).to.match(/20\d\d\s+count\s+7\s+previous\s+28$/);
    await page.keyboard.press('End');
    expect(await ground.locator('.tip').innerText()).to.match(/count\s+1\s+previous\s+16$/);
    await name.click();
    expect(await dashed(page, 'line').count()).to.equal(0);
    expect(await name.getAttribute('aria-pressed')).to.equal('false');
    await ground.focus();
    await page.keyboard.press('Home');
    expect(await ground.locator('.tip').innerText()).to.match(/count\s+7$/);
  });

  it('is in the sentence for screen readers and in the table', async () => {
    const page = await opened();
    const told = await card(page, 'line').getByRole('img').getAttribute('aria-label');
    expect(told).to.match(/compared with \w+ .*; count from 1 to 7, previously from 16 to 28\.$/);
    await card(page, 'line').locator('.card-menu summary').click();
    await card(page, 'line').getByRole('button', { name: 'Show as table' }).click();
    expect(await card(page, 'line').locator('th').allInnerTexts()).to.deep.equal(['day', 'count', 'count previous', 'count change']); // prettier-ignore
    expect(await card(page, 'line').locator('tbody tr').first().locator('td').allInnerTexts()).to.deep.equal([dayText(7), '7', '28', '-75%']); // prettier-ignore
  });

  it('is printed with its name', async () => {
    const page = await opened();
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    await page.emulateMedia({ media: 'print' });
    expect(await dashed(page, 'line').isVisible()).to.equal(true);
    expect(
      await card(page, 'line')
        .getByText(/^Previous: /)
        .isVisible(),
    ).to.equal(true);
  });

  for (const { colorScheme, width } of [{ colorScheme: 'light', width: 1440 }, { colorScheme: 'dark', width: 390 }] as const) {
    it(`is sound in ${colorScheme} at ${width} px, for axe too`, async () => {
      const page = await opened({ colorScheme, viewport: { width, height: 900 } });
      await expectSound(page);
      expect(await axeFaults(page)).to.deep.equal([]);
    });
  } // prettier-ignore
});

const dayText = (days: number): string =>
  new Date(TODAY - days * DAY_MS).toLocaleDateString('en-US', { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }); // prettier-ignore
