import { expect } from 'chai';
import { eventually } from '../eventually.ts';
import { Site, TIMES } from './site.ts';

describe('the script brings every event to the server, once', () => {
  let site: Site;
  before(async () => {
    site = await Site.start();
  });
  afterEach(() => site.finish());
  after(() => site.stop());

  for (let time = 1; time <= TIMES; time++) {
    describe(`(${time} of ${TIMES})`, () => {
      it('when one is tracked and the tab is closed', async () => {
        const event = site.newEvent();
        const page = await site.visit();
        await page.evaluate(`wl.track('${event}')`);
        await page.close();
        await site.expectCount(event, 1);
      });

      it('when 45 are tracked and the same task navigates away', async () => {
        const event = site.newEvent();
        const page = await site.visit();
        await page.evaluate(`for (let i = 0; i < 45; i++) wl.track('${event}', { i }); location.href = '/next'`);
        await page.waitForURL('**/next');
        await site.expectCount(event, 45);
      });

      it('when there are nine of 9 KB, more than a browser lets a leaving page send', async () => {
        const event = site.newEvent();
        const page = await site.visit();
        await page.evaluate(`
          const text = 'x'.repeat(4_500);
          for (let i = 0; i < 9; i++) wl.track('${event}', { i, a: text, b: text });
          location.href = '/next'`);
        await page.waitForURL('**/next');
        await site.expectCount(event, 9);
      });

      it('when the network is away, the tab is closed, and somebody comes back', async () => {
        const event = site.newEvent();
        const visitor = await site.visitor();
        const page = await site.visit('/', visitor);
        await visitor.setOffline(true);
        await page.evaluate(`for (let i = 0; i < 5; i++) wl.track('${event}', { i })`);
        await page.close();
        await visitor.setOffline(false);
        await site.visit('/later', visitor);
        await site.expectCount(event, 5);
      });

      it('when the server answers 503 for a while', async () => {
        const event = site.newEvent();
        const page = await site.visit();
        site.gate.mode = { status: 503, headers: { 'Retry-After': '60' } };
        await page.evaluate(`for (let i = 0; i < 5; i++) wl.track('${event}', { i })`);
        await page.evaluate('wl.flush()');
        site.gate.mode = 'pass';
        await page.goto(`${site.url}/next`);
        await site.expectCount(event, 5);
      });

      it('when 1,000 are tracked in a row', async () => {
        const event = site.newEvent();
        const page = await site.visit();
        await page.evaluate(`for (let i = 0; i < 1_000; i++) wl.track('${event}', { i })`);
        await site.expectRows(`${event} | last 1d | unique event_properties.i`, [{ unique: 1_000 }]);
      });

      it('when the server has stored it and its answer was lost', async () => {
        const event = site.newEvent();
        const page = await site.visit();
        await page.evaluate('wl.flush()');
        site.gate.mode = 'lost';
        await page.evaluate(`wl.track('${event}')`);
        await page.evaluate('wl.flush()');
        await site.expectCount(event, 1);
        site.gate.mode = 'pass';
        const before = site.gate.passed.length;
        await page.evaluate('wl.flush()');
        expect(site.gate.passed.length, 'it is sent again').to.equal(before + 1);
        await site.expectCount(event, 1);
        expect(await page.evaluate('Object.keys(localStorage).filter((key) => key.includes(".q.")).length')).to.equal(
          0,
        );
      });
    });
  }

  for (const [without, before] of [
    ['locks, as on plain http', `Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })`],
    ['requests that outlive their page, by beacons', `delete Request.prototype.keepalive`],
  ] as const) {
    it(`in browsers without ${without}`, async () => {
      const event = site.newEvent();
      const visitor = await site.visitor();
      site.page = { before };
      const page = await site.visit('/', visitor);
      await page.evaluate(`for (let i = 0; i < 45; i++) wl.track('${event}', { i }); location.href = '/next'`);
      await page.waitForURL('**/next');
      await page.evaluate(`wl.track('${event}', { i: 45 })`);
      await page.close();
      await site.visit('/later', visitor);
      await site.expectCount(event, 46);
    });
  }

  it('of a tab that has died, from another that is open and is looked at again, and leaves a living one its own', async () => {
    const event = site.newEvent();
    const visitor = await site.visitor();
    const open = await site.visit('/open', visitor);
    await open.evaluate('wl.flush()');
    site.gate.mode = { status: 503 };
    await open.evaluate(`wl.track('${event}', { of: 'open' }); wl.flush()`);
    const other = await site.visit('/other', visitor);
    await other.evaluate(`wl.track('${event}', { of: 'other' }); wl.flush()`);
    const pagesOf = `new Set(Object.keys(localStorage).filter((key) => key.includes('.q.')).map((key) => key.split('.q.')[1].split('.')[0])).size`;
    await eventually(async () => expect(await other.evaluate(pagesOf), 'queues of two pages').to.equal(2));
    await other.close();
    site.gate.mode = 'pass';
    await open.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await site.expectCount(event, 2);
  });

  it('that an earlier version of the script has left in the storage, with fields that several share', async () => {
    const event = site.newEvent();
    const visitor = await site.visitor();
    site.page = { tag: '<p>no script yet</p>' };
    const page = await site.visit('/', visitor);
    const prefix = `wl.${site.service.keys.project.publicKey.slice(3, 11)}.`;
    const stored = await page.evaluate<number>(`(() => {
      const made = Date.now().toString(16).padStart(12, '0');
      const id = (n) => made.slice(0, 8) + '-' + made.slice(8) + '-7000-8000-00000000000' + n;
      const put = (key, value) => localStorage.setItem('${prefix}' + key, value);
      const shared = 'c.' + id(9) + '.' + id(1);
      put(shared, JSON.stringify({ device_id: 'd-old', event_properties: { url: 'https://old.example/a', n: 0 } }));
      for (const n of [1, 2])
        put('q.' + id(9) + '.' + id(n), JSON.stringify(['track', shared, JSON.stringify({ event_type: '${event}', event_properties: { n } })]));
      put('c.' + id(9) + '.' + id(3), '');
      put('q.' + id(9) + '.' + id(3), JSON.stringify(['identify', 'c.' + id(9) + '.' + id(3), JSON.stringify({ user_id: 'u-old', device_id: 'd-old' })]));
      return localStorage.length;
    })()`);
    expect(stored).to.equal(5);
    site.page = {};
    const next = await site.visit('/later', visitor);
    await site.expectRows(
      `${event} | last 1d | count by event_properties.n, _hostname, device_id, distinct_id | sort event_properties.n`,
      [1, 2].map((n) => ({
        ...{
          'event_properties.n': `${n}`,
          _hostname: 'old.example',
          device_id: 'd-old',
          distinct_id: 'u-old',
          count: 1,
        },
      })),
    );
    await next.evaluate('wl.flush()');
    expect(await next.evaluate(`Object.keys(localStorage).filter((key) => /[.][qc][.]/.test(key)).length`)).to.equal(0);
  });

  it('of a page whose queue another one has taken over, where there are no locks', async () => {
    const event = site.newEvent();
    const visitor = await site.visitor();
    site.page = {
      before: `Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })`,
      attributes: { auto: 'false' },
    };
    const page = await site.visit('/', visitor);
    await page.evaluate(`wl.track('${event}', { i: 0 })`);
    await site.visit('/', visitor);
    await site.expectCount(event, 1);
    await page.evaluate(`wl.track('${event}', { i: 1 }); wl.flush()`);
    await site.expectRows(`${event} | last 1d | unique event_properties.i, count`, [{ unique: 2, count: 2 }]);
  });

  it('beside one that is too large to wait: that one alone is dropped', async () => {
    const event = site.newEvent();
    const page = await site.visit();
    await page.evaluate(`
      for (let i = 0; i < 5; i++) wl.track('${event}', { i });
      wl.track('${event}', { text: 'x'.repeat(1_100_000) });
      wl.flush()`);
    await site.expectCount(event, 5);
  });

  it('when a request is never answered', async () => {
    const event = site.newEvent();
    site.page = {
      before: `const real = AbortSignal.timeout; AbortSignal.timeout = (ms) => real.call(AbortSignal, ms / 60)`,
      attributes: { auto: 'false' },
    };
    const page = await site.visit();
    site.gate.mode = 'silent';
    await page.evaluate(`wl.track('${event}', { i: 0 }); wl.flush()`);
    site.gate.mode = 'pass';
    await page.evaluate(`wl.track('${event}', { i: 1 }); wl.flush()`);
    await site.expectRows(`${event} | last 1d | unique event_properties.i, count`, [{ unique: 2, count: 2 }]);
  });

  it('not again after six days, when the server might not know the event any more, in a page that stays open either', async () => {
    const event = site.newEvent();
    const visitor = await site.visitor();
    await visitor.clock.install();
    site.page = { attributes: { auto: 'false' } };
    const page = await site.visit('/', visitor);
    site.gate.mode = 'lost';
    await page.evaluate(`wl.track('${event}', { i: 0 }); wl.flush()`);
    await site.expectCount(event, 1);
    site.gate.mode = { status: 503 };
    await visitor.clock.fastForward(6 * 86_400_000 + 1_000);
    site.gate.mode = 'pass';
    site.gate.passed = [];
    await page.evaluate(`wl.track('${event}', { i: 1 }); wl.flush()`);
    await eventually(() => expect(site.gate.passed.map(({ body }) => body).join()).to.include('"i":1'));
    expect(site.gate.passed.map(({ body }) => body).join()).to.not.include('"i":0');
  });

  it('without a preflight: the browser asks nothing before it sends', async () => {
    site.page = { attributes: { auto: 'false' } }; // a view would be sent by itself after a second
    const page = await site.visit();
    await page.evaluate(`wl.track('a'); wl.identify('ann'); wl.flush()`);
    await site.expectCount('a', 1);
    expect(site.gate.passed.map(({ method, url }) => `${method} ${url.pathname}`)).to.deep.equal([
      'POST /track',
      'POST /identify',
    ]);
    expect(site.gate.passed[0]?.headers['content-type']).to.match(/^text\/plain/);
  });
});
