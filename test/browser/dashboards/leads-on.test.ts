import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { BrowserHost, expectSound } from '../browser-host.ts';
import { allDrawn, axeFaults } from './board-page.ts';

const FILE = `version: 1
id: leads
title: Leads
variables:
  - { name: plan, kind: select, label: Plan, any: All plans, options: [team, free], fragment: 'where event_properties.plan = {{value}}' }
sections:
  - cards:
      - { id: number, title: Number, kind: metric, query: 'visit | last 7d | {{plan}} | count', layout: { w: 3, h: 2 } }
      - id: table
        title: Table
        kind: table
        query: visit | last 7d | count, count[event_properties.plan = "free"] as free by event_properties.plan
        layout: { w: 9, h: 3 }
      - { id: pie, title: Pie, kind: chart, viz: pie, query: 'visit | last 7d | count by event_properties.plan', layout: { w: 6, h: 4 } }
      - { id: ways, title: Ways, kind: journey, query: 'paths from visit | last 7d', layout: { w: 6, h: 4 } }
      - { id: states, title: States, kind: lifecycle, query: 'lifecycle visit | by week | last 12w', layout: { w: 6, h: 4 } }
      - id: two
        title: Two
        kind: chart
        viz: bar
        queries: { buyers: buy | last 7d | unique by _os, visitors: visit | last 7d | unique by _os }
        layout: { w: 6, h: 4 }
      - { id: stream, title: Stream, kind: events, query: '* | last 7d | list', layout: { w: 12, h: 4 } }
`;

const WEEK_MS = 7 * 86_400_000;

describe('numbers of dashboards', () => {
  let host: BrowserHost;
  let path: string;
  before(async () => {
    host = await BrowserHost.start({ WINDLASS_QUERIES_PER_MINUTE: '0', WINDLASS_AUTH_FAILURES_PER_MINUTE: '0' });
    path = `${host.service.url}/console/projects/${host.service.keys.project.id}`;
    const at = (minutes: number): string => new Date(Date.now() - 7_200_000 + minutes * 60_000).toISOString();
    const visits = Array.from({ length: 6 }, (_, index) => ({ event_type: 'visit', user_id: `u${index}`, time: at(index), event_properties: { plan: index < 2 ? 'team' : 'free' } })); // prettier-ignore
    const others = ['u0', 'u1', 'u2'].map((id) => ({ event_type: 'buy', user_id: id, time: at(20) }));
    const later = { event_type: 'thank', user_id: 'u0', time: at(30) };
    const old = { event_type: 'visit', user_id: 'old', time: new Date(Date.now() - 2 * WEEK_MS).toISOString() };
    await host.service.post('/track', { events: [...visits, ...others, later, old] });
    const { url, keys } = host.service;
    const headers = { 'X-API-Key': keys.secretKey, 'Content-Type': 'application/yaml' };
    const response = await fetch(`${url}/dashboards/leads`, { method: 'PUT', headers, body: FILE });
    if (!response.ok) throw new Error(await response.text());
  });
  afterEach(() => host.finish());
  after(() => host.stop());

  const open = async (name: string, { role = 'member', hash = '' }: { role?: 'member' | 'viewer'; hash?: string } = {}): Promise<Page> => {
    const page = await host.console(`${name}@example.com`, { orgId: host.service.keys.organization.id, role }, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(`${path}/dashboards/leads${hash}`);
    await allDrawn(page);
    return page;
  }; // prettier-ignore

  /** The people of the answer that a click led to, and the query. */
  async function led(page: Page): Promise<{ q: string; people: string[] }> {
    await page.waitForURL('**/ask#q=*');
    await page.locator('[data-body] tbody tr').first().waitFor();
    const q = await page.locator('textarea').inputValue();
    const people = await page.locator('[data-body] tbody td:first-child').allInnerTexts();
    await page.goBack();
    await allDrawn(page);
    return { q, people: people.toSorted() };
  }

  it('lead from a figure, a cell, a slice and a bar to the people behind them', async () => {
    const page = await open('figures');
    await page.getByLabel('Plan').selectOption('team');
    await page.locator('[data-card="number"] .figure-value a', { hasText: /^2$/ }).click();
    expect((await led(page)).people).to.deep.equal(['u0', 'u1']);
    const free = page.locator('[data-card="table"] tr', { hasText: 'free' });
    await free.getByRole('link').last().click();
    const ofCondition = await led(page);
    expect(ofCondition.q).to.include('where event_properties.plan = "free"').and.include('people');
    expect(ofCondition.people).to.deep.equal(['u2', 'u3', 'u4', 'u5']);
    await page.locator('[data-card="pie"]').getByRole('link', { name: 'team' }).click();
    expect((await led(page)).people).to.deep.equal(['u0', 'u1']);
    await page.locator('[data-card="pie"] .slice').last().dispatchEvent('click');
    expect((await led(page)).people).to.deep.equal(['u0', 'u1']);
    await page.locator('[data-card="two"] .block.s0').click();
    const ofSeries = await led(page);
    expect(ofSeries.q).to.match(/^buy\b/);
    expect(ofSeries.people).to.deep.equal(['u0', 'u1', 'u2']);
  });

  it('lead from an event of paths to the people there, and from those who went no further', async () => {
    const page = await open('ways');
    const ways = page.locator('[data-card="ways"]');
    await ways.getByRole('link', { name: 'buy: 3, at step 2' }).click();
    expect((await led(page)).people).to.deep.equal(['u0', 'u1', 'u2']);
    await ways.getByRole('link', { name: 'buy: 2 left, at step 2' }).click();
    expect((await led(page)).people).to.deep.equal(['u1', 'u2']);
    await ways.getByRole('link', { name: 'visit: 3 left, at step 1' }).click();
    expect((await led(page)).people).to.deep.equal(['u3', 'u4', 'u5']);
  });

  it('lead from a bar of a state to those who were in it, where its bucket is whole', async () => {
    const page = await open('states');
    const bars = page.locator('[data-card="states"] .block.s0:not(.cut)');
    await bars.first().click();
    const { q, people } = await led(page);
    expect(q).to.match(/from "\d{4}-\d\d-\d\d" to "\d{4}-\d\d-\d\d"\n\| people new/);
    expect(people).to.deep.equal(['old']);
  });

  it('are asked in Ask, copied, shared with the values of now, and seen as written', async () => {
    const page = await open('menus');
    await page.getByLabel('Plan').selectOption('free');
    const card = page.locator('[data-card="number"]');
    const menu = card.locator('summary');
    await card.locator('.figure-value', { hasText: /^4$/ }).waitFor();
    const query = 'visit | last 7d | where event_properties.plan = "free" | count\n| compare previous'; // as it is asked
    await menu.click();
    await expectSound(page);
    expect(await axeFaults(page)).to.deep.equal([]);
    await card.getByRole('button', { name: 'Copy query' }).click();
    await card.getByText('Query copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(query);
    await menu.click();
    await card.getByRole('button', { name: 'Copy link' }).click();
    await card.getByText('Link copied').waitFor();
    const link = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(new URL(link).hash).to.equal('#plan=free&-card=number');
    await menu.click();
    await card.getByRole('button', { name: 'View source' }).click();
    expect(await card.locator('pre').innerText()).to.equal("- { id: number, title: Number, kind: metric, query: 'visit | last 7d | {{plan}} | count', layout: { w: 3, h: 2 } }"); // prettier-ignore
    await menu.click();
    await card.getByRole('button', { name: 'Show as picture' }).last().click();
    await card.locator('.figure-value').waitFor();
    await menu.click();
    await card.getByRole('link', { name: 'Open in Ask' }).click();
    await page.waitForURL('**/ask#q=*');
    expect(await page.locator('textarea').inputValue()).to.equal(query);
    const two = await open('menus-of-two');
    await two.locator('[data-card="two"] summary').click();
    expect(await two.locator('[data-card="two"] .card-asks a').allInnerTexts()).to.deep.equal(['Open “buyers” in Ask', 'Open “visitors” in Ask']); // prettier-ignore
  });

  it('are shown with the values of a link, and its card is pointed at, also after logging in', async () => {
    const page = await host.page();
    const hash = '#plan=team&-card=stream';
    await page.goto(`${path}/dashboards/leads${hash}`);
    await page.waitForURL('**/login?**');
    await host.logIn(page, 'linked@example.com', { orgId: host.service.keys.organization.id, role: 'member' });
    await page.goto(`${path}/dashboards/leads`);
    await allDrawn(page);
    expect(await page.getByLabel('Plan').inputValue()).to.equal('team');
    expect(await page.evaluate('document.activeElement?.dataset.card')).to.equal('stream'); // prettier-ignore
    expect(await page.locator('.board > .problem').isVisible()).to.equal(false);
  });

  it('lead members, but no viewers, from an id to the page of the person', async () => {
    const page = await open('members');
    await page.locator('[data-card="stream"]').getByRole('link', { name: 'u0' }).first().click();
    await page.waitForURL('**/person#person=u0');
    const viewer = await open('viewers', { role: 'viewer' });
    expect(await viewer.locator('[data-card="stream"] .event-who').first().innerText()).to.equal('u0');
    expect(await viewer.locator('[data-card="stream"] .event-who a').count()).to.equal(0);
  });
});
