import { expect } from 'chai';
import { fetch } from '../../support/checked-fetch.ts';
import { jsonOf, type TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { makeTenant, send, type Sender, type Tenant } from '../../support/tenants.ts';

describe('the annotations of a project', () => {
  let test: TestService;
  let acme: Tenant;
  let umbrella: Tenant;
  before(async () => {
    test = await sharedService();
    acme = await makeTenant(test, 'Acme');
    umbrella = await makeTenant(test, 'Umbrella');
  });

  const inSession = (id = ''): string => `/api/projects/${acme.projectId}/annotations${id}`;
  const add = (body: unknown, sender: Sender = { key: acme.secretKey }, path = '/annotations'): Promise<Response> =>
    send(test, ['POST', path], sender, body);
  const list = async (sender: Sender = { key: acme.secretKey }, path = '/annotations') => {
    const answer = await send(test, ['GET', path], sender);
    expect(answer.status).to.equal(200);
    return (await answer.json()) as { id: string; text: string; at: string }[];
  };
  const remove = (id: string, sender: Sender, path = '/annotations'): Promise<Response> =>
    send(test, ['DELETE', `${path}/${id}`], sender);

  it('are added by a script that deploys, once for a time, and deleted', async () => {
    const body = { text: 'Version 2.1', at: '2026-11-20T15:30:00+01:00' };
    const first = await add(body);
    expect(first.status).to.equal(201);
    const added = await jsonOf(first);
    expect(added).to.include({ text: 'Version 2.1', at: '2026-11-20T14:30:00.000Z', created_by: `secret:${acme.projectId}` });
    const again = await add(body, { key: acme.tokens.dashboards.key });
    expect([again.status, await jsonOf(again)]).to.deep.equal([200, added]);
    expect(await list()).to.deep.equal([added]);
    expect(await jsonOf(await remove(String(added['id']), { key: acme.secretKey }))).to.deep.equal({ deleted: true, id: added['id'] });
    const gone = await remove(String(added['id']), { key: acme.secretKey });
    expect([gone.status, (await jsonOf(gone))['hints']]).to.deep.equal([404, ['GET …/annotations lists the annotations of the project.']]);
    expect(await list()).to.deep.equal([]);
  }); // prettier-ignore

  it('are of now where no time is given', async () => {
    const before = Date.now();
    const { id, at } = (await jsonOf(await add({ text: 'Deploy' }))) as { id: string; at: string };
    expect(Date.parse(at)).to.be.within(before, Date.now());
    expect((await remove(id, { key: acme.secretKey })).status).to.equal(200);
  });

  it('are refused with what to write', async () => {
    for (const [body, told] of [
      [{ text: '' }, 'The text is empty'],
      [{ text: 'a\nb' }, 'control'],
      [{ text: 'x'.repeat(201) }, 'more than 200 characters'],
      [{ at: 1 }, '"text" must be a string'],
      [{ text: 'x', at: 'yesterday' }, '"at" must be a time since 1970'],
      [{ text: 'x', at: '1969-01-01' }, '"at" must be a time since 1970'],
      [{ text: 'x', time: 1 }, 'time'],
    ] as const) {
      const answer = await add(body);
      expect(answer.status, JSON.stringify(body)).to.equal(400);
      expect(String((await jsonOf(answer))['error'])).to.include(told);
    }
  });

  it('are read with the scope query and written with the scope dashboards', async () => {
    for (const key of [acme.publicKey, acme.tokens.track.key, acme.tokens.admin.key, acme.tokens.query.key, acme.adminKey])
      expect((await add({ text: 'x' }, { key })).status).to.equal(403);
    for (const key of [acme.publicKey, acme.tokens.dashboards.key])
      expect((await send(test, ['GET', '/annotations'], { key })).status).to.equal(403);
    expect(await list({ key: acme.tokens.query.key })).to.deep.equal([]);
    expect((await send(test, ['GET', '/annotations'], { cookie: acme.cookies.owner })).status).to.equal(401);
    expect((await fetch(`${test.url}/annotations?key=${acme.secretKey}`)).status).to.equal(401);
  }); // prettier-ignore

  it('are read by viewers and written by members who are logged in', async () => {
    const path = inSession();
    expect((await add({ text: 'x' }, { cookie: acme.cookies.viewer }, path)).status).to.equal(403);
    const added = await add({ text: 'Campaign' }, { cookie: acme.cookies.member }, path);
    expect(added.status).to.equal(201);
    const { id } = (await jsonOf(added)) as { id: string };
    expect((await list({ cookie: acme.cookies.viewer }, path)).map(({ text }) => text)).to.deep.equal(['Campaign']);
    expect((await remove(id, { cookie: acme.cookies.viewer }, path)).status).to.equal(403);
    expect((await remove(id, { cookie: acme.cookies.member }, path)).status).to.equal(200);
  });

  it('are of one project alone', async () => {
    const { id } = (await jsonOf(await add({ text: 'Secret launch' }))) as { id: string };
    expect(await list({ key: umbrella.secretKey })).to.deep.equal([]);
    expect((await remove(id, { key: umbrella.secretKey })).status).to.equal(404);
    expect((await send(test, ['GET', inSession()], { cookie: umbrella.cookies.owner })).status).to.equal(404);
    expect((await add({ text: 'x' }, { cookie: umbrella.cookies.owner }, inSession())).status).to.equal(404);
    expect((await remove(id, { key: acme.secretKey })).status).to.equal(200);
  });
});
