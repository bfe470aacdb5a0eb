import { expect } from 'chai';
import { ControlDatabase } from '../../lib/control/database.ts';
import { wlInside, wlJson } from '../cli/run-inside.ts';
import { fetch } from '../support/checked-fetch.ts';
import { jsonOf, startHeldService, type TestService } from '../support/service.ts';
import { Browser } from '../support/session-browser.ts';

const MONTH = '2026-02';
const RANGE = `from=${MONTH}-01&to=${MONTH}-28`;
const NOTHING = {
  ...{
    eventsIngested: 0,
    eventsRejected: 0,
    eventsDuplicate: 0,
    eventsDropped: 0,
    timesReplaced: 0,
    fieldsIgnored: 0,
    valuesTrimmed: 0,
    idsIgnored: 0,
  },
  bytesStored: 0,
};

/** A host whose organization has stored three million events in a month. */
async function startHost(settings: Readonly<Record<string, string>>): Promise<TestService> {
  const test = await startHeldService(settings);
  const control = await ControlDatabase.open(test.folder, { secret: null });
  const usage = { ...NOTHING, project: test.keys.project.id, date: `${MONTH}-03`, eventsStored: 3_000_000 };
  control.usage.record(usage);
  await control.close();
  return test;
}

async function pagesOf(test: TestService): Promise<{ landing: string; usage: string }> {
  const { id } = test.keys.organization;
  const browser = await Browser.loggedIn(test, 'ann@example.com', { orgId: id, role: 'viewer' });
  const usage = await browser.get(`/console/orgs/${id}/usage?month=${MONTH}`);
  return { landing: await (await fetch(test.url)).text(), usage: await usage.text() };
}

function adminUsage(test: TestService, query = ''): Promise<Response> {
  return fetch(`${test.url}/api/admin/usage?${RANGE}${query}`, { headers: { 'X-API-Key': test.keys.adminKey } });
}

function plain(html: string): string {
  return html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

describe('a host with its own price', () => {
  const settings = {
    ...{ WINDLASS_PRICE: '2.25', WINDLASS_CURRENCY: 'eur', WINDLASS_FREE_EVENTS: '500000' },
    ...{ WINDLASS_OPERATOR: 'Acme <Hosting>', WINDLASS_OPERATOR_CONTACT: 'help@acme.example' },
  };
  let test: TestService;
  before(async () => {
    test = await startHost(settings);
  });
  after(() => test.stop());

  it('shows it to visitors and to members', async () => {
    const { landing, usage } = await pagesOf(test);
    expect(plain(landing)).to.contain('€2.25 per million events').and.contain('The first 500,000 events');
    expect(plain(landing)).to.contain('10 million €21.38').and.not.match(/\$\d/);
    expect(plain(usage)).to.contain('€5.63 for 2,500,000 events beyond the free allowance, €2.25 per million');
    expect(usage).to.contain('Free events used: 500,000 of 500,000');
  });

  it('answers amounts in a field and a column of that currency', async () => {
    expect((await jsonOf(await adminUsage(test)))['months']).to.deep.equal([
      { month: MONTH, events_stored: 3_000_000, billable_events: 2_500_000, amount_eur: 5.625 },
    ]);
    const [head, ...lines] = (await (await adminUsage(test, '&format=csv')).text()).trim().split('\r\n');
    expect(head).to.match(/,query_ms,billable_events,amount_eur$/);
    expect(lines.at(-1)).to.equal(`${MONTH},,,,3000000,,,,,,2500000,5.625`);
  });

  it('says who runs it, on pages, in llms.txt and in the description of the API', async () => {
    for (const path of ['/', '/login']) {
      const text = await (await fetch(test.url + path)).text();
      expect(text).to.contain('Run by Acme &lt;Hosting&gt;, <a href="mailto:help@acme.example">help@acme.example</a>');
    }
    expect(await (await fetch(`${test.url}/llms.txt`)).text()).to.contain('Run by Acme <Hosting>, help@acme.example.');
    const { info } = await jsonOf(await fetch(`${test.url}/openapi.json`));
    expect(info).to.deep.include({ contact: { name: 'Acme <Hosting>', email: 'help@acme.example' } });
  });

  it('is what wl bills with', async () => {
    const client = { WINDLASS_HOST: test.url, WINDLASS_API_KEY: test.keys.adminKey };
    const days = ['--from', `${MONTH}-01`, '--to', `${MONTH}-28`, '--format', 'table'];
    const { stdout } = await wlInside(['project', 'usage', ...days], client);
    expect(stdout)
      .to.match(/^Bill\nmonth +events_stored +billable_events +amount_eur\n/m)
      .and.contain('5.625');
    const operator = ['admin', 'usage', '--month', MONTH, '--data', test.folder];
    const csv = await wlInside([...operator, '--csv'], settings);
    expect(csv.stdout).to.match(/billable_events,amount_eur\r\n.*,2500000,5\.625\r\n/);
    const none = await wlInside([...operator, '--csv'], { WINDLASS_PRICE: 'none' });
    expect(none.stdout)
      .to.match(/,query_ms\r\n/)
      .and.not.contain('amount');
    expect(await wlJson(test.folder, operator.slice(0, 4))).to.have.nested.property('[0].amount_usd', 0);
  });
});

describe('a host without a price', () => {
  let test: TestService;
  before(async () => {
    test = await startHost({ WINDLASS_PRICE: 'none', WINDLASS_OPERATOR_CONTACT: 'https://acme.example/help?from=x' });
  });
  after(() => test.stop());

  it('has neither price nor bill on its pages', async () => {
    const { landing, usage } = await pagesOf(test);
    for (const text of [landing, usage].map(plain)) expect(text).to.not.match(/[$€]\d|price|cost|bill|free/i);
    expect(plain(usage)).to.contain('3,000,000');
    expect(landing).to.contain('Contact: <a href="https://acme.example/help?from=x">acme.example</a>');
  });

  it('answers usage without a bill', async () => {
    const bare = { month: MONTH, events_stored: 3_000_000 };
    expect((await jsonOf(await adminUsage(test)))['months']).to.deep.equal([bare]);
    const [head] = (await (await adminUsage(test, '&format=csv')).text()).split('\r\n');
    expect(head).to.match(/,query_ms$/);
    const client = { WINDLASS_HOST: test.url, WINDLASS_API_KEY: test.keys.adminKey };
    const { stdout } = await wlInside(['project', 'usage', '--format', 'table'], client);
    expect(stdout).to.match(/^Months\nmonth +events_stored\n/m);
  });
});
