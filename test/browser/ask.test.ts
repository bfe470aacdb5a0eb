import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { askQuery as ask, firstColumn, openAsk, question, sendQuery as send } from './ask-steps.ts';
import { BrowserHost, expectSound, VIEWS } from './browser-host.ts';
import { eventually } from './eventually.ts';
import { holdAnswer } from './held-answer.ts';
import { openAccount } from './console-steps.ts';

const HOSTILE = `"><img src=x onerror="console.error('ran')"><script>console.error('ran')</script>`;

describe('asking in the console, in a browser', () => {
  let host: BrowserHost;
  let path: string;
  before(async () => {
    host = await BrowserHost.start({ WINDLASS_AUTH_FAILURES_PER_MINUTE: '0', WINDLASS_QUERIES_PER_MINUTE: '0' });
    const { project } = host.service.keys;
    path = `${host.service.url}/console/projects/${project.id}/ask`;
    const event = (name: string, index: number): object => ({
      event_type: name,
      user_id: `u${index}`,
      event_properties: { plan: index % 2 === 0 ? 'pro' : HOSTILE, ...(name === 'signup' ? { share: 0.00012 } : {}) },
    });
    const events = ['signup', 'signup', 'signup', 'purchase', 'Signed out', HOSTILE].map(event);
    for (let index = 0; index < 120; index++) events.push(event('page_view', index));
    await host.service.post('/track', { events });
  });
  afterEach(() => host.finish());
  after(() => host.stop());

  const viewer = (name: string, options = {}): Promise<Page> =>
    host.console(
      `${name}@example.com`,
      { orgId: host.service.keys.organization.id, role: 'viewer' },
      { permissions: ['clipboard-read', 'clipboard-write'], ...options },
    );

  const open = (page: Page, fragment = ''): Promise<void> => openAsk(page, path + fragment);

  it('lists cohorts with their size and condition, asks for one, and completes its name', async () => {
    const { url, keys } = host.service;
    const save = (name: string, where: string): Promise<Response> =>
      fetch(`${url}/cohorts/${encodeURIComponent(name)}`, { method: 'PUT', headers: { 'X-API-Key': keys.secretKey }, body: JSON.stringify({ where, description: HOSTILE }) }); // prettier-ignore
    await save('new ones', 'did(signup)');
    await save('none', 'did("never")');
    const page = await viewer('cohorts');
    await open(page);
    await page.locator('[data-cohorts] summary').click();
    await page.getByText('3 people').waitFor();
    await page.getByText('0 people').waitFor();
    expect(await page.locator('[data-cohorts] code').allInnerTexts()).to.deep.equal(['did(signup)', 'did("never")']);
    await expectSound(page);
    await page.getByRole('link', { name: 'new ones' }).click();
    const asked = '* | where cohort "new ones" | unique by day | last 30d';
    await eventually(async () => expect(await question(page)).to.equal(asked)); // the answer before it is a table, too
    await page.locator('table.answer').waitFor();
    await page.getByLabel('Question', { exact: true }).fill('* | where cohort "n');
    await page.keyboard.press('End');
    await page.keyboard.press('Control+Space');
    expect(await page.locator('#completions').getByRole('option').allInnerTexts()).to.satisfy((found: string[]) => found[0]!.includes('"new ones"')); // prettier-ignore
  });

  it('opens on what the project has, for a viewer too, and shows what tenants send as text', async () => {
    const page = await viewer('open');
    await page.goto(`${host.service.url}/console/projects/${host.service.keys.project.id}`);
    await page.locator('.tabs').getByRole('link', { name: 'Ask' }).click();
    await page.locator('table.answer').waitFor();
    expect(await question(page)).to.equal('inspect *');
    expect(await firstColumn(page)).to.have.members(['page_view', 'signup', 'purchase', 'Signed out', HOSTILE]);
    expect(await page.locator('[data-context]').innerText()).to.match(/^5 rows, .* \(UTC\), \d+ ms$/);
    await ask(page, '* | count by event_properties.plan');
    await page.getByText(HOSTILE).waitFor();
    expect(await page.locator('main img').count()).to.equal(0);
  });

  it('completes events, stages and fields with the keys, and asks without a mouse', async () => {
    const page = await viewer('keys');
    await open(page);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('sig');
    const options = page.locator('#completions').getByRole('option');
    await options.first().waitFor();
    expect(await options.allInnerTexts()).to.deep.equal(['signup\nevent', '"Signed out"\nevent']);
    await page.keyboard.press('Tab');
    await page.keyboard.type(' | cou');
    await page.keyboard.press('ArrowDown');
    const chosen = await page.getByLabel('Question', { exact: true }).getAttribute('aria-activedescendant');
    expect(await page.locator(`#${chosen}`).innerText()).to.equal('count\nhow many events');
    await page.keyboard.press('Enter');
    await page.keyboard.type(' by ');
    expect(await options.count()).to.equal(0);
    await page.keyboard.press('Control+Space');
    expect(await options.count()).to.be.greaterThan(10);
    await page.keyboard.type('plan');
    await page.keyboard.press('Tab');
    expect(await question(page)).to.equal('signup | count by event_properties.plan');
    await page.keyboard.type('"');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Escape');
    expect(await options.count()).to.equal(0);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('columnheader', { name: 'event_properties.plan' }).waitFor();
    expect(await firstColumn(page)).to.deep.equal(['pro', HOSTILE]);
    await page.keyboard.press('Tab'); // moves on to the button: with no list open, the key belongs to the browser
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Ask');
  });

  it('completes what is typed already when the names arrive', async () => {
    const page = await viewer('late');
    let letThrough = (): void => undefined;
    const held = new Promise<void>((resolve) => (letThrough = resolve));
    await page.route(/\/names$/, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(path);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('sig');
    expect(await page.locator('#completions').getByRole('option').count()).to.equal(0);
    letThrough();
    await page.locator('#completions').getByRole('option', { name: 'signup' }).waitFor();
  });

  it('says what is wrong below the word that it is about, until that is changed', async () => {
    const page = await viewer('wrong');
    await open(page);
    await ask(page, 'signup\n| cuont by day');
    const problem = page.locator('#question-problem');
    await problem.getByText('Expected a stage, found cuont.').waitFor();
    const mark = page.locator('.query-echo mark');
    expect(await mark.textContent()).to.equal('cuont');
    expect(await page.getByLabel('Question', { exact: true }).getAttribute('aria-invalid')).to.equal('true');
    expect(await page.evaluate('document.activeElement.selectionStart')).to.equal('signup\n| cuont'.length);
    const under = (await mark.boundingBox())?.x ?? 0;
    const pointer = await page.evaluate<number>(
      `((box) => box.getBoundingClientRect().left + parseFloat(getComputedStyle(box).getPropertyValue('--at')))(document.querySelector('#question-problem'))`,
    );
    expect(pointer).to.be.within(under, under + 60);
    expect(await page.locator('table.answer').isVisible()).to.equal(false);
    await expectSound(page);
    await page.keyboard.type('x');
    expect(await problem.isVisible()).to.equal(false);
    expect(await mark.count()).to.equal(0);
  });

  it('has the answer as Markdown, CSV and JSON to copy, as the API answers', async () => {
    const page = await viewer('copy');
    await open(page);
    const q = '* | count by event_type | from 2020-01-01 to 2200-01-01';
    await ask(page, q);
    for (const [name, format] of [['Markdown', 'llm'], ['CSV', 'csv'], ['JSON', 'json']] as const) {
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('button', { name: `Copy: The answer as ${name}` }).click();
      await page.locator('#announcer').getByText('Copied').waitFor();
      const expected = await (await host.service.post('/query', { q, format })).text();
      const steady = (text: string): string => text.replace(/\d+ ms/, '');
      await eventually(async () => {
        const copied = await page.evaluate<string>('navigator.clipboard.readText()');
        expect(steady(copied)).to.equal(steady(expected)); // `Copied` may still be that of the form before
      });
    }
    expect(await page.getByLabel('The answer as JSON', { exact: true }).innerText()).to.match(/^\[\n {2}\{\n {4}"event_type": /);
    await page.getByRole('button', { name: 'Table' }).click();
    await page.locator('table.answer').waitFor();
  }); // prettier-ignore

  it('says what is wrong without moving the cursor of somebody who types on', async () => {
    const page = await viewer('types-on');
    await open(page);
    const held = await holdAnswer(page, (request) => request.postData()?.includes('cuont') === true);
    await send(page, 'signup | cuont');
    await held.answered;
    await page.keyboard.press('Home');
    await page.keyboard.type('purchase or ');
    held.release();
    await page.locator('[data-trouble] strong').waitFor();
    await page.keyboard.type('not ');
    expect(await question(page)).to.equal('purchase or not signup | cuont');
    expect(await page.locator('.query-echo mark').count()).to.equal(0);
  });

  it('says how many rows there are together with the answer, in a form that is fetched too', async () => {
    const page = await viewer('together');
    await open(page);
    await ask(page, 'page_view | list');
    await page.getByRole('button', { name: 'CSV' }).click();
    await page.locator('.snippet.answer').waitFor();
    const held = await holdAnswer(page, (request) => request.postData()?.includes('csv') === true);
    await send(page, 'purchase | count');
    await held.answered;
    expect(await page.locator('[data-context]').innerText()).to.match(/^1 to 100 of 120 rows/);
    held.release();
    await page.getByText('1 row,').waitFor();
    expect(await page.locator('.snippet.answer').innerText()).to.match(/^count\s+1\s/);
  });

  it('turns the pages of a long answer', async () => {
    const page = await viewer('pages');
    await open(page, `#q=${encodeURIComponent('page_view | list')}`);
    await page.getByText('1 to 100 of 120 rows').waitFor();
    await page.getByRole('button', { name: 'Next rows' }).press('Enter');
    await page.getByText('101 to 120 of 120 rows').waitFor();
    expect(await page.getByRole('button', { name: 'Next rows' }).isVisible()).to.equal(false);
    await page.keyboard.press('Enter'); // the focus has gone to the button beside
    await page.getByText('1 to 100 of 120 rows').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).to.contain('Next rows');
  });

  it('keeps the rows shown where the next ones cannot be fetched', async () => {
    const page = await viewer('offline');
    await open(page, `#q=${encodeURIComponent('page_view | list')}`);
    await page.getByText('1 to 100 of 120 rows').waitFor();
    await page.route(/\/query$/, (route) => route.fulfill({ status: 429, json: { error: 'Too much at once.', hints: ['Try again.'] } }));
    await page.getByRole('button', { name: 'Next rows' }).click();
    await page.locator('[data-trouble]').getByText('Too much at once.').waitFor();
    expect(await page.getByText('1 to 100 of 120 rows').isVisible()).to.equal(true);
    await page.unroute(/\/query$/);
    await page.getByRole('button', { name: 'Next rows' }).click();
    await page.getByText('101 to 120 of 120 rows').waitFor();
    expect(await page.locator('[data-trouble]').isVisible()).to.equal(false);
  }); // prettier-ignore

  it('shows numbers near zero as what they are', async () => {
    const page = await viewer('small');
    await open(page);
    await ask(page, 'signup | avg event_properties.share');
    expect(await page.locator('.answer-figures dd').allInnerTexts()).to.deep.equal(['0.00012']);
  });

  it('prints all rows of an answer', async () => {
    const page = await viewer('print');
    await open(page, `#q=${encodeURIComponent('page_view | list')}`);
    await page.getByText('1 to 100 of 120 rows').waitFor();
    await page.emulateMedia({ media: 'print' });
    const cut = `(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('.answered .scroll'))`;
    expect(await page.evaluate(cut)).to.be.at.most(1);
  });

  it('has the question in the fragment: it can be passed on, gone back to, and outlives a login', async () => {
    const page = await viewer('link');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await open(page);
    const q = 'signup | where event_properties.plan = "a+b & c#d%"';
    await ask(page, q);
    await ask(page, 'purchase | count');
    await page.goBack();
    await eventually(async () => expect(await question(page)).to.equal(q));
    await page.getByText('1 row,').waitFor();
    const address = page.url();
    expect(asked.filter((url) => url.includes('signup'))).to.deep.equal([]);

    const colleague = await host.page();
    await colleague.goto(address);
    await colleague.waitForURL(/\/login\?/);
    const grant = { orgId: host.service.keys.organization.id, role: 'viewer' } as const;
    await host.logIn(colleague, 'colleague@example.com', grant);
    await colleague.goto(path);
    await colleague.locator('.answer-figures').waitFor();
    expect(await question(colleague)).to.equal(q);
  });

  it('keeps the last 50 questions that had an answer in the browser, for this account alone, and forgets them when told', async () => {
    const page = await viewer('before');
    await open(page);
    await ask(page, 'purchase | count');
    await ask(page, 'signup | cuont');
    await ask(page, 'signup | count');
    await page.reload();
    await page.locator('.answer-figures').waitFor();
    await page.getByLabel('Question', { exact: true }).fill('half');
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowUp');
    expect(await question(page)).to.equal('signup | count');
    await page.keyboard.press('ArrowUp');
    expect(await question(page)).to.equal('purchase | count');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await question(page)).to.equal('half');
    for (let index = 0; index < 50; index++) await ask(page, `signup | last ${index + 1}d`);
    await page.getByText('History').click();
    expect(await page.locator('[data-earlier] li').count()).to.equal(50);
    expect(await page.locator('[data-earlier] li').last().innerText()).to.equal('signup | last 1d');
    await page.getByRole('button', { name: 'Clear' }).click();
    expect(await page.evaluate('JSON.stringify(localStorage)')).to.not.contain('signup');
    expect(await page.locator('[data-earlier]').isVisible()).to.equal(false);
  });

  it('answers also where the browser has no room to keep a question', async () => {
    const page = await viewer('full');
    await open(page);
    await page.evaluate(() => {
      for (let size = 8_388_608; size >= 1;) {
        try {
          localStorage.setItem('filler', (localStorage.getItem('filler') ?? '') + 'x'.repeat(size));
        } catch {
          size = Math.floor(size / 2);
        }
      }
    });
    await ask(page, 'signup | count by event_type');
    expect(await firstColumn(page)).to.deep.equal(['signup']);
    await page.evaluate(() => localStorage.removeItem('filler'));
  });

  it('forgets the questions when somebody logs out', async () => {
    const page = await viewer('logout');
    await open(page);
    await ask(page, 'user "ann@example.com" | count');
    expect(await page.evaluate('JSON.stringify(localStorage)')).to.contain('ann@example.com');
    await openAccount(page);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.waitForURL(/\/login$/);
    await eventually(async () =>
      expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).to.equal('[{},{}]'),
    );
  });

  it('forgets them, too, when the scripts of the page have not come by then', async () => {
    const page = await viewer('early-logout');
    await open(page);
    await ask(page, 'user "ann@example.com" | count');
    await page.route(/\/public\/.*\.js/, () => undefined); // they never come
    await page.reload({ waitUntil: 'commit' });
    await openAccount(page);
    await page.getByRole('button', { name: 'Log out' }).click({ noWaitAfter: true });
    await page.waitForURL(/\/login$/, { waitUntil: 'commit' });
    await eventually(async () => expect(await page.evaluate('JSON.stringify({ ...localStorage })')).to.equal('{}'));
    await page.unroute(/\/public\/.*\.js/);
  });

  it('takes a question out of an address as text, whatever it is', async () => {
    const page = await viewer('hostile');
    await open(page, `#q=${encodeURIComponent(HOSTILE)}`);
    await page.locator('#question-problem').getByText('expected').waitFor();
    expect(await question(page)).to.equal(HOSTILE);
    expect(await page.locator('main img').count()).to.equal(0);
  });

  it('stops a question with Escape, and says when the host is away', async () => {
    const page = await viewer('stop');
    await open(page);
    await page.route(/\/query$/, () => undefined); // never answers
    await send(page, 'signup');
    await page.locator('.ask-form[aria-busy]').waitFor();
    await page.locator('#announcer').getByText('Press Esc').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.ask-form:not([aria-busy])').waitFor();
    await page.locator('#announcer').getByText('Stopped.').waitFor();
    await page.unroute(/\/query$/);
    await page.route(/\/query$/, (route) => route.fulfill({ status: 429, json: { error: 'Too slow.', hints: ['Ask less.'] } }));
    await ask(page, 'signup');
    await page.getByText('Too slow.').waitFor();
    expect(await page.locator('[data-trouble]').innerText()).to.contain('Ask less.');
  }); // prettier-ignore

  for (const { colorScheme, width } of VIEWS) {
    it(`is sound in ${colorScheme} at ${width} px: an answer, a list, completion, a text`, async () => {
      const page = await viewer(`sound-${colorScheme}-${width}`, { colorScheme, viewport: { width, height: 900 } });
      await open(page);
      await page.locator('table.answer').waitFor();
      await expectSound(page);
      await ask(page, 'page_view | list');
      await page.getByText('of 120 rows').waitFor();
      await expectSound(page);
      await page.getByRole('button', { name: 'CSV' }).click();
      await page.locator('.snippet.answer').waitFor();
      await page.getByLabel('Question', { exact: true }).fill('page_view | count by ');
      await page.keyboard.press('Control+Space');
      await page.locator('#completions').getByRole('option').first().waitFor();
      await expectSound(page);
    });
  }
});
