import { expect } from 'chai';
import { jsonOf, type TestService } from '../../support/service.ts';
import { makeTenant, send, type Sender, type Tenant } from '../../support/tenants.ts';
import { sharedService } from '../../support/shared-service.ts';

describe('/api/projects/{projectID}/devices/{deviceID}', () => {
  let test: TestService;
  let acme: Tenant;
  let umbrella: Tenant;
  before(async () => {
    test = await sharedService();
    acme = await makeTenant(test, 'Acme');
    umbrella = await makeTenant(test, 'Umbrella');
  });

  const device = (
    method: 'GET' | 'DELETE',
    id: string,
    sender: Sender = { cookie: acme.cookies.admin },
  ): Promise<Response> =>
    send(test, [method, `/api/projects/${acme.projectId}/devices/${encodeURIComponent(id)}`], sender);

  async function post(path: string, body: unknown): Promise<Response> {
    const response = await send(test, ['POST', path], { key: acme.secretKey }, body);
    expect(response.status).to.equal(200);
    return response;
  }

  const personsOf = async (deviceId: string): Promise<unknown> =>
    (
      await post('/query', {
        q: `seen | last 1 d | where device_id = "${deviceId}" | count by distinct_id`,
        format: 'json',
      })
    ).json();

  it('tells who a device is bound to, and was; the last binding is undone for queries at once, back to nobody', async () => {
    const id = 'd/1 ü';
    await post('/track', { event_type: 'seen', device_id: id });
    for (const user_id of ['ann', 'bob', 'bob']) await post('/identify', { user_id, device_id: id });
    expect(await personsOf(id)).to.deep.equal([{ distinct_id: 'bob', count: 1 }]);
    const bound = await jsonOf(await device('GET', id));
    expect(bound).to.include({ device_id: id, user_id: 'bob' });
    const history = bound['history'] as { at: string; action: string; user_id: string | null }[];
    expect(history.map(({ action, user_id }) => [action, user_id])).to.deep.equal([
      ['bind', 'ann'],
      ['bind', 'bob'],
      ['bind', 'bob'],
    ]);
    expect(bound['bound_at'], 'bound again to the same user is not bound anew').to.equal(history[1]?.at);

    expect(await jsonOf(await device('DELETE', id))).to.include({ user_id: 'ann', bound_at: history[0]?.at });
    expect(await personsOf(id)).to.deep.equal([{ distinct_id: 'ann', count: 1 }]);
    const free = await jsonOf(await device('DELETE', id));
    expect(free).to.include({ user_id: null, bound_at: null });
    expect((free['history'] as object[]).slice(3)).to.have.length(2);
    expect(await personsOf(id)).to.deep.equal([{ distinct_id: id, count: 1 }]);
    expect((await device('DELETE', id)).status).to.equal(409);
    await post('/identify', { user_id: 'cid', device_id: id });
    expect(await personsOf(id)).to.deep.equal([{ distinct_id: 'cid', count: 1 }]);
  });

  it('is 404 for a device that was never bound, with events or without', async () => {
    await post('/track', { event_type: 'seen', device_id: 'free' });
    for (const id of ['free', 'unknown', 'x'.repeat(600)]) {
      expect((await device('GET', id)).status).to.equal(404);
      expect((await device('DELETE', id)).status).to.equal(404);
    }
  });

  it('is for members to read and for admins to change; others do not learn that the project is there', async () => {
    await post('/identify', { user_id: 'ann', device_id: 'd2' });
    const { member, owner } = acme.cookies;
    expect((await device('GET', 'd2', { cookie: member })).status).to.equal(200);
    expect((await device('DELETE', 'd2', { cookie: member })).status).to.equal(403);
    expect((await device('GET', 'd2', { cookie: umbrella.cookies.owner })).status).to.equal(404);
    expect((await device('DELETE', 'd2', { cookie: umbrella.cookies.owner })).status).to.equal(404);
    expect((await device('GET', 'd2', {})).status).to.equal(401);
    expect((await device('GET', 'd2', { key: acme.secretKey })).status).to.equal(401);
    expect((await device('DELETE', 'd2', { cookie: owner })).status).to.equal(200);
  });
});
