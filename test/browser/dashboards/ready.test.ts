import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Dashboard, Viz } from '../../../lib/dashboards/dashboard.ts';
import { VIZ } from '../../../lib/dashboards/dashboard.ts';
import type { CardData, DashboardData } from '../../../lib/dashboards/data.ts';
import type { BrowserHost } from '../browser-host.ts';
import { faultsOf } from '../browser-host.ts';
import { allDrawn, axeFaults, SavedFiles } from './board-page.ts';
import { dataOf, personDashboard, READY_DASHBOARDS, readyDashboard, startDemoHost } from './demo-host.ts';

/** What a card of each kind contains at least. */
const DRAWN: Readonly<Record<Viz, string>> = {
  number: '.figure-value',
  line: 'svg path.line',
  area: 'svg path.fill',
  bar: 'svg rect.block',
  pie: 'svg path.slice',
  table: 'table tbody tr',
  events: 'ol.events li',
  facts: 'dl.facts dd',
  funnel: '.funnel-steps li',
  retention: 'table.retention tbody tr',
  path: 'svg path.stream',
  lifecycle: 'svg rect.block',
  histogram: 'svg rect.block',
  markdown: '.markdown p',
};

/** The page of a person is one that is built in. */
const PERSON = 'person';
const ALL = [...READY_DASHBOARDS, PERSON];

describe('the ready dashboards on the demo project', () => {
  let host: BrowserHost;
  const files = new SavedFiles();
  const saved = new Map<string, { readonly data: DashboardData; readonly address: string }>();
  before(async () => {
    host = await startDemoHost();
    for (const file of ALL) {
      const dashboard = file === PERSON ? await personDashboard(host.service) : readyDashboard(file);
      const data = await dataOf(host.service, dashboard);
      saved.set(file, { data, address: files.save(file, { mode: 'report', data }) });
    }
  });
  afterEach(() => host.finish());
  after(async () => {
    files.remove();
    await host.stop();
  });

  const cardsOf = ({ sections }: Dashboard): Dashboard['sections'][number]['cards'] => sections.flatMap(({ cards }) => cards); // prettier-ignore

  it('are five, and show every picture there is, together with the page of a person', () => {
    expect(READY_DASHBOARDS).to.have.length(5);
    const shown = [...saved.values()].flatMap(({ data }) => cardsOf(data.dashboard).map(({ viz }) => viz));
    expect(VIZ.filter((viz) => !shown.includes(viz))).to.deep.equal([]);
  });

  for (const file of ALL) {
    it(`${file} has no card that fails or is empty, and each is drawn`, async () => {
      const { data, address } = open(file);
      for (const [id, card] of Object.entries(data.cards)) expect(problemOf(card), id).to.equal(null);
      const page = await host.page();
      await page.goto(address);
      await allDrawn(page);
      for (const { id, viz } of cardsOf(data.dashboard)) {
        expect(await page.locator(`[data-card="${id}"] ${DRAWN[viz]}`).count(), `${id}: ${viz}`).to.be.greaterThan(0);
      }
      expect(await page.locator('.card-state').allInnerTexts()).to.deep.equal([]);
    });

    for (const { colorScheme, width } of [
      { colorScheme: 'light', width: 1280 },
      { colorScheme: 'dark', width: 390 },
    ] as const) {
      it(`${file} is sound in ${colorScheme} at ${width} px, for axe too`, async () => {
        const page = await host.page({ colorScheme, viewport: { width, height: 900 } });
        await page.goto(open(file).address);
        await allDrawn(page);
        expect(await faultsOf(page)).to.deep.equal([]);
        expect(await axeFaults(page)).to.deep.equal([]);
        expect(await outside(page)).to.deep.equal([]);
      });
    }
  }

  function open(file: string): { readonly data: DashboardData; readonly address: string } {
    const found = saved.get(file);
    if (found === undefined) throw new Error(`${file} was not saved`);
    return found;
  }
});

function problemOf(card: CardData): string | null {
  if (card.state === 'error') return card.message;
  const empty = Object.entries(card.queries).filter(([, { rows }]) => rows.length === 0);
  return empty.length === 0 ? null : `no rows: ${empty.map(([name]) => name).join(', ')}`;
}

/** Chart texts that reach beyond their card. In path charts they may: those scroll. */
function outside(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('.chart-view:not(.viz-path) .ground text')].filter((text) => {
    const card = text.closest('.card').getBoundingClientRect();
    const box = text.getBoundingClientRect();
    return box.width > 0 && (box.left < card.left - 1 || box.right > card.right + 1 || box.top < card.top - 1 || box.bottom > card.bottom + 1);
  }).map((text) => text.textContent)`);
}
