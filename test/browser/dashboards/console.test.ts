import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { BrowserHost, expectSound, VIEWS } from '../browser-host.ts';
import { allDrawn, axeFaults } from './board-page.ts';

const FILE = `version: 1
id: visits
title: Visits
variables:
  - { name: plan, kind: select, label: Plan, any: All plans, query: '* | last 7d | count by event_properties.plan', fragment: 'where event_properties.plan = {{value}}' }
sections:
  - title: All of them
    cards:
      - { id: number, title: Number, kind: metric, query: 'visit | last 7d | {{plan}} | count', layout: { w: 4, h: 2 } }
      - { id: days, title: By day, kind: chart, viz: bar, query: 'visit | last 7d | {{plan}} | count by day', layout: { w: 8, h: 4 } }
      - { id: same, title: The same, kind: table, query: 'visit | last 7d | {{plan}} | count by day', layout: { w: 8, h: 4 } }
      - { id: text, kind: markdown, text: '# Heading', layout: { w: 4, h: 2 } }
`;

/** More than a window shows. */
const LONG_FILE = `version: 1
id: long
title: Long
sections:
  - cards:
${Array.from({ length: 20 }, (_, index) => `      - { id: c${index}, title: Card ${index}, kind: table, query: 'visit | last ${index + 1}d | count', layout: { w: 12, h: 4 } }`).join('\n')}
`;

/** Pictures of persons. */
const PEOPLE_FILE = `version: 1
id: people
title: People
sections:
  - cards:
      - { id: steps, title: Steps, kind: funnel, query: 'funnel visit -> buy | last 7d', layout: { w: 6, h: 4 } }
      - { id: cohorts, title: Cohorts, kind: retention, query: 'retention visit returning buy | by day | last 7d', layout: { w: 6, h: 4 } }
      - { id: plans, title: Plans, kind: chart, viz: bar, query: 'visit | last 7d | count by event_properties.plan', layout: { w: 12, h: 4 } }
`;

describe('dashboards in the console', () => {
  let host: BrowserHost;
  let path: string;
  before(async () => {
    host = await BrowserHost.start({ WINDLASS_QUERIES_PER_MINUTE: '0', WINDLASS_AUTH_FAILURES_PER_MINUTE: '0' });
    path = `${host.service.url}/console/projects/${host.service.keys.project.id}`;
    const events = Array.from({ length: 9 }, (_, index) => ({ event_type: 'visit', user_id: `u${index}`, event_properties: { plan: index % 3 === 0 ? 'team' : 'free' } })); // prettier-ignore
    await host.service.post('/track', { events });
  });
  afterEach(() => host.finish());
  after(() => host.stop());

  const viewer = (name: string, options = {}): Promise<Page> =>
    host.console(`${name}@example.com`, { orgId: host.service.keys.organization.id, role: 'viewer' }, options);

  async function store(yaml: string): Promise<void> {
    const id = /^id: (.*)$/m.exec(yaml)?.[1] ?? '';
    const { url, keys } = host.service;
    const headers = { 'X-API-Key': keys.secretKey, 'Content-Type': 'application/yaml' };
    const response = await fetch(`${url}/dashboards/${id}`, { method: 'PUT', headers, body: yaml });
    if (!response.ok) throw new Error(await response.text());
  }

  it('tell how to make one where there is none, and list what is stored', async () => {
    const page = await viewer('lists');
    await page.goto(path);
    await page.locator('.tabs').getByRole('link', { name: 'Dashboards' }).click();
    await page.getByText('No dashboards yet.').waitFor();
    expect(await page.locator('[data-dashboards] pre').innerText()).to.include('wl dashboard init');
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 900 });
      await expectSound(page);
    }
    await store(FILE);
    await page.reload();
    await page.getByRole('main').getByRole('link', { name: 'Visits' }).click();
    await page.getByRole('heading', { name: 'Visits', level: 2 }).waitFor();
    expect(new URL(page.url()).pathname).to.match(/\/dashboards\/visits$/);
  });

  it('draw the annotations of the project beside those of the file, by the clock of the dashboard', async () => {
    const today = new Date().toISOString().slice(0, 10);
    await store(`version: 1
id: annotated
title: Annotated
timezone: Asia/Tokyo
annotations: [{ at: ${today}, text: Of the file }]
sections:
  - cards:
      - { id: days, kind: chart, viz: bar, query: 'tick | from "${today}" to "${today}T12:00" | count by hour', layout: { w: 12, h: 4 } }
`);
    const event = { event_type: 'tick', user_id: 'early', time: `${today}T10:00:00+09:00` };
    await host.service.post('/track', { events: [event] });
    const added = await host.service.post('/annotations', { text: 'Deployed', at: `${today}T09:30:00+09:00` });
    expect(added.status).to.equal(201);
    const page = await viewer('annotated', { locale: 'en-US' });
    await page.goto(`${path}/dashboards/annotated`);
    const ground = page.locator('[data-card="days"] .ground');
    await ground.waitFor();
    expect(await page.locator('text.mark-name').allTextContents()).to.deep.equal(['Of the file', 'Deployed']);
    expect(await ground.getByRole('img').getAttribute('aria-label')).to.match(/9:00\sAM[^.]*: Deployed\./);
  });

  it('are drawn for a viewer, and change with their variables', async () => {
    await store(FILE);
    const page = await viewer('draws');
    await page.goto(`${path}/dashboards/visits`);
    const number = page.locator('[data-card="number"] .figure-value');
    await number.waitFor();
    expect(await number.innerText()).to.equal('9');
    await page.locator('option', { hasText: 'team' }).waitFor({ state: 'attached' });
    await page.getByLabel('Plan').selectOption('team');
    await number.filter({ hasText: /^3$/ }).waitFor();
    expect(new URL(page.url()).hash).to.equal('#plan=team');
    await page.reload();
    await number.filter({ hasText: /^3$/ }).waitFor();
    expect(await page.getByLabel('Plan').inputValue()).to.equal('team');
  });

  it('lead from a step, a cell and a bar to the persons behind it', async () => {
    await store(PEOPLE_FILE);
    await host.service.post('/track', { events: [{ event_type: 'buy', user_id: 'u0' }] });
    const page = await viewer('persons');
    const shown = async (): Promise<string[]> => {
      await page.locator('[data-body] td').first().waitFor();
      return page.locator('[data-body] tbody tr td:first-child, [data-body] tbody tr th').allInnerTexts();
    };
    await page.goto(`${path}/dashboards/people`);
    await allDrawn(page);
    await expectSound(page);
    await page.locator('[data-card="steps"] .funnel-steps a').nth(1).click();
    await page.waitForURL('**/ask#q=*');
    expect(await page.locator('textarea').inputValue()).to.include('| people reached 2');
    expect((await shown()).join())
      .to.include('u0')
      .and.not.include('u1');
    await page.goBack();
    await page.locator('[data-card="steps"]').getByRole('link', { name: '8 dropped off' }).click();
    await page.waitForURL('**/ask#q=*');
    expect((await shown()).join())
      .to.include('u1')
      .and.not.include('u0');
    await page.goBack();
    await page.locator('[data-card="cohorts"] td a').last().click();
    await page.waitForURL('**/ask#q=*');
    expect(await page.locator('textarea').inputValue()).to.match(/people returned 0\n\| having "cohort" = "/);
    expect((await shown()).join())
      .to.include('u0')
      .and.not.include('u1');
    await page.goBack();
    await allDrawn(page);
    await page.locator('[data-card="plans"] .ground').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/ask#q=*');
    expect(await page.locator('textarea').inputValue()).to.include('having "event_properties.plan" = "free"');
    expect((await shown()).join())
      .to.include('u1')
      .and.not.include('u0');
  });

  it('ask equal questions once, and load cards as they come into view', async () => {
    await store(FILE);
    await store(LONG_FILE);
    const page = await viewer('asks');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/query')) asked.push(String(Reflect.get(Object(request.postDataJSON()), 'q')));
    });
    await page.goto(`${path}/dashboards/visits`);
    await allDrawn(page);
    expect(asked.filter((q) => q.endsWith('count by day'))).to.have.length(1);
    asked.length = 0;
    await page.goto(`${path}/dashboards/long`);
    await page.locator('[data-card="c0"] td').waitFor();
    expect(asked.some((q) => q.includes('last 20d'))).to.equal(false);
    await page.locator('[data-card="c19"]').scrollIntoViewIfNeeded();
    await page.locator('[data-card="c19"] td').waitFor();
    expect(asked.some((q) => q.includes('last 20d'))).to.equal(true);
  });

  it('are reached by keys where no card has loaded yet, which then load', async () => {
    await store(LONG_FILE);
    const page = await viewer('keys');
    await page.goto(`${path}/dashboards/long`);
    await page.locator('[data-card="c0"] td').waitFor();
    await page.locator('[data-card="c0"] .card-menu summary').focus();
    const isReached = (): Promise<boolean> =>
      page.evaluate(`document.activeElement.closest('[data-card="c15"]') !== null`);
    for (let stop = 0; stop < 100 && !(await isReached()); stop++) await page.keyboard.press('Tab');
    expect(await isReached()).to.equal(true);
    await page.locator('[data-card="c15"] td').waitFor();
  });

  it('that were stored with an interval longer than any timer do not ask without a pause', async () => {
    await store(FILE);
    const page = await viewer('pauses');
    await page.route('**/dashboards/visits', async (route) => {
      const stored = await (await route.fetch()).text();
      const changed = stored.replace('&quot;refreshMs&quot;:null', '&quot;refreshMs&quot;:359996400000');
      expect(changed).to.not.equal(stored);
      await route.fulfill({ contentType: 'text/html', body: changed });
    });
    let asked = 0;
    page.on('request', (request) => void (asked += request.url().endsWith('/query') ? 1 : 0));
    await page.goto(`${path}/dashboards/visits`);
    await allDrawn(page);
    const before = asked;
    await page.waitForTimeout(500);
    expect(asked).to.equal(before);
  });

  it('say what a host that is away means, card by card', async () => {
    await store(FILE);
    const page = await viewer('away');
    await page.route('**/query', (route) => route.abort());
    await page.goto(`${path}/dashboards/visits`);
    await page.locator('[data-card="days"] .card-state.wrong').waitFor();
    expect(await page.locator('[data-card="days"] .card-state').innerText()).to.match(/The server does not respond\.\s+Check your connection/); // prettier-ignore
    expect(await page.locator('[data-card="text"]').innerText()).to.include('Heading');
    await page.getByText('Plan: The server does not respond.').waitFor();
    await page.unroute('**/query');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.locator('option', { hasText: 'team' }).waitFor({ state: 'attached' });
    expect(await page.locator('.board > .problem').isVisible()).to.equal(false);
    const complaints: unknown = await host.finish().then(() => [], (error: unknown) => Reflect.get(Object(error), 'actual')); // prettier-ignore
    expect(complaints).to.satisfy((all: string[]) => all.length > 0 && all.every((one) => one.includes('ERR_FAILED')));
  });

  it('fit a phone, however long the title is', async () => {
    await store(FILE.replace('id: visits', 'id: unbroken').replace('title: Visits', `title: ${'Visits'.repeat(12)}`));
    const page = await viewer('long-title', { viewport: { width: 320, height: 640 } });
    await page.goto(`${path}/dashboards/unbroken`);
    await allDrawn(page);
    await expectSound(page);
  });

  for (const { colorScheme, width } of VIEWS) {
    it(`are sound in ${colorScheme} at ${width} px, for axe too`, async () => {
      await store(FILE);
      const page = await viewer(`sound-${colorScheme}-${width}`, { colorScheme, viewport: { width, height: 900 } });
      await page.goto(`${path}/dashboards/visits`);
      await allDrawn(page);
      await expectSound(page);
      expect(await axeFaults(page)).to.deep.equal([]);
    });
  }
});
