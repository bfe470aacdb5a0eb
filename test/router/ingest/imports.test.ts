import { expect } from 'chai';
import { sharedService } from '../../support/shared-service.ts';
import { makeTenant } from '../../support/tenants.ts';
import { jsonOf, type TestService } from '../../support/service.ts';

describe('the import that brings an event', () => {
  let test: TestService;
  before(async () => {
    test = await sharedService();
  });

  it('is asked for by its name, in lists, conditions and groups', async () => {
    const from = (id: unknown, n: number): object => ({ event_type: 'imported', insert_id: `imported ${n}`, import_id: id }); // prettier-ignore
    await test.post('/track', { events: [from('may', 1), from('may', 2), from(7, 3), from(null, 4), from(' ', 5)] });
    expect(await test.rows('imported | count by _import_id | sort count desc')).to.deep.equal([
      { _import_id: 'may', count: 2 },
      { _import_id: null, count: 2 },
      { _import_id: '7', count: 1 },
    ]);
    expect(await test.rows('imported | where _import_id = "7" | list insert_id, _import_id')).to.deep.equal([
      { insert_id: 'imported 3', _import_id: '7' },
    ]);
    const [row] = await test.rows('imported | where _import_id = "may" | list');
    expect(row).to.include({ _import_id: 'may' });
  });

  it('is of at most 64 characters, and no object', async () => {
    for (const [id, error] of [
      ['x'.repeat(65), 'import_id is longer than 64 characters'],
      [{}, 'import_id must be a string or a number'],
    ]) {
      const told = await jsonOf(await test.post('/track?report=true', { event_type: 'e', import_id: id }));
      expect(told).to.deep.include({ accepted: 0, rejected: 1, errors: [{ index: 0, error }] });
    }
    await test.post('/track', { event_type: 'long import id', import_id: '😀'.repeat(64) });
    expect(await test.rows('"long import id" | list _import_id')).to.deep.equal([{ _import_id: '😀'.repeat(64) }]);
  });

  it('is left out and told with a public key', async () => {
    const { publicKey, secretKey } = await makeTenant(test, 'Importing');
    const sent = { event_type: 'import of a client', import_id: 'mine' };
    const { warnings } = (await jsonOf(await test.post('/track?report=true', sent, { 'X-API-Key': publicKey }))) as {
      warnings: { field: string; message: string }[];
    };
    expect(warnings.map(({ field }) => field)).to.deep.equal(['import_id']);
    expect(warnings[0]?.message).to.contain('only a server may state it');
    const asked = { q: '"import of a client" | list _import_id', format: 'json' };
    const rows = await (await test.post('/query', asked, { 'X-API-Key': secretKey })).json();
    expect(rows).to.deep.equal([{ _import_id: null }]);
  });
});
