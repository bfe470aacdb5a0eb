import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { eventually } from '../eventually.ts';
import { Site } from './site.ts';

const STORED = `JSON.stringify([Object.keys(localStorage), Object.keys(sessionStorage), document.cookie])`;

describe('the script knows visitors', () => {
  let site: Site;
  before(async () => {
    site = await Site.start();
  });
  afterEach(() => site.finish());
  after(() => site.stop());

  const sessionOf = async (page: Page): Promise<unknown> => (await page.evaluate<{ session_id: string }>('wl.ids()')).session_id; // prettier-ignore

  it('by a session that all tabs share, that lasts over loads, and ends after 30 minutes without an event', async () => {
    const visitor = await site.visitor();
    await visitor.clock.install();
    const page = await site.visit('/', visitor);
    const first = await sessionOf(page);
    await page.reload();
    const other = await site.visit('/other', visitor);
    expect([await sessionOf(page), await sessionOf(other)]).to.deep.equal([first, first]);
    await visitor.clock.fastForward('29:00');
    await page.evaluate(`wl.track('a')`);
    await visitor.clock.fastForward('29:00');
    await page.evaluate(`wl.track('b')`);
    expect(await sessionOf(other)).to.equal(first);
    await visitor.clock.fastForward('31:00');
    await other.evaluate(`wl.track('c')`);
    // A tab learns a moment later what another has stored.
    const next = await sessionOf(other);
    expect(next).to.be.a('string').and.not.equal(first);
    await eventually(async () => expect(await sessionOf(page)).to.equal(next));
    await visitor.clock.fastForward('31:00');
    expect(await sessionOf(page), 'one that has ended').to.equal(undefined);
  });

  it('by an identify, in its place among events: what came before is the user’s too', async () => {
    const event = site.newEvent();
    site.page = { attributes: { env: 'test' } };
    const page = await site.visit('/landing?utm_source=news');
    await page.evaluate(`wl.track('${event}')`);
    await page.goto(`${site.url}/signup?utm_source=mail`);
    await page.evaluate(`wl.identify('ann', { plan: 'free' }); wl.track('${event}'); wl.flush()`);
    await site.expectRows(`${event} | last 1d | count by distinct_id, event_properties.env`, [
      { distinct_id: 'ann', 'event_properties.env': 'test', count: 2 },
    ]);
    await site.expectRows(
      `users | where user_id = "ann" | count by user.plan, user.first_utm_source, user.last_utm_source`,
      [{ 'user.plan': 'free', 'user.first_utm_source': 'news', 'user.last_utm_source': 'mail', count: 1 }],
    );
    await page.evaluate(`wl.reset(); wl.track('${event}'); wl.flush()`);
    await site.expectRows(`${event} | last 1d | unique distinct_id`, [{ unique: 2 }]);
  });

  it('only after they agreed with data-consent="wait": nothing is stored or sent before, fifty events are held', async () => {
    const event = site.newEvent();
    site.page = { attributes: { consent: 'wait' } };
    const page = await site.visit('/');
    await page.evaluate(`for (let i = 0; i < 60; i++) wl.track('${event}', { i }); wl.flush()`);
    expect(JSON.parse(await page.evaluate(STORED))).to.deep.equal([[], [], '']);
    expect(site.gate.passed).to.have.length(0);
    await page.evaluate(`wl.optIn()`);
    await site.expectCount(event, 49); // and the page view
    await page.goto(`${site.url}/next`);
    await page.evaluate(`wl.track('${event}')`);
    await site.expectCount(event, 50);
    await page.evaluate(`wl.track('${event}'); wl.optOut(); wl.track('${event}'); wl.flush()`);
    const [local] = JSON.parse(await page.evaluate(STORED)) as string[][];
    expect(local).to.have.length(1);
    await page.goto(`${site.url}/after`);
    await page.evaluate(`wl.track('${event}'); wl.flush()`);
    await site.expectRows('page_view | last 1d | where _path = "/after" | count', [{ count: 0 }]);
    await site.expectCount(event, 50);
  });

  it('by a cookie only after they agreed, and by nothing that is stored after they declined', async () => {
    site.page = { attributes: { consent: 'wait', 'cookie-domain': '127.0.0.1' } };
    const page = await site.visit('/');
    const { device_id } = await page.evaluate<{ device_id: string }>('wl.ids()');
    expect(JSON.parse(await page.evaluate(STORED))).to.deep.equal([[], [], '']);
    await page.evaluate('wl.optIn()');
    expect(await page.evaluate('document.cookie')).to.equal(`wl=${device_id}`);
    await page.evaluate(`wl.optOut(); wl.ids(); wl.track('a')`);
    const [local, , cookie] = JSON.parse(await page.evaluate(STORED)) as [string[], string[], string];
    expect([local.map((key) => key.split('.').pop()), cookie]).to.deep.equal([['consent'], '']);
  });

  it('in no tab any more once they declined in one', async () => {
    const event = site.newEvent();
    const visitor = await site.visitor();
    const page = await site.visit('/', visitor);
    const other = await site.visit('/other', visitor);
    for (const tab of [page, other]) await tab.evaluate('wl.flush()');
    await page.evaluate('wl.optOut()');
    const kept = `Object.keys(localStorage).map((key) => key.split('.').pop()).join()`;
    await eventually(async () => expect(await other.evaluate(kept)).to.equal('consent'));
    site.gate.passed = [];
    await other.evaluate(`wl.track('${event}'); wl.identify('ann'); wl.ids(); wl.flush()`);
    expect([await other.evaluate(kept), site.gate.passed.length]).to.deep.equal(['consent', 0]);
  });

  it('not at all where they ask for that and the page respects it', async () => {
    site.page = {
      attributes: { 'respect-dnt': '', 'cookie-domain': '127.0.0.1' },
      before: `navigator.globalPrivacyControl = true`,
    };
    const page = await site.visit('/');
    await page.evaluate(`wl.track('a'); wl.ids(); wl.flush()`);
    expect(JSON.parse(await page.evaluate(STORED))).to.deep.equal([[], [], '']);
    expect(site.gate.passed).to.have.length(0);
    site.page = { before: `navigator.globalPrivacyControl = true` };
    const event = site.newEvent();
    await (await site.visit('/')).evaluate(`wl.track('${event}')`);
    await site.expectCount(event, 1);
  });

  it('by the day with data-storage="none", with nothing stored in the browser', async () => {
    const event = site.newEvent();
    site.page = { attributes: { storage: 'none' } };
    const page = await site.visit('/');
    await page.evaluate(`wl.track('${event}'); wl.flush()`);
    await page.goto(`${site.url}/next`);
    await page.evaluate(`wl.track('${event}'); wl.flush()`);
    await site.expectCount(event, 2);
    expect(JSON.parse(await page.evaluate(STORED))).to.deep.equal([[], [], '']);
    const rows = await site.service.rows(`${event} | last 1d | count by device_id`);
    expect(rows).to.have.length(1);
    expect(rows[0]?.['device_id']).to.match(/^daily_/);
  });

  it('in memory where storage is blocked', async () => {
    const event = site.newEvent();
    site.page = { before: `Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked'); } })` };
    const page = await site.visit('/');
    await page.evaluate(`for (let i = 0; i < 5; i++) wl.track('${event}'); location.href = '/next'`);
    await page.waitForURL('**/next');
    await site.expectCount(event, 5);
  });

  it('in memory where storage is full', async () => {
    const event = site.newEvent();
    site.page = {
      before: `Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }`,
    };
    const page = await site.visit('/');
    await page.evaluate(`for (let i = 0; i < 5; i++) wl.track('${event}'); wl.flush()`);
    await site.expectCount(event, 5);
  });

  it('by a cookie of the domain, where a page asks for one', async () => {
    site.page = { attributes: { 'cookie-domain': '127.0.0.1' } };
    const visitor = await site.visitor();
    const page = await site.visit('/', visitor);
    const { device_id } = await page.evaluate<{ device_id: string }>('wl.ids()');
    const cookies = await visitor.cookies();
    expect(cookies.map(({ name, value }) => [name, value])).to.deep.equal([['wl', device_id]]);
    await page.evaluate('localStorage.clear()');
    await page.goto(`${site.url}/next`);
    expect((await page.evaluate<{ device_id: string }>('wl.ids()')).device_id).to.equal(device_id);
  });

  it('by the cookie of the domain rather than what the page has stored, where both are there', async () => {
    const visitor = await site.visitor();
    const page = await site.visit('/', visitor);
    const ids = (): Promise<{ device_id: string }> => page.evaluate('wl.ids()');
    const { device_id } = await ids();
    site.page = { attributes: { 'cookie-domain': '127.0.0.1' } };
    await page.reload();
    expect(await page.evaluate('document.cookie'), 'of a visitor from before the setting').to.equal(`wl=${device_id}`);
    const another = '01a221d5-8ae0-7000-87a8-ea93fa49b310'; // another subdomain has begun anew
    await page.evaluate(`document.cookie = 'wl=${another};Domain=127.0.0.1;Path=/'`);
    expect((await ids()).device_id).to.equal(another);
  });

  it('whose clock is wrong by most of a day: events are stored at the time when they happened', async () => {
    const event = site.newEvent();
    const visitor = await site.visitor();
    await visitor.clock.install({ time: Date.now() - 20 * 3_600_000 });
    const page = await site.visit('/', visitor);
    await page.evaluate(`wl.track('${event}'); wl.flush()`);
    await site.expectRows(`${event} | last 1h | count`, [{ count: 1 }]);
  });

  it('whose clock was set back: a session does not last for as long as it was ahead', async () => {
    const page = await site.visit('/');
    await page.evaluate(`
      const now = Date.now;
      Date.now = () => now() + 365 * 86_400_000;
      wl.track('ahead');
      window.ahead = wl.ids().session_id;
      Date.now = now;
      wl.track('back')`);
    const back = await sessionOf(page);
    expect(back)
      .to.be.a('string')
      .and.not.equal(await page.evaluate('ahead'));
    await page.evaluate(`wl.track('later')`);
    expect(await sessionOf(page)).to.equal(back);
  });

  it('by a session of their own where what is stored of it makes no sense', async () => {
    const page = await site.visit('/');
    await page.evaluate(`
      for (const key of Object.keys(localStorage)) if (key.endsWith('.session')) localStorage[key] = 'no time';
      wl.track('a')`);
    const session = await sessionOf(page);
    await page.evaluate(`wl.track('b')`);
    expect(session)
      .to.be.a('string')
      .and.equal(await sessionOf(page));
  });

  it('with a choice of variants that stays, and is told once a session', async () => {
    site.page = { tag: `${site.tag}<script src="${site.gate.url}/public/wl.choice.js"></script>` };
    const page = await site.visit('/');
    const choose = `[1, 2, 3].map(() => wl.choice('price', ['a', 'b', 'c'])).join()`;
    const first = await page.evaluate<string>(choose);
    await page.goto(`${site.url}/next`);
    expect(await page.evaluate(choose)).to.equal(first);
    await page.evaluate(`wl.choice('price', []); wl.flush()`);
    await site.expectRows('choice price | last 1d', [{ variant_key: first.slice(0, 1), count: 1 }]);
  });
});
