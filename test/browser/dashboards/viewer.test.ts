import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { ViewServer } from '../../../lib/cli/dashboard/view-server.ts';
import { ViewedDashboards } from '../../../lib/cli/dashboard/viewed-dashboards.ts';
import type { Envelope } from '../../../lib/dashboards/data.ts';
import { viewerAssets, viewerPage } from '../../../lib/dashboards/page/viewer-page.ts';
import { expectSound } from '../browser-host.ts';
import { launchChromium } from '../chromium.ts';
import { eventually } from '../eventually.ts';
import type { Watched } from '../watched-page.ts';
import { openWatched } from '../watched-page.ts';
import { allDrawn, axeFaults } from './board-page.ts';

const fileOf = (id: string, order: number, title: string): string =>
  `version: 1\nid: ${id}\norder: ${order}\ntitle: ${title}\nsections:\n- cards:\n  - {id: number, title: Number, kind: metric, query: 'visit | last 7d | count'}\n`;

const ANSWER: Envelope = {
  columns: ['count'],
  column_types: [{ name: 'count', type: 'number', role: 'metric' }],
  rows: [{ count: 12 }],
  total: 1,
  range: { from: '2026-01-01T00:00:00.000Z', to: '2026-01-08T00:00:00.000Z', timezone: 'UTC' },
  rows_scanned: 12,
  elapsed_ms: 1,
  mode: 'embedded',
  notes: [],
};

describe('the viewer of dashboards, in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-view-'));
  const ends = new AbortController();
  let browser: Browser;
  let dashboards: ViewedDashboards;
  let server: ViewServer;
  let watched: Watched | null = null;
  before(async () => {
    browser = await launchChromium();
    writeFileSync(join(folder, 'b.yaml'), fileOf('second', 2, 'Second'));
    writeFileSync(join(folder, 'a.yaml'), fileOf('first', 1, 'First'));
    dashboards = await ViewedDashboards.open(folder, ends.signal);
    const ask = (): Promise<Envelope> => Promise.resolve(ANSWER);
    server = await ViewServer.start(
      {
        dashboards,
        ask,
        cohorts: () => Promise.resolve([]),
        annotations: () => Promise.resolve([]),
        page: viewerPage(),
        assets: viewerAssets(),
      },
      0,
    );
  });
  afterEach(async () => {
    const complaints = watched?.complaints ?? [];
    await watched?.close();
    watched = null;
    expect(complaints).to.deep.equal([]);
  });
  after(async () => {
    ends.abort();
    dashboards.close();
    server.close();
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  async function opened(options: { colorScheme: 'light' | 'dark'; width: number } = { colorScheme: 'light', width: 1280 }): Promise<Page> {
    const { origin } = new URL(server.url);
    const { colorScheme, width } = options;
    watched = await openWatched(browser, { origins: [origin], options: { colorScheme, viewport: { width, height: 900 } } });
    await watched.page.goto(server.url);
    return watched.page;
  } // prettier-ignore

  it('shows the first of a folder, a list in its order, and each under its address', async () => {
    const page = await opened();
    await page.locator('.figure-value', { hasText: /^12$/ }).waitFor();
    expect(await page.locator('h1').innerText()).to.equal('First');
    expect(await page.getByRole('navigation', { name: 'Dashboards' }).getByRole('link').allInnerTexts()).to.deep.equal(['First', 'Second']); // prettier-ignore
    await page.getByRole('link', { name: 'Second' }).click();
    await page.getByRole('heading', { level: 1, name: 'Second' }).waitFor();
    expect(new URL(page.url()).pathname).to.equal('/dashboard/second');
    expect(page.url()).to.not.include('token');
  });

  it('shows a file anew when it changes, and what is wrong with it by line and column', async () => {
    const page = await opened();
    await page.locator('.figure-value').waitFor();
    writeFileSync(join(folder, 'a.yaml'), fileOf('first', 1, 'Renamed'));
    await page.getByRole('heading', { level: 1, name: 'Renamed' }).waitFor();
    writeFileSync(join(folder, 'a.yaml'), fileOf('first', 1, 'Wrong').replace('kind: metric', 'kind: metrics'));
    await page.getByText(/a\.yaml:\d+:\d+ /).waitFor();
    await expectSound(page);
    writeFileSync(join(folder, 'a.yaml'), fileOf('first', 1, 'First'));
    await page.getByRole('heading', { level: 1, name: 'First' }).waitFor();
    await page.locator('.figure-value').waitFor();
  });

  it('shows what changed before it heard of changes', async () => {
    const { origin } = new URL(server.url);
    watched = await openWatched(browser, { origins: [origin] });
    const { page } = watched;
    const isFree = Promise.withResolvers<void>();
    await page.route('**/api/changes', async (route) => {
      await isFree.promise;
      await route.continue();
    });
    await page.goto(server.url);
    await page.getByRole('heading', { level: 1, name: 'First' }).waitFor();
    writeFileSync(join(folder, 'a.yaml'), fileOf('first', 1, 'Changed'));
    await eventually(() => expect(dashboards.list()[0]?.title).to.equal('Changed'));
    isFree.resolve();
    await page.getByRole('heading', { level: 1, name: 'Changed' }).waitFor();
    writeFileSync(join(folder, 'a.yaml'), fileOf('first', 1, 'First'));
    await page.getByRole('heading', { level: 1, name: 'First' }).waitFor();
  });

  for (const view of [
    { colorScheme: 'light', width: 1280 },
    { colorScheme: 'dark', width: 390 },
  ] as const) {
    it(`is sound in ${view.colorScheme} at ${view.width} px, for axe too`, async () => {
      const page = await opened(view);
      await allDrawn(page);
      await expectSound(page);
      expect(await axeFaults(page)).to.deep.equal([]);
    });
  }
});
