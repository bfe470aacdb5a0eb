import { expect } from 'chai';
import { codeBlocks } from '../../docs/code-blocks.ts';
import { jsonOf } from '../../support/service.ts';
import { Site } from './site.ts';

const PATHS = ['/s.js', '/e', '/i'];

describe('docs/sdk.md, in a browser', () => {
  let site: Site;
  before(async () => {
    site = await Site.start();
  });
  afterEach(() => site.finish());
  after(() => site.stop());

  const html = codeBlocks('sdk.md', 'html');
  const blockWith = (part: string): string => {
    const block = html.find((code) => code.includes(part));
    if (block === undefined) throw new Error(`no block with ${part}`);
    return block
      .replaceAll('https://stats.example', site.gate.url)
      .replaceAll('pk_…', site.service.keys.project.publicKey);
  };
  const countOf = (path: string) => `page_view | last 1d | where _path = "${path}" | count`;

  it('has a tag that counts views, and calls that do what it says', async () => {
    site.page = { tag: blockWith('<script async') };
    const page = await site.visit('/tag');
    await site.expectRows(countOf('/tag'), [{ count: 1 }]);
    const [calls = '', hook = ''] = codeBlocks('sdk.md', 'js');
    await page.evaluate(`(async () => { ${calls} })()`);
    await site.expectRows('signup | last 1d | count by distinct_id', [{ distinct_id: 'ann', count: 1 }]);
    await page.evaluate(`${hook}; wl.track('internal'); wl.track('other'); wl.flush()`);
    await site.expectRows('other | last 1d | count by event_properties.title', [
      { 'event_properties.title': null, count: 1 },
    ]);
    expect(await site.service.rows('internal | last 1d | count')).to.deep.equal([{ count: 0 }]);
  });

  it('has calls that wait for the script', async () => {
    site.page = { tag: blockWith('window.wl = window.wl') };
    await site.visit('/waiting');
    await site.expectRows('seen | last 1d | count', [{ count: 1 }]);
  });

  it('has a tag with choices', async () => {
    site.page = { tag: blockWith('wl.choice.js') };
    const page = await site.visit('/choices');
    expect(await page.evaluate(`wl.choice('price', { a: 0, b: 1 })`)).to.equal('b');
  });

  it('has choices that wait for a script that comes late', async () => {
    const choice = `<script src="${site.gate.url}/public/wl.choice.js"></script>`;
    const late = `<script>setTimeout(() => document.body.append(Object.assign(document.createElement('script'),
      { src: '${site.gate.url}/public/wl.js?key=${site.service.keys.project.publicKey}' })), 300)</script>`;
    site.page = { tag: `${choice}${blockWith("wl.choice('checkout'")}${late}` };
    const page = await site.visit('/late');
    await page.locator('body.one-page, body.steps').waitFor();
  });

  it('has a tag that pins a version, which loads nothing else', async () => {
    const scripts = await jsonOf(await fetch(`${site.service.url}/public/scripts.json`));
    const { path, integrity } = scripts['wl.js'] as { path: string; integrity: string };
    const tag = blockWith('sha384-…').replace('/public/wl.….js', path).replace('sha384-…', integrity);
    site.page = { tag };
    await site.visit('/pinned');
    await site.expectRows(countOf('/pinned'), [{ count: 1 }]);
  });

  /** Renaming rules of each snippet, from paths of the site to those of the service. */
  const RENAMED: readonly (readonly [what: string, language: string, rule: RegExp])[] = [
    ['nginx', 'nginx', /location = (\S+) \{ proxy_pass https:\/\/stats\.example(\S+);/g],
    ['Caddy', 'caddy', /rewrite (\S+) (\S+)/g],
    ['Next.js', 'mjs', /source: '(\S+)', destination: 'https:\/\/stats\.example(\S+)'/g],
  ];
  for (const [what, language, rule] of RENAMED) {
    it(`has rules for ${what} under which the script works with names of a host's own`, async () => {
      const block = codeBlocks('sdk.md', language).find((code) => code.includes('/s.js')) ?? '';
      const paths = new Map([...block.matchAll(rule)].map(([, from = '', to = '']) => [from, to]));
      expect([...paths.keys()]).to.deep.equal(PATHS);
      site.page = { tag: blockWith('/s.js') };
      site.passOn(paths);
      const event = site.newEvent();
      const page = await site.visit(`/${language}`);
      await page.waitForFunction('window.wl && wl.flush');
      await page.evaluate(`wl.track('${event}'); wl.identify('bob'); wl.flush()`);
      await site.expectRows(`${event} | last 1d | count by distinct_id`, [{ distinct_id: 'bob', count: 1 }]);
    });
  }
});
