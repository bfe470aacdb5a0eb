import { expect } from 'chai';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { BrowserHost, expectSound } from '../browser-host.ts';
import { allDrawn, axeFaults, SavedFiles } from './board-page.ts';
import { dashboardFrom, dataOf } from './demo-host.ts';

const DAY_MS = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const dayBefore = (days: number): string => new Date(TODAY - days * DAY_MS).toISOString().slice(0, 10);
const WEEK = `from "${dayBefore(7)}" to "${dayBefore(0)}"`;
const HOSTILE = '<img src=x onerror="console.error(1)">';
const LONG = 'A campaign with a name that no chart has room for, in each of its many countries and languages';

const FILE = `version: 1
id: annotations
title: Annotations
timezone: UTC
annotations:
  - { at: ${dayBefore(2)}T14:30, text: ${JSON.stringify(LONG)} }
  - { at: ${dayBefore(6)}, text: Version 2 }
  - { at: ${dayBefore(6)}T09:00, text: ${JSON.stringify(HOSTILE)} }
  - { at: ${dayBefore(30)}, text: Before all of it }
sections:
  - cards:
      - { id: line, title: Visits, kind: chart, viz: line, query: 'visit | ${WEEK} | count by day', layout: { w: 6, h: 4 } }
      - { id: bar, title: Bars, kind: chart, viz: bar, query: 'visit | ${WEEK} | count by day', layout: { w: 6, h: 4 } }
      - { id: hours, title: Hours, kind: chart, viz: line, query: 'visit | from "${dayBefore(2)}" to "${dayBefore(1)}" | count by hour', layout: { w: 6, h: 4 } }
      - { id: names, title: Plans, kind: chart, viz: bar, query: 'visit | ${WEEK} | count by event_properties.plan', layout: { w: 6, h: 4 } }
`;

/** What a project has, by API. */
const OWN = [
  { at: `${dayBefore(3)}T08:00:00Z`, text: HOSTILE },
  { at: `${dayBefore(1)}T18:30:00Z`, text: 'Version 3' },
];

describe('the annotations of a dashboard', () => {
  let host: BrowserHost;
  const files = new SavedFiles();
  let address: string;
  before(async () => {
    host = await BrowserHost.start({ WINDLASS_QUERIES_PER_MINUTE: '0' });
    const events = [1, 2, 3, 4, 5, 6, 7].map((day) => ({ event_type: 'visit', user_id: 'u', time: `${dayBefore(day)}T12:00:00Z`, event_properties: { plan: 'free' } })); // prettier-ignore
    await host.service.post('/track', { events });
    const data = await dataOf(host.service, dashboardFrom(FILE));
    address = files.save('annotations', { mode: 'report', data });
  });
  afterEach(() => host.finish());
  after(async () => {
    files.remove();
    await host.stop();
  });

  async function opened(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await host.page({ locale: 'en-US', viewport: { width: 1440, height: 900 }, ...options });
    await page.goto(address);
    await allDrawn(page);
    return page;
  }
  const card = (page: Page, id: string): Locator => page.locator(`[data-card="${id}"]`);
  const names = async (page: Page, id: string): Promise<string[]> =>
    card(page, id).locator('text.mark-name').evaluateAll((all) => all.map(({ firstChild }) => firstChild?.textContent ?? '')); // prettier-ignore

  it('are lines with their texts, in charts over time alone', async () => {
    const page = await opened();
    for (const id of ['line', 'bar']) {
      expect(await card(page, id).locator('line.mark').count(), id).to.equal(2);
      const [first, second] = await names(page, id);
      expect(first).to.match(/^Version 2; <img/);
      expect(second).to.match(/^A campaign .*…$/);
    }
    expect(await card(page, 'hours').locator('line.mark').count()).to.equal(1);
    expect(await card(page, 'names').locator('line.mark').count()).to.equal(0);
  });

  it('are told whole with the values there, and to screen readers', async () => {
    const page = await opened();
    const ground = card(page, 'line').locator('.ground');
    await ground.focus();
    for (const key of ['Home', 'ArrowRight']) await page.keyboard.press(key);
    expect(await ground.locator('.tip').innerText()).to.include(`Version 2; ${HOSTILE}`);
    await page.keyboard.press('ArrowRight');
    expect(await ground.locator('.tip').innerText()).to.not.include('Version 2');
    const told = await card(page, 'line').getByRole('img').getAttribute('aria-label');
    expect(told).to.include(`: Version 2; ${HOSTILE}.`).and.include(`: ${LONG}.`).and.not.include('Before all of it');
  });

  it('stand in the hour of their time', async () => {
    const page = await opened();
    const ground = card(page, 'hours').locator('.ground');
    await ground.focus();
    await page.keyboard.press('Home');
    for (let hour = 0; hour < 14; hour++) await page.keyboard.press('ArrowRight');
    expect(await ground.locator('.tip').innerText())
      .to.match(/02:00\sPM/)
      .and.include(LONG);
  });

  it('are printed', async () => {
    const page = await opened();
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    await page.emulateMedia({ media: 'print' });
    expect(await card(page, 'line').locator('text.mark-name').first().isVisible()).to.equal(true);
  });

  it('of the project are listed in its settings, newest first, where members delete them after a question', async () => {
    for (const body of OWN) await host.service.post('/annotations', body);
    const { organization, project } = host.service.keys;
    const settings = `${host.service.url}/console/projects/${project.id}/settings`;
    const reader = await host.console('reader@example.com', { orgId: organization.id, role: 'viewer' });
    await reader.goto(settings);
    const list = (page: Page): Locator => page.getByRole('table', { name: 'Table of annotations' }).or(page.locator('[aria-label="Table of annotations"] table')); // prettier-ignore
    expect(await list(reader).locator('tbody tr td:nth-child(2)').allInnerTexts()).to.deep.equal(['Version 3', HOSTILE]);
    expect(await list(reader).getByRole('button').count()).to.equal(0);
    const page = await host.console('writer@example.com', { orgId: organization.id, role: 'member' }, { viewport: { width: 390, height: 844 } });
    await page.goto(settings);
    await expectSound(page);
    expect(await axeFaults(page)).to.deep.equal([]);
    await list(page).getByRole('button', { name: 'Delete' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await list(page).getByText('Version 3').waitFor({ state: 'detached' });
    expect(await list(page).locator('tbody tr').count()).to.equal(1);
  }); // prettier-ignore

  for (const { colorScheme, width } of [{ colorScheme: 'light', width: 1440 }, { colorScheme: 'dark', width: 390 }] as const) {
    it(`are sound in ${colorScheme} at ${width} px, for axe too, and no text leaves its picture`, async () => {
      const page = await opened({ colorScheme, viewport: { width, height: 900 } });
      await expectSound(page);
      expect(await axeFaults(page)).to.deep.equal([]);
      const outside = `[...document.querySelectorAll('.mark-name')].filter((text) => {
        const [box, room] = [text.getBoundingClientRect(), text.closest('svg').getBoundingClientRect()];
        return box.left < room.left - 1 || box.right > room.right + 1;
      }).length`;
      expect(await page.evaluate(outside)).to.equal(0);
    });
  } // prettier-ignore
});
