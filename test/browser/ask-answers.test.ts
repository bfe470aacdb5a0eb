import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { askQuery as ask, firstColumn, openAsk, question } from './ask-steps.ts';
import { BrowserHost, expectSound, VIEWS } from './browser-host.ts';
import { eventually } from './eventually.ts';

const DAY_MS = 86_400_000;

describe('answers in the console, in a browser', () => {
  let host: BrowserHost;
  let path = '';
  before(async () => {
    host = await BrowserHost.start({ WINDLASS_AUTH_FAILURES_PER_MINUTE: '0', WINDLASS_QUERIES_PER_MINUTE: '0' });
    path = `${host.service.url}/console/projects/${host.service.keys.project.id}/ask`;
    const now = Date.now();
    const event = (name: string, user: number, days: number, more = {}): object => ({
      event_type: name,
      user_id: `u${user}`,
      session_id: `s${user}`,
      time: new Date(now - days * DAY_MS).toISOString(),
      ...more,
    });
    const events = [
      ...[1, 2, 3, 4].map((user) => event('signup', user, 2, { event_properties: { plan: user < 4 ? 'pro' : 'free' } })),
      event('purchase', 1, 2 - 3 / 24),
      event('purchase', 2, 1),
      event('longago', 1, 60),
      ...Array.from({ length: 130 }, (_, nth) => event('page_view', nth, 1, { event_properties: { page: `p${nth}`, n: nth % 7 } })),
    ];
    await host.service.post('/track', { events });
  }); // prettier-ignore
  afterEach(() => host.finish());
  after(() => host.stop());

  const someone = (name: string, role: 'viewer' | 'member' = 'viewer', options = {}): Promise<Page> =>
    host.console(`${name}@example.com`, { orgId: host.service.keys.organization.id, role }, {
      permissions: ['clipboard-read', 'clipboard-write'],
      ...options,
    }); // prettier-ignore

  it('shows events as a stream, and as a table to who wants one', async () => {
    const page = await someone('stream');
    await openAsk(page, path, 'signup | list');
    await page.locator('.stream .events li').first().waitFor();
    expect(await page.locator('.stream .event-head strong').allInnerTexts()).to.deep.equal(Array(4).fill('signup'));
    expect(await page.locator('.stream').innerText())
      .to.contain('plan')
      .and.contain('pro');
    expect(await page.getByRole('button', { name: 'Events' }).getAttribute('aria-pressed')).to.equal('true');
    await page.getByRole('button', { name: 'Table' }).click();
    await page.getByRole('columnheader', { name: 'insert_id' }).waitFor();
    await ask(page, 'signup | count by event_properties.plan');
    expect(await page.getByRole('button', { name: 'Events' }).isVisible()).to.equal(false);
    await expectSound(page);
  });

  it('shows the numbers of one row large, and durations as durations', async () => {
    const page = await someone('large');
    await openAsk(page, path, 'page_view | count, unique');
    await eventually(async () =>
      expect(await page.locator('.answer-figures > div').allInnerTexts()).to.deep.equal(['count\n130', 'unique\n130']),
    );
    await ask(page, 'funnel signup -> purchase');
    await page.getByRole('cell', { name: '13 h 30 min', exact: true }).waitFor(); // half of 3 h and 24 h
    expect(await page.locator('table.answer').innerText()).to.contain('50%');
  });

  it('shows what part of a cohort came back', async () => {
    const page = await someone('part');
    await openAsk(page, path, 'retention signup returning page_view | last 3d | by day');
    await page.getByRole('cell', { name: '4 100%' }).waitFor();
    expect(await page.locator('table.answer td .share').allInnerTexts()).to.include.members(['0%', '100%']);
  });

  it('has bars in columns of numbers, as long as their part of the largest', async () => {
    const page = await someone('bars');
    await openAsk(page, path, 'signup | count by event_properties.plan');
    await page.locator('td.barred').first().waitFor();
    const parts = await page.evaluate<string[]>(
      `[...document.querySelectorAll('td.barred')].map((cell) => Number(cell.style.getPropertyValue('--part')).toFixed(2))`,
    );
    expect(parts).to.deep.equal(['1.00', '0.33']);
  });

  it('sorts the rows by a click on a head: those shown, or all of a longer answer by the query', async () => {
    const page = await someone('sort');
    await openAsk(page, path, 'signup | count by event_properties.plan');
    await page.locator('td.barred').first().waitFor();
    const head = page.getByRole('columnheader', { name: 'event_properties.plan' });
    await head.getByRole('button').click();
    expect(await firstColumn(page)).to.deep.equal(['free', 'pro']);
    expect(await head.getAttribute('aria-sort')).to.equal('ascending');
    await head.getByRole('button').press('Enter');
    expect(await firstColumn(page)).to.deep.equal(['pro', 'free']);
    await ask(page, 'page_view | count by event_properties.page');
    await page.getByText('1 to 100 of 130 rows').waitFor();
    await page.getByRole('columnheader', { name: 'event_properties.page' }).getByRole('button').click();
    const sorted = 'page_view | count by event_properties.page | sort event_properties.page asc';
    await eventually(async () => expect(await question(page)).to.equal(sorted));
    await eventually(async () => expect((await firstColumn(page)).slice(0, 3)).to.deep.equal(['p0', 'p1', 'p10']));
    await page.getByRole('columnheader', { name: 'event_properties.page' }).getByRole('button').click();
    await eventually(async () => expect((await firstColumn(page))[0]).to.equal('p99'));
  });

  it('tells notes above the answer, in words for people, with a button that does what they propose', async () => {
    const page = await someone('notes');
    await openAsk(page, path, 'signp | count');
    const notes = page.locator('[data-notes]');
    await notes.getByText('No event "signp" in this range. Did you mean "signup"?').waitFor();
    const [note, body] = [await notes.boundingBox(), await page.locator('[data-body]').boundingBox()];
    expect(note!.y + note!.height).to.be.at.most(body!.y);
    await notes.getByRole('button', { name: 'Use "signup"' }).click();
    await eventually(async () => expect(await question(page)).to.equal('signup | count'));
    await eventually(async () => expect(await page.locator('.answer-figures dd').innerText()).to.equal('4'));

    await ask(page, 'signup | where event_properties.paln = "pro" | count');
    await notes.getByRole('button', { name: 'Use event_properties.plan' }).click();
    await eventually(async () =>
      expect(await question(page)).to.equal('signup | where event_properties.plan = "pro" | count'),
    );
    await ask(page, 'longago | last 7d | count # all of them');
    expect(await notes.innerText()).to.match(/^No event "longago" in this range\. There is 1 at another time: .+\.\s+Show it$/);
    await notes.getByRole('button', { name: 'Show it' }).click();
    await eventually(async () => expect(await page.locator('.answer-figures dd').innerText()).to.equal('1'));
    expect(await question(page)).to.match(/^longago \| from \S+ to \S+ \| count # all of them$/);
    await ask(page, 'signup | last 3d | count, unique by week | compare previous');
    expect(await notes.innerText()).to.match(/^(?:Incomplete weeks?: [^`]+\.\s+)?Compared with .+ to .+\.$/);
    await ask(page, 'page_view | list');
    await page.getByText('1 to 100 of 130 rows').waitFor();
    expect(await notes.innerText()).to.equal(''); // that there are more rows is said once
  }); // prettier-ignore

  it('offers the word that may be meant as a button, and all others where they are asked for', async () => {
    const page = await someone('fix');
    await openAsk(page, path, 'signup | cuont by event_properties.plan');
    const problem = page.locator('#question-problem');
    await problem.getByRole('button', { name: 'count', exact: true }).waitFor();
    expect(await problem.getByText('median').isVisible()).to.equal(false);
    await problem.getByText('What can stand here').click();
    expect(await problem.getByText('median').isVisible()).to.equal(true);
    await expectSound(page);
    await problem.getByRole('button', { name: 'count', exact: true }).click();
    await page.locator('td.barred').first().waitFor();
    expect(await question(page)).to.equal('signup | count by event_properties.plan');
    expect(await problem.isVisible()).to.equal(false);
  });

  it('saves all rows as a file, not only those of the page', async () => {
    const page = await someone('files');
    await openAsk(page, path, 'page_view | count by event_properties.page');
    await page.getByText('1 to 100 of 130 rows').waitFor();
    for (const [name, file] of [['Download CSV', /\.csv$/], ['Download JSON', /\.json$/]] as const) {
      await page.getByText('Download or copy').click();
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
      expect(download.suggestedFilename()).to.match(file);
      const text = readFileSync(await download.path(), 'utf8');
      expect(text.match(/\bp\d+\b/g)).to.have.length(130);
    }
  }); // prettier-ignore

  it('copies the query for a shell, a colleague and a dashboard, and the answer as Markdown', async () => {
    const page = await someone('copies');
    const q = `signup | where event_properties.plan != "it's" | count by day`;
    await openAsk(page, path, q);
    await page.locator('table.answer').waitFor();
    const copied = async (name: string): Promise<string> => {
      await page.getByText('Download or copy').click();
      await page.evaluate(`navigator.clipboard.writeText('')`);
      await page.getByRole('button', { name }).click();
      await eventually(async () => expect(await page.evaluate('navigator.clipboard.readText()')).to.not.equal(''));
      return page.evaluate<string>('navigator.clipboard.readText()');
    };
    expect(await copied('Copy as wl command')).to.equal(String.raw`wl query 'signup | where event_properties.plan != "it'\''s" | count by day'`);
    const curl = await copied('Copy as curl command');
    expect(curl).to.contain(`${host.service.url}/query -H "X-API-Key: $WINDLASS_API_KEY"`);
    expect(await copied('Copy link')).to.equal(`${path}#q=${encodeURIComponent(q)}`);
    expect(await copied('Copy as dashboard card')).to.equal(
      [`  - title: '${q.replace("'", "''")}'`, '    kind: chart', `    query: '${q.replace("'", "''")}'`].join('\n'),
    );
    expect(await copied('Copy as Markdown')).to.match(/^\| day \| count \|\n/);
  }); // prettier-ignore

  it('shows the text to copy where the browser does not let the page copy', async () => {
    const page = await someone('refused');
    await openAsk(page, path, 'signup | count');
    await page.locator('.answer-figures').waitFor();
    await page.evaluate(`navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))`);
    await page.getByText('Download or copy').click();
    await page.getByRole('button', { name: 'Copy as wl command' }).click();
    await page.locator('[data-to-copy]').getByText(`wl query 'signup | count'`).waitFor();
    expect(await page.evaluate('String(getSelection())')).to.equal(`wl query 'signup | count'`);
  });

  it('says in sentences how a query ran, and when, stage by stage', async () => {
    const page = await someone('explain');
    await openAsk(page, path, 'signup | where event_properties.plan = "pro" | count by day');
    await page.locator('table.answer').waitFor();
    await page.getByRole('button', { name: 'Explain' }).click();
    const explained = page.locator('.explained');
    await explained.getByText('Looks at events "signup".').waitFor();
    await explained.getByText('Only where event_properties.plan = "pro".').waitFor();
    await explained.getByText('Without events of bots').waitFor();
    await explained.getByText('A row for each day.').waitFor();
    await explained.getByText(/^\d+ rows? scanned/).waitFor();
    await explained.getByRole('rowheader', { name: 'rows read' }).waitFor();
    expect(await explained.locator('pre').isVisible()).to.equal(false);
    await explained.getByText('The plan, as it ran').click();
    expect(await explained.locator('pre').innerText()).to.match(/^aggregate\n/);
    await expectSound(page);
  });

  for (const { colorScheme, width } of VIEWS) {
    it(`are sound in ${colorScheme} at ${width} px: a stream, large numbers, notes, retention, Explain`, async () => {
      const page = await someone(`sound-${colorScheme}-${width}`, 'member', { colorScheme, viewport: { width, height: 900 } });
      await openAsk(page, path, 'signup | list');
      await page.locator('.stream').waitFor();
      await expectSound(page);
      for (const q of ['* | count, unique', 'signp | count', 'retention signup | last 3d | by day', 'signup | cuont']) {
        await ask(page, q);
        await expectSound(page);
      }
      await ask(page, 'signup | count by day');
      await page.getByText('Download or copy').click();
      await expectSound(page);
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.locator('.explained').waitFor();
      await expectSound(page);
    }); // prettier-ignore
  }
});
