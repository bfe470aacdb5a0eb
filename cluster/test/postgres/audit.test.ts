import { expect } from 'chai';
import { engineAt } from '../../../lib/cluster.ts';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { dropSchemas, newSchema } from '../support/postgres-schema.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const BY = { name: 'test', ip: null };

describe('the audit trail in PostgreSQL', () => {
  it('is read in pages and for a time, as elsewhere', async () => {
    const start = Date.now(); // the database must not be far from it
    let clock = start;
    const location = await newSchema();
    const parts = { secret: 'a secret of all nodes', engine: engineAt(location), now: () => clock };
    const control = await ControlDatabase.open(temporaryFolder(), parts);
    const { id } = (await control.organizations.create('Acme')).organization;
    const made: string[] = [];
    for (let n = 0; n < 5; n++) {
      clock += 1_000;
      made.unshift((await control.projects.create(id, 'P', BY)).project.id);
    }
    const first = await control.audit.page(id, { limit: 3 });
    expect(first.entries.map(({ target }) => target)).to.deep.equal(made.slice(0, 3));
    const rest = await control.audit.page(id, { limit: 3, cursor: first.nextCursor ?? '' });
    expect([rest.entries.map(({ target }) => target), rest.nextCursor]).to.deep.equal([made.slice(3), null]);
    const within = await control.audit.page(id, { from: start + 2_000, to: start + 4_000 });
    expect(within.entries.map(({ target }) => target)).to.deep.equal(made.slice(2, 4));
    expect((await control.audit.page(id, { to: 5 })).entries).to.deep.equal([]);
    await control.close();
    await dropSchemas([location]);
  });
});
