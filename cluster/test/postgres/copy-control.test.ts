import { expect } from 'chai';
import type { PostgresLocation } from '../../../lib/base/config/postgres-location.ts';
import { engineAt } from '../../../lib/cluster.ts';
import { ControlDatabase } from '../../../lib/control/database.ts';
import type { Actor } from '../../../lib/control/types.ts';
import { copyTables } from '../../lib/postgres/copy-tables.ts';
import { dropSchemas, newSchema } from '../support/postgres-schema.ts';
import { refusal } from '../../../test/support/refusal.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const BY: Actor = { name: 'test', ip: null };
const SECRET = 'a secret of both databases';
const NO_TOTALS = { eventsIngested: 0, eventsStored: 0, eventsRejected: 0, eventsDuplicate: 0, eventsDropped: 0, timesReplaced: 0, fieldsIgnored: 0, valuesTrimmed: 0, idsIgnored: 0, bytesStored: 0 }; // prettier-ignore
/** More than are copied at a time. */
const DAYS = 1_203;

describe('a control database that moves from a file to PostgreSQL', () => {
  const schemas: PostgresLocation[] = [];
  let control: ControlDatabase;
  let target: ControlDatabase;

  beforeEach(async () => {
    const location = await newSchema();
    schemas.push(location);
    control = await ControlDatabase.open(temporaryFolder(), { secret: SECRET });
    target = await ControlDatabase.open(temporaryFolder(), { secret: SECRET, engine: engineAt(location) });
  });
  afterEach(async () => {
    await Promise.all([control.close(), target.close()]);
    await dropSchemas(schemas.splice(0));
  });

  it('has everything there: keys, tokens, members, dashboards, cohorts, suspensions, usage and the audit trail', async () => {
    const { organization, adminKey } = await control.organizations.create('Shop');
    const first = await control.projects.create(organization.id, 'Web', BY);
    const { project, secretKey } = await control.projects.create(organization.id, 'App', BY);
    const gone = await control.projects.create(organization.id, 'Gone', BY);
    await control.projects.delete(gone.project.id, BY);
    const { key: token } = await control.tokens.create({ projectId: project.id, name: 'ci', scopes: ['query'] }, BY);
    await control.cohorts.write(
      { projectId: project.id, name: 'buyers', where: 'did(a)', description: 'B', uses: [] },
      BY,
    );
    const alert = {
      ...{
        id: 'few',
        title: 'Few',
        description: null,
        schedule: 'every 1h',
        timezone: null,
        query: 'a',
        paused: false,
      },
      ...{ dashboard: null, when: 'no rows', to: [] },
    };
    await control.alerts.write(project, { alert, yaml: 'few' }, BY);
    await control.members.invite(organization.id, 'ada@example.com', 'member', BY);
    await control.projects.suspend(first.project.id, { by: 'operator', what: 'ingest', reason: 'unpaid' }, BY);
    for (let day = 0; day < DAYS; day++) {
      const date = new Date(Date.UTC(2023, 0, 1 + day)).toISOString().slice(0, 10);
      control.usage.record({ ...NO_TOTALS, project: project.id, date, eventsStored: day });
    }
    expect(await control.copyTo(target, copyTables)).to.equal(true);
    expect(await target.organizations.list()).to.deep.equal(await control.organizations.list());
    expect(await target.projects.list()).to.deep.equal(await control.projects.list());
    expect(await target.projects.unpurged()).to.deep.equal([gone.project.id]);
    for (const key of [adminKey, secretKey, project.publicKey, token])
      expect(await target.credentials.find(key), key).to.deep.equal(await control.credentials.find(key));
    expect(await target.members.list(organization.id)).to.deep.equal(await control.members.list(organization.id));
    expect(await target.cohorts.list(project.id)).to.deep.equal(await control.cohorts.list(project.id));
    expect(await target.cohorts.list(project.id)).to.have.length(1);
    expect(await target.alerts.list(project.id)).to.deep.equal(await control.alerts.list(project.id));
    expect(await target.alerts.list(project.id)).to.have.length(1);
    let stored = 0;
    for (const year of [2023, 2024, 2025, 2026]) {
      const range = { from: `${year}-01-01`, to: `${year}-12-31` };
      const usage = await target.usage.ofProject(project.id, range);
      expect(usage).to.deep.equal(await control.usage.ofProject(project.id, range));
      stored += usage.reduce((sum, day) => sum + day.events_stored, 0);
    }
    expect(stored).to.equal((DAYS * (DAYS - 1)) / 2);
    const trail = await target.audit.page(organization.id);
    expect(trail).to.deep.equal(await control.audit.page(organization.id));
    // Numbers that PostgreSQL gives go on after those that were copied.
    await target.projects.create(organization.id, 'New', BY);
    expect((await target.audit.page(organization.id)).entries).to.have.length(trail.entries.length + 1);
  });

  it('moves once: again nothing happens, and nothing that is in use is touched', async () => {
    const { organization } = await control.organizations.create('Shop');
    expect(await control.copyTo(target, copyTables)).to.equal(true);
    expect(await control.copyTo(target, copyTables)).to.equal(false);
    await control.projects.create(organization.id, 'Late', BY);
    expect((await refusal(() => control.copyTo(target, copyTables))).code).to.equal('conflict');
    expect(await target.projects.list()).to.deep.equal([]);
  });

  it('does not move into a database that has organizations of its own', async () => {
    await control.organizations.create('Shop');
    const { organization } = await target.organizations.create('Other');
    expect((await refusal(() => control.copyTo(target, copyTables))).code).to.equal('conflict');
    expect((await target.organizations.list()).map(({ id }) => id)).to.deep.equal([organization.id]);
  });

  it('gives out no arrival number again that a folder has used', async () => {
    await target.ingestTurns.begin('prj_1', 100);
    await target.ingestTurns.begin('prj_1', 50);
    const wanted = { holder: 'run/1', ofRun: 'run/', over: null, count: 2, lease: 1_000 };
    expect(await target.ingestTurns.take('prj_1', wanted)).to.equal(100);
    await target.ingestTurns.give('prj_1', 'run/1');
    await target.ingestTurns.begin('prj_1', 300);
    expect(await target.ingestTurns.take('prj_1', wanted)).to.equal(300);
  });
});
