import { expect } from 'chai';
import { clientOf } from './client-service.ts';
import type { ClientService } from './client-service.ts';
import { Browser } from '../support/session-browser.ts';
import { sharedService } from '../support/shared-service.ts';
import { DAY_MS, utcDay } from '../../lib/base/day.ts';

type Fields = Record<string, string>;

describe('wl project, for a host that provisions a customer', () => {
  let service: ClientService;
  let env: Fields;
  const project = (...line: string[]): Promise<unknown> => service.json(['project', ...line], env);
  const fails = async (...line: string[]): Promise<string> => {
    const { code, stdout, stderr } = await service.wl(['project', ...line], { env });
    expect([code, stdout], line.join(' ')).to.deep.equal([1, '']);
    return stderr;
  };
  before(async () => {
    service = clientOf(await sharedService());
    env = { WINDLASS_API_KEY: service.keys.adminKey };
    await service.post('/track', { events: [{ event_type: 'a' }, { event_type: 'b' }, { event_type: 'c' }] });
  });

  it('makes a project once for its idempotency key, and nothing for the same key with another name', async () => {
    const made = (await project('create', 'Acme', '--idempotency-key', 'order-1')) as Fields;
    expect(await project('create', 'Acme', '--idempotency-key', 'order-1')).to.deep.equal(made);
    const names = ((await project('list')) as Fields[]).map(({ name }) => name);
    expect(names.filter((name) => name === 'Acme')).to.deep.equal(['Acme']);
    expect(await fails('create', 'Other', '--idempotency-key', 'order-1')).to.include('Idempotency-Key');
    expect(await project('delete', made['id'] ?? '', '--yes')).to.deep.include({ deleted: true });
  });

  it('changes settings in the words of wl admin, and only those that are named', async () => {
    const { id } = service.keys.project;
    const set = (...settings: string[]): Promise<unknown> => project('set', id, ...settings);
    const changed = await set(
      '--retention-days',
      '90',
      '--ip-policy',
      'none',
      '--timezone',
      'Europe/Paris',
      '--week-start',
      'sunday',
      '--personal-properties',
      'phone',
      '--events-per-month',
      '1000',
    );
    const settings = {
      retention_days: 90,
      ip_policy: 'none',
      timezone: 'Europe/Paris',
      week_start: 'sunday',
      bots: 'leave out',
      personal_properties: ['phone'],
      events_per_month: 1000,
    };
    expect(changed).to.deep.include({ id, settings });
    expect(await set('--retention-days', 'none')).to.deep.include({ settings: { ...settings, retention_days: null } });
    const named = { ...settings, retention_days: null, personal_properties: [] };
    expect(await set('--events-per-month', 'none')).to.have.nested.property('settings.events_per_month', null);
    await set('--events-per-month', '1000');
    expect(await set('--personal-properties', 'none')).to.deep.include({ settings: named });
    expect(await fails('set', id)).to.include('name a setting');
    expect(await fails('set', id, '--retention-days', '1d')).to.include('--retention-days');
    expect(await fails('set', id, '--timezone', 'Mars')).to.include('Mars');
    expect(await fails('set', id, '--timezone', '+02:00'))
      .to.include('Unknown time zone "+02:00"')
      .and.include('IANA');
  });

  it('renames projects and the organization', async () => {
    const { id } = service.keys.project;
    expect(await project('set', id, '--name', 'Web shop')).to.deep.include({ id, name: 'Web shop' });
    expect(await project('organization', '--name', 'Acme Inc')).to.deep.include({ name: 'Acme Inc' });
    expect(await project('organization')).to.deep.include({ name: 'Acme Inc' });
  });

  it('suspends and resumes a project, but not what the operator has suspended', async () => {
    const { id } = service.keys.project;
    const suspensions = [{ by: 'organization', what: 'queries', reason: 'trial' }];
    const asked = ['suspend', id, '--what', 'queries', '--reason', 'trial'];
    expect(await project(...asked)).to.deep.include({ id, suspensions });
    expect(await project('get', id)).to.deep.include({ suspensions });
    expect(await project('resume', id)).to.deep.include({ id, suspensions: [] });
    const operator = ['admin', 'project', 'suspend', id, '--reason', 'unpaid', '--data', service.folder];
    expect((await service.wl(operator)).code).to.equal(0);
    expect(await fails('resume', id))
      .to.include('unpaid')
      .and.include('Only the operator');
    expect((await service.wl(['admin', 'project', 'resume', id, '--data', service.folder])).code).to.equal(0);
  });

  it('makes, lists and revokes tokens', async () => {
    const { id } = service.keys.project;
    const asked = ['--scopes', 'query, track', '--expires-in', '1h', '--name', 'ci', '--idempotency-key', 't-1'];
    const made = (await project('token', 'create', id, ...asked)) as Fields;
    expect(await project('token', 'create', id, ...asked)).to.deep.equal(made);
    const { token = '', id: tokenId = '', ...shown } = made;
    expect(shown).to.deep.include({ name: 'ci', scopes: ['track', 'query'] });
    const count = (): ReturnType<ClientService['wl']> =>
      service.wl(['query', '* | count'], { env: { WINDLASS_API_KEY: token } });
    expect((await count()).code).to.equal(0);
    expect(await project('token', 'create', id, '--scopes', 'query', '--no-personal', '--name', 'agent')).to.include({ personal: false }); // prettier-ignore
    const [, agent] = (await project('token', 'list', id)) as Fields[];
    await project('token', 'revoke', id, agent?.['id'] ?? '', '--yes');
    expect(((await project('token', 'list', id)) as Fields[]).map((one) => one['id'])).to.deep.equal([tokenId]);
    expect(await fails('token', 'revoke', id, tokenId)).to.include('--yes');
    expect(await project('token', 'revoke', id, tokenId, '--yes')).to.deep.equal({ deleted: true, id: tokenId });
    expect((await count()).code).to.equal(1);
  });

  it('invites, gives another role, removes, and leaves owners alone', async () => {
    const ada = 'ada@example.com';
    const invited = { email: ada, role: 'viewer', status: 'invited' };
    expect(await project('member', 'invite', ada, '--role', 'viewer')).to.deep.include(invited);
    expect(await project('member', 'invite', ada, '--role', 'admin')).to.deep.include({ role: 'admin' });
    expect(((await project('member', 'list')) as Fields[]).map(({ email }) => email)).to.deep.equal([ada]);
    expect(await fails('member', 'invite', ada, '--role', 'owner')).to.include(
      '--role must be viewer, member or admin',
    );
    expect(await fails('member', 'remove', ada)).to.include('--yes');
    const remove = (): ReturnType<ClientService['wl']> =>
      service.wl(['project', 'member', 'remove', ada, '--yes'], { env });
    const revoked = await remove();
    expect(JSON.parse(revoked.stdout)).to.deep.equal({ deleted: true, id: ada });
    expect(revoked.stderr, 'of an invitation nothing stays').to.equal('');
    const { id: orgId = '' } = (await project('organization')) as Fields;
    await Browser.loggedIn(service, ada, { orgId, role: 'viewer' });
    const removed = await remove();
    expect(JSON.parse(removed.stdout)).to.deep.equal({ deleted: true, id: ada });
    expect(removed.stderr, 'what stays')
      .to.include('Access tokens that they made keep working')
      .and.include(`created_by ${ada}`)
      .and.include('wl project token revoke')
      .and.include('wl project rotate-secret-key');
    expect(await project('member', 'list')).to.deep.equal([]);
  });

  it('reads the audit trail page by page, and says how to go on', async () => {
    const first = await service.wl(['project', 'audit', '--limit', '1'], { env });
    const cursor = /--cursor (\d+)\n$/.exec(first.stderr)?.[1] ?? '';
    const rest = (await project('audit', '--cursor', cursor)) as Fields[];
    const all = (await project('audit')) as Fields[];
    expect([...(JSON.parse(first.stdout) as Fields[]), ...rest]).to.deep.equal(all);
    expect(all.map(({ action }) => action)).to.include.members(['project.create', 'member.remove', 'token.revoke']);
    const some = (await project('audit', '--action', 'token', '--actor', 'ADMIN')) as Fields[];
    expect(some).to.deep.equal(all.filter(({ action }) => String(action).startsWith('token.')));
    expect(await fails('audit', '--from', 'soon')).to.include('from must be a date');
  });

  it('shows the organization of the key', async () => {
    const organization = (await project('organization')) as Fields;
    expect(organization).to.have.all.keys('id', 'name', 'created_at', 'limits');
    expect(organization).to.deep.include({ id: service.keys.project.orgId });
  });

  it('adds up the usage of a project, and prints it as CSV', async () => {
    const { id } = service.keys.project;
    const today = await usageOfToday(service, env);
    const range = ['--from', today, '--to', today];
    const table = await service.wl(['project', 'usage', id, ...range, '--format', 'table'], { env });
    expect(table.stdout).to.match(/^total +3 +3 +0 +0 +\d/m);
    const csv = await service.wl(['project', 'usage', id, ...range, '--format', 'csv'], { env });
    const [head, line, ...none] = csv.stdout.split('\r\n');
    expect(head).to.match(/^date,events_ingested,events_stored,/);
    expect(line).to.match(new RegExp(`^${today},3,3,0,`));
    expect(none).to.deep.equal(['']);
  });

  it('prints the usage of all projects with the bill, as table, JSON and the CSV of the server', async () => {
    const today = await usageOfToday(service, env);
    const month = today.slice(0, 'YYYY-MM'.length);
    const range = ['--from', today, '--to', today];
    const table = await service.wl(['project', 'usage', ...range, '--format', 'table'], { env });
    expect(table.stdout).to.match(/^total +3 +3 /m);
    expect(table.stdout).to.match(new RegExp(`^Bill\\nmonth .*\\n.*\\n${month} +3 +0 +0\n`, 'm'));
    const { months } = (await project('usage', ...range)) as { months: unknown };
    expect(months).to.deep.equal([{ month, events_stored: 3, billable_events: 0, amount_usd: 0 }]);
    const csv = await service.wl(['project', 'usage', ...range, '--format', 'csv'], { env });
    const url = `${service.url}/api/admin/usage?format=csv&from=${today}&to=${today}`;
    expect(csv.stdout).to.equal(await (await fetch(url, { headers: { 'X-API-Key': env['WINDLASS_API_KEY'] ?? '' } })).text());
  }); // prettier-ignore

  it('removes events by a shorter retention only with --yes, and undoes it', async () => {
    const made = (await project('create', 'Old')) as Fields;
    const { id = '', secret_key: key = '' } = made;
    const time = new Date(Date.now() - 10 * DAY_MS).toISOString();
    const events = [{ event_type: 'old', time }, { event_type: 'old', time }]; // prettier-ignore
    await service.post('/track', { events }, { 'X-API-Key': key });
    expect(await fails('set', id, '--retention-days', '7'))
      .to.include('2 stored events are older than 7 days')
      .and.include('--yes');
    expect(await project('set', id, '--retention-days', '7', '--yes')).to.have.nested.property(
      'retention_change.events',
      2,
    );
    expect(await project('set', id, '--retention-days', 'none')).to.not.have.property('retention_change');
  });
});

/** Waits until the three events are counted, and returns their day; the organization's usage has no other days. */
async function usageOfToday(service: ClientService, env: Fields): Promise<string> {
  const since = utcDay(Date.now() - DAY_MS); // a month may have begun meanwhile
  for (;;) {
    const { days } = (await service.json(['project', 'usage', '--from', since], env)) as { days: { date: string; events_stored: number }[] };
    const day = days.find(({ events_stored: stored }) => stored === 3);
    if (day !== undefined) return day.date;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
} // prettier-ignore
