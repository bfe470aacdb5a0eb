import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { engineAt } from '../../../lib/cluster.ts';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { Clock, TESTER } from '../../../test/control/open-control.ts';
import { makeOldTokens, ownersOfTokens, UNDONE } from '../../../test/control/storage/old-tokens.ts';
import { dropSchemas, newSchema, runInSchema } from '../support/postgres-schema.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

/** Longer than a statement may take, and than a connection may be silent. Milliseconds. */
const LONG = 13_000;

describe('a schema of an earlier release', () => {
  it('is brought up to date however long that takes, while other nodes that start wait for it', async () => {
    const location = await newSchema();
    const open = (): Promise<ControlDatabase> =>
      ControlDatabase.open(temporaryFolder(), { secret: 'a secret of this test', engine: engineAt(location) });
    await (await open()).close();
    await runInSchema(
      location,
      `${UNDONE}
      UPDATE meta SET value = '15' WHERE name = 'schema_version'`,
    );
    const held = runInSchema(location, `BEGIN; LOCK TABLE tokens; SELECT pg_sleep(${LONG / 1_000}); COMMIT`);
    await pause(500); // until it has the lock
    const since = performance.now();
    const opened = await Promise.all([open(), open()]);
    expect(performance.now() - since).to.be.above(LONG - 2_000);
    await held;
    await Promise.all(opened.map((control) => control.close()));
    await dropSchemas([location]);
  });

  it('gives tokens the account that made them, where one can tell', async () => {
    const [folder, location, clock] = [temporaryFolder(), await newSchema(), new Clock()];
    clock.time = Date.now();
    const open = (): Promise<ControlDatabase> =>
      ControlDatabase.open(folder, { secret: 'a secret of this test', now: clock.now, engine: engineAt(location) });
    const control = await open();
    const { organization, adminKey } = await control.organizations.create('Acme');
    const { project, secretKey } = await control.projects.create(organization.id, 'Shop', TESTER);
    const expected = await makeOldTokens({ folder, clock, control, organization, adminKey, project, secretKey });
    await control.close();
    await runInSchema(
      location,
      `${UNDONE}
      UPDATE meta SET value = '15' WHERE name = 'schema_version'`,
    );
    clock.time = Date.now();
    const migrated = await open();
    expect(await ownersOfTokens(migrated, project.id)).to.deep.equal(expected);
    await migrated.close();
    await dropSchemas([location]);
  });
});
