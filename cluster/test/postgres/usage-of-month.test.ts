import { expect } from 'chai';
import { engineAt } from '../../../lib/cluster.ts';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { setThresholds } from '../../../lib/base/threshold.ts';
import { dropSchemas, newSchema } from '../support/postgres-schema.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const BY = { name: 'test', ip: null };
const STEP = 'projects whose month is added up at once';

describe('the month of all organizations in PostgreSQL', () => {
  afterEach(() => setThresholds('usual', [STEP]));

  it('is the same in steps as at once, in numbers', async () => {
    const location = await newSchema();
    const control = await ControlDatabase.open(temporaryFolder(), {
      secret: 'a secret of all nodes',
      engine: engineAt(location),
    });
    const orgs: string[] = [];
    for (const name of ['Zebra', 'Acme']) {
      const { id } = (await control.organizations.create(name)).organization;
      orgs.push(id);
      for (let n = 0; n < 3; n++) {
        const { project } = await control.projects.create(id, `P${n}`, BY);
        for (const date of ['2026-01-30', '2026-01-31', '2026-02-01'])
          control.usage.addQueries(project.id, date, 2, 1.5);
      }
    }
    const usual = await control.operator.usageOfMonth('2026-01');
    expect(usual.map(({ org_id }) => org_id)).to.deep.equal(orgs);
    for (const { projects } of usual)
      expect(projects.map(({ queries_run, query_ms }) => [queries_run, query_ms])).to.deep.equal(Array(3).fill([4, 3]));
    setThresholds('least', [STEP]);
    expect(await control.operator.usageOfMonth('2026-01')).to.deep.equal(usual);
    await control.close();
    await dropSchemas([location]);
  });
});
