/** Segment's library for pages, which is told where to load its settings from and sends there. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Site } from './site.ts';

/** Made of the package's own build for pages without a bundler. */
const LIBRARY = readFileSync(
  fileURLToPath(import.meta.resolve('@segment/analytics-next').replace(/\/dist\/.*$/, '/dist/umd/index.js')),
  'utf8',
).replaceAll('</script', String.raw`<\/script`);

describe("Segment's library for pages", () => {
  let site: Site;
  before(async () => {
    site = await Site.start();
  });
  afterEach(() => site.finish());
  after(() => site.stop());

  it('sends views, events and identifies, and events of before the login are those of the user', async () => {
    const { service } = site;
    const settings = { writeKey: service.keys.project.publicKey, cdnURL: service.url };
    const load = `window.analytics = AnalyticsNext.AnalyticsBrowser.load(${JSON.stringify(settings)})`;
    site.page = { tag: `<script>${LIBRARY}</script><script>${load}</script>` };
    const page = await site.visit('/shop?utm_source=mail&utm_campaign=spring');
    await page.evaluate(`(async () => {
      await analytics.page('shop', 'Start');
      await analytics.track('added', { price: 3 });
      await analytics.identify('ann', { plan: 'pro' });
      await analytics.track('bought', { price: 3 });
    })()`);
    const who = {
      distinct_id: 'ann',
      'user.plan': 'pro',
      _browser: 'Chrome',
      _ingest_origin: 'client',
    };
    const fields = 'distinct_id, user.plan, _browser, _ingest_origin';
    await site.expectRows(`* | list event_type, _path, ${fields} | sort event_type | last 1d`, [
      { event_type: 'added', _path: '/shop', ...who },
      { event_type: 'bought', _path: '/shop', ...who },
      { event_type: 'page_view', _path: '/shop', ...who },
    ]);
    const view =
      'event_properties.name, event_properties.category, event_properties.utm_source, event_properties.utm_campaign';
    await site.expectRows(`page_view | list ${view} | last 1d`, [
      {
        ...{ 'event_properties.name': 'Start', 'event_properties.category': 'shop' },
        ...{ 'event_properties.utm_source': 'mail', 'event_properties.utm_campaign': 'spring' },
      },
    ]);
  });
});
