import { expect } from 'chai';
import { SAVED_QUESTION_ROUTES } from '../../../lib/router/api/saved-questions.ts';
import { jsonOf, type TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { makeTenant, send, type Sender, type Tenant } from '../../support/tenants.ts';

describe('saved questions', () => {
  let test: TestService;
  let acme: Tenant;
  let umbrella: Tenant;
  before(async () => {
    test = await sharedService();
    acme = await makeTenant(test, 'Acme');
    umbrella = await makeTenant(test, 'Umbrella');
  });

  const at = (name = '', more = ''): string =>
    `/api/projects/${acme.projectId}/questions${name && `/${encodeURIComponent(name)}`}${more}`;
  const as = (role: 'viewer' | 'member'): Sender => ({ cookie: acme.cookies[role] });
  const put = (name: string, query: unknown, sender = as('member')): Promise<Response> =>
    send(test, ['PUT', at(name)], sender, { query });

  /** What a viewer reads. */
  const rows = async (path: string) =>
    (await (await send(test, ['GET', path], as('viewer'))).json()) as { version: number; query: string }[];

  it('are saved in versions by members, and read by everybody in the project', async () => {
    const first = await put('Signups: by day/week?', 'signup | count by day');
    expect(first.status).to.equal(201);
    const by = { updated_by: 'member@acme.example', name: 'Signups: by day/week?' };
    expect(await jsonOf(first)).to.include({ ...by, version: 1, unchanged: false, query: 'signup | count by day' });
    expect(await jsonOf(await put('Signups: by day/week?', 'signup | count by day'))).to.include({ unchanged: true });
    const second = await put('Signups: by day/week?', 'signup | count by week');
    expect([second.status, (await jsonOf(second))['version']]).to.deep.equal([200, 2]);
    expect((await rows(at())).map(({ query }) => query)).to.deep.equal(['signup | count by week']);
    const versions = await rows(at('Signups: by day/week?', '/versions'));
    expect(versions.map(({ version, query }) => [version, query])).to.deep.equal([
      [2, 'signup | count by week'],
      [1, 'signup | count by day'],
    ]);
  });

  it('are changed by no viewer, no key and nobody of another organization', async () => {
    await put('own', 'signup');
    expect((await put('own', 'purchase', as('viewer'))).status).to.equal(403);
    expect((await send(test, ['DELETE', at('own')], as('viewer'))).status).to.equal(403);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? { query: 'x' } : undefined;
      const path = method === 'GET' ? at() : at('own');
      expect((await send(test, [method, path], { cookie: umbrella.cookies.owner }, body)).status, method).to.equal(404);
      expect((await send(test, [method, path], { key: acme.secretKey }, body)).status, method).to.equal(401);
    }
    expect((await rows(at('own', '/versions'))).map(({ query }) => query)).to.deep.equal(['signup']);
  }); // prettier-ignore

  it('are refused where they are no query, and deleted with all versions', async () => {
    for (const query of ['', 7, 'x'.repeat(16_385)]) expect((await put('bad', query)).status).to.equal(400);
    expect((await put(' bad', 'signup')).status).to.equal(400);
    await put('gone', 'signup');
    expect(await jsonOf(await send(test, ['DELETE', at('gone')], as('member')))).to.deep.equal({ deleted: true, name: 'gone' });
    expect((await send(test, ['DELETE', at('gone')], as('member'))).status).to.equal(404);
    expect((await send(test, ['GET', at('gone', '/versions')], as('viewer'))).status).to.equal(404);
  }); // prettier-ignore

  it('have no other routes than these', () => {
    const calls = Object.entries(SAVED_QUESTION_ROUTES).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path.slice('/api/projects/{projectID}/questions'.length)}`)); // prettier-ignore
    expect(calls).to.deep.equal(['get ', 'put /{questionName}', 'delete /{questionName}', 'get /{questionName}/versions']); // prettier-ignore
  });
});
