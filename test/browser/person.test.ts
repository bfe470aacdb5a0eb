import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { BrowserHost, expectSound, VIEWS } from './browser-host.ts';
import { allDrawn, axeFaults } from './dashboards/board-page.ts';

/** An id that would be query text, markup and another address where it is not treated as a text. */
const HOSTILE = '"><img src=x onerror=alert(1)> | all \\" #person=ann&time=all';

describe('the page of a person', () => {
  let host: BrowserHost;
  let path: string;
  before(async () => {
    host = await BrowserHost.start({ WINDLASS_QUERIES_PER_MINUTE: '0', WINDLASS_AUTH_FAILURES_PER_MINUTE: '0' });
    path = `${host.service.url}/console/projects/${host.service.keys.project.id}`;
    const at = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
    await host.service.post('/track', {
      events: [
        { event_type: 'visit', device_id: 'phone', session_id: 's1', time: at(50), event_properties: { url: 'https://x.test/start' } },
        { event_type: 'buy', user_id: 'ann', device_id: 'phone', session_id: 's1', time: at(49.9), event_properties: { amount: 12 } },
        { event_type: 'visit', user_id: 'ann', device_id: 'laptop', session_id: 's2', time: at(2), event_properties: { url: 'https://x.test/back' } },
        { event_type: 'visit', user_id: 'bob', device_id: 'tv', session_id: 's3', time: at(3) },
        { event_type: 'visit', device_id: 'nobody', time: at(3) },
        { event_type: 'odd', user_id: HOSTILE, time: at(1) },
      ],
    }); // prettier-ignore
    await host.service.post('/identify', {
      user_id: 'ann',
      device_id: 'phone',
      user_properties: { name: 'Ann Lee', plan: 'pro' },
    });
  });
  afterEach(() => host.finish());
  after(() => host.stop());

  const orgId = (): string => host.service.keys.organization.id;

  async function show(name: string, hash: string, options = {}): Promise<Page> {
    const page = await host.console(`${name}@example.com`, { orgId: orgId(), role: 'member' }, options);
    await page.goto(`${path}/person${hash}`);
    await allDrawn(page);
    return page;
  }

  it('has what is known of one person: the profile, events, sessions and devices', async () => {
    const page = await show('knows', '#person=ann');
    await page.getByRole('heading', { name: 'ann', exact: true, level: 2 }).waitFor();
    expect(await page.locator('[data-card="events"] .figure-value').innerText()).to.equal('3');
    expect(await page.locator('[data-card="profile"] dl').innerText())
      .to.include('Ann Lee')
      .and.include('pro');
    expect(await page.locator('[data-card="timeline"] .event-head strong').allInnerTexts()).to.deep.equal(['visit', 'buy', 'visit']); // prettier-ignore
    expect(await page.locator('[data-card="timeline"] .event-day').count()).to.be.greaterThan(1);
    expect(await page.locator('[data-card="sessions"] td:first-child').allInnerTexts()).to.deep.equal(['s2', 's1']);
    expect(await page.locator('[data-card="devices"] td:first-child').allInnerTexts()).to.deep.equal(['laptop', 'phone']); // prettier-ignore
    await page.locator('[data-card="sessions"] tr', { hasText: 's1' }).getByRole('link').last().click();
    await page.waitForURL('**/ask#q=*');
    expect(await page.locator('textarea').inputValue()).to.include('where session_id = "s1"\n| list');
    await page.locator('[data-body]').getByText('buy').waitFor();
    expect(await page.locator('[data-body]').innerText()).to.not.include('bob');
  });

  it('is that of the person whose a device is, and of the device if it is nobody’s', async () => {
    const page = await show('devices', '#device=phone');
    expect(new URL(page.url()).hash).to.equal('#person=ann');
    await page.getByRole('heading', { name: 'ann', exact: true, level: 2 }).waitFor();
    const other = await show('no-owner', '#device=nobody');
    await other.getByRole('heading', { name: 'nobody', exact: true, level: 2 }).waitFor();
    expect(await other.locator('[data-card="profile"]').innerText()).to.include('No profile.');
    expect(await other.locator('[data-card="events"] .figure-value').innerText()).to.equal('1');
  });

  it('asks for an id where the address has none', async () => {
    const page = await host.console('asks@example.com', { orgId: orgId(), role: 'member' });
    await page.goto(`${path}/person`);
    await page.getByLabel('Id of a person or a device').fill('bob');
    await expectSound(page);
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('heading', { name: 'bob', exact: true, level: 2 }).waitFor();
  });

  it('is reached from ids in Ask, whatever text they are', async () => {
    const page = await host.console('asks-ids@example.com', { orgId: orgId(), role: 'member' });
    await page.goto(`${path}/ask#q=${encodeURIComponent('* | last 7d | people')}`);
    await page.locator('[data-body]').getByRole('link', { name: HOSTILE }).click();
    await page.waitForURL('**/person#*');
    await page.getByRole('heading', { name: HOSTILE, exact: true, level: 2 }).waitFor();
    await allDrawn(page);
    expect(await page.locator('[data-card="timeline"] .event-head strong').allInnerTexts()).to.deep.equal(['odd']);
    await page.goto(`${path}/ask#q=${encodeURIComponent('visit | last 7d | count by device_id')}`);
    await page.locator('[data-body]').getByRole('link', { name: 'phone' }).click();
    await page.waitForURL('**/person#person=ann');
  });

  it('is behind the numbers in Ask by way of the people there', async () => {
    const page = await host.console('behind@example.com', { orgId: orgId(), role: 'member' });
    await page.goto(`${path}/ask#q=${encodeURIComponent('buy | last 7d | count by event_properties.amount')}`);
    await page.locator('[data-body] td.number').getByRole('link').click();
    await page.locator('[data-body]').getByRole('link', { name: 'ann' }).waitFor();
    expect(await page.locator('textarea').inputValue()).to.include(
      '| people\n| having "event_properties.amount" = "12"',
    );
  });

  it('is not for viewers: no id leads there, and the address is refused', async () => {
    const page = await host.console('views@example.com', { orgId: orgId(), role: 'viewer' });
    await page.goto(`${path}/ask#q=${encodeURIComponent('* | last 7d | people')}`);
    await page.locator('[data-body]').getByText('ann', { exact: true }).waitFor();
    expect(await page.locator('[data-body] a').count()).to.equal(0);
    const refused = await page.goto(`${path}/person#person=ann`);
    expect(refused?.status()).to.equal(403);
    await page.getByText('This requires the role member').waitFor();
  });

  for (const { colorScheme, width } of VIEWS) {
    it(`is sound in ${colorScheme} at ${width} px, for axe too`, async () => {
      const page = await show(`sound-${colorScheme}-${width}`, '#person=ann', { colorScheme, viewport: { width, height: 900 } }); // prettier-ignore
      await expectSound(page);
      expect(await axeFaults(page)).to.deep.equal([]);
    });
  }
});
