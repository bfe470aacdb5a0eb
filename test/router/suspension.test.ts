import { expect } from 'chai';
import { ControlDatabase } from '../../lib/control/database.ts';
import type { Suspension } from '../../lib/control/types.ts';
import type { TestService } from '../support/service.ts';
import { jsonOf, startTestService } from '../support/service.ts';

describe('a suspended project', () => {
  let test: TestService;
  before(async () => {
    test = await startTestService();
  });
  after(() => test.stop());

  function suspend(what: Suspension['what'] | null): void {
    const control = ControlDatabase.open(test.folder, { secret: null });
    const suspension = what === null ? null : { what, reason: 'invoice 17 is unpaid' };
    control.operator.suspend(test.keys.project.id, suspension, { name: 'wl admin', ip: null });
    control.close();
  }
  const headers = (): Record<string, string> => ({ 'X-API-Key': test.keys.secretKey });
  async function statuses(): Promise<readonly number[]> {
    const track = await test.post('/track', { event_type: 'a' }, headers());
    const lines = { ...headers(), 'Content-Type': 'application/x-ndjson' };
    const bulk = await test.post('/track', { event_type: 'a' }, lines);
    const identify = await test.post('/identify', { user_id: 'u', user_property_ops: { $set: { a: 1 } } }, headers());
    const query = await test.post('/query', { q: 'a | count', format: 'json' }, headers());
    return [track, bulk, identify, query].map(({ status }) => status);
  }

  it('refuses events, queries or both with 403 and the reason, from the next request on, until it is resumed', async () => {
    expect(await statuses()).to.deep.equal([200, 200, 200, 200]);
    suspend('ingest');
    expect(await statuses()).to.deep.equal([403, 403, 403, 200]);
    suspend('queries');
    expect(await statuses()).to.deep.equal([200, 200, 200, 403]);
    suspend('all');
    expect(await statuses()).to.deep.equal([403, 403, 403, 403]);
    const answer = await jsonOf(await test.post('/query', { q: 'a | count' }, headers()));
    expect(answer['code']).to.equal('suspended');
    expect(answer['error']).to.contain('invoice 17 is unpaid');
    suspend(null);
    expect(await statuses()).to.deep.equal([200, 200, 200, 200]);
  });
});
