import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { eventually } from './eventually.ts';
import { BrowserHost, expectSound, VIEWS } from './browser-host.ts';
import { axeFaults } from './dashboards/board-page.ts';

const DASHBOARDS = ['First', 'Second'].map(
  (title) => `version: 1
id: ${title.toLowerCase()}
title: ${title}
variables:
  - { name: time, kind: range, label: Time, presets: [last 14d, last 30d], default: last 14d }
sections:
  - cards:
      - { id: number, title: Number, kind: metric, query: 'visit | {{time}} | count', layout: { w: 4, h: 2 } }
`,
);

describe('the frame of the console, in a browser', () => {
  let host: BrowserHost;
  let project: string;
  before(async () => {
    host = await BrowserHost.start({ WINDLASS_AUTH_FAILURES_PER_MINUTE: '0' });
    const { url, keys } = host.service;
    project = `${url}/console/projects/${keys.project.id}`;
    for (const body of DASHBOARDS) {
      const id = /^id: (.*)$/m.exec(body)?.[1] ?? '';
      const headers = { 'X-API-Key': keys.secretKey, 'Content-Type': 'application/yaml' };
      const response = await fetch(`${url}/dashboards/${id}`, { method: 'PUT', headers, body });
      if (!response.ok) throw new Error(await response.text());
    }
    await host.service.post('/track', { event_type: 'visit', user_id: 'ann' });
  });
  afterEach(() => host.finish());
  after(() => host.stop());

  const member = (name: string, options = {}): Promise<Page> =>
    host.console(`${name}@example.com`, { orgId: host.service.keys.organization.id, role: 'member' }, options);

  it('has every page as wide as the others, below a bar of 56 px', async () => {
    const page = await member('wide', { viewport: { width: 1440, height: 900 } });
    const found = new Set<string>();
    for (const tab of ['', '/ask', '/dashboards', '/dashboards/first', '/usage', '/keys', '/settings']) {
      await page.goto(project + tab);
      const boxes = await Promise.all(['.bar', '.tabs', 'main'].map((place) => page.locator(place).boundingBox()));
      found.add(boxes.map((box) => [box?.x, box?.y, box?.width].join()).join(' '));
      expect(boxes[0]?.height).to.equal(56);
    }
    expect([...found]).to.have.length(1);
  });

  it('leaves the window to a dashboard: its first card begins at 180 px at most', async () => {
    const page = await member('high', { viewport: { width: 1440, height: 900 } });
    await page.goto(`${project}/dashboards/first`);
    await page.locator('.figure-value').waitFor();
    expect((await page.locator('.board .card').first().boundingBox())?.y).to.be.at.most(180);
  });

  it('shows on a phone the place where one is, also the last of the row', async () => {
    const page = await member('phone', { viewport: { width: 390, height: 900 } });
    await page.goto(`${project}/settings`);
    const place = page.locator('.tabs [aria-current="page"]');
    expect(await place.innerText()).to.equal('Settings');
    await eventually(async () => {
      const { x, width } = (await place.boundingBox())!;
      expect([x >= 0, x + width <= 390]).to.deep.equal([true, true]);
    });
  });

  it('leads to other dashboards at the side and in the bar, to other projects and organizations', async () => {
    const page = await member('leads');
    await page.goto(`${project}/dashboards/first`);
    const side = page.getByRole('navigation', { name: 'Dashboards' });
    expect(await side.getByRole('link').allInnerTexts()).to.deep.equal(['First', 'Second']);
    expect(await side.locator('[aria-current="page"]').innerText()).to.equal('First');
    await side.getByRole('link', { name: 'Second' }).click();
    await page.waitForURL('**/dashboards/second');
    await page.locator('.place-dashboard summary').click();
    await page.locator('.place-dashboard').getByRole('link', { name: 'First' }).click();
    await page.waitForURL('**/dashboards/first');
    const { project: own, organization } = host.service.keys;
    for (const [place, name, path] of [
      ['.place-project', own.name, `/console/projects/${own.id}/dashboards`],
      ['.place-organization', organization.name, `/console/orgs/${organization.id}`],
    ] as const) {
      await page.goto(`${project}/dashboards/first`);
      await page.locator(`${place} summary`).click();
      await page.locator(place).getByRole('link', { name, exact: true }).click();
      await page.waitForURL(`**${path}`);
    }
  });

  it('opens a menu with a key, moves in it with arrows, and closes it with Escape and elsewhere', async () => {
    const page = await member('menus');
    await page.goto(project);
    const menu = page.locator('.place-project details');
    await menu.locator('summary').press('Enter');
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate('document.activeElement.textContent')).to.equal(host.service.keys.project.name);
    await page.keyboard.press('ArrowUp');
    expect(await page.evaluate('document.activeElement.textContent')).to.match(/^All projects of /);
    await page.keyboard.press('Escape');
    expect(await menu.getAttribute('open')).to.equal(null);
    expect(await page.evaluate('document.activeElement.tagName')).to.equal('SUMMARY');
    await page.keyboard.press('Enter');
    await page.mouse.click(900, 700);
    expect(await menu.getAttribute('open')).to.equal(null);
  });

  it('is light or dark as somebody chose it, on every page from its first moment', async () => {
    const page = await member('theme', { colorScheme: 'light' });
    const paper = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    await page.goto(project);
    const light = await paper();
    await page.locator('summary[aria-label="Theme"]').click();
    await page.getByRole('button', { name: 'Dark' }).click();
    const dark = await paper();
    expect(dark).to.not.equal(light);
    for (const path of [`${host.service.url}/`, `${host.service.url}/docs/`, `${project}/dashboards/first`]) {
      await page.goto(path);
      expect([path, await paper()]).to.deep.equal([path, dark]);
      expect(await page.locator('html').getAttribute('data-theme')).to.equal('dark'); // the server has written it
    }
    await page.emulateMedia({ media: 'print' });
    expect(await paper()).to.equal(light);
    await page.emulateMedia({ media: 'screen' });
    await page.locator('summary[aria-label="Theme"]').click();
    expect(await page.getByRole('button', { name: 'Dark' }).getAttribute('aria-pressed')).to.equal('true');
    await page.getByRole('button', { name: 'System' }).click();
    await page.reload();
    expect(await paper()).to.equal(light);
  });

  it('goes to tabs, to the query and to ranges by keys, which it lists', async () => {
    const page = await member('shortcuts');
    await page.goto(`${project}/dashboards/first`);
    await page.locator('.figure-value').waitFor();
    await page.keyboard.press('w');
    expect(await page.getByLabel('Time', { exact: true }).inputValue()).to.equal('last 7d');
    expect(new URL(page.url()).hash).to.equal('#time=last+7d');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog');
    for (const text of ['Last 7 days', 'Ask', 'Write a query']) await dialog.getByText(text, { exact: true }).waitFor();
    expect(await axeFaults(page)).to.deep.equal([]);
    await page.keyboard.press('m'); // nothing happens behind it
    await page.keyboard.press('Escape');
    expect(await page.getByLabel('Time', { exact: true }).inputValue()).to.equal('last 7d');
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.waitForURL(`${project}/ask`);
    await page.locator('textarea').fill('');
    await page.locator('textarea').blur();
    await page.keyboard.press('/');
    await page.keyboard.type('g d?');
    expect(await page.locator('textarea').inputValue()).to.equal('g d?');
    expect(await page.getByRole('dialog').count()).to.equal(0);
  });

  it('leaves single keys alone if somebody says so', async () => {
    const page = await member('no-keys');
    await page.goto(`${project}/dashboards/first`);
    await page.locator('.figure-value').waitFor();
    await page.keyboard.press('?');
    await page.getByLabel('Only ? works').check();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.keyboard.press('w');
    expect(await page.getByLabel('Time', { exact: true }).inputValue()).to.equal('last 14d');
    await page.keyboard.press('?');
    await page.getByLabel('Only ? works').uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('w');
    expect(await page.getByLabel('Time', { exact: true }).inputValue()).to.equal('last 7d');
  });

  for (const { colorScheme, width } of VIEWS) {
    it(`is sound in ${colorScheme} at ${width} px with a menu open, for axe too`, async () => {
      const page = await member(`sound-${colorScheme}-${width}`, { colorScheme, viewport: { width, height: 900 } });
      await page.goto(`${project}/usage`);
      await page.locator('.place-project summary').click();
      await expectSound(page);
      expect(await axeFaults(page)).to.deep.equal([]);
      await page.locator('summary[aria-label="Account"]').click();
      await expectSound(page);
    });
  }
});
