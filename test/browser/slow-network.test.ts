import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { BrowserHost } from './browser-host.ts';
import { confirmAct, goUp, newProject, openTab, said, unfold } from './console-steps.ts';
import { eventually } from './eventually.ts';
import { holdAnswer, holdRefresh } from './held-answer.ts';

describe('the console on a slow network, in a browser', () => {
  let host: BrowserHost;
  before(async () => {
    host = await BrowserHost.start({ WINDLASS_AUTH_FAILURES_PER_MINUTE: '0' });
  });
  afterEach(() => host.finish());
  after(() => host.stop());

  /** The members of a new organization, with some who are invited. */
  async function membersPage(name: string, invited: readonly string[]): Promise<Page> {
    const page = await host.console(`${name}@example.com`);
    await newProject(host, page);
    await goUp(page, 'Acme');
    await openTab(page, 'Members');
    for (const email of invited) await invite(page, email);
    return page;
  }

  async function invite(page: Page, email: string): Promise<void> {
    await page.getByLabel('E-mail address').fill(email);
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('row', { name: email }).waitFor();
  }

  it('keeps what is typed while the form is being sent', async () => {
    const page = await membersPage('types-on', []);
    const held = await holdAnswer(page, (request) => request.method() === 'POST');
    await page.getByLabel('E-mail address').fill('bob@example.com');
    await page.getByRole('button', { name: 'Invite' }).click();
    await held.answered;
    await page.getByLabel('E-mail address').fill('carol@example.com');
    held.release();
    await said(page, 'Invitation created.');
    expect(await page.getByLabel('E-mail address').inputValue()).to.equal('carol@example.com');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('row', { name: 'carol@example.com' }).waitFor();
    await eventually(async () => expect(await page.getByLabel('E-mail address').inputValue()).to.equal(''));
  });

  it('says that what is sent again meanwhile is not sent', async () => {
    const page = await membersPage('sends-twice', []);
    const held = await holdAnswer(page, (request) => request.method() === 'POST');
    await page.getByLabel('E-mail address').fill('bob@example.com');
    await page.getByRole('button', { name: 'Invite' }).click();
    await held.answered;
    await page.getByLabel('E-mail address').fill('carol@example.com');
    await page.getByLabel('E-mail address').press('Enter');
    await said(page, 'Still saving');
    held.release();
    await said(page, 'Invitation created.');
    await page.getByRole('row', { name: 'bob@example.com' }).waitFor();
    expect(await page.getByRole('row', { name: 'carol@example.com' }).count()).to.equal(0);
    expect(await page.getByLabel('E-mail address').inputValue()).to.equal('carol@example.com');
  });

  it('leaves a choice, a problem and the focus where they are when another row changes', async () => {
    const page = await membersPage('chooses', ['bob@example.com', 'carol@example.com']);
    const rowOf = (name: string) => page.getByRole('row', { name: `${name}@example.com` });
    const refresh = await holdRefresh(page);
    await rowOf('bob').getByRole('combobox').selectOption('viewer');
    await rowOf('bob').getByRole('button', { name: 'Change' }).click();
    await refresh.answered;
    await rowOf('carol').getByRole('combobox').selectOption('admin');
    await page.route('**/members', (route) => route.fulfill({ status: 409, json: { error: 'Not now.' } }), {
      times: 1,
    });
    await rowOf('chooses').getByRole('button', { name: 'Leave' }).click();
    await confirmAct(page, 'Leave');
    await page.getByText('Not now.').waitFor();
    await rowOf('bob').getByRole('button', { name: 'Change' }).focus();
    refresh.release();
    await said(page, 'Role of bob@example.com changed.');
    expect(await rowOf('bob').getByRole('combobox').inputValue()).to.equal('viewer');
    expect(await rowOf('carol').getByRole('combobox').inputValue()).to.equal('admin');
    expect(await page.getByText('Not now.').isVisible()).to.equal(true);
    const focused = `document.activeElement.closest('form').getAttribute('aria-label') + ': ' + document.activeElement.textContent`;
    expect(await page.evaluate(focused)).to.equal('Role of bob@example.com: Change');
    await page.unroute('**/members');
    await rowOf('carol').getByRole('button', { name: 'Change' }).click();
    await said(page, 'Role of carol@example.com changed.');
    await page.reload();
    expect(await rowOf('carol').getByRole('combobox').inputValue()).to.equal('admin');
  });

  it('shows what came last, though the answer to what came before comes later', async () => {
    const page = await membersPage('order', []);
    const refresh = await holdRefresh(page);
    await page.getByLabel('E-mail address').fill('bob@example.com');
    await page.getByRole('button', { name: 'Invite' }).click();
    await refresh.answered;
    await invite(page, 'carol@example.com');
    await page.evaluate(`document.querySelector('#announcer').textContent = ''`);
    refresh.release();
    await said(page, 'Invitation created.');
    for (const name of ['bob', 'carol']) await page.getByRole('row', { name: `${name}@example.com` }).waitFor();
  });

  it('says that something is done, though the page cannot be fetched again', async () => {
    const page = await membersPage('cut-off', []);
    await page.route(page.url(), (route) => route.abort());
    await page.getByLabel('E-mail address').fill('bob@example.com');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.locator('.problem:visible').getByText('Invitation created.').waitFor();
    await page.getByText('Reload the page to see the change.').waitFor();
    const complaints: unknown = await host.finish().then(() => [], (error: unknown) => Reflect.get(Object(error), 'actual')); // prettier-ignore
    expect(complaints).to.satisfy((all: string[]) => all.length > 0 && all.every((one) => one.includes('ERR_FAILED')));
  });

  it('has forms that can be sent from when their script is there', async () => {
    const page = await host.console('early@example.com');
    const released = Promise.withResolvers<void>();
    await page.route('**/public/console/console.js', async (route) => {
      await released.promise;
      await route.continue();
    });
    await page.reload({ waitUntil: 'commit' });
    const create = page.getByRole('button', { name: 'Create organization' });
    await unfold(page, 'New organization');
    await create.waitFor();
    expect(await create.isDisabled()).to.equal(true);
    await page.getByLabel('Name').fill('Acme');
    released.resolve();
    await create.click();
    await page.waitForURL(/\/console\/orgs\/org_/);
  });

  it('has forms that work, and what they have made, on a page that the browser kept and shows again', async () => {
    const page = await host.console('back@example.com');
    await newProject(host, page, { project: 'First' });
    await goUp(page, 'Acme');
    const held = await holdAnswer(page, (request) => request.method() === 'POST');
    await unfold(page, 'New project');
    await page.getByLabel('Name').fill('Second');
    await page.getByRole('button', { name: 'Create project' }).click();
    await held.answered; // WebKit keeps a page as it is by now; Chromium keeps none of the console
    await page.evaluate(`dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`);
    await page.getByRole('row', { name: 'Second' }).waitFor();
    expect(await page.locator('form.api[aria-busy]').count()).to.equal(0);
    held.release();
    await page.waitForURL(/\/console\/projects\/prj_/);
  });

  it('shows no secret key that came after it was rotated', async () => {
    const page = await host.console('late-key@example.com');
    await newProject(host, page);
    await openTab(page, 'Keys and tokens');
    const held = await holdAnswer(page, (request) => request.method() === 'GET' && request.url().includes('/api/'));
    await page.getByRole('button', { name: 'Show' }).click();
    await held.answered;
    await unfold(page, 'Replace this key');
    await page.getByRole('button', { name: 'Rotate the secret key' }).click();
    await confirmAct(page, 'Rotate the secret key');
    await said(page, 'Secret key rotated.');
    const shown = await page.locator('[data-secret] code').textContent();
    expect(shown).to.match(/sk_\w/);
    const arrives = page.waitForResponse((response) => response.request().method() === 'GET');
    held.release();
    await (await arrives).finished();
    await page.evaluate('new Promise((done) => setTimeout(done))'); // the page has read it by then
    expect(await page.locator('[data-secret] code').textContent(), 'the new one').to.equal(shown);
  });
});
