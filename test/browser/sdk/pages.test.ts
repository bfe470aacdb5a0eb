import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { Site } from './site.ts';

/** What a page is warned of from now on. */
function warningsOf(page: Page): string[] {
  const said: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'warning' && message.text().startsWith('wl:')) said.push(message.text());
  });
  return said;
}

describe('the script does a page no harm', () => {
  let site: Site;
  before(async () => {
    site = await Site.start();
  });
  afterEach(() => site.finish());
  after(() => site.stop());

  it('under a strict policy, which names the host under script-src and connect-src alone', async () => {
    const event = site.newEvent();
    const policy = `default-src 'none'; script-src ${site.gate.url}; connect-src ${site.gate.url}`;
    site.page = { headers: { 'Content-Security-Policy': policy } };
    const page = await site.visit('/');
    await page.evaluate(`wl.track('${event}'); location.href = '/next'`);
    await page.waitForURL('**/next');
    await site.expectCount(event, 1);
  });

  it('that embeds only what allows it (COEP)', async () => {
    const event = site.newEvent();
    site.page = {
      headers: { 'Cross-Origin-Embedder-Policy': 'require-corp', 'Cross-Origin-Opener-Policy': 'same-origin' },
    };
    const page = await site.visit('/');
    expect(await page.evaluate('crossOriginIsolated')).to.equal(true);
    await page.evaluate(`wl.track('${event}'); wl.flush()`);
    await site.expectCount(event, 1);
  });

  it('that calls it with anything', async () => {
    const event = site.newEvent();
    const page = await site.visit('/');
    await page.evaluate(`
      const circle = {}; circle.circle = circle;
      wl.track(); wl.track(null); wl.track(''); wl.track(7, 7); wl.track('x', circle); wl.track('x', { n: 7n });
      wl.identify(); wl.identify(null); wl.identify('  '); wl.push(7, null, ['nothing'], ['track']);
      wl.before(() => { throw new Error('on purpose'); });
      wl.track('${event}');
      wl.before = undefined;
      wl.track('${event}', { f() {}, s: Symbol('s'), u: undefined, d: new Date(0) });
      wl.flush()`);
    await site.expectCount(event, 1);
    const [row] = await site.service.rows(`${event} | last 1d | list`);
    expect(row?.['event_properties']).to.include({ d: '1970-01-01T00:00:00.000Z' });
  });

  it('that passes it no properties: an event has none of a text, a list or a number, and the console says so once', async () => {
    const [event, user] = [site.newEvent(), 'nils'];
    const page = await site.visit('/');
    const said = warningsOf(page);
    await page.evaluate(`
      for (const wrong of ['Buy now', [1, 2], 7, () => 1]) wl.track('${event}', wrong);
      wl.track('${event}', null);
      wl.identify('${user}', 'text', 'text');
      wl.flush()`);
    await site.expectCount(event, 5);
    const rows = await site.service.rows(`${event} | last 1d | list`);
    for (const row of rows) expect(Object.keys(Object(row['event_properties']))).to.not.include.members(['0', '1']);
    await site.expectRows(`users | where user_id = "${user}" | count by user."0"`, [{ 'user."0"': null, count: 1 }]);
    expect(said).to.deep.equal(['wl: not an object, left out: Buy now']);
  });

  it('that passes it what is not JSON, and says once what is lost', async () => {
    const event = site.newEvent();
    const page = await site.visit('/');
    const said = warningsOf(page);
    await page.evaluate(`
      const circle = {}; circle.circle = circle;
      wl.track('${event}', { day: new Date(0), none: undefined, plain: [1, { a: null }], set: new Set([1]) });
      wl.track('${event}', { f() {} });
      wl.track('${event}', { n: NaN, error: new Error('x') });
      wl.track('${event}', circle); wl.track('${event}', circle); wl.track('${event}', { n: 7n });
      wl.track(' ');
      wl.flush()`);
    await site.expectCount(event, 3);
    await site.expectRows(`${event} | last 1d | count by event_properties.day, event_properties.plain | sort count`, [
      { 'event_properties.day': null, 'event_properties.plain': null, count: 2 },
      { 'event_properties.day': '1970-01-01T00:00:00.000Z', 'event_properties.plain': '[1,{"a":null}]', count: 1 },
    ]);
    expect(said.map((text) => text.slice(0, 30))).to.deep.equal([
      'wl: not JSON, left out: set',
      'wl: failed TypeError: Converti',
    ]);
  });

  it('whose browser is known by client hints, though its agent does not say it', async () => {
    const event = site.newEvent();
    site.page = {
      before: `Object.defineProperty(Navigator.prototype, 'userAgentData', { value: {
        getHighEntropyValues: (hints) => Promise.resolve(Object.fromEntries(hints.map((hint) => [hint, { platformVersion: '15.0.0', model: 'SM-X210' }[hint]]))) } })`,
    };
    const page = await site.visit('/');
    await page.evaluate(`wl.track('${event}'); wl.flush()`);
    await site.expectCount(event, 1);
    const passed = site.gate.passed.find(({ body }) => body.includes(event))!;
    expect(Object.fromEntries(passed.url.searchParams)).to.include({ platformVersion: '15.0.0', model: 'SM-X210' });
    expect(passed.method).to.equal('POST');
  });

  for (const [what, value] of [
    ['nothing', 'undefined'],
    ['an empty object', '{}'],
    ['an error', `{ getHighEntropyValues: () => Promise.reject(new Error('not allowed')) }`],
    ['no hints', '{ getHighEntropyValues: () => Promise.resolve({}) }'],
  ] as const) {
    it(`whose browser has ${what} in place of client hints`, async () => {
      const event = site.newEvent();
      site.page = { before: `Object.defineProperty(Navigator.prototype, 'userAgentData', { value: ${value} })` };
      const page = await site.visit('/');
      await page.evaluate(`wl.track('${event}'); wl.flush()`);
      await site.expectCount(event, 1);
    });
  }

  it('whose calls from before it had loaded it keeps, and whose hook changes and drops events, the first view too', async () => {
    const event = site.newEvent();
    site.page = {
      before: `window.wl = [['track', '${event}', { early: true }]];
        wl.push(['before', (event) => event.event_type === 'secret' ? false : { ...event, event_properties: { ...event.event_properties, url: 'https://changed.example/x' } }]);
        wl.push(() => wl.track('${event}', { early: false }));`,
    };
    const page = await site.visit('/');
    await page.evaluate(`wl.track('secret'); wl.flush()`);
    await site.expectRows(`* | last 1d | where _hostname = "changed.example" | count by event_type | sort count asc`, [
      { event_type: 'page_view', count: 1 },
      { event_type: event, count: 2 },
    ]);
    expect(await site.service.rows('secret | last 1d | count')).to.deep.equal([{ count: 0 }]);
  });

  it('that sets it by wlConfig, or in the address of the script, as tag managers do', async () => {
    const key = site.service.keys.project.publicKey;
    const event = site.newEvent();
    const src = `${site.gate.url}/public/wl.js`;
    site.page = { tag: `<script>wlConfig = { key: '${key}', env: 'config' }</script><script src="${src}"></script>` };
    await (await site.visit('/')).evaluate(`wl.track('${event}'); wl.flush()`);
    site.page = { tag: `<script src="${src}?key=${key}&env=address&choice-seed=7"></script>` };
    await (await site.visit('/')).evaluate(`wl.track('${event}'); wl.track('${event}'); wl.flush()`);
    await site.expectRows(`${event} | last 1d | count by event_properties.env | sort count asc`, [
      { 'event_properties.env': 'config', count: 1 },
      { 'event_properties.env': 'address', count: 2 },
    ]);
  });

  for (const [what, markup] of [
    ['by a tag of the type module', (src, attributes) => `<script type="module" src="${src}" ${attributes}></script>`],
    ['in the page itself', (_, attributes, text) => `<script ${attributes}>${text}</script>`],
    [
      'with settings that are undefined',
      (src, attributes) =>
        `<script>wlConfig = { host: undefined }</script><script src="${src}" ${attributes.replace(/data-host=.*/, '')}></script>`,
    ],
    [
      'beside an element with the id wl',
      (src, attributes) =>
        `<p id="wl"></p><script src="${src}" ${attributes}></script><script src="${src.replace('wl.js', 'wl.choice.js')}"></script>`,
    ],
    [
      'beside an old library that gives arrays a toJSON',
      (src, attributes) =>
        `<script>Array.prototype.toJSON = function () { return '[' + this + ']' }</script><script src="${src}" ${attributes}></script>`,
    ],
  ] as const satisfies readonly [what: string, (src: string, attributes: string, text: string) => string][]) {
    it(`that has it ${what}`, async () => {
      const event = site.newEvent();
      const src = `${site.gate.url}/public/wl.js`;
      const attributes = `data-key="${site.service.keys.project.publicKey}" data-host="${site.gate.url}"`;
      site.page = { tag: markup(src, attributes, readFileSync('dist/public/wl.js', 'utf8')) };
      const page = await site.visit('/');
      await page.evaluate(`wl.track('${event}', { n: 1 }); wl.flush()`);
      await site.expectRows(`${event} | last 1d | sum event_properties.n`, [{ sum: 1 }]);
    });
  }

  it('in a sandbox, without cookies or storage, also where it asks for a cookie', async () => {
    const event = site.newEvent();
    site.page = { attributes: { 'cookie-domain': 'site.example' } };
    const inner = `${site.tag}<script>wl.ids(); wl.track("${event}"); wl.flush()</script>`;
    site.page = { tag: `<iframe sandbox="allow-scripts" srcdoc='${inner}'></iframe>` };
    await site.visit('/');
    await site.expectCount(event, 1);
  });

  it('with a wrong key: it asks once, keeps the events, and sends them when the key is right', async () => {
    const event = site.newEvent();
    const visitor = await site.visitor();
    site.gate.mode = { status: 401 };
    const page = await site.visit('/', visitor);
    await page.evaluate(`wl.track('${event}')`);
    for (let i = 0; i < 3; i++) await page.evaluate('wl.flush()');
    expect(site.gate.passed).to.have.length(1);
    site.gate.mode = 'pass';
    await page.evaluate('wl.flush()');
    expect(site.gate.passed).to.have.length(1);
    await page.reload();
    await site.expectCount(event, 1);
  });

  it('and leaves a busy server alone for as long as it says', async () => {
    const page = await site.visit('/');
    await page.evaluate('wl.flush()');
    const before = site.gate.passed.length;
    site.gate.mode = { status: 429, headers: { 'RateLimit-Reset': '60', 'Retry-After': '1' } };
    await page.evaluate(`wl.track('a')`);
    for (let i = 0; i < 3; i++) await page.evaluate('wl.flush()');
    expect(site.gate.passed.length - before).to.equal(1);
  });
});
