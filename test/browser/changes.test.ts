import { expect } from 'chai';
import { ControlDatabase } from '../../lib/control/database.ts';
import { DAY_MS } from '../../lib/base/day.ts';
import { BrowserHost, expectSound, VIEWS } from './browser-host.ts';
import { goUp, newProject, openTab, said } from './console-steps.ts';
import { axeFaults } from './dashboards/board-page.ts';

const HOSTILE = `"><img src=x onerror="console.error('ran')">`;

describe('invitations and changes in the console, in a browser', () => {
  let host: BrowserHost;
  before(async () => {
    host = await BrowserHost.start();
  });
  afterEach(() => host.finish());
  after(() => host.stop());

  async function inControl<T>(act: (control: ControlDatabase) => Promise<T>): Promise<T> {
    await using control = await ControlDatabase.open(host.service.folder, { secret: null });
    return await act(control);
  }

  it('show who has an account what it is invited to, and it accepts or declines there', async () => {
    const email = 'invited@example.com';
    const page = await host.console(email);
    const [one, other] = await inControl(async ({ organizations, members }) => {
      const ids: string[] = [];
      for (const name of [`Acme ${HOSTILE}`, 'Umbrella']) {
        const { id } = (await organizations.create(name)).organization;
        await members.invite(id, email, 'admin', { name: 'boss@example.com', ip: null });
        ids.push(id);
      }
      return ids;
    });
    await page.reload();
    await page.getByRole('heading', { name: 'Invitations' }).waitFor();
    for (const { colorScheme, width } of VIEWS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.reload(); // colours change slowly
      await expectSound(page);
    }
    expect(await axeFaults(page)).to.deep.equal([]);
    await page.getByRole('form', { name: `Join Acme` }).getByRole('button').click();
    await said(page, 'You have joined.');
    await page.locator('.card').getByText(`Acme ${HOSTILE}`).waitFor();
    await page.getByRole('form', { name: 'Decline Umbrella' }).getByRole('button').click();
    await said(page, 'Invitation declined.');
    expect(await page.getByRole('heading', { name: 'Invitations' }).count()).to.equal(0);
    await inControl(async ({ members }) => {
      expect((await members.list(one ?? '')).map(({ status }) => status)).to.deep.equal(['active']);
      expect(await members.list(other ?? '')).to.deep.equal([]);
    });
  });

  it('ask for the number of events that a shorter retention removes, show it on every page, and undo it', async () => {
    const page = await host.console('retention@example.com');
    await newProject(host, page);
    const key = /pk_\w+/.exec((await page.locator('.snippet code').first().textContent()) ?? '')?.[0] ?? '';
    const time = new Date(Date.now() - 10 * DAY_MS).toISOString();
    const events = Array.from({ length: 1_234 }, () => ({ event_type: 'old', time }));
    const headers = { 'X-API-Key': key };
    await fetch(`${host.service.url}/track`, { method: 'POST', headers, body: JSON.stringify({ events }) });
    await openTab(page, 'Settings');
    await page.getByLabel('Event retention, in days').fill('7');
    const save = page.getByRole('button', { name: 'Save settings' });
    await save.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1,234 stored events are older than 7 days').waitFor();
    expect(await axeFaults(page)).to.deep.equal([]);
    await dialog.getByRole('button', { name: 'Shorten the retention' }).click();
    await dialog.getByLabel('Type the number to confirm').fill('1233');
    await dialog.getByRole('button', { name: 'Shorten the retention' }).click();
    expect(await dialog.isVisible(), 'another number').to.equal(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.locator('[data-region="retention-change"]').innerText()).to.equal('');
    await save.click();
    await dialog.getByLabel('Type the number to confirm').fill('1234');
    await page.keyboard.press('Enter');
    await said(page, 'Settings saved.');
    const notice = page.locator('[data-region="retention-change"]');
    await notice.getByText('events older than 7 days are removed: 1,234').waitFor();
    await page.getByLabel('Time zone').fill('Europe/Paris');
    await save.click();
    await said(page, 'Settings saved.');
    await openTab(page, 'Overview');
    for (const { colorScheme, width } of VIEWS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.reload();
      await notice.getByText('1,234').waitFor();
      await expectSound(page);
    }
    await notice.getByRole('button', { name: 'Undo' }).click();
    await said(page, 'Undone: the events stay.');
    expect(await notice.innerText()).to.equal('');
    await openTab(page, 'Settings');
    expect(await page.getByLabel('Event retention, in days').inputValue()).to.equal('');
    expect(await page.getByLabel('Time zone').inputValue()).to.equal('Europe/Paris');
    await save.click();
    await said(page, 'Nothing was changed.');
  });

  it('rename a project and its organization, and the audit trail shows the old and the new name', async () => {
    const page = await host.console('rename@example.com');
    await newProject(host, page);
    await openTab(page, 'Settings');
    const rename = async (name: string): Promise<void> => {
      await page.getByLabel('Name', { exact: true }).fill(name);
      await page.getByRole('button', { name: 'Rename' }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
    };
    await rename('Web shop');
    await goUp(page, 'Acme');
    await openTab(page, 'Settings');
    await rename('Acme Inc');
    await openTab(page, 'Audit trail');
    await page.getByText('name: Shop → Web shop').waitFor();
    await page.getByText('name: Acme → Acme Inc').waitFor();
    await expectSound(page);
    expect(await axeFaults(page)).to.deep.equal([]);
  });
});
