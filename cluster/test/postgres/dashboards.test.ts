import { expect } from 'chai';
import { engineAt } from '../../../lib/cluster.ts';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { dropSchemas, newSchema } from '../support/postgres-schema.ts';
import { refusal } from '../../../test/support/refusal.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const BY = { name: 'test', ip: null };

describe('dashboards in PostgreSQL', () => {
  it('have as many bytes as elsewhere: the oldest versions go, and what is too large alone is refused; they are searched alike', async () => {
    const location = await newSchema();
    const control = await ControlDatabase.open(temporaryFolder(), {
      secret: 'a secret of all nodes',
      engine: engineAt(location),
    });
    const { organization } = await control.organizations.create('Acme');
    const { project } = await control.projects.create(organization.id, 'P', BY);
    const name = { projectId: project.id, id: 'd', owner: null };
    const write = (mebibytes: number, mark: string) =>
      control.dashboards.write(
        { ...name, title: 'D', order: null, yaml: mark, checked: 'x'.repeat(mebibytes << 20) },
        BY,
      );
    await write(40, '1');
    await write(20, '2');
    await write(10, '3');
    const yaml = async (version: number) => (await control.dashboards.find(name, version))?.yaml;
    expect([await yaml(1), await yaml(2), await yaml(3)]).to.deep.equal([undefined, '2', '3']);
    expect((await refusal(() => write(65, '4'))).code).to.equal('limit_reached');
    expect([await yaml(2), await yaml(3)]).to.deep.equal(['2', '3']);
    expect(await control.dashboards.contain(project.id, ['a "text" of none', 'x'.repeat(1_001)])).to.equal(true);
    expect(await control.dashboards.contain(project.id, ['a "text" of none'])).to.equal(false);
    await control.close();
    await dropSchemas([location]);
  });
});
