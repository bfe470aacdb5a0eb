import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import type { Role } from '../../../lib/control/types.ts';
import { BrowserHost, expectSound, VIEWS } from '../browser-host.ts';
import { eventually } from '../eventually.ts';
import { axeFaults } from './board-page.ts';

const FILE = `version: 1
id: visits
title: Visits
sections:
  - cards:
      - { id: number, title: Number, kind: metric, query: 'visit | last 7d | count', layout: { w: 4, h: 2 } }
`;

describe('the editor of dashboards', () => {
  let host: BrowserHost;
  let path: string;
  before(async () => {
    host = await BrowserHost.start({ WINDLASS_QUERIES_PER_MINUTE: '0', WINDLASS_AUTH_FAILURES_PER_MINUTE: '0' });
    path = `${host.service.url}/console/projects/${host.service.keys.project.id}`;
    const events = Array.from({ length: 9 }, (_, index) => ({ event_type: 'visit', user_id: `u${index}`, event_properties: { plan: 'free' } })); // prettier-ignore
    await host.service.post('/track', { events });
  });
  afterEach(() => host.finish());
  after(() => host.stop());

  const member = (name: string, options = {}, role: Role = 'member'): Promise<Page> =>
    host.console(`${name}@example.com`, { orgId: host.service.keys.organization.id, role }, options);

  async function store(yaml: string): Promise<void> {
    const id = /^id: (.*)$/m.exec(yaml)?.[1] ?? '';
    const { url, keys } = host.service;
    const headers = { 'X-API-Key': keys.secretKey, 'Content-Type': 'application/yaml' };
    const response = await fetch(`${url}/dashboards/${id}`, { method: 'PUT', headers, body: yaml });
    if (!response.ok) throw new Error(await response.text());
  }
  async function stored(id: string): Promise<{ yaml: string; version: number }> {
    const { url, keys } = host.service;
    const response = await fetch(`${url}/dashboards/${id}`, { headers: { 'X-API-Key': keys.secretKey } });
    return (await response.json()) as { yaml: string; version: number };
  }
  const field = (page: Page): Locator => page.getByLabel('YAML');
  const preview = (page: Page): Locator => page.locator('[data-preview]');
  const save = (page: Page): Promise<void> => page.getByRole('button', { name: 'Save', exact: true }).click();
  const edited = async (page: Page, id: string): Promise<Page> => {
    await page.goto(`${path}/dashboards/${id}/edit`);
    await preview(page).locator('.card').first().waitFor();
    return page;
  };
  /** Replaces a part of the text, as if it was typed. */
  const change = async (page: Page, from: string, to: string): Promise<void> => {
    const text = await field(page).inputValue();
    await field(page).fill(text.replace(from, to));
  };

  it('draws the text beside it, at first and when it is changed, and saves it', async () => {
    await store(FILE);
    const page = await edited(await member('draws'), 'visits');
    expect(await preview(page).locator('.figure-value').innerText()).to.equal('9');
    await change(page, 'title: Number', 'title: Visits of all');
    await preview(page).getByRole('heading', { name: 'Visits of all' }).waitFor();
    await save(page);
    await page.getByText('Version 2.', { exact: true }).waitFor();
    expect((await stored('visits')).yaml).to.include('title: Visits of all');
    await page.getByRole('link', { name: 'Close' }).click();
    await page.getByRole('heading', { name: 'Visits', level: 2 }).waitFor();
    await page.getByRole('link', { name: 'Edit' }).click();
    await field(page).waitFor();
  });

  it('marks what is wrong at its line as `wl dashboard validate` does, and saves nothing of it', async () => {
    await store(FILE.replaceAll('visits', 'wrong'));
    const page = await edited(await member('wrong'), 'wrong');
    await change(page, '| count', '| cuont');
    const problem = page.getByRole('list', { name: 'Problems' }).locator('li');
    await problem.waitFor();
    expect(await problem.innerText()).to.match(/^6:\d+ expected a stage.*did you mean `count`\?/);
    expect(await page.locator('[data-lines] .wrong').innerText()).to.equal('6');
    expect(await page.locator('[data-echo] mark').innerText()).to.equal('cuont');
    expect(await preview(page).locator('.figure-value').innerText(), 'the last picture stays').to.equal('9');
    await page.getByRole('button', { name: /^6:/ }).click();
    const at = Number(await page.evaluate('document.getElementById("yaml").selectionStart'));
    expect((await field(page).inputValue()).slice(at)).to.match(/^cuont/);
    await save(page);
    await page.getByText('Not saved: the text has problems.').waitFor();
    expect((await stored('wrong')).version).to.equal(1);
    await change(page, '| cuont', '| count');
    await page.getByRole('list', { name: 'Problems' }).waitFor({ state: 'hidden' });
  });

  it('completes keys, values, and the language in queries', async () => {
    await store(FILE.replaceAll('visits', 'complete'));
    const page = await edited(await member('completes'), 'complete');
    const options = page.getByRole('option');
    await field(page).press('Control+End');
    await field(page).pressSequentially('      - ki');
    await options.filter({ hasText: 'kind:' }).waitFor();
    await field(page).press('Tab');
    await options.filter({ hasText: 'funnel' }).waitFor();
    await field(page).pressSequentially('fun');
    await field(page).press('Tab');
    await field(page).press('Enter');
    await field(page).pressSequentially('query: funnel vis');
    await options.filter({ hasText: 'visit' }).waitFor();
    await field(page).press('Tab');
    await field(page).pressSequentially(' -> visit');
    await field(page).press('Escape');
    expect(await field(page).inputValue()).to.equal(
      `${FILE.replaceAll('visits', 'complete')}      - kind: funnel\n        query: funnel visit -> visit`,
    );
    await preview(page).locator('.viz-card-funnel').waitFor();
    await field(page).press('Control+z');
    expect(await field(page).inputValue(), 'can be undone').to.not.match(/visit -> visit$/);
  });

  it('makes a new dashboard from a template, and does not overwrite another', async () => {
    const page = await member('makes');
    await page.goto(`${path}/dashboards`);
    await page.getByRole('link', { name: 'New dashboard' }).click();
    expect(await field(page).inputValue(), 'from the events').to.include('"visit" | {{time}}');
    await page.getByRole('link', { name: 'Empty' }).click();
    await preview(page).locator('.figure-value').waitFor();
    await change(page, 'id: my-dashboard', 'id: made');
    await save(page);
    await page.waitForURL(/\/dashboards\/made$/);
    await page.getByRole('heading', { name: 'My dashboard', level: 2 }).waitFor();
    await page.goto(`${path}/new-dashboard?template=empty`);
    await preview(page).locator('.figure-value').waitFor();
    await change(page, 'id: my-dashboard\ntitle: My dashboard', 'id: made\ntitle: Another');
    await save(page);
    const told = await page.getByRole('alert').filter({ hasText: 'already' }).innerText();
    expect(told).to.include('There is a dashboard "made" already: version 1, by makes@example.com').and.include('Choose another `id`');
    page.once('dialog', (dialog) => void dialog.accept()); // leaving loses the text
    await page.goto(path);
  }); // prettier-ignore

  it('makes one that its author alone sees', async () => {
    const page = await member('alone');
    await page.goto(`${path}/new-dashboard?template=empty`);
    await preview(page).locator('.figure-value').waitFor();
    await change(page, 'id: my-dashboard', 'id: mine');
    await page.getByLabel('Seen by').selectOption('personal');
    await save(page);
    await page.waitForURL(/\/dashboards\/mine$/);
    await page.goto(`${path}/dashboards`);
    await page.getByText('Only you see it.').waitFor();
    const other = await member('other');
    await other.goto(`${path}/dashboards/mine/edit`);
    await other.getByText('no such dashboard').waitFor();
  });

  it("refuses to overwrite somebody else's newer version, and shows what that would change", async () => {
    await store(FILE.replaceAll('visits', 'shared'));
    const page = await edited(await member('second'), 'shared');
    await store(FILE.replaceAll('visits', 'shared').replace('title: Number', 'title: Theirs'));
    await change(page, 'title: Number', 'title: Mine');
    await save(page);
    const told = page.getByRole('alert').filter({ hasText: 'meanwhile' });
    await told.waitFor();
    expect(await told.innerText())
      .to.include('version 2, by secret:')
      .and.include('You have edited version 1');
    await page.locator('.changes del').waitFor();
    expect(await page.locator('.changes del').innerText()).to.include('title: Theirs');
    expect(await page.locator('.changes ins').innerText()).to.include('title: Mine');
    expect((await stored('shared')).yaml).to.include('Theirs');
    await page.getByRole('button', { name: 'Save mine over it' }).click();
    await page.getByText('Version 3.', { exact: true }).waitFor();
    expect((await stored('shared')).yaml).to.include('Mine');
  });

  it('shows who has stored what when, and restores a version', async () => {
    const file = FILE.replaceAll('visits', 'history');
    await store(file);
    await store(file.replace('title: Number', 'title: Second'));
    const page = await edited(await member('restores'), 'history');
    await page.locator('[data-versions] summary').click();
    const items = page.locator('[data-versions] li');
    await items.nth(1).waitFor();
    expect(await items.allInnerTexts()).to.satisfy((texts: string[]) => /^Version 2 .*, secret:prj_/.test(texts[0] ?? '') && (texts[1] ?? '').startsWith('Version 1 ')); // prettier-ignore
    await items.first().getByRole('button', { name: 'Changes' }).click();
    await page.getByText('What version 2 changed: 1 line added, 1 removed.').waitFor();
    expect(await page.locator('.changes ins').innerText()).to.include('title: Second');
    await items.nth(1).getByRole('button', { name: 'Restore' }).click();
    await eventually(async () => expect(await field(page).inputValue()).to.equal(file));
    await field(page).press('Control+s');
    await page.getByText('Version 3.', { exact: true }).waitFor();
    expect((await stored('history')).yaml).to.equal(file);
    await items.nth(2).waitFor();
  });

  it('is not for viewers, who are offered no way to it', async () => {
    await store(FILE);
    const page = await member('views', {}, 'viewer');
    await page.goto(`${path}/dashboards/visits`);
    await page.locator('.figure-value').waitFor();
    expect(await page.getByRole('link', { name: 'Edit' }).count()).to.equal(0);
    await page.goto(`${path}/dashboards/visits/edit`);
    await page.getByText('This requires the role member').waitFor();
  });

  for (const { colorScheme, width } of VIEWS) {
    it(`is sound in ${colorScheme} at ${width} px, for axe too`, async () => {
      await store(FILE.replaceAll('visits', 'sound'));
      const page = await edited(await member('sound', { colorScheme, viewport: { width, height: 800 } }), 'sound');
      await preview(page).locator('.card').scrollIntoViewIfNeeded(); // below the text, where there is no room beside it
      await page.locator('.figure-value').waitFor();
      await page.locator('[data-versions] summary').click();
      await page.getByRole('button', { name: 'Text' }).click();
      await page.locator('.changes').waitFor();
      await change(page, '| count', '| cuont');
      await page.getByRole('list', { name: 'Problems' }).waitFor();
      await expectSound(page);
      expect(await axeFaults(page)).to.deep.equal([]);
      await change(page, '| cuont', '| count');
    });
  }
});
