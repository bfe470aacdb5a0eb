import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { BrowserHost } from './browser-host.ts';

/** More tab stops than any page has. */
const MOST_STOPS = 60;

describe('the console without a mouse, in a browser', () => {
  let host: BrowserHost;
  before(async () => {
    host = await BrowserHost.start();
  });
  afterEach(() => host.finish());
  after(() => host.stop());

  const focused = (page: Page): Promise<string> =>
    page.evaluate(
      `((at) => (at.getAttribute('aria-label') ?? [...(at.labels ?? [])].map((label) => label.textContent).join('') + (at.labels?.length ? '' : at.textContent)).trim())(document.activeElement)`,
    );

  /** Presses Tab until the element with this name has the focus. Every stop on the way must be visible. */
  async function tabTo(page: Page, name: string): Promise<void> {
    const passed: string[] = [];
    for (let stop = 0; stop < MOST_STOPS; stop++) {
      await page.keyboard.press('Tab');
      const outline = await page.evaluate<string>(`getComputedStyle(document.activeElement).outlineStyle`);
      const at = await focused(page);
      if (at !== '' && at.length < 80) expect([at, outline]).to.deep.equal([at, 'solid']);
      if (at === name) return;
      passed.push(at.slice(0, 40));
    }
    expect.fail(`no stop at ${name}: ${passed.join(' | ')}`);
  }

  it('goes from the first login to a token, and out again', async () => {
    const page = await host.console('keys@example.com');
    await tabTo(page, 'New organization');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Name');
    await page.keyboard.type('Acme');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/console\/orgs\/org_/);

    await tabTo(page, 'Name');
    await page.keyboard.type('Shop');
    await tabTo(page, 'Create project');
    await page.keyboard.press('Space');
    await page.waitForURL(/\/console\/projects\/prj_/);

    await tabTo(page, 'Keys and tokens');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/keys$/);
    await tabTo(page, 'Show');
    await page.keyboard.press('Enter');
    await page
      .locator('[data-secret] code')
      .getByText(/sk_\w{20}/)
      .waitFor();

    await tabTo(page, 'Name');
    await page.keyboard.type('Report');
    await tabTo(page, 'track send events and identify people');
    await page.keyboard.press('Space');
    await tabTo(page, 'Lifetime');
    await page.keyboard.press('ArrowUp'); // 90 days → 30 days
    await tabTo(page, 'Create token');
    await page.keyboard.press('Enter');
    await page
      .locator('#new-token-value code')
      .getByText(/aat_\w{20}/)
      .waitFor();
    expect(await focused(page)).to.equal('New token'); // the element that holds the token
    const row = page.getByRole('row', { name: /Report/ });
    expect(await row.getByRole('cell').nth(0).textContent()).to.equal('track, query');

    await row.getByRole('button').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(page, 'Revoke');
    await page.keyboard.press('Enter');
    await page.getByText('No tokens yet.').waitFor();
    expect(await focused(page)).to.equal('Access tokens');

    await page.reload();
    await tabTo(page, 'Account');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Log out');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/login$/);
  });
});
