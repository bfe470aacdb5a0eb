import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { build } from 'esbuild';
import { Site } from './site.ts';

describe('windlass-client/browser, bundled into a page', () => {
  let site: Site;
  before(async () => {
    site = await Site.start();
  });
  afterEach(() => site.finish());
  after(() => site.stop());

  it('does what the script does: views, events that outlive the page, choices', async () => {
    const event = site.newEvent();
    const settings = JSON.stringify({ key: site.service.keys.project.publicKey, host: site.gate.url, env: 'bundle' });
    const { outputFiles } = await build({
      stdin: {
        contents: `import { startWindlass } from './sdk/client/browser.ts';
          const wl = startWindlass(${settings});
          document.addEventListener('click', () => {
            wl.track('${event}', { variant: wl.choice('price', ['only']) });
            location.href = '/after';
          });`,
        resolveDir: resolve('.'),
      },
      bundle: true,
      minify: true,
      write: false,
      tsconfigRaw: '{}',
      outfile: join('dist', 'bundle.js'),
    });
    site.page = { tag: `<script>${outputFiles[0]?.text}</script>` };
    const page = await site.visit('/bundled');
    await page.locator('h1').click();
    await page.waitForURL('**/after');
    await site.expectRows(`${event} | last 1d | count by event_properties.variant, event_properties.env, _library`, [
      {
        'event_properties.variant': 'only',
        'event_properties.env': 'bundle',
        _library: 'windlass-client/0.1.0',
        count: 1,
      },
    ]);
    await site.expectRows('choice price | last 1d', [{ variant_key: 'only', count: 1 }]);
    await site.expectRows('page_view | last 1d | count', [{ count: 2 }]);
    expect(site.gate.passed.every(({ method }) => method === 'POST')).to.equal(true);
  });
});
