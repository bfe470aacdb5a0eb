import { expect } from 'chai';
import { ControlDatabase } from '../../../lib/control/database.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startWithoutShards } from '../../support/service.ts';
import { makeTenant, send, type Sender, type Tenant } from '../../support/tenants.ts';

const BY = { name: 'wl admin', ip: null };
const REASON = 'invoice 17 is unpaid';

describe('a suspended organization', () => {
  let test: TestService;
  let acme: Tenant;
  before(async () => {
    test = await startWithoutShards();
    acme = await makeTenant(test, 'Acme');
  });
  after(() => test.stop());

  async function suspend(what: 'ingest' | 'all' | null): Promise<void> {
    await using control = await ControlDatabase.open(test.folder, { secret: null });
    if (what === null) await control.organizations.resume(acme.orgId, BY);
    else await control.organizations.suspend(acme.orgId, { what, reason: REASON }, BY);
  }

  async function answer(call: readonly [string, string], sender: Sender, body?: unknown): Promise<[number, string]> {
    const response = await send(test, call, sender, body);
    return [response.status, response.ok ? '' : String((await jsonOf(response))['error'])];
  }

  it('has its events and queries refused with the reason, in all of its projects, until it is resumed', async () => {
    const key = { key: acme.secretKey };
    const both = async (): Promise<readonly number[]> => [
      (await answer(['POST', '/track'], key, { event_type: 'a' }))[0],
      (await answer(['POST', '/query'], key, { q: '*' }))[0],
      (await answer(['POST', `/api/projects/${acme.projectId}/query`], { cookie: acme.cookies.viewer }, { q: '*' }))[0],
    ];
    await suspend('ingest');
    expect(await both()).to.deep.equal([403, 200, 200]);
    await suspend('all');
    expect(await both()).to.deep.equal([403, 403, 403]);
    const [, error] = await answer(['POST', '/track'], { key: acme.publicKey }, { event_type: 'a' });
    expect(error).to.equal(`The organization of this project is suspended and accepts no events: ${REASON}`);
    await suspend(null);
    expect(await both()).to.deep.equal([200, 200, 200]);
  });

  it('makes nothing new, neither with its admin key nor logged in: no projects, tokens, keys or members', async () => {
    await suspend('all');
    const [key, owner] = [{ key: acme.adminKey }, { cookie: acme.cookies.owner }];
    const token = { name: 't', scopes: ['track'] };
    const invitation = { email: 'new@example.com', role: 'member' };
    const refused: [Sender, string, object?][] = [
      [key, '/api/admin/projects', { name: 'New' }],
      [key, `/api/admin/projects/${acme.projectId}/tokens`, token],
      [key, `/api/admin/projects/${acme.projectId}/rotate-secret-key`],
      [key, '/api/admin/members', invitation],
      [key, `/api/admin/projects/${acme.projectId}/resume`],
      [owner, `/api/orgs/${acme.orgId}/projects`, { name: 'New' }],
      [owner, `/api/projects/${acme.projectId}/tokens`, token],
      [owner, `/api/projects/${acme.projectId}/rotate-secret-key`],
      [owner, `/api/orgs/${acme.orgId}/members`, invitation],
      [owner, `/api/orgs/${acme.orgId}/rotate-admin-key`],
      [owner, `/api/projects/${acme.projectId}/resume`],
    ];
    for (const [sender, path, body] of refused) {
      const [status, error] = await answer(['POST', path], sender, body);
      expect([path, status]).to.deep.equal([path, 403]);
      expect(error, path).to.contain(REASON);
    }
    await suspend(null);
  });

  it('still reads its usage and settings, says that it is suspended, and may remove what it has', async () => {
    await suspend('all');
    const [key, owner] = [{ key: acme.adminKey }, { cookie: acme.cookies.owner }];
    for (const path of ['organization', 'usage', 'audit', 'projects', `projects/${acme.projectId}/usage`])
      expect((await answer(['GET', `/api/admin/${path}`], key))[0], path).to.equal(200);
    for (const path of ['', '/usage', '/members', '/projects'])
      expect((await answer(['GET', `/api/orgs/${acme.orgId}${path}`], owner))[0], path).to.equal(200);
    const suspension = { what: 'all', reason: REASON };
    expect(await jsonOf(await send(test, ['GET', '/api/admin/organization'], key))).to.deep.include({ suspension });
    const shown = await jsonOf(await send(test, ['GET', `/api/admin/projects/${acme.projectId}`], key));
    expect(shown['suspensions']).to.deep.equal([{ ...suspension, by: 'operator', of: 'organization' }]);
    expect(await (await send(test, ['GET', `/console/orgs/${acme.orgId}`], owner)).text()).to.contain(REASON);
    const revoke = `/api/admin/projects/${acme.projectId}/tokens/${acme.tokens.track.id}`;
    expect((await answer(['DELETE', revoke], key))[0]).to.equal(200);
    const names = { project_name: acme.projectName, project_name_confirm: acme.projectName };
    expect((await answer(['DELETE', `/api/admin/projects/${acme.projectId}`], key, names))[0]).to.equal(200);
    await suspend(null);
  });
});
