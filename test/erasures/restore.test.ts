import { expect } from 'chai';
import fs from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../lib/base/config/config.ts';
import { ControlDatabase } from '../../lib/control/database.ts';
import { ERASURE_LOG } from '../../lib/erasures/log-file.ts';
import { silentLog } from '../../lib/base/log.ts';
import { startService } from '../../lib/server/service.ts';
import { wlJson } from '../cli/run-inside.ts';
import { fetch } from '../support/checked-fetch.ts';
import { seenByAlert } from '../support/seen-by-alert.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { placesOf } from '../support/stored-texts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Json = Record<string, unknown>;
const BY = { name: 'test', ip: null };

/** A backup of a service, and what happens once it is restored into another folder. */
describe('an erasure that came after a backup', () => {
  let test: TestService;
  let target: string;
  before(async () => {
    test = await startTestService({ WINDLASS_SEAL_ROWS: '5' });
    target = join(temporaryFolder(), 'backups');
  });
  after(() => test.stop());

  const track = async (events: readonly Json[], to = test): Promise<void> => {
    const answer = await to.post('/track', { events });
    expect(answer.status, await answer.text()).to.equal(200);
  };
  const identify = async (body: Json): Promise<void> => {
    expect((await test.post('/identify', body)).status).to.equal(200);
  };
  const erase = async (userId: string): Promise<void> => {
    const headers = { 'X-API-Key': test.keys.secretKey };
    const answer = await fetch(`${test.url}/api/gdpr/users/${userId}`, { method: 'DELETE', headers });
    expect(answer.status, await answer.text()).to.equal(200);
  };
  const backUp = async (): Promise<string> =>
    String(((await wlJson(test.folder, ['admin', 'backup', target, '--keep', '9'])) as Json)['backup']);
  const restore = async (from: string): Promise<{ folder: string; told: Json }> => {
    const folder = join(temporaryFolder(), 'data');
    return { folder, told: (await wlJson(folder, ['admin', 'restore', from])) as Json };
  };
  /** Serves a restored folder while `use` runs. */
  const serving = async <T>(folder: string, use: (post: TestService['post']) => Promise<T>): Promise<T> => {
    const settings = { WINDLASS_ADDR: '127.0.0.1:0', WINDLASS_METRICS_ADDR: 'none', WINDLASS_THREADS: '1' };
    const service = await startService({
      config: readConfig({ ...settings, WINDLASS_DATA: folder }),
      log: silentLog(),
    });
    try {
      const headers = { 'X-API-Key': test.keys.secretKey };
      return await use((path, body) =>
        fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) }),
      );
    } finally {
      await service.close();
    }
  };
  const rowsOf = (folder: string, q: string): Promise<Json[]> =>
    serving(folder, async (post) => {
      const answer = await post('/query', { q, format: 'json' });
      const rows = (await answer.json()) as Json[];
      expect(answer.status, JSON.stringify(rows)).to.equal(200);
      return rows;
    });
  const event = (user: string, n: number): Json => ({
    ...{ event_type: 'view', user_id: user, insert_id: `${user}${n}`, event_properties: { nick: `${user} ${n}`, n } },
  });

  it('is done again by the restore, byte by byte, with what the user did before anybody knew who it was', async () => {
    await track([1, 2, 3].map((n) => event('zebra', n)));
    await track([{ event_type: 'view', device_id: 'okapi', event_properties: { n: 4 } }]);
    await identify({ user_id: 'zebra', user_properties: { plan: 'zebra' } });
    await track(['gnu', 'bob'].map((user_id) => ({ event_type: 'view', user_id })));
    await seenByAlert(test.folder, 'user_id zebra');
    const backup = await backUp();
    await identify({ user_id: 'zebra', device_id: 'okapi' });
    await erase('zebra');
    const { folder, told } = await restore(backup);
    expect(told).to.include({ erased_events: 4 });
    expect(told['erasure_log']).to.include({ entries: 1, damaged: 0, former_data: false });
    expect([placesOf(folder, 'zebra'), placesOf(folder, 'okapi')]).to.deep.equal([[], []]);
    expect(await rowsOf(folder, 'view | count by user_id')).to.have.length(2);
  });

  it('takes nothing of what came later, of a user who came back, whichever backup is restored', async () => {
    await track([event('yak', 1)]);
    await identify({ user_id: 'yak', user_properties: { plan: 'old' } });
    const older = await backUp();
    await erase('yak');
    await track([event('yak', 2)]);
    await identify({ user_id: 'yak', user_properties: { team: 'new' } });
    const newer = await restore(await backUp());
    expect(newer.told).to.include({ erased_events: 0 });
    const found = 'view | where user_id = "yak" | count by event_properties.n, user.team';
    expect(await rowsOf(newer.folder, found)).to.have.length(1);
    expect((await rowsOf(newer.folder, found))[0]).to.include({ 'event_properties.n': '2', 'user.team': 'new' });

    const first = await restore(older);
    expect(placesOf(first.folder, 'yak')).to.deep.equal([]);
    await serving(first.folder, async (post) => {
      expect((await post('/track', { events: [event('yak', 3)] })).status).to.equal(200);
    });
    const place = join(temporaryFolder(), 'backup');
    await wlJson(first.folder, ['admin', 'backup', place]);
    const second = await restore(place);
    expect(await rowsOf(second.folder, found)).to.have.length(1);
    expect((await rowsOf(second.folder, found))[0]).to.include({ 'event_properties.n': '3' });
  });

  it('holds for a project that was deleted, and for one that is restored twice', async () => {
    const { organization } = test.keys;
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const { id } = (await control.projects.create(organization.id, 'Gone', BY)).project;
    await control.close();
    const backup = await backUp();
    await wlJson(test.folder, ['admin', 'project', 'delete', id, '--name', 'Gone']);
    const { told } = await restore(backup);
    expect(told['deleted']).to.deep.equal([id]);
    await erase('gnu');
    const again = await restore(backup);
    expect(await rowsOf(again.folder, 'view | where user_id = "gnu" | count')).to.deep.equal([{ count: 0 }]);
    expect(placesOf(again.folder, 'gnu')).to.deep.equal([]);
  });

  it('stands in the log of the data and of its backups, without a name', () => {
    const logs = [test.folder, target].map((folder) => fs.readFileSync(join(folder, ERASURE_LOG), 'utf8'));
    expect(logs[0]!.split('\n')).to.have.length(5);
    expect(logs[1]).to.equal(logs[0]);
    expect(logs[0]).to.not.match(/zebra|"yak"|"gnu"|okapi|prj_/);
  });

  it('of events is done again by the restore, with their insert ids, and nothing else goes', async () => {
    const own = (n: number): Json => ({ event_type: 'gnu', import_id: 'g', insert_id: `gnu${n}`, event_properties: { nick: 'wildebeest' } }); // prettier-ignore
    await track([1, 2, 3, 4, 5, 6].map(own));
    await track([7, 8].map((n) => ({ event_type: 'gnu', insert_id: `gnu${n}` })));
    const backup = await backUp();
    const headers = { 'X-API-Key': test.keys.secretKey };
    const body = JSON.stringify({ import_id: 'g' });
    const answer = await fetch(`${test.url}/events`, { method: 'DELETE', headers, body });
    expect(await answer.json()).to.deep.equal({ matching: 6, deleted: 6, dry_run: false });
    await track([9, 10].map(own));
    expect(fs.readFileSync(join(test.folder, ERASURE_LOG), 'utf8'))
      .to.include('"kind":"events"')
      .and.not.include('gnu');
    const { folder, told } = await restore(backup);
    expect(told).to.deep.include({ erased_events: 6 });
    expect(placesOf(folder, 'wildebeest')).to.deep.equal([]);
    await serving(folder, async (post) => {
      const count = async (): Promise<unknown> => {
        const rows = await (await post('/query', { q: 'gnu | all | count by _import_id', format: 'json' })).json();
        return (rows as Json[]).map((row) => [row['_import_id'], row['count']]);
      };
      expect(await count(), 'what came after the backup is not in it').to.deep.equal([[null, 2]]);
      expect((await post('/track', { events: [1, 2, 7].map(own) })).status).to.equal(200);
      expect(await count(), 'their ids are free').to.deep.equal([['g', 2], [null, 2]]); // prettier-ignore
    });
  });
});
