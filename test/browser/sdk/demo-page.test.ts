import { BrowserHost, expectSound } from '../browser-host.ts';

describe('the demo page, in a browser', () => {
  let host: BrowserHost;
  before(async () => {
    host = await BrowserHost.start();
  });
  afterEach(() => host.finish());
  after(() => host.stop());

  it('shows what the script in it sends as it arrives: views, clicks, who somebody is', async () => {
    const { organization, project } = host.service.keys;
    const page = await host.console('demo@example.com', { orgId: organization.id, role: 'viewer' });
    await page.goto(`${host.service.url}/console/projects/${project.id}`);
    await page.getByRole('link', { name: 'Demo page' }).click();
    const rows = page.locator('[data-events] tr');
    await rows.filter({ hasText: 'page_view' }).first().waitFor();
    await page.getByRole('button', { name: 'Log in as "ann"' }).click();
    await page.getByRole('button', { name: 'Track "demo_click"' }).click();
    await rows
      .filter({ hasText: /demo_click\s*ann/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Go to another address' }).click();
    await rows.filter({ hasText: 'page=1' }).first().waitFor();
    await expectSound(page);
  });

  it('says what it needs without a key', async () => {
    const page = await host.page();
    await page.goto(`${host.service.url}/public/demo.html`);
    await page.getByText('needs the key and the project').waitFor();
    await expectSound(page);
  });
});
