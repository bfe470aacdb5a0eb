import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { type PostgresLocation } from '../../../lib/base/config/postgres-location.ts';
import { engineAt } from '../../../lib/cluster.ts';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { freezingProxy, type FreezingProxy } from '../../../test/support/freezing-proxy.ts';
import { dropSchemas, newSchema, runInSchema } from '../support/postgres-schema.ts';
import { refusal } from '../../../test/support/refusal.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const SECRET = 'a secret of all nodes';
const BY = { name: 'test', ip: null };

describe('a control database in PostgreSQL', () => {
  let location: PostgresLocation;
  let proxy: FreezingProxy;
  let control: ControlDatabase;
  let other: ControlDatabase;

  before(async () => {
    location = await newSchema();
    proxy = await freezingProxy(location.port, location.host);
    const open = (port: number): Promise<ControlDatabase> =>
      ControlDatabase.open(temporaryFolder(), { secret: SECRET, engine: engineAt({ ...location, port }) });
    control = await open(proxy.port);
    other = await open(location.port);
  });
  after(async () => {
    await Promise.all([control.close(), other.close()]);
    await proxy.stop();
    await dropSchemas([location]);
  });

  it('has done once what it stored without an answer, and says so', async () => {
    const { organization } = await control.organizations.create('Org');
    const { project } = await control.projects.create(organization.id, 'Shop', BY);
    const wanted = { projectId: project.id, name: 't', scopes: ['track'] };
    proxy.loseAnswerTo('COMMIT');
    const { token, key } = await control.tokens.create(wanted, BY);
    expect((await other.credentials.find(key))?.kind).to.equal('token');
    proxy.loseAnswerTo('COMMIT');
    await control.tokens.revoke(project.id, token.id, BY);
    expect(await control.credentials.find(key)).to.equal(null);
    const { entries } = await other.audit.page(organization.id);
    expect(entries.map(({ action }) => action)).to.deep.equal(['token.revoke', 'token.create', 'project.create']);
    control.usage.addQueries(project.id, '2026-01-02', 2, 1.5);
    proxy.loseAnswerTo('COMMIT');
    await control.flush();
    const [day] = await other.usage.ofProject(project.id, { from: '2026-01-02', to: '2026-01-02' });
    expect(day?.queries_run).to.equal(2);
  });

  it('has done nothing of what broke before its end, and says so', async () => {
    const { organization } = await control.organizations.create('Broken');
    proxy.loseAnswerTo('insert into "projects"');
    const refused = await refusal(() => control.projects.create(organization.id, 'Shop', BY));
    expect(refused.code).to.equal('storage_unavailable');
    expect(refused.message).to.include('Connection terminated');
    expect(await other.projects.list(organization.id)).to.deep.equal([]);
  });

  it('lets others change something soon where a node stops in the middle of a change', async () => {
    const { organization } = await other.organizations.create('Stopped');
    const stopped = refusal(() =>
      control.together(async () => {
        await control.projects.create(organization.id, 'Never', BY);
        await pause(15_000);
      }),
    );
    await pause(200);
    const since = performance.now();
    const change = (): Promise<unknown> => other.projects.create(organization.id, 'Shop', BY);
    await change().catch(change); // a statement waits no longer than the other may stand still
    expect(performance.now() - since).to.be.below(13_000);
    expect((await stopped).code).to.equal('storage_unavailable');
    expect((await control.projects.list(organization.id)).map(({ name }) => name)).to.deep.equal(['Shop']);
  });

  it('says what to check where an empty server has taken its place', async () => {
    await runInSchema(location, `ALTER SCHEMA ${location.schema} RENAME TO ${location.schema}_away`);
    await runInSchema(location, `CREATE SCHEMA ${location.schema}`);
    expect(await refusal(() => control.organizations.list())).to.include({
      code: 'storage_unavailable',
      message: 'the control database refuses (42P01)',
      cause: 'PostgreSQL: relation "organizations" does not exist',
    });
    await runInSchema(location, `DROP SCHEMA ${location.schema}`);
    await runInSchema(location, `ALTER SCHEMA ${location.schema}_away RENAME TO ${location.schema}`);
    expect(await control.organizations.list()).to.have.length(3);
  });
});
