import { expect } from 'chai';
import { ClickHouse, type Access } from '../../../../lib/clickhouse/client.ts';
import { readLastArrival } from '../../../../lib/clickhouse/names.ts';
import type { ClickHouseStore } from '../../../../lib/clickhouse/store.ts';
import { ErasureLog } from '../../../../../lib/erasures/erasure-log.ts';
import { sharedErasureLog } from '../../../../../lib/erasures/erasures.ts';
import { silentLog } from '../../../../../lib/base/log.ts';
import { wlInside } from '../../../../../test/cli/run-inside.ts';
import { newWorld, SECRET, TESTER, type World } from '../../../../../test/control/open-control.ts';
import { clickHouseAccess } from '../../../support/chdb-server/chdb-server.ts';
import { openStore, send } from '../clickhouse-store.ts';

/** What was restored is what these tests send: the erasures are only logged, as if they had been done after the backup. */
describe('`wl admin cluster erase-again`', () => {
  let access: Access;
  let clickHouse: ClickHouse;
  let store: ClickHouseStore;
  let world: World;

  before(async () => {
    access = await clickHouseAccess();
    clickHouse = new ClickHouse(access);
    store = openStore(access);
  });
  beforeEach(async () => {
    world = await newWorld();
  });
  after(() => Promise.all([store.close(), clickHouse.close()]));

  const track = (project: string, events: readonly object[]) => send(store, project, { at: Date.now(), track: [...events] }); // prettier-ignore
  const identify = (project: string, user: string, device?: string) =>
    send(store, project, { at: Date.now(), identify: { user_id: user, ...(device === undefined ? {} : { device_id: device }), user_properties: { of: user } } }); // prettier-ignore
  const next = async (project: string): Promise<number> => (await readLastArrival(clickHouse, project)) + 1;
  const types = async (project: string): Promise<readonly unknown[]> => {
    const sql = 'SELECT event_type FROM events WHERE project = {project:String} ORDER BY event_type';
    return (await clickHouse.query({ sql, params: { project } })).rows.flat();
  };
  const known = async (project: string): Promise<readonly unknown[]> => {
    const sql =
      'SELECT user_id, device_id FROM identities WHERE project = {project:String} ORDER BY user_id, device_id';
    return (await clickHouse.query({ sql, params: { project } })).rows;
  };
  const eraseAgain = async (): Promise<unknown> => {
    const { protocol, host } = new URL(access.url);
    const own = protocol === 'https:' ? 'clickhouses' : 'clickhouse';
    const of = `${encodeURIComponent(access.user)}:${encodeURIComponent(access.password)}@`;
    const env = { WINDLASS_STORE: `${own}://${of}${host}/${access.database}`, WINDLASS_SECRET: SECRET };
    const told = await wlInside(['admin', 'cluster', 'erase-again', '--json', '--data', world.folder], env);
    expect(told.stderr).to.equal('');
    return JSON.parse(told.stdout);
  };

  it('erases logged users with their devices at the time, and nothing that came later or is of others', async () => {
    const { control, project } = world;
    await track(project.id, [{ event_type: 'ann before', user_id: 'ann' }, { event_type: 'her device', device_id: 'd1' }]); // prettier-ignore
    await track(project.id, [
      { event_type: 'a device', device_id: 'd2' },
      { event_type: 'bob', user_id: 'bob' },
    ]);
    await identify(project.id, 'ann', 'd3');
    await track(project.id, [{ event_type: 'bound', device_id: 'd3' }]);
    await identify(project.id, 'eve');
    const log = sharedErasureLog(control);
    // d1 was bound to ann after the backup.
    await log.userErased(project.id, 'ann', { devices: ['d1'], upTo: await next(project.id) });
    await log.userErased(project.id, 'nobody', { devices: [], upTo: await next(project.id) });
    await log.userErased(project.id, 'eve', { devices: [], upTo: 1 });
    await track(project.id, [{ event_type: 'ann after', user_id: 'ann' }, { event_type: 'her device after', device_id: 'd1' }]); // prettier-ignore
    expect(await eraseAgain()).to.deep.equal({ deleted_projects: [], users: 1, events: 3 });
    const left = ['a device', 'ann after', 'bob', 'her device after'];
    expect(await types(project.id)).to.deep.equal(left);
    expect(await known(project.id)).to.deep.equal([['eve', '']]);
    expect(await eraseAgain(), 'once more').to.deep.equal({ deleted_projects: [], users: 0, events: 0 });
    expect(await types(project.id)).to.deep.equal(left);
  });

  it('erases what a node on its own has logged in its folder', async () => {
    const { control, project, folder } = world;
    await track(project.id, [
      { event_type: 'ann', user_id: 'ann' },
      { event_type: 'bob', user_id: 'bob' },
    ]);
    const log = new ErasureLog({ data: folder, hash: control.hashId.bind(control), targets: control.operator.backupTargets, buckets: null, log: silentLog() }); // prettier-ignore
    log.userErased(project.id, 'ann', { devices: [], upTo: await next(project.id) });
    expect(await eraseAgain()).to.include({ users: 1, events: 1 });
    expect(await types(project.id)).to.deep.equal(['bob']);
  });

  it('leaves a profile that came after the erasure', async () => {
    const { control, project } = world;
    await track(project.id, [{ event_type: 'before', user_id: 'ann' }]);
    await sharedErasureLog(control).userErased(project.id, 'ann', { devices: [], upTo: await next(project.id) });
    await identify(project.id, 'ann');
    expect(await eraseAgain()).to.include({ events: 1 });
    expect(await known(project.id)).to.deep.equal([['ann', '']]);
  });

  it('removes deleted projects', async () => {
    const { control, project, organization } = world;
    const { project: kept } = await control.projects.create(organization.id, 'Kept', TESTER);
    for (const { id } of [project, kept]) await track(id, [{ event_type: 'e', user_id: 'ann' }]);
    await control.projects.delete(project.id, TESTER);
    expect(await eraseAgain()).to.deep.equal({ deleted_projects: [project.id], users: 0, events: 0 });
    expect([await types(project.id), await types(kept.id)]).to.deep.equal([[], ['e']]);
    expect(await eraseAgain(), 'once more').to.deep.equal({ deleted_projects: [], users: 0, events: 0 });
  });
});
