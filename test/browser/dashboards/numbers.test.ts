import { expect } from 'chai';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { BrowserHost, expectSound } from '../browser-host.ts';
import { allDrawn, axeFaults, SavedFiles } from './board-page.ts';
import { dashboardFrom, dataOf } from './demo-host.ts';

const AMOUNTS = [10, 20, 30, 60, 110];
const FILE = `version: 1
id: numbers
title: Numbers
sections:
  - cards:
      - { id: histogram, title: Amounts, kind: chart, viz: histogram, query: 'bought | last 7d | count by event_properties.amount', layout: { w: 6, h: 4 } }
      - { id: line, title: Line, kind: chart, viz: line, query: 'bought | last 7d | count by event_properties.amount', layout: { w: 6, h: 4 } }
`;

describe('a chart over numbers', () => {
  let host: BrowserHost;
  const files = new SavedFiles();
  let address: string;
  before(async () => {
    host = await BrowserHost.start({ WINDLASS_QUERIES_PER_MINUTE: '0' });
    const events = AMOUNTS.flatMap((amount, index) => Array.from({ length: index + 1 }, () => ({ event_type: 'bought', user_id: 'u', event_properties: { amount } }))); // prettier-ignore
    await host.service.post('/track', { events });
    address = files.save('numbers', { mode: 'report', data: await dataOf(host.service, dashboardFrom(FILE)) });
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

  it('has them in order and to scale', async () => {
    const page = await opened();
    for (const [id, mark, attribute] of [['histogram', 'rect.block', 'x'], ['line', 'circle.dot', 'cx']] as const) {
      const marks: number[] = await page.evaluate(`[...document.querySelectorAll('[data-card=${id}] ${mark}')].map((one) => Number(one.getAttribute('${attribute}')))`); // prettier-ignore
      const gap = (marks[1] ?? 0) - (marks[0] ?? 0);
      const expected = AMOUNTS.map((amount) => (amount - 10) / 10);
      expect(marks.map((at) => Math.round((at - (marks[0] ?? 0)) / gap)), id).to.deep.equal(expected);
    } // prettier-ignore
  });

  it('names them below, as many as have room', async () => {
    const page = await opened({ viewport: { width: 390, height: 900 } });
    const names = page.locator('[data-card="histogram"] text.tick[text-anchor="middle"]');
    expect(await names.allTextContents()).to.deep.equal(AMOUNTS.map(String));
  });

  it('tells the values nearest to the pointer', async () => {
    const page = await opened();
    const ground = page.locator('[data-card="histogram"] .ground');
    const last = (await ground.locator('rect.block').last().boundingBox())!;
    const box = (await ground.boundingBox())!;
    for (const [left, told] of [[0, /110\s+count\s+5/], [-1.2 * last.width, /110\s+count\s+5/], [-3.5 * last.width, /60\s+count\s+4/]] as const) {
      await page.mouse.move(last.x + last.width / 2 + left, box.y + box.height / 2);
      expect(await ground.locator('.tip').innerText()).to.match(told);
    } // prettier-ignore
  });

  for (const { colorScheme, width } of [{ colorScheme: 'light', width: 1440 }, { colorScheme: 'dark', width: 390 }] as const) {
    it(`is sound in ${colorScheme} at ${width} px, for axe too`, async () => {
      const page = await opened({ colorScheme, viewport: { width, height: 900 } });
      await expectSound(page);
      expect(await axeFaults(page)).to.deep.equal([]);
    });
  } // prettier-ignore
});
