import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { BrowserHost, expectSound } from '../browser-host.ts';
import { eventually } from '../eventually.ts';
import { allDrawn, axeFaults } from './board-page.ts';

/** Far from midnight, so that today's events stay today's while the tests run; its offset is not a whole hour. */
const ZONE =
  new Date().getUTCHours() < 12
    ? { name: 'Asia/Kathmandu', clock: String.raw`GMT\+5:45` }
    : { name: 'Pacific/Marquesas', clock: 'GMT-9:30' };

const FILE = `version: 1
id: kept
title: Kept
timezone: ${ZONE.name}
variables:
  - { name: plan, kind: select, label: Plan, any: All plans, options: [free, team], fragment: 'where event_properties.plan = {{value}}' }
sections:
  - cards:
      - { id: days, title: By day, kind: chart, query: 'visit | last 7d | {{plan}} | count by day', layout: { w: 12, h: 4 } }
      - { id: plans, title: Plans, kind: chart, viz: pie, query: 'visit | last 7d | {{plan}} | count by event_properties.plan', layout: { w: 6, h: 4 } }
${Array.from({ length: 8 }, (_, index) => `      - { id: c${index}, title: Card ${index}, kind: table, query: 'visit | last ${index + 1}d | count', layout: { w: 12, h: 4 } }`).join('\n')}
`;

describe('what a dashboard shows', () => {
  let host: BrowserHost;
  let address: string;
  before(async () => {
    host = await BrowserHost.start({ WINDLASS_QUERIES_PER_MINUTE: '0', WINDLASS_AUTH_FAILURES_PER_MINUTE: '0' });
    const { url, keys } = host.service;
    address = `${url}/console/projects/${keys.project.id}/dashboards/kept`;
    const events = Array.from({ length: 9 }, (_, index) => ({ event_type: 'visit', user_id: `u${index}`, event_properties: { plan: index % 3 === 0 ? 'team' : 'free' } })); // prettier-ignore
    await host.service.post('/track', { events });
    const headers = { 'X-API-Key': keys.secretKey, 'Content-Type': 'application/yaml' };
    const stored = await fetch(`${url}/dashboards/kept`, { method: 'PUT', headers, body: FILE });
    expect(stored.status).to.be.below(300);
  });
  afterEach(() => host.finish());
  after(() => host.stop());

  async function opened(name: string, options = {}): Promise<Page> {
    const grant = { orgId: host.service.keys.organization.id, role: 'viewer' } as const;
    const page = await host.console(`${name}@example.com`, grant, options);
    await page.goto(address);
    await page.locator('[data-card="days"] svg').waitFor();
    return page;
  }
  const card = (page: Page, id: string): ReturnType<Page['locator']> => page.locator(`[data-card="${id}"]`);
  const onlyFailed = async (): Promise<void> => {
    const complaints: unknown = await host.finish().then(() => [], (error: unknown) => Reflect.get(Object(error), 'actual')); // prettier-ignore
    expect(complaints).to.satisfy((all: string[]) => all.length > 0 && all.every((one) => one.includes('ERR_FAILED')));
  };

  it('stays, greyed and dated, when fetching it again fails, until a card is asked to retry', async () => {
    const page = await opened('stays');
    await page.route('**/query', (route) => route.abort());
    await page.getByRole('button', { name: 'Refresh' }).click();
    const age = card(page, 'days').locator('.card-age');
    await age.waitFor();
    expect(await age.innerText()).to.match(
      new RegExp(String.raw`^Data of \w+ \d+, 20\d\d.* ${ZONE.clock}\. The server does not respond\.`),
    );
    expect(await card(page, 'days').locator('path.line, circle.dot').count()).to.be.greaterThan(0);
    expect(await page.evaluate('getComputedStyle(document.querySelector(".stale path")).opacity')).to.equal('0.5');
    await expectSound(page);
    expect(await axeFaults(page)).to.deep.equal([]);
    await page.unroute('**/query');
    await age.getByRole('button', { name: 'Retry' }).click();
    await age.waitFor({ state: 'detached' });
    expect(await card(page, 'days').getAttribute('class')).to.not.include('stale');
    expect(await card(page, 'plans').getAttribute('class'), 'of another card').to.include('stale');
    await onlyFailed();
  });

  it('is not data of other values: those that fail can be tried again', async () => {
    const page = await opened('others');
    await page.route('**/query', (route) => route.abort());
    await page.locator('#variable-plan').selectOption('team');
    const alert = card(page, 'days').getByRole('alert');
    await alert.waitFor();
    expect(await card(page, 'days').locator('svg, .card-age').count()).to.equal(0);
    await page.unroute('**/query');
    await alert.getByRole('button', { name: 'Retry' }).focus();
    await page.keyboard.press('Enter');
    await card(page, 'days').locator('svg').waitFor();
    expect(await page.evaluate('document.activeElement.dataset.card')).to.equal('days');
    await onlyFailed();
  });

  it('has one clock, that of the dashboard, and the time of the data, not of the attempt', async () => {
    const page = await opened('clock', { timezoneId: 'America/New_York' });
    const status = page.locator('.board-status');
    expect(await status.innerText()).to.match(new RegExp(String.raw`^Updated \w+ \d+, 20\d\d, \d+:\d\d [AP]M ${ZONE.clock}\. Time zone: ${ZONE.name}\.$`)); // prettier-ignore
    const before = await status.innerText();
    await page.route('**/query', (route) => route.abort());
    await page.clock.setSystemTime(Date.now() + 3_600_000);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await card(page, 'days').locator('.card-age').waitFor();
    expect(await status.innerText()).to.equal(before);
    await onlyFailed();
  });

  it('is told by a tap until the next one elsewhere, and only a second tap leads on', async () => {
    const page = await opened('taps', { hasTouch: true, viewport: { width: 390, height: 844 } });
    const ground = card(page, 'days').locator('.ground');
    const tap = async (): Promise<void> => {
      const { width, height } = (await ground.boundingBox())!;
      await ground.tap({ position: { x: width - 14, y: height / 2 } });
    };
    await tap();
    const tip = ground.locator('.tip');
    expect(await tip.innerText()).to.match(/\(incomplete\)\s+count\s+9/);
    expect(page.url()).to.equal(address);
    await page.getByRole('heading', { name: 'Kept', level: 2 }).tap();
    expect(await tip.innerText()).to.equal('');
    const slice = card(page, 'plans').locator('.slice').first();
    const ring = (await slice.boundingBox())!;
    await slice.tap({ position: { x: ring.width - 12, y: ring.height / 2 } });
    expect(await card(page, 'plans').locator('.tip').innerText()).to.match(/(?:free|team): \d/);
    await tap();
    await tap();
    await page.waitForURL('**/ask#q=*');
  });

  it('is reached by keys card by card, also while cards load, and goes on in the card that has come', async () => {
    const page = await opened('tabs');
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/query', async (route) => {
      await held;
      await route.continue();
    });
    await page.reload();
    await page.getByRole('button', { name: 'Print' }).focus();
    const stop = (): Promise<unknown> => page.evaluate('document.activeElement.closest("[data-card]")?.dataset.card'); // prettier-ignore
    for (const id of ['days', 'plans', 'c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7']) {
      await page.keyboard.press('Tab');
      expect(await stop()).to.equal(id);
    }
    release();
    await card(page, 'c7').locator('td').waitFor();
    const name = (): Promise<unknown> => page.evaluate('document.activeElement.getAttribute("aria-label")');
    expect(await name()).to.equal('More about Card 7');
    await page.keyboard.press('Tab');
    expect(await name(), 'its rows').to.equal('Card 7');
  });

  it('follows other values in a card that somebody reads, too, and leaves the focus in it', async () => {
    const page = await opened('reads');
    const ground = card(page, 'days').getByRole('application');
    await ground.focus();
    await page.evaluate('location.hash = "#plan=team"');
    await card(page, 'days')
      .getByRole('img', { name: / to 3\./ })
      .waitFor();
    expect(await page.evaluate('document.activeElement.closest("[data-card]")?.dataset.card')).to.equal('days');
    await ground.press('End');
    expect(await ground.locator('.tip').innerText()).to.match(/count\s+3$/);
  });

  it('stays below a text that the browser does not let the page copy, which goes with the focus', async () => {
    const page = await opened('copies');
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("no"))');
    const menu = card(page, 'days').locator('summary');
    await menu.press('Enter');
    await page.keyboard.press('ArrowUp');
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Save as PNG');
    await card(page, 'days').getByRole('button', { name: 'Copy query' }).click();
    await card(page, 'days').getByText('Selected: now copy it').waitFor();
    expect(await page.evaluate('getSelection().toString()')).to.match(/^visit \| last 7d {1,2}\| count by day$/);
    expect(await card(page, 'days').locator('svg path.line, svg circle').count()).to.be.greaterThan(0);
    await menu.focus();
    await card(page, 'days').locator('.card-text').waitFor({ state: 'detached' });
  });

  it('is printed whole, as wide as a page and without controls, by its button and by the keys', async () => {
    const page = await opened('prints', { viewport: { width: 1440, height: 900 } });
    await page.evaluate('window.print = () => { window.printed = [...document.querySelectorAll(".card")].filter((one) => one.querySelector("td, svg") !== null).length; }'); // prettier-ignore
    expect(await card(page, 'c7').locator('td').count()).to.equal(0);
    await page.keyboard.press('Control+p');
    await eventually(async () => expect(await page.evaluate('window.printed')).to.equal(10));
    await page.evaluate('delete window.printed');
    await page.getByRole('button', { name: 'Print' }).click();
    await eventually(async () => expect(await page.evaluate('window.printed')).to.equal(10));
    const width = (): Promise<number> => page.evaluate('Number(document.querySelector("[data-card=days] svg").getAttribute("width"))'); // prettier-ignore
    const onScreen = await width();
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    await page.emulateMedia({ media: 'print' });
    expect(await width())
      .to.be.lessThan(700)
      .and.lessThan(onScreen);
    for (const control of ['form.variables', '.board-again', '.board-print', '.card-menu', '.side', '.bar'])
      expect(await page.locator(control).first().isVisible(), control).to.equal(false);
    expect(await page.locator('.values-shown').innerText()).to.match(/Plan\s+All plans/);
    await page.emulateMedia({ media: 'screen' });
    await page.evaluate('dispatchEvent(new Event("afterprint"))');
    expect(await width()).to.equal(onScreen);
    await allDrawn(page);
  });
});
