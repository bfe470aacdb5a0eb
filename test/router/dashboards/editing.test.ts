import { expect } from 'chai';
import { dashboardOf, SAMPLE } from '../../dashboards/dashboard-files.ts';
import { jsonOf, type TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { makeTenant, send, type Sender, type Tenant } from '../../support/tenants.ts';

describe('dashboards that are edited by accounts', () => {
  let test: TestService;
  let acme: Tenant;
  let umbrella: Tenant;
  before(async () => {
    test = await sharedService();
    acme = await makeTenant(test, 'Acme');
    umbrella = await makeTenant(test, 'Umbrella');
  });

  const path = (id: string, rest = ''): string => `/api/projects/${acme.projectId}/dashboards/${id}${rest}`;
  const named = (id: string, title = id): string =>
    SAMPLE.replace('id: sample', `id: ${id}`).replace('title: Sample', `title: ${title}`);
  const as = (role: keyof Tenant['cookies'], of = acme): Sender => ({ cookie: of.cookies[role] });
  const put = (id: string, yaml: string, { sender = as('member'), query = '' } = {}): Promise<Response> =>
    send(test, ['PUT', path(id, query)], sender, yaml);
  const check = (yaml: string, sender = as('member')): Promise<Response> =>
    send(test, ['POST', `/api/projects/${acme.projectId}/check-dashboard`], sender, yaml);

  it('are stored by members and above, not by viewers or by others', async () => {
    expect((await put('edited', named('edited'), { sender: as('viewer') })).status).to.equal(403);
    expect((await put('edited', named('edited'), { sender: as('owner', umbrella) })).status).to.equal(404);
    expect((await put('edited', named('edited'), { sender: {} })).status).to.equal(401);
    const first = await put('edited', named('edited'));
    expect(first.status).to.equal(201);
    const stored = await jsonOf(first);
    expect(stored).to.include({ id: 'edited', version: 1, visibility: 'project' });
    expect(String(stored['updated_by'])).to.match(/@/);
    expect((await put('edited', named('other'))).status).to.equal(400);
  });

  it('do not replace a version that somebody else has stored meanwhile', async () => {
    expect((await put('raced', named('raced'), { query: '?replaces=0' })).status).to.equal(201);
    expect((await put('raced', named('raced', 'Theirs'), { sender: as('admin'), query: '?replaces=1' })).status).to.equal(200);
    const late = await put('raced', named('raced', 'Mine'), { query: '?replaces=1' });
    expect(late.status).to.equal(409);
    const { error, hints } = (await late.json()) as { error: string; hints: string[] };
    expect(error).to.match(/^Somebody else has saved the dashboard "raced" meanwhile: version 2, by .*@.* at 20.*Z\. You have edited version 1\./);
    expect(hints.join()).to.include('replaces=2');
    const taken = await put('raced', named('raced', 'New'), { query: '?replaces=0' });
    expect([taken.status, ((await taken.json()) as { error: string }).error]).to.satisfy(
      ([status, told]: [number, string]) => status === 409 && told.startsWith('There is a dashboard "raced" already: version 2'),
    );
    const same = await put('raced', named('raced', 'Theirs'), { query: '?replaces=1' });
    expect([same.status, (await jsonOf(same))['unchanged']], 'what is stored already').to.deep.equal([200, true]);
    expect((await put('raced', named('raced', 'Mine'), { query: '?replaces=2' })).status).to.equal(200);
    const gone = await put('gone', named('gone'), { query: '?replaces=4' });
    expect([gone.status, ((await gone.json()) as { error: string }).error.includes('deleted meanwhile')]).to.deep.equal([409, true]);
    expect((await put('raced', named('raced'), { query: '?replaces=x' })).status).to.equal(400);
    const byKey = await send(test, ['PUT', '/dashboards/raced?replaces=1'], { key: acme.secretKey }, named('raced', 'By key'));
    expect(byKey.status).to.equal(409);
  }); // prettier-ignore

  it('have versions with who stored them when, newest first, that viewers see too', async () => {
    for (const title of ['One', 'Two']) await put('versions', named('versions', title));
    for (const [of, sender] of [[path('versions', '/versions'), as('viewer')], ['/dashboards/versions/versions', { key: acme.secretKey }]] as const) {
      const list = (await (await send(test, ['GET', of], sender)).json()) as { version: number; updated_by: string }[];
      expect(list.map(({ version }) => version)).to.deep.equal([2, 1]);
      expect(list[0]?.updated_by).to.match(/@/);
    }
    expect((await send(test, ['GET', path('versions', '/versions')], as('owner', umbrella))).status).to.equal(404);
    expect((await send(test, ['GET', path('none', '/versions')], as('member'))).status).to.equal(404);
  }); // prettier-ignore

  it('are personal where that is asked, with versions of their own', async () => {
    await put('both', named('both', 'Of all'));
    await put('both', named('both', 'Mine'), { query: '?visibility=personal&replaces=0' });
    const versions = async (visibility: string): Promise<number> =>
      ((await (await send(test, ['GET', path('both', `/versions?visibility=${visibility}`)], as('member'))).json()) as unknown[]).length;
    expect([await versions('personal'), await versions('project')]).to.deep.equal([1, 1]);
    expect(await jsonOf(await send(test, ['GET', path('both')], as('member')))).to.include({ title: 'Mine', visibility: 'personal' });
    expect(await jsonOf(await send(test, ['GET', path('both')], as('viewer')))).to.include({ title: 'Of all' });
  }); // prettier-ignore

  it('are checked while they are written, as `wl dashboard validate` checks them, and nothing is stored', async () => {
    const wrong = await jsonOf(await check(dashboardOf("  - {kind: table, query: 'a | cuont'}")));
    expect(wrong['dashboard']).to.equal(null);
    const [problem] = wrong['problems'] as { line: number; column: number; message: string }[];
    expect(problem).to.include({ line: 7 });
    expect(problem?.message).to.include('did you mean `count`?');
    const right = await jsonOf(await check(dashboardOf("  - {kind: table, query: 'a | count'}")));
    expect(right['problems']).to.deep.equal([]);
    expect(right['dashboard']).to.have.nested.property('sections[0].cards[0].kind', 'table');
    expect((await send(test, ['GET', path('test')], as('member'))).status).to.equal(404);
    for (const [sender, status] of [[as('viewer'), 403], [as('owner', umbrella), 404], [{ key: acme.secretKey }, 401]] as const)
      expect((await check(SAMPLE, sender)).status).to.equal(status);
    expect((await check('x'.repeat(300_000))).status).to.equal(413);
  }); // prettier-ignore
});
