import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { defaultValues } from '../../../lib/dashboards/values.ts';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { BrowserHost, expectSound } from '../browser-host.ts';
import { eventually } from '../eventually.ts';
import { allDrawn, axeFaults, SavedFiles } from './board-page.ts';
import { dashboardFrom, dataOf } from './demo-host.ts';

const HOSTILE = `</script><script>console.error('ran')</script><img src=x onerror="console.error('ran')">`;
const DAY_MS = 86_400_000;

/** Every text in it tries to be markup. */
const HOSTILE_FILE = `version: 1
id: hostile
title: ${JSON.stringify(HOSTILE)}
description: ${JSON.stringify(HOSTILE)}
variables:
  - { name: who, kind: input, label: ${JSON.stringify(HOSTILE)}, default: ${JSON.stringify(HOSTILE)}, maxLength: 500 }
sections:
  - title: ${JSON.stringify(HOSTILE)}
    cards:
      - { id: table, title: ${JSON.stringify(HOSTILE)}, kind: table, query: '* | last 7d | count by event_type' }
      - { id: pie, title: ${JSON.stringify(HOSTILE)}, kind: chart, viz: pie, query: '* | last 7d | count by event_type' }
      - { id: bar, title: bar, kind: chart, viz: bar, query: '* | last 7d | count by event_type' }
      - { id: events, kind: events, query: '* | last 7d | list' }
      - id: text
        kind: markdown
        text: ${JSON.stringify(`# ${HOSTILE}\n\n${HOSTILE} [run](javascript:alert(1)) [data](data:text/html,x) [good](https://example.com/a?b=c) **${HOSTILE}**\n\n- ${HOSTILE}\n\n\`${HOSTILE}\``)}
`;

const STATES_FILE = `version: 1
id: states
title: States
timezone: Asia/Kathmandu
sections:
  - cards:
      - { id: line, title: Line, kind: chart, viz: line, query: 'visit | last 7d | count by day', options: { goal: { value: 9, label: Plan } }, layout: { w: 6, h: 4 } }
      - { id: bars, title: Bars, kind: chart, viz: bar, query: 'visit | last 7d | count by day, event_properties.plan', options: { stacked: true }, layout: { w: 6, h: 4 } }
      - { id: lifecycle, title: Lifecycle, kind: lifecycle, query: 'lifecycle visit | last 7d | by day', layout: { w: 6, h: 4 } }
      - { id: number, title: Number, kind: metric, query: 'visit | last 3d | count', options: { compare: true }, layout: { w: 6, h: 2 } }
      - { id: curves, title: Curves, kind: retention, viz: line, query: 'retention visit | last 7d | by day, event_properties.plan', layout: { w: 6, h: 4 } }
      - { id: steps, title: Steps, kind: funnel, viz: bar, query: 'funnel visit -> visit -> never_sent | last 7d', layout: { w: 6, h: 4 } }
      - { id: formula, title: Formula, kind: chart, viz: line, query: 'formula count(visit) / unique(visit) | last 7d | by day', layout: { w: 6, h: 4 } }
      - { id: empty, title: Nothing, kind: chart, viz: line, query: 'never_sent | last 7d | count by day', layout: { w: 6, h: 4 } }
      - { id: wrong, title: Wrong, kind: table, query: 'visit | last 7d | count by event_type', layout: { w: 6, h: 4 } }
`;

const HONEST_FILE = `version: 1
id: honest
title: Honest
timezone: UTC
sections:
  - cards:
      - { id: plans, title: Plans, kind: chart, query: 'visit | last 7d | count, unique by event_properties.plan', options: { y: [count, unique], labels: { count: Visits, unique: People, event_properties.plan: Price } }, layout: { w: 6, h: 4 } }
      - { id: days, title: Days, kind: chart, query: 'visit | last 7d | count by day', layout: { w: 6, h: 4 } }
      - { id: cohorts, title: Cohorts, kind: retention, query: 'retention visit | last 7d | by day', layout: { w: 12, h: 5 } }
      - { id: worse, title: Worse, kind: metric, query: 'visit | last 3d | count', options: { better: up }, layout: { w: 6, h: 2 } }
      - { id: better, title: Better, kind: metric, query: 'visit | last 3d | count', options: { better: down }, layout: { w: 6, h: 2 } }
      - { id: points, title: Points, kind: metric, queries: { part: 'visit | last 3d | unique', whole: 'visit | last 3d | count' }, options: { ratio: { part: part, whole: whole } }, layout: { w: 6, h: 2 } }
`;

const SMALL_FILE = `version: 1
id: small
title: Small
sections:
  - cards:
      - { id: small, title: Small, kind: metric, query: 'bought | last 7d | avg event_properties.share', layout: { w: 6, h: 2 } }
      - { id: names, title: Names, kind: chart, viz: bar, query: 'bought | last 7d | count by event_properties.name', layout: { w: 3, h: 4 } }
`;

const LONG = 'Weekly recurring revenue of all active accounts in the EMEA area'; // 64 characters
const LONG_FILE = `version: 1
id: long
title: Long
sections:
  - cards:
      - { id: wide, title: ${LONG}, kind: metric, query: 'visit | last 3d | count', options: { compare: true, goal: { value: 9, label: Plan } }, layout: { w: 3, h: 2 } }
      - { id: narrow, title: ${LONG}, description: ${LONG}, kind: metric, query: 'visit | last 3d | count', layout: { w: 2, h: 2 } }
      - { id: below, title: Below, kind: table, query: 'visit | last 7d | count by day', layout: { w: 12, h: 2 } }
`;

const EXPERIMENT_FILE = `version: 1
id: experiment
title: Experiment
sections:
  - cards:
      - { id: tried, title: Tried, kind: experiment, query: 'choice colour | results visit | last 7d', layout: { w: 12, h: 3 } }
`;

const INTERACTIVE_FILE = `version: 1
id: interactive
title: Interactive
variables:
  - { name: time, kind: range, label: Time, default: last 7d, presets: [last 7d, last 3d] }
  - { name: plan, kind: select, label: Plan, any: All plans, query: '* | count by event_properties.plan', fragment: 'where event_properties.plan = {{value}}' }
  - { name: who, kind: input, label: Who, check: word, default: '', optional: true, fragment: 'where distinct_id = {{value}}' }
sections:
  - cards:
      - { id: visits, title: Visits, kind: metric, query: 'visit | {{time}} | {{plan}} | {{who}} | count', options: { compare: false } }
      - { id: again, title: Again, kind: table, query: 'visit | {{time}} | {{plan}} | {{who}} | count' }
`;

describe('a dashboard in a browser', () => {
  let host: BrowserHost;
  const files = new SavedFiles();
  before(async () => {
    host = await BrowserHost.start({ WINDLASS_QUERIES_PER_MINUTE: '0', WINDLASS_AUTH_FAILURES_PER_MINUTE: '0' });
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const events: object[] = [{ event_type: HOSTILE, user_id: HOSTILE, event_properties: { [HOSTILE]: HOSTILE } }];
    for (let index = 1; index <= 4; index++) {
      const properties = { share: 0.00012, name: `${'x'.repeat(index)}${'🛍️'.repeat(20)}` };
      events.push({ event_type: 'bought', user_id: HOSTILE, event_properties: properties });
    }
    for (let day = 0; day < 7; day++) {
      for (let user = 0; user <= day; user++) {
        const time = new Date(today - day * DAY_MS).toISOString();
        events.push({ event_type: 'visit', user_id: `u${user}`, time, event_properties: { plan: user % 2 === 0 ? 'free' : 'team' } }); // prettier-ignore
      }
    }
    for (const [user, variant] of Object.entries({ a: 'control', b: 'control', c: HOSTILE, d: HOSTILE })) {
      events.push({ event_type: 'choice.exposure', user_id: user, event_properties: { choice_key: 'colour', variant_key: variant } }); // prettier-ignore
    }
    await host.service.post('/track', { events });
  });
  afterEach(() => host.finish());
  after(async () => {
    files.remove();
    await host.stop();
  });

  async function opened(text: string, options: BrowserContextOptions = {}): Promise<Page> {
    const data = await dataOf(host.service, dashboardFrom(text));
    const page = await host.page(options);
    await page.goto(files.save('report', { mode: 'report', data }));
    await allDrawn(page);
    return page;
  }

  const card = (page: Page, id: string): ReturnType<Page['locator']> => page.locator(`[data-card="${id}"]`);

  it('shows texts that try to be script as texts', async () => {
    const page = await opened(HOSTILE_FILE);
    expect(await page.locator('h1').innerText()).to.equal(HOSTILE);
    expect(await page.locator('h2').innerText()).to.equal(HOSTILE);
    expect(await card(page, 'table').locator('td').first().innerText()).to.equal('visit');
    expect(await card(page, 'table').getByText(HOSTILE, { exact: true }).count()).to.be.greaterThan(0);
    expect(await card(page, 'events').getByText(HOSTILE, { exact: true }).count()).to.be.greaterThan(0);
    expect(await page.locator('main img, main script').count()).to.equal(0);
    expect(await card(page, 'text').locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).to.deep.equal(['https://example.com/a?b=c']); // prettier-ignore
    expect(await card(page, 'text').getByText('javascript:alert(1)').count()).to.be.greaterThan(0);
    await expectSound(page);
  });

  it('shows the verdict of an experiment above its rows', async () => {
    const page = await opened(EXPERIMENT_FILE);
    expect(await card(page, 'tried').locator('.verdict').innerText()).to.include(
      `Verdict: open. ${HOSTILE.slice(0, 50)}`,
    );
    expect(await card(page, 'tried').locator('tbody tr').count()).to.equal(2);
    await expectSound(page);
  });

  it('holds no token in a report, whose own policy lets it ask nobody', async () => {
    const data = await dataOf(host.service, dashboardFrom(STATES_FILE));
    const address = files.save('plain', { mode: 'report', data });
    const text = readFileSync(new URL(address), 'utf8');
    expect(text).to.not.match(/aat_|sk_|pk_/);
    expect(text).to.include('connect-src &#39;none&#39;').and.not.include('unsafe');
  });

  it('draws the last bucket dashed, the goal as a line, and who has gone below zero', async () => {
    const page = await opened(STATES_FILE);
    expect(await card(page, 'line').locator('path.line.cut').count()).to.equal(2);
    expect(await card(page, 'line').locator('.goal-name').textContent()).to.equal('Plan 9');
    expect(await page.locator('.board-status').innerText()).to.include('Time zone: Asia/Kathmandu.');
    expect(await card(page, 'bars').locator('rect.block.cut').count()).to.be.greaterThan(0);
    expect(await card(page, 'bars').locator('.legend button').allInnerTexts()).to.deep.equal(['free', 'team']);
    const zero = Number(await card(page, 'lifecycle').locator('line.axis').getAttribute('y1'));
    const below = await card(page, 'lifecycle').locator('rect.block').evaluateAll((bars) => bars.map((bar) => [bar.classList.item(1), Number(bar.getAttribute('y'))] as const)); // prettier-ignore
    expect(below.length).to.be.greaterThan(3);
    for (const [series, y] of below) expect(y >= zero - 0.5, `${series} at ${y}`).to.equal(series === 's3');
    expect(await card(page, 'number').locator('.figure').innerText()).to.match(/^\d+\s+▼ -\d+(\.\d)?% was \d+/);
    await expectSound(page);
    expect(await axeFaults(page)).to.deep.equal([]);
  });

  it('draws no line between names, marks what is not over in a retention, and tells changes for what they are', async () => {
    const page = await opened(HONEST_FILE);
    expect(await card(page, 'plans').locator('rect.block').count()).to.equal(4);
    expect(await card(page, 'plans').locator('path.line').count()).to.equal(0);
    expect(await card(page, 'days').locator('path.line').count()).to.be.greaterThan(0);
    const rows = card(page, 'cohorts').locator('tbody tr');
    const open = await rows.evaluateAll((all) => all.map((row) => row.querySelectorAll('td.open').length));
    expect(open.at(-1), 'today: not all of its people yet').to.equal(1);
    expect(open.at(-2), 'yesterday: today is not over').to.equal(1);
    const average = await card(page, 'cohorts').locator('tfoot th, tfoot td').allInnerTexts();
    expect(average[0]).to.equal('Average');
    expect(average.slice(2, 4)).to.satisfy((cells: string[]) => cells.every((text) => /^\d+(\.\d)?%$/.test(text)));
    expect(await card(page, 'worse').locator('.worse').innerText()).to.match(/^▼ -\d+(\.\d)?% worse$/);
    expect(await card(page, 'better').locator('.better').innerText()).to.match(/^▼ -\d+(\.\d)?% better$/);
    expect(await card(page, 'points').locator('.figure-by').innerText()).to.match(/^▲ \+\d+(\.\d)? pp$/);
    await expectSound(page);
    expect(await axeFaults(page)).to.deep.equal([]);
  });

  it('calls columns as its file does, in a chart and in a table', async () => {
    const page = await opened(HONEST_FILE);
    const plans = card(page, 'plans');
    expect(await plans.locator('.legend button').allInnerTexts()).to.deep.equal(['Visits', 'People']);
    expect(await plans.getByRole('img').getAttribute('aria-label')).to.include('by Price, ');
    await plans.locator('summary').click();
    await plans.getByRole('button', { name: 'Show as table' }).click();
    expect(await plans.locator('thead th').allInnerTexts()).to.deep.equal(['Price', 'Visits', 'People']);
  });

  it('draws retention as a line for each cohort, a funnel as a bar for each step, and of a formula the value alone', async () => {
    const page = await opened(STATES_FILE);
    const names = await card(page, 'curves').locator('.legend button').allInnerTexts();
    expect(names.map((name) => name.split(' · ')[0])).to.deep.equal(['free', 'team']);
    expect(await card(page, 'curves').getByRole('img').getAttribute('aria-label')).to.match(/by days since the start, 0 to [67]/); // prettier-ignore
    expect(await card(page, 'steps').locator('.legend').count()).to.equal(0);
    expect(await card(page, 'steps').locator('text.tick').allTextContents()).to.include.members([
      'visit',
      'never_sent',
    ]);
    expect(await card(page, 'formula').locator('.legend').count()).to.equal(0);
    expect(await card(page, 'formula').locator('path.line').count()).to.be.greaterThan(0);
  });

  it('says what is empty and what failed, and what to do; the other cards stay', async () => {
    const data = await dataOf(host.service, dashboardFrom(STATES_FILE));
    const cards = { ...data.cards, wrong: { state: 'error', message: 'The query took too long.', hint: 'Ask for less time.' } as const }; // prettier-ignore
    const page = await host.page();
    await page.goto(files.save('states', { mode: 'report', data: { ...data, cards } }));
    await allDrawn(page);
    expect(await card(page, 'empty').locator('.card-state').innerText()).to.match(
      /^No data for this time range\.\s+\S+/,
    );
    expect(await card(page, 'wrong').getByRole('alert').innerText()).to.match(/^The query took too long\.\s+Ask for less time\.$/); // prettier-ignore
    expect(await card(page, 'line').locator('path.line').count()).to.be.greaterThan(0);
    await expectSound(page);
  });

  it('is read with the keyboard: values of a chart one by one, and every card as a table', async () => {
    const page = await opened(STATES_FILE);
    const chart = card(page, 'line').getByRole('application');
    await chart.focus();
    const status = chart.getByRole('status'); // there before it changes, and not in an image, or no screen reader reads it
    expect([await status.count(), await card(page, 'line').locator('[role="img"] .tip').count()]).to.deep.equal([1, 0]);
    await page.keyboard.press('End');
    expect(await card(page, 'line').locator('.tip').innerText()).to.match(/ \(incomplete\)\s+count\s+\d/);
    await page.keyboard.press('ArrowLeft');
    expect(await card(page, 'line').locator('.tip').innerText()).to.match(/20\d\d\s+count\s+\d/);
    await page.keyboard.press('Escape');
    expect(await card(page, 'line').locator('.tip').isVisible()).to.equal(false);
    const menu = card(page, 'bars').locator('summary');
    await menu.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await card(page, 'bars').locator('thead th').allInnerTexts()).to.deep.equal(['day', 'plan', 'count']);
    expect(await page.evaluate('document.activeElement.tagName')).to.equal('SUMMARY');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    expect(await card(page, 'bars').locator('.card-actions').isVisible()).to.equal(false);
  });

  it('tells series apart in forced colors', async () => {
    const page = await opened(STATES_FILE, { forcedColors: 'active' });
    const colors = (selector: string, property: string): Promise<string[]> =>
      page.evaluate(
        `[...new Set([...document.querySelectorAll('[data-card="bars"] ${selector}')].map((one) => getComputedStyle(one).getPropertyValue('${property}')))]`,
      );
    const keys = await colors('.legend .key', 'background-color');
    expect(keys).to.have.length(2);
    expect(await colors('rect.block', 'fill')).to.have.members(keys);
  });

  it('shows a number near zero, and cuts names between characters', async () => {
    const page = await opened(SMALL_FILE);
    expect(await card(page, 'small').locator('.figure-value').innerText()).to.equal('0.00012');
    const ticks = await card(page, 'names').locator('text.tick').allTextContents();
    const cut = ticks.flatMap((text) => (text.includes('…') ? text.split('…', 1) : [])); // after it comes the whole name, as a tooltip
    expect(cut).to.have.length(4);
    expect(cut.filter((text) => !text.isWellFormed())).to.deep.equal([]);
  });

  it('shows a number whole, however long its title is, and keeps a table to its rows', async () => {
    const page = await opened(LONG_FILE);
    const bottoms = (id: string, inner: string): Promise<number> =>
      page.evaluate(
        `(() => { const [outer, inner] = ['', ' ${inner}'].map((one) => document.querySelector('[data-card="${id}"]' + one).getBoundingClientRect().bottom); return outer - inner; })()`,
      );
    expect(await bottoms('wide', '.figure-goal')).to.be.greaterThan(0);
    expect(await bottoms('narrow', '.figure-value')).to.be.greaterThan(0);
    expect((await card(page, 'below').boundingBox())?.height, 'two rows of 72 px and a gap').to.equal(160);
  });

  it('hides a series by its name', async () => {
    const page = await opened(STATES_FILE);
    const before = await card(page, 'bars').locator('rect.s0').count();
    await card(page, 'bars').getByRole('button', { name: 'free' }).click();
    expect(before).to.be.greaterThan(0);
    expect(await card(page, 'bars').locator('rect.s0').count()).to.equal(0);
  });

  it('gives a card as CSV and as PNG', async () => {
    const page = await opened(STATES_FILE);
    const save = async (form: string): Promise<{ name: string; body: Buffer }> => {
      await card(page, 'bars').locator('summary').click();
      const coming = page.waitForEvent('download');
      await card(page, 'bars').getByRole('button', { name: `Save as ${form}` }).click(); // prettier-ignore
      const download = await coming;
      return { name: download.suggestedFilename(), body: readFileSync(await download.path()) };
    };
    const csv = await save('CSV');
    expect(csv.name).to.equal('bars.csv');
    const [head, ...lines] = csv.body.toString().trimEnd().split('\r\n');
    expect(head).to.equal('day,event_properties.plan,count');
    expect(lines.length).to.be.greaterThan(7);
    const png = await save('PNG');
    expect(png.name).to.equal('bars.png');
    expect(png.body.subarray(1, 4).toString()).to.equal('PNG');
    const box = await card(page, 'bars').boundingBox();
    expect(png.body.readUInt32BE(16)).to.be.closeTo(2 * (box?.width ?? 0), 2);
    const colors = await page.evaluate(
      `createImageBitmap(new Blob([Uint8Array.from(atob(${JSON.stringify(png.body.toString('base64'))}), (c) => c.charCodeAt(0))])).then((bitmap) => {
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        const context = canvas.getContext('2d');
        context.drawImage(bitmap, 0, 0);
        return new Set(new Uint32Array(context.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer)).size;
      })`,
    );
    expect(colors).to.be.greaterThan(20);
  });

  it('asks with the token of an interactive file, each question once, and keeps what is chosen in its address', async () => {
    const dashboard = dashboardFrom(INTERACTIVE_FILE);
    const token = await makeToken(host);
    const values = defaultValues(dashboard);
    const page = await host.page();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/query')) asked.push(String(Reflect.get(Object(request.postDataJSON()), 'q'))); // prettier-ignore
    });
    const address = files.save('interactive', {
      mode: 'interactive',
      dashboard,
      values,
      host: host.service.url,
      token,
    });
    await page.goto(address);
    const number = card(page, 'visits').locator('.figure-value');
    await number.waitFor();
    const all = Number(await number.innerText());
    await page.locator('option', { hasText: 'team' }).waitFor({ state: 'attached' });
    expect(asked.filter((q) => q.startsWith('visit'))).to.have.length(1);
    await page.getByLabel('Plan').selectOption('team');
    await number.filter({ hasNotText: new RegExp(`^${all}$`) }).waitFor();
    const some = Number(await number.innerText());
    expect(some).to.be.lessThan(all);
    expect(new URL(page.url()).hash).to.equal('#plan=team');
    await page.locator('a.skip').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.hash === '#plan=team');
    expect(await page.getByLabel('Plan').inputValue()).to.equal('team');
    expect(await page.locator('.board > .problem').isVisible()).to.equal(false);
    await page.getByLabel('Who').fill('not a word');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('alert').filter({ hasText: 'not a word' }).count()).to.equal(1);
    await page.goto(`${address}#time=last+3d&plan=team`);
    await page.locator('#variable-time option:checked', { hasText: 'last 3d' }).waitFor({ state: 'attached' });
    await eventually(() => expect(asked.some((q) => q.includes('last 3d') && q.includes('"team"'))).to.equal(true));
    await page.locator('#variable-plan option', { hasText: 'free' }).waitFor({ state: 'attached' });
    await expectSound(page);
  });
});

async function makeToken({ service }: BrowserHost): Promise<string> {
  const control = await ControlDatabase.open(service.folder, { secret: null });
  try {
    return (await control.tokens.create({ projectId: service.keys.project.id, name: 'file', scopes: ['query'] }, { name: 'test', ip: null })).key; // prettier-ignore
  } finally {
    await control.close();
  }
}
