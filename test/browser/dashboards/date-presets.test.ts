import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { BrowserHost, expectSound } from '../browser-host.ts';
import { eventually } from '../eventually.ts';
import { axeFaults } from './board-page.ts';

const FILE = `version: 1
id: presets
title: Presets
timezone: UTC
variables:
  - { name: time, kind: range, label: Time, presets: [{ value: last 7d, label: A week }] }
sections:
  - cards:
      - { id: visits, title: Visits, kind: table, query: 'visit | {{time}} | count', layout: { w: 12, h: 4 } }
`;

describe('ranges of a variable for dates', () => {
  let host: BrowserHost;
  let address: string;
  before(async () => {
    host = await BrowserHost.start({ WINDLASS_QUERIES_PER_MINUTE: '0', WINDLASS_AUTH_FAILURES_PER_MINUTE: '0' });
    const { url, keys } = host.service;
    address = `${url}/console/projects/${keys.project.id}/dashboards/presets`;
    await host.service.post('/track', { events: [{ event_type: 'visit', user_id: 'u' }] });
    const headers = { 'X-API-Key': keys.secretKey, 'Content-Type': 'application/yaml' };
    const stored = await fetch(`${url}/dashboards/presets`, { method: 'PUT', headers, body: FILE });
    expect(stored.status).to.be.below(300);
  });
  afterEach(() => host.finish());
  after(() => host.stop());

  async function opened(name: string, options = {}): Promise<Page> {
    const grant = { orgId: host.service.keys.organization.id, role: 'viewer' } as const;
    const page = await host.console(`${name}@example.com`, grant, options);
    await page.goto(address);
    await page.locator('[data-card="visits"] td').waitFor();
    return page;
  }

  it('are offered beside those of the file, query at once and stay in the address', async () => {
    const page = await opened('chooses');
    const select = page.getByLabel('Time', { exact: true });
    expect(await select.locator('option').allInnerTexts()).to.deep.equal(['A week', 'Today', 'Yesterday', 'Last 30 days', 'Last 90 days', 'This month', 'This year', 'Last month', 'Other dates…']); // prettier-ignore
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.postData() ?? ''));
    await select.selectOption({ label: 'Yesterday' });
    await eventually(() => expect(asked.join()).to.include('visit | yesterday | count'));
    expect(page.url()).to.include('#time=yesterday');
    await select.selectOption({ label: 'Last month' });
    await eventually(() => expect(asked.join()).to.match(/visit \| from \\"\d{4}-\d\d-01\\" to \\"\d{4}-\d\d-01\\" \| count/)); // prettier-ignore
    await page.reload();
    expect(await select.locator('option:checked').innerText()).to.equal('Last month');
    expect(await page.locator('.dates').isVisible()).to.equal(false);
  });

  for (const { colorScheme, width } of [{ colorScheme: 'light', width: 1440 }, { colorScheme: 'dark', width: 390 }] as const) {
    it(`are sound in ${colorScheme} at ${width} px, for axe too`, async () => {
      const page = await opened(`sound-${width}`, { colorScheme, viewport: { width, height: 900 } });
      await page.getByLabel('Time', { exact: true }).selectOption({ label: 'Last 90 days' });
      await expectSound(page);
      expect(await axeFaults(page)).to.deep.equal([]);
    });
  } // prettier-ignore
});
