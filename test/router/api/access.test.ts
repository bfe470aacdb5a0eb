import { expect } from 'chai';
import { Browser } from '../../support/session-browser.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startWithoutShards } from '../../support/service.ts';

const ROLES = ['viewer', 'member', 'admin', 'owner'] as const;
type Role = (typeof ROLES)[number];

/** Every session API route about an organization, the least role that may call it, and the answer to those who may. */
const ROUTES: readonly (readonly [method: string, path: string, needed: Role, status: number, body?: object])[] = [
  ['GET', '', 'viewer', 200],
  ['PATCH', '', 'admin', 200, { name: 'Default' }],
  ['GET', '/members', 'viewer', 200],
  ['GET', '/usage', 'viewer', 200],
  ['GET', '/audit', 'admin', 200],
  ['POST', '/members', 'admin', 409, { email: 'member@example.com', role: 'member' }],
  ['DELETE', '/members', 'admin', 404, { email: 'nobody@example.com' }],
  ['POST', '/members', 'owner', 409, { email: 'owner@example.com', role: 'owner' }],
  ['POST', '/rotate-admin-key', 'owner', 200],
];

describe('access to an organization', () => {
  let test: TestService;
  let orgId: string;
  const browsers = new Map<string, Browser>();
  before(async () => {
    test = await startWithoutShards({ WINDLASS_AUTH_FAILURES_PER_MINUTE: '0' });
    orgId = test.keys.organization.id;
    for (const role of ROLES) {
      browsers.set(role, await Browser.loggedIn(test, `${role}@example.com`, { orgId, role }));
    }
    browsers.set('stranger', await Browser.loggedIn(test, 'stranger@example.com'));
    browsers.set('nobody', new Browser(test.url));
  });
  after(() => test.stop());

  const as = (who: string): Browser => browsers.get(who) ?? new Browser(test.url);

  for (const [method, path, needed, status, body] of ROUTES) {
    const route = `${method} /api/orgs/{orgID}${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`;

    it(`${route} takes the role ${needed}`, async () => {
      for (const role of ROLES) {
        const response = await as(role).call(method, `/api/orgs/${orgId}${path}`, body);
        const allowed = ROLES.indexOf(role) >= ROLES.indexOf(needed);
        expect(response.status, role).to.equal(allowed ? status : 403);
        if (!allowed)
          expect((await jsonOf(response))['error']).to.match(
            RegExp(`^This requires the role \\w+; yours is ${role}.$`),
          );
      }
    });

    it(`${route} does not tell a stranger that the organization is there, and tells nobody anything`, async () => {
      const theirs = await as('stranger').call(method, `/api/orgs/${orgId}${path}`, body);
      const unknown = await as('stranger').call(method, `/api/orgs/org_AAAAAAAAAAAAAAAAAAAAAA${path}`, body);
      expect([theirs.status, unknown.status]).to.deep.equal([404, 404]);
      const told = await unknown.text();
      expect(await theirs.text()).to.equal(told);
      expect(told).to.include('GET /api/orgs lists the organizations you belong to.');
      expect((await as('nobody').call(method, `/api/orgs/${orgId}${path}`, body)).status).to.equal(401);
    });

    if (method === 'GET') continue;

    it(`${route} takes a request of the same origin`, async () => {
      const init = { method, headers: { Origin: 'https://evil.example' }, body: JSON.stringify(body ?? {}) };
      const response = await as('owner').send(`/api/orgs/${orgId}${path}`, init);
      expect(response.status).to.equal(403);
      expect((await jsonOf(response))['error']).to.include('page of this service');
    });
  }

  it('of the other kind of route takes a session alone', async () => {
    for (const path of ['/api/session', '/api/sessions', '/api/invitations', '/api/orgs']) {
      expect((await as('stranger').get(path)).status).to.equal(200);
      expect((await as('nobody').get(path)).status).to.equal(401);
    }
    expect((await as('nobody').call('POST', '/api/orgs', { name: 'x' })).status).to.equal(401);
  });

  it('is not had by the keys of projects and organizations', async () => {
    for (const key of [test.keys.secretKey, test.keys.adminKey, test.keys.project.publicKey]) {
      const response = await as('nobody').send(`/api/orgs/${orgId}`, { headers: { 'X-API-Key': key } });
      expect(response.status).to.equal(401);
    }
  });

  it('with another method is 405, and names those there are', async () => {
    const allowed: [string, string][] = [
      ['/api/session', 'GET, HEAD'],
      ['/api/sessions', 'GET, HEAD, DELETE'],
      ['/api/sessions/ses_x', 'DELETE'],
      ['/api/orgs', 'GET, HEAD, POST'],
      [`/api/orgs/${orgId}`, 'GET, HEAD, PATCH'],
      ['/api/invitations', 'GET, HEAD'],
      [`/api/invitations/${orgId}/accept`, 'POST'],
      [`/api/invitations/${orgId}/decline`, 'POST'],
      [`/api/orgs/${orgId}/rotate-admin-key`, 'POST'],
      [`/api/orgs/${orgId}/members`, 'GET, HEAD, POST, DELETE'],
      [`/api/orgs/${orgId}/audit`, 'GET, HEAD'],
      [`/api/orgs/${orgId}/usage`, 'GET, HEAD'],
    ];
    for (const [path, allow] of allowed) {
      const response = await as('owner').call('PUT', path, {});
      expect([response.status, response.headers.get('allow')], path).to.deep.equal([405, allow]);
    }
  });
});
