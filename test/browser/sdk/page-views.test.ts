import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { listenOnLoopback } from '../../support/listening.ts';
import { eventually } from '../eventually.ts';
import { PATIENCE_MS, Site } from './site.ts';

/** In the page, whose timers go off in the order of their times: the script waits 50 ms for a further change of the address. */
const SETTLED = 'new Promise((done) => setTimeout(done, 60))';

describe('the script sees pages', () => {
  let site: Site;
  before(async () => {
    site = await Site.start({ ignoreDefaultArgs: ['--disable-back-forward-cache'] });
  });
  afterEach(() => site.finish());
  after(() => site.stop());

  /** Expects the views of a visitor's device in order: the path and query of each, and of the one before. */
  async function expectViews(page: Page, expected: readonly (readonly [url: string, previous: string | null])[]) {
    const { device_id } = await page.evaluate<{ device_id: string }>('wl.ids()');
    const q = `page_view | last 1d | where device_id = "${device_id}" | count by event_properties.url, event_properties.previous_url, time | sort time asc`;
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      await page.evaluate('wl.flush()');
      const rows = await site.service.rows(q);
      const seen = rows.map((row) => [short(row['event_properties.url']), short(row['event_properties.previous_url'])]);
      if (JSON.stringify(seen) === JSON.stringify(expected)) return;
      if (Date.now() > end) expect(seen).to.deep.equal(expected);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  const short = (url: unknown): string | null => (typeof url === 'string' ? url.replace(site.url, '') : null);

  it('that load, and that change their path or query without loading, not those that change a fragment', async () => {
    const page = await site.visit('/a#top');
    await page.evaluate(`history.pushState({}, '', '/b')`);
    await page.evaluate(SETTLED);
    await page.evaluate(`history.replaceState({}, '', '/b?tab=2')`);
    await page.evaluate(SETTLED);
    await page.evaluate(`location.hash = 'c'; history.pushState({}, '', '/b?tab=2#d')`);
    await page.evaluate(SETTLED);
    await page.evaluate(`history.pushState({}, '', '/c')`);
    await page.evaluate(SETTLED);
    await page.evaluate(`history.back()`);
    await expectViews(page, [
      ['/a', null],
      ['/b', '/a'],
      ['/b?tab=2', '/b'],
      ['/c', '/b?tab=2'],
      ['/b?tab=2', '/c'],
    ]);
  });

  it('once, however often a page replaces its address within 50 ms', async () => {
    const page = await site.visit('/a');
    await page.evaluate(`for (let i = 0; i < 20; i++) history.replaceState({}, '', '/b?step=' + i)`);
    await expectViews(page, [
      ['/a', null],
      ['/b?step=19', '/a'],
    ]);
  });

  it('and one that changed its address and is left at once', async () => {
    const page = await site.visit('/a');
    await page.evaluate(`history.pushState({}, '', '/b'); location.href = '/c'`);
    await page.waitForURL('**/c');
    await expectViews(page, [
      ['/a', null],
      ['/b', '/a'],
      ['/c', null],
    ]);
  });

  it('once when the tag stands there twice', async () => {
    site.page = { tag: site.tag + site.tag };
    const page = await site.visit('/twice');
    await expectViews(page, [['/twice', null]]);
  });

  it('not by itself with data-auto="false", and only when they load with data-spa="false"', async () => {
    site.page = { attributes: { auto: 'false' } };
    const quiet = await site.visit('/a');
    await quiet.evaluate(`wl.track('page_view', { own: true })`);
    await expectViews(quiet, [['/a', null]]);
    site.page = { attributes: { spa: 'false' } };
    const page = await site.visit('/b');
    await page.evaluate(`history.pushState({}, '', '/c')`);
    await page.evaluate(SETTLED);
    await expectViews(page, [['/b', null]]);
  });

  it('that come back from the back/forward cache, which the script does not keep them out of', async () => {
    const page = await site.visit('/a');
    await page.evaluate('wl.flush()');
    await page.evaluate('window.kept = true');
    await page.goto(`${site.url}/b`);
    await page.evaluate('wl.flush()');
    await page.goBack({ waitUntil: 'commit' });
    expect(await page.evaluate('window.kept'), 'the page comes from the cache').to.equal(true);
    await expectViews(page, [
      ['/a', null],
      ['/b', null],
      ['/a', '/a'],
    ]);
  });

  it('and holds its lock until it is about to be left, when Firefox decides about its cache, or again if it stays', async () => {
    const page = await site.visit('/a');
    const held = (): Promise<number> => page.evaluate('navigator.locks.query().then(({ held }) => held.length)');
    await eventually(async () => expect(await held()).to.equal(1));
    await page.evaluate(`dispatchEvent(new Event('beforeunload'))`);
    await eventually(async () => expect(await held(), 'when about to be left').to.equal(0));
    for (let i = 0; i < 3; i++) await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await eventually(async () => expect(await held(), 'when looked at again').to.equal(1));
    expect(await page.evaluate('navigator.locks.query().then(({ pending }) => pending.length)')).to.equal(0);
  });

  it('without what gives access to something in their addresses', async () => {
    const page = await site.visit(
      '/reset?token=abc&q=shoes&code=123&x=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln&utm_source=news&gclid=Cj0KCQjw1234567890abcdefghijklmnopq',
    );
    await expectViews(page, [
      [
        '/reset?token=redacted&q=shoes&code=redacted&x=redacted&utm_source=news&gclid=Cj0KCQjw1234567890abcdefghijklmnopq',
        null,
      ],
    ]);
    const [row] = await site.service.rows(`page_view | last 1d | where _path = "/reset" | list`);
    const properties = row?.['event_properties'] as Record<string, unknown>;
    expect(properties).to.include({ utm_source: 'news', title: 'Page /reset', language: 'en-US', screen: '1280x720' });
    expect(properties).to.have.keys(
      ...['url', 'title', 'language', 'timezone', 'screen', 'viewport', 'utm_source', 'gclid'],
    );
  });

  it('whose routes are in the fragment, with data-hash="true", also in the path', async () => {
    site.page = { attributes: { hash: 'true' } };
    const page = await site.visit('/app#/orders');
    await page.evaluate(`location.hash = '/orders/77?token=abc'`);
    await page.evaluate(SETTLED);
    await page.evaluate(`location.hash = '/orders/77?tab=2'`);
    await page.evaluate(SETTLED);
    await page.evaluate(`location.hash = 'access_token=abc'`);
    await page.evaluate(SETTLED);
    await page.evaluate(`location.hash = '!/users'`);
    await page.evaluate(SETTLED);
    await page.evaluate(`history.back()`);
    await expectViews(page, [
      ['/app#/orders', null],
      ['/app#/orders/77', '/app#/orders'],
      ['/app', '/app#/orders/77'],
      ['/app#!/users', '/app'],
      ['/app', '/app#!/users'],
    ]);
    await site.expectRows('page_view | last 1d | where _path contains "#" | count by _path_clean | sort _path_clean', [
      { _path_clean: '/app#!/users', count: 1 },
      { _path_clean: '/app#/orders', count: 1 },
      { _path_clean: '/app#/orders/{id}', count: 1 },
    ]);
  });

  it('with the page of another site that linked here, not with one of their own', async () => {
    const page = await site.visit('/first');
    await page.evaluate(`location.href = '/second'`);
    await page.waitForURL('**/second');
    await expectViews(page, [
      ['/first', null],
      ['/second', null],
    ]);
    const other = await listenOnLoopback(() => (_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html', 'Referrer-Policy': 'unsafe-url' });
      response.end(`<a href="${site.url}/linked">to the site</a>`);
    });
    const from = await (await site.visitor()).newPage();
    await from.goto(`${other.url}/offers?token=abc`);
    await from.click('a');
    await from.waitForURL('**/linked');
    await site.expectRows(
      'page_view | last 1d | where _path in ("/first", "/second", "/linked") | count by _path, _referrer | sort _path',
      [
        { _path: '/first', _referrer: null, count: 1 },
        { _path: '/linked', _referrer: `${other.url}/offers?token=redacted`, count: 1 },
        { _path: '/second', _referrer: null, count: 1 },
      ],
    );
    await other.stop();
  });

  it('with the first campaign parameter of each name, which session.utm_source of the address says, too', async () => {
    const page = await site.visit('/campaign?UTM_SOURCE=LinkedIn&utm_source=ads&utm_medium=cpc&Utm_Medium=mail');
    await page.evaluate('wl.flush()');
    await site.expectRows(
      'page_view | last 1d | where _path = "/campaign" | count by event_properties.utm_source, session.utm_source, event_properties.utm_medium',
      [
        {
          ...{ 'event_properties.utm_source': 'LinkedIn', 'session.utm_source': 'LinkedIn' },
          ...{ 'event_properties.utm_medium': 'cpc', count: 1 },
        },
      ],
    );
  });

  it('that were prerendered only when they are visited', async () => {
    const rules = JSON.stringify({ prerender: [{ source: 'list', urls: ['/next'], eagerness: 'immediate' }] });
    site.page = { tag: `${site.tag}<script type="speculationrules">${rules}</script>` };
    const loaded = site.nextLoad('/next');
    const page = await site.visit('/first');
    await loaded;
    await page.evaluate('wl.flush()');
    await page.waitForTimeout(200);
    await site.expectRows('page_view | last 1d | where _path = "/next" | count', [{ count: 0 }]);
    await page.evaluate(`location.href = '/next'`);
    await page.waitForURL('**/next');
    await site.expectRows('page_view | last 1d | where _path = "/next" | count', [{ count: 1 }]);
  });
});
