import { expect } from 'chai';
import { ControlDatabase } from '../../../lib/control/database.ts';
import type { Suspension } from '../../../lib/control/types.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startWithoutShards } from '../../support/service.ts';

const BY = { name: 'wl admin', ip: null };

describe('a suspended project', () => {
  let test: TestService;
  before(async () => {
    test = await startWithoutShards();
  });
  after(() => test.stop());

  async function suspend(what: Suspension['what'] | null): Promise<void> {
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const { id } = test.keys.project;
    if (what === null) await control.projects.resume(id, 'operator', BY);
    else await control.projects.suspend(id, { by: 'operator', what, reason: 'invoice 17 is unpaid' }, BY);
    await control.close();
  }
  async function asOrganization(word: 'suspend' | 'resume', body?: object): Promise<[number, Record<string, unknown>]> {
    const path = `/api/admin/projects/${test.keys.project.id}/${word}`;
    const response = await test.post(path, body ?? '', { 'X-API-Key': test.keys.adminKey });
    return [response.status, await jsonOf(response)];
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
    await suspend('ingest');
    expect(await statuses()).to.deep.equal([403, 403, 403, 200]);
    await suspend('queries');
    expect(await statuses()).to.deep.equal([200, 200, 200, 403]);
    await suspend('all');
    expect(await statuses()).to.deep.equal([403, 403, 403, 403]);
    const answer = await jsonOf(await test.post('/query', { q: 'a | count' }, headers()));
    expect(answer['code']).to.equal('suspended');
    expect(answer['error']).to.contain('invoice 17 is unpaid');
    await suspend(null);
    expect(await statuses()).to.deep.equal([200, 200, 200, 200]);
  });

  it('is suspended and resumed by its organization too, which stands in the audit trail', async () => {
    const own = { by: 'organization', what: 'ingest', reason: 'a loop sends the same event' };
    const [status, project] = await asOrganization('suspend', { what: own.what, reason: ` ${own.reason} ` });
    expect([status, project['suspensions']]).to.deep.equal([200, [own]]);
    expect(await statuses()).to.deep.equal([403, 403, 403, 200]);
    const refused = await jsonOf(await test.post('/track', { event_type: 'a' }, headers()));
    expect(refused).to.include({ code: 'suspended' }).and.have.property('error').that.contains(own.reason);
    expect(refused['hints']).to.deep.equal(['Its organization suspended it and can resume it: wl project resume ID.']);
    expect((await asOrganization('suspend', { reason: 'over' }))[1]['suspensions']).to.deep.equal([
      { by: 'organization', what: 'all', reason: 'over' },
    ]);
    expect((await asOrganization('resume'))[1]).to.not.have.property('suspensions');
    expect((await asOrganization('resume'))[0], 'what is not suspended is resumed as well').to.equal(200);
    expect(await statuses()).to.deep.equal([200, 200, 200, 200]);
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const { entries } = await control.audit.page(test.keys.organization.id, { limit: 3 });
    await control.close();
    const told = entries.map(({ actor, action }) => `${actor}: ${action}`);
    expect(told).to.deep.equal(['resume', 'suspend', 'suspend'].map((word) => `admin key: project.${word}`));
    for (const body of [{}, { reason: '' }, { reason: 'x', what: 'exports' }, { reason: 7 }])
      expect((await asOrganization('suspend', body))[0], JSON.stringify(body)).to.equal(400);
  });

  it('stays so while the operator has suspended it, whatever its organization asks, and the other way round', async () => {
    await suspend('queries');
    const [status, error] = await asOrganization('resume');
    expect([status, error['code']]).to.deep.equal([403, 'suspended']);
    expect(error['error']).to.contain('invoice 17 is unpaid');
    await asOrganization('suspend', { what: 'ingest', reason: 'own' });
    expect(await statuses()).to.deep.equal([403, 403, 403, 403]);
    const left = [{ by: 'operator', what: 'queries', reason: 'invoice 17 is unpaid' }];
    expect((await asOrganization('resume'))[1]['suspensions']).to.deep.equal(left);
    expect(await statuses()).to.deep.equal([200, 200, 200, 403]);
    await asOrganization('suspend', { what: 'ingest', reason: 'own' });
    await suspend(null);
    expect(await statuses()).to.deep.equal([403, 403, 403, 200]);
    expect((await asOrganization('resume'))[0]).to.equal(200);
  });
});
