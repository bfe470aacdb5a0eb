import { expect } from 'chai';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { Browser } from '../../support/session-browser.ts';
import { fetch } from '../../support/checked-fetch.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startWithoutShards } from '../../support/service.ts';
import { utcDay } from '../../../lib/base/day.ts';

describe('/api/orgs', () => {
  let test: TestService;
  let owner: Browser;
  let orgId: string;
  before(async () => {
    test = await startWithoutShards();
    orgId = test.keys.organization.id;
    owner = await Browser.loggedIn(test, 'owner@example.com', { orgId, role: 'owner' });
  });
  after(() => test.stop());

  it('lists the organizations of the account, with its role, and no others', async () => {
    const body: unknown = await (await owner.get('/api/orgs')).json();
    const { id, name, createdAt } = test.keys.organization;
    const created_at = new Date(createdAt).toISOString();
    const limits = { projects: 10_000, events_per_month: null, weight: 1 };
    expect(body).to.deep.equal([{ id, name, role: 'owner', created_at, limits }]);
    const stranger = await Browser.loggedIn(test, 'stranger@example.com');
    const others: unknown = await (await stranger.get('/api/orgs')).json();
    expect(others).to.have.length(1);
    expect(others).to.have.nested.property('[0].name', 'stranger@example.com');
  });

  it('creates one, with whoever asks as its owner', async () => {
    const response = await owner.call('POST', '/api/orgs', { name: ' Umbrella ' });
    expect(response.status).to.equal(201);
    const made = await jsonOf(response);
    expect(made).to.include({ name: 'Umbrella', role: 'owner' });
    const shown = await jsonOf(await owner.get(`/api/orgs/${String(made['id'])}`));
    expect(shown).to.deep.equal(made);
  });

  it('says what is wrong with a body', async () => {
    const wrong: [unknown, string][] = [
      [{}, '"name" must be the name of the organization, a string.'],
      [{ name: 1 }, '"name" must be the name of the organization, a string.'],
      [[], 'The body must be a JSON object with the name of the organization in "name".'],
      [{ name: ' ' }, 'The name of the organization is empty.'],
      [{ name: 'x'.repeat(201) }, 'The name of the organization has more than 200 characters.'],
    ];
    for (const [body, error] of wrong) {
      const response = await owner.call('POST', '/api/orgs', body);
      expect(response.status).to.equal(400);
      expect(await jsonOf(response)).to.include({ error });
    }
    const noJson = await owner.send('/api/orgs', { method: 'POST', body: '{"name"' });
    expect(await jsonOf(noJson)).to.include({ code: 'bad_json' });
  });

  it('makes a new admin key, and the old one stops at once', async () => {
    const status = async (key: unknown): Promise<number> =>
      (await fetch(`${test.url}/api/admin/projects`, { headers: { 'X-API-Key': String(key) } })).status;
    expect(await status(test.keys.adminKey)).to.equal(200);
    const response = await owner.call('POST', `/api/orgs/${orgId}/rotate-admin-key`);
    expect(response.status).to.equal(200);
    const { admin_key } = await jsonOf(response);
    expect(admin_key).to.match(/^ak_[0-9A-Za-z]{43}$/);
    expect(await status(test.keys.adminKey)).to.equal(401);
    expect(await status(admin_key)).to.equal(200);
  });

  it('tells the usage of all projects by day and by month, with what it costs', async () => {
    const control = await ControlDatabase.open(test.folder, { secret: null });
    control.usage.record({ ...NOTHING, project: test.keys.project.id, date: '2026-02-03', eventsStored: 10_000_002 });
    control.usage.record({ ...NOTHING, project: test.keys.project.id, date: '2026-03-01', eventsStored: 7 });
    await control.close();
    const path = `/api/orgs/${orgId}/usage`;
    const body = await jsonOf(await owner.get(`${path}?from=2026-02-02&to=2026-03-01`));
    expect(body['days']).to.have.length(28);
    expect(body).to.have.nested.property('days[1].events_stored', 10_000_002);
    expect(body['months']).to.deep.equal([
      { month: '2026-02', events_stored: 10_000_002, billable_events: 2, amount_usd: 0.00001 },
      { month: '2026-03', events_stored: 7, billable_events: 0, amount_usd: 0 },
    ]);
    const before = utcDay(Date.now());
    const usual = await jsonOf(await owner.get(path));
    expect([before, utcDay(Date.now())]).to.include((usual['days'] as { date: string }[]).at(-1)?.date);
    expect((usual['days'] as { date: string }[])[0]?.date).to.match(/-01$/);
    for (const query of [
      'from=2026-02-30',
      'from=2026-02-02&to=2026-02-01',
      'from=2020-01-01',
      'to=x',
      'to=',
      'to=a&to=b',
    ]) {
      expect((await owner.get(`${path}?${query}`)).status, query).to.equal(400);
    }
  });
});

const NOTHING = {
  eventsIngested: 0,
  eventsStored: 0,
  eventsRejected: 0,
  eventsDuplicate: 0,
  eventsDropped: 0,
  timesReplaced: 0,
  fieldsIgnored: 0,
  valuesTrimmed: 0,
  idsIgnored: 0,
  bytesStored: 0,
};
