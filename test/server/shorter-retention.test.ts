import { expect } from 'chai';
import { readConfig } from '../../lib/base/config/config.ts';
import { DAY_MS } from '../../lib/base/day.ts';
import { silentLog } from '../../lib/base/log.ts';
import { ControlDatabase } from '../../lib/control/database.ts';
import { startService, type RunningService } from '../../lib/server/service.ts';
import { wlInside } from '../cli/run-inside.ts';
import { jsonOf } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const OLD = 10;

describe('a retention that is shorter than events are old', () => {
  const folder = temporaryFolder();
  const settings = {
    WINDLASS_DATA: folder,
    WINDLASS_ADDR: '127.0.0.1:0',
    WINDLASS_METRICS_ADDR: 'none',
    WINDLASS_THREADS: '1',
  };
  let service: RunningService;
  let keys: NonNullable<RunningService['defaults']>;
  let project: string;
  const start = async (): Promise<void> => {
    service = await startService({ config: readConfig(settings), log: silentLog() });
  };
  before(async () => {
    await start();
    keys = service.defaults!;
    project = `/api/admin/projects/${keys.project.id}`;
    await track(3);
  });
  after(() => service.close());

  async function call(
    method: string,
    path: string,
    key: string,
    body: unknown,
  ): Promise<[number, Record<string, unknown>]> {
    const init = { method, headers: { 'X-API-Key': key }, body: JSON.stringify(body) };
    const response = await fetch(service.url + path, init);
    return [response.status, await jsonOf(response)];
  }
  /** Events from ten days ago. */
  async function track(count: number): Promise<void> {
    const event = { event_type: 'old', time: new Date(Date.now() - OLD * DAY_MS).toISOString() };
    const [status] = await call('POST', '/track', keys.secretKey, {
      events: Array.from({ length: count }, () => event),
    });
    expect(status).to.equal(200);
  }
  const change = (body: unknown) => call('PATCH', project, keys.adminKey, body);
  const shown = async (): Promise<Record<string, unknown>> =>
    jsonOf(await fetch(service.url + project, { headers: { 'X-API-Key': keys.adminKey } }));
  async function ask(q: string): Promise<{ rows: unknown; notes: string }> {
    const [, answer] = await call('POST', '/query', keys.secretKey, { q, format: 'json', envelope: true });
    return { rows: answer['rows'], notes: JSON.stringify(answer['notes']) };
  }
  const stored = async (): Promise<unknown> => (await ask('* | all | count')).rows;
  const admin = (...line: string[]) =>
    wlInside(['admin', 'project', 'set', keys.project.id, ...line, '--data', folder, '--json']);

  it('is refused with how many, takes a confirmation, leaves all as it is for a day, and can be undone', async () => {
    const [status, refused] = await change({ settings: { retention_days: 7 } });
    expect([status, refused['code'], refused['events']]).to.deep.equal([409, 'conflict', 3]);
    expect(refused['error']).to.equal('3 stored events are older than 7 days and would be removed.');
    expect((await change({ retention_days: OLD + 1 }))[0], 'nothing is as old').to.equal(200);
    expect((await change({ retention_days: null }))[0]).to.equal(200);
    const since = Date.now();
    const [confirmed, waiting] = await change({ retention_days: 7, confirm: true });
    expect([confirmed, waiting]).to.have.deep.nested.property('[1].settings.retention_days', null);
    const begins = Date.parse(String(Object(waiting['retention_change'])['begins_at']));
    expect(begins - since).to.be.within(DAY_MS, DAY_MS + Date.now() - since);
    expect(waiting['retention_change']).to.include({ retention_days: 7, events: 3 });
    await track(2);
    expect(await stored(), 'what arrives is judged by the old one').to.deep.equal([{ count: 5 }]);
    expect(await shown()).to.have.nested.property('retention_change.events', 3);
    const [, undone] = await change({ retention_days: null });
    expect(undone).to.not.have.property('retention_change');
  });

  it('is asked for by wl admin too, beside the service and without it', async () => {
    const refused = await admin('--retention-days', '7');
    expect([refused.code, refused.stdout]).to.deep.equal([1, '']);
    expect(refused.stderr).to.include('5 stored events are older than 7 days').and.include('--yes');
    const longer = await admin('--retention-days', '400');
    expect(JSON.parse(longer.stdout)).to.have.nested.property('settings.retention_days', 400);
    await service.close();
    const away = await admin('--retention-days', '7');
    expect([away.code, away.stderr.includes('5 stored events')]).to.deep.equal([1, true]);
    const confirmed = await admin('--retention-days', '7', '--yes');
    expect(JSON.parse(confirmed.stdout)).to.have.nested.property('retention_change.events', 5);
    const undone = await admin('--retention-days', '400');
    expect(JSON.parse(undone.stdout)).to.not.have.property('retention_change');
    await start();
  });

  it('begins with a start that is late for it, removes the events, and answers say what became of them', async () => {
    const past = { secret: null, now: () => Date.now() - 2 * DAY_MS };
    await using control = await ControlDatabase.open(folder, past);
    const removal = { from: 400, days: 7, events: 5, confirmed: true };
    await control.projects.change(keys.project.id, { retentionDays: 7 }, { name: 'test', ip: null }, removal);
    await service.close();
    await start();
    expect(await shown()).to.have.nested.property('settings.retention_days', 7);
    await track(1);
    while (JSON.stringify(await stored()) !== '[{"count":0}]') await new Promise((resolve) => setTimeout(resolve, 20));
    const { notes } = await ask('* | last 30d | count');
    expect(notes).to.match(
      /Events before \d{4}-\d\d-\d\d were removed: `retention_days` became 7 at .* UTC, when 5 events were older\./,
    );
    expect(notes).to.not.include('no events yet');
    const [, audit] = await call('POST', '/track', keys.secretKey, { event_type: 'new' });
    expect(audit).to.deep.equal({ accepted: 1 });
    expect((await ask('* | last 30d | count')).notes, 'a shortened answer').to.include('5 events were older');
    expect((await ask('* | last 2d | count')).notes, 'a whole one').to.not.include('removed');
  });
});
