import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { askQuery as ask, openAsk, question } from './ask-steps.ts';
import { BrowserHost, expectSound, VIEWS } from './browser-host.ts';
import { said } from './console-steps.ts';
import { eventually } from './eventually.ts';

const HOSTILE = `<img src=x onerror="console.error('ran')">`;

describe('the workbench to ask in, in a browser', () => {
  let host: BrowserHost;
  let path = '';
  before(async () => {
    host = await BrowserHost.start({ WINDLASS_AUTH_FAILURES_PER_MINUTE: '0', WINDLASS_QUERIES_PER_MINUTE: '0' });
    path = `${host.service.url}/console/projects/${host.service.keys.project.id}/ask`;
    const plans = ['pro', 'pro', 'pro', 'free', HOSTILE];
    const events = plans.flatMap((plan, user) => ['page_view', 'signup'].map((event_type) => ({ event_type, user_id: `u${user}`, event_properties: { plan } })));
    await host.service.post('/track', { events: [...events, { event_type: 'page_view', user_id: 'u9' }] });
  }); // prettier-ignore
  afterEach(() => host.finish());
  after(() => host.stop());

  const someone = (name: string, role: 'viewer' | 'member' = 'viewer', options = {}): Promise<Page> =>
    host.console(`${name}@example.com`, { orgId: host.service.keys.organization.id, role }, options);

  /** Types in place of what is there. */
  async function type(page: Page, text: string): Promise<void> {
    await page.getByLabel('Question', { exact: true }).fill('');
    await page.keyboard.type(text);
  }

  it('completes values of a field by what is stored, lengths of time and `any`, each with a word of explanation', async () => {
    const page = await someone('values');
    await openAsk(page, path);
    const options = page.locator('#completions').getByRole('option');
    await type(page, 'signup | where event_properties.plan = ');
    await options.first().waitFor();
    const quoted = `"${HOSTILE.replaceAll('"', String.raw`\"`)}"\nvalue`;
    expect(await options.allInnerTexts()).to.deep.equal(['"pro"\nvalue', quoted, '"free"\nvalue']);
    await page.keyboard.type('"f');
    await eventually(async () => expect(await options.allInnerTexts()).to.deep.equal(['"free"\nvalue']));
    await page.keyboard.press('Tab');
    expect(await question(page)).to.equal('signup | where event_properties.plan = "free"');
    await page.keyboard.type(' | last ');
    expect((await options.allInnerTexts()).slice(0, 2)).to.deep.equal(['7d\n7 days', '30d\n30 days']);
    await page.keyboard.type('14');
    expect((await options.allInnerTexts()).slice(0, 2)).to.deep.equal(['14d\n14 days', '14w\n14 weeks']);
    await page.keyboard.press('Tab');
    await type(page, 'retention signup returning an');
    expect(await options.allInnerTexts()).to.deep.equal(['any\nany event']);
    await type(page, 'signup | ro');
    expect(await options.allInnerTexts()).to.include('rolling\nover the days before each');
    await type(page, 'signup | count by pl');
    expect(await options.allInnerTexts()).to.include('event_properties.plan\nproperty of the event');
    await type(page, 'signup | where user.email = '); // that viewers see none of is no trouble for typing
    await page.keyboard.type('"');
    expect(await page.locator('.problem:visible').count()).to.equal(0);
  });

  it('asks for the values of a field once', async () => {
    const page = await someone('once');
    await openAsk(page, path);
    let asked = 0;
    page.on('request', (request) => (asked += Number(request.postData()?.includes('plan exists') === true)));
    for (let time = 0; time < 3; time++) {
      await type(page, 'signup | where event_properties.plan = ');
      await page.locator('#completions').getByRole('option', { name: '"pro"' }).waitFor();
    }
    expect(asked).to.equal(1);
  });

  it('colors the query behind a field whose own text is transparent, word upon word', async () => {
    const page = await someone('colors');
    await openAsk(page, path);
    await type(page, 'signup | where event_properties.plan = "pro" and n > 5 # why\n| last 7d | count by "it');
    const looks = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.query-echo span')].map((part) => part.className.slice(2) + ' ' + part.textContent)`,
    );
    expect(looks).to.deep.equal([
      'symbol |', 'word where', 'field event_properties.plan', 'symbol =', 'string "pro"', 'word and', 'symbol >', 'number 5',
      'comment # why', 'symbol |', 'word last', 'number 7d', 'symbol |', 'word count', 'word by', 'string "it',
    ]); // prettier-ignore
    const same = await page.evaluate<boolean>(
      `((echo, field) => echo.textContent.trimEnd() === field.value && echo.offsetHeight === field.offsetHeight && getComputedStyle(field).color === 'rgba(0, 0, 0, 0)')(document.querySelector('.query-echo'), document.querySelector('textarea'))`,
    );
    expect(same).to.equal(true);
  });

  it('has templates of the events of the project beside an empty field, each of which has an answer', async () => {
    const page = await someone('templates');
    await openAsk(page, path);
    const templates = page.locator('[data-templates] a');
    await page.getByRole('link', { name: 'Funnel funnel page_view -> signup' }).waitFor();
    const count = await templates.count();
    expect(count).to.be.at.least(10);
    for (let nth = 0; nth < count; nth++) {
      await page.evaluate(`document.querySelector('[data-templates]').open = true`);
      const q = await templates.nth(nth).locator('code').innerText();
      await templates.nth(nth).click();
      await eventually(async () => expect(await question(page)).to.equal(q));
      await page.locator('.ask-form:not([aria-busy])').waitFor();
      expect(await page.locator('.problem:visible').allInnerTexts(), q).to.deep.equal([]);
    }
    await page.evaluate(`document.querySelector('[data-templates]').open = false`);
    await page.getByLabel('Question', { exact: true }).fill('');
    await templates.first().waitFor({ state: 'visible' });
  });

  it('writes a range into the query where one is chosen, in place of the one there', async () => {
    const page = await someone('range');
    await openAsk(page, path, 'signup | last 3d | count by day # mine');
    await page.locator('table.answer').waitFor();
    const range = page.getByLabel('Range');
    await range.selectOption('Last 12 weeks');
    await eventually(async () => expect(await question(page)).to.equal('signup | last 12w | count by day # mine'));
    await ask(page, 'signup # mine');
    await range.selectOption('All time');
    await eventually(async () => expect(await question(page)).to.equal('signup # mine\n| all'));
    await eventually(async () => expect(await page.locator('.answer-figures dd').innerText()).to.equal('5'));
  });

  it('saves questions under names for everybody in the project, in versions, and deletes them after a question', async () => {
    const page = await someone('saver', 'member');
    await openAsk(page, path, 'signup | count');
    await page.locator('.answer-figures').waitFor();
    expect(await page.locator('[data-saved]').isVisible()).to.equal(false);
    const save = async (q: string): Promise<void> => {
      await ask(page, q);
      await page.getByRole('button', { name: 'Save question' }).click();
      await page.getByLabel('Name').fill(`Signups ${HOSTILE}`);
      await page.keyboard.press('Enter');
      await page.locator('[data-save-form]').waitFor({ state: 'hidden' });
    };
    await save('signup | count');
    await said(page, `Saved as "Signups ${HOSTILE}".`);
    await save('signup | unique');
    await page.getByText('Saved questions (1)').click();
    await page.getByText('Version 2,').waitFor();
    await page.getByRole('button', { name: 'Versions' }).click();
    await page.locator('.versions').getByText('Version 1,').waitFor();
    await expectSound(page);

    const reader = await someone('reader', 'viewer');
    await openAsk(reader, path);
    await reader.getByText('Saved questions (1)').click();
    await reader.getByText('by saver@example.com').waitFor();
    expect(await reader.getByRole('button', { name: /Save question|Delete/ }).count()).to.equal(0);
    await reader.getByRole('link', { name: 'Signups' }).click();
    await eventually(async () => expect(await question(reader)).to.equal('signup | unique'));

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.locator('#confirm').getByRole('button', { name: /Continue|Delete/ }).click();
    await page.locator('[data-saved]').waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.activeElement.textContent'), 'its button is gone').to.equal('Save question');
  }); // prettier-ignore

  it('says at the form why a question was not saved', async () => {
    const page = await someone('refused', 'member');
    await openAsk(page, path, 'signup | count');
    await page.locator('.answer-figures').waitFor();
    await page.route(/\/questions\/.*$/, (route) => route.fulfill({ status: 403, json: { error: 'There are too many.', hints: ['Delete some.'] } })); // prettier-ignore
    await page.getByRole('button', { name: 'Save question' }).click();
    await page.getByLabel('Name').fill('One');
    await page.keyboard.press('Enter');
    await page.locator('[data-save-form]').getByText('There are too many.').waitFor();
    expect(await page.locator('[data-save-form]').isVisible()).to.equal(true);
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Save question');
  });

  for (const { colorScheme, width } of VIEWS) {
    it(`is sound in ${colorScheme} at ${width} px: templates, colors, completion, saving`, async () => {
      const page = await someone(`sound-${colorScheme}-${width}`, 'member', { colorScheme, viewport: { width, height: 900 } });
      await openAsk(page, path);
      await page.locator('table.answer').waitFor();
      await expectSound(page);
      await ask(page, 'signup | where event_properties.plan = "pro" and event_properties.n > 5 # why\n| last 7d | count by day');
      await page.getByRole('button', { name: 'Save question' }).click();
      await expectSound(page);
      await type(page, 'signup | where event_properties.plan = ');
      await page.locator('#completions').getByRole('option').first().waitFor();
      await expectSound(page);
    }); // prettier-ignore
  }
});
