import { expect } from 'chai';
import { PROJECT_ROUTES } from '../../../lib/router/api/projects.ts';
import { QUESTION_ROUTES } from '../../../lib/router/api/questions.ts';
import { TOKEN_ROUTES } from '../../../lib/router/api/tokens.ts';
import { fetch } from '../../support/checked-fetch.ts';
import type { TestService } from '../../support/service.ts';
import { startWithoutShards } from '../../support/service.ts';
import { makeTenant, send, type Sender, type Tenant } from '../../support/tenants.ts';

interface Route {
  readonly call: readonly [method: string, path: string];
  readonly needed: 'viewer' | 'member' | 'admin' | 'ak_';
  readonly body?: unknown;
}

const NAMES = { project_name: 'Acme project', project_name_confirm: 'Acme project' };
const TOKEN = { name: 't', scopes: ['query'] };

/** Every route; those that remove something come last. */
const ROUTES: readonly Route[] = [
  { call: ['GET', '/api/orgs/{orgID}/projects'], needed: 'viewer' },
  {
    call: ['POST', '/api/orgs/{orgID}/projects'],
    needed: 'admin',
    body: { name: 'New', settings: { retention_days: 9 } },
  },
  { call: ['GET', '/api/projects/{projectID}'], needed: 'viewer' },
  {
    call: ['PATCH', '/api/projects/{projectID}'],
    needed: 'admin',
    body: { name: 'Acme project', confirm: true, settings: { retention_days: 9 } },
  },
  { call: ['POST', '/api/projects/{projectID}/rotate-secret-key'], needed: 'admin' },
  { call: ['POST', '/api/projects/{projectID}/suspend'], needed: 'admin', body: { what: 'ingest', reason: 'r' } },
  { call: ['POST', '/api/projects/{projectID}/resume'], needed: 'admin' },
  { call: ['GET', '/api/projects/{projectID}/usage'], needed: 'viewer' },
  { call: ['POST', '/api/projects/{projectID}/query'], needed: 'viewer', body: { q: 'inspect *' } },
  { call: ['GET', '/api/projects/{projectID}/names'], needed: 'viewer' },
  { call: ['GET', '/api/projects/{projectID}/tokens'], needed: 'member' },
  { call: ['POST', '/api/projects/{projectID}/tokens'], needed: 'admin', body: TOKEN },
  { call: ['DELETE', '/api/projects/{projectID}/tokens/{tokenID}'], needed: 'admin' },
  { call: ['DELETE', '/api/projects/{projectID}'], needed: 'admin', body: NAMES },
  { call: ['GET', '/api/admin/projects'], needed: 'ak_' },
  { call: ['POST', '/api/admin/projects'], needed: 'ak_', body: { name: 'New' } },
  { call: ['GET', '/api/admin/projects/{projectID}'], needed: 'ak_' },
  { call: ['POST', '/api/admin/projects/{projectID}/rotate-secret-key'], needed: 'ak_' },
  { call: ['POST', '/api/admin/projects/{projectID}/suspend'], needed: 'ak_', body: { what: 'ingest', reason: 'r' } },
  { call: ['POST', '/api/admin/projects/{projectID}/resume'], needed: 'ak_' },
  { call: ['GET', '/api/admin/projects/{projectID}/usage'], needed: 'ak_' },
  { call: ['PATCH', '/api/admin/projects/{projectID}'], needed: 'ak_', body: { settings: { retention_days: 9 } } },
  { call: ['GET', '/api/admin/projects/{projectID}/tokens'], needed: 'ak_' },
  { call: ['POST', '/api/admin/projects/{projectID}/tokens'], needed: 'ak_', body: TOKEN },
  { call: ['DELETE', '/api/admin/projects/{projectID}/tokens/{tokenID}'], needed: 'ak_' },
  { call: ['DELETE', '/api/admin/projects/{projectID}'], needed: 'ak_', body: NAMES },
];

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

interface Ids {
  readonly orgId: string;
  readonly projectId: string;
  readonly token: string;
}

/** Well-formed ids that nothing has. */
const [ORG, PROJECT, TOK] = ['org_', 'prj_', 'tok_'].map((prefix) => prefix + 'A'.repeat(22));
const UNKNOWN: Ids = { orgId: ORG ?? '', projectId: PROJECT ?? '', token: TOK ?? '' };

describe('access to projects', () => {
  let test: TestService;
  let acme: Tenant;
  let umbrella: Tenant;
  before(async () => {
    test = await startWithoutShards({ WINDLASS_AUTH_FAILURES_PER_MINUTE: '0' });
    acme = await makeTenant(test, 'Acme');
    umbrella = await makeTenant(test, 'Umbrella');
  });
  after(() => test.stop());

  const owned = ({ orgId, projectId, tokens }: Tenant): Ids => ({ orgId, projectId, token: tokens.query.id });

  /** The status and body of a route's answer, for the things in `ids`. */
  async function answer({ call: [method, path], body }: Route, ids: Ids, sender?: Sender): Promise<[number, string]> {
    const { orgId, projectId, token } = ids;
    const filled = path.replace('{orgID}', orgId).replace('{projectID}', projectId).replace('{tokenID}', token);
    const response = await send(test, [method, filled], sender, body);
    return [response.status, await response.text()];
  }

  const status = async (route: Route, sender?: Sender): Promise<number> =>
    (await answer(route, owned(acme), sender))[0];

  it('is by the routes of this table, which are all that there are', () => {
    const all = Object.entries({ ...PROJECT_ROUTES, ...QUESTION_ROUTES, ...TOKEN_ROUTES });
    const ofTenants = all.filter(([path]) => !path.startsWith('/operator/')); // those of the operator have a test of their own
    const described = ofTenants.flatMap(([path, item]) =>
      METHODS.filter((method) => method.toLowerCase() in item).map((method) => `${method} ${path}`),
    );
    expect(ROUTES.map(({ call }) => call.join(' ')).sort()).to.deep.equal(described.sort());
  });

  for (const route of ROUTES) {
    const [method, path] = route.call;
    const title = route.call.join(' ');
    const admin = route.needed === 'ak_';

    it(`${title} is 401 without a credential, or with one that is none`, async () => {
      expect(await status(route)).to.equal(401);
      if (admin) {
        expect(await status(route, { key: `ak_${'x'.repeat(43)}` })).to.equal(401);
        expect(await status(route, { cookie: acme.cookies.owner })).to.equal(401);
        expect(await status({ ...route, call: [method, `${path}?key=${acme.adminKey}`] })).to.equal(401);
      } else {
        for (const key of [acme.adminKey, acme.secretKey]) expect(await status(route, { key })).to.equal(401);
        const forged = acme.cookies.owner.replace(/wl_session\.sig=./, 'wl_session.sig=~');
        expect(await status(route, { cookie: forged })).to.equal(401);
      }
    });

    it(`${title} is 403 for who may not`, async () => {
      const keys = [acme.publicKey, acme.secretKey, ...Object.values(acme.tokens).map(({ key }) => key)];
      if (admin) for (const key of keys) expect(await status(route, { key })).to.equal(403);
      const asMember = await status(route, { cookie: acme.cookies.member });
      expect(asMember).to.equal({ viewer: 200, member: 200, admin: 403, ak_: 401 }[route.needed]);
      const asViewer = await status(route, { cookie: acme.cookies.viewer });
      expect(asViewer).to.equal({ viewer: 200, member: 403, admin: 403, ak_: 401 }[route.needed]);
    });

    it(`${title} has neighbours that are 405, with Allow`, async () => {
      const there = ROUTES.filter(({ call }) => call[1] === path).map(({ call }) => call[0]);
      const other = METHODS.find((one) => !there.includes(one)) ?? '';
      const response = await send(test, [other, path.replaceAll(/\{\w+\}/g, 'x')]);
      expect(response.status).to.equal(405);
      const allow = (response.headers.get('allow') ?? '').split(', ').filter((one) => one !== 'HEAD');
      expect(allow.sort()).to.deep.equal(there.sort());
    });

    if (!path.includes('{')) continue;

    it(`${title} is the same 404 for what belongs to others and for what is nobody's`, async () => {
      const sender = admin ? { key: umbrella.adminKey } : { cookie: umbrella.cookies.owner };
      const unknown = await answer(route, UNKNOWN, sender);
      expect(unknown[0]).to.equal(404);
      expect(await answer(route, owned(acme), sender)).to.deep.equal(unknown);
    });
  }

  it('shows a secret key to members and above, and to no viewer, in pages neither', async () => {
    const path = `/api/projects/${acme.projectId}`;
    for (const role of ['viewer', 'member', 'admin', 'owner'] as const) {
      const sender = { cookie: acme.cookies[role] };
      const shown = await (await send(test, ['GET', path], sender)).text();
      expect([role, /sk_/.test(shown)]).to.deep.equal([role, role !== 'viewer']);
      expect(shown).to.contain('pk_');
      const keys = await send(test, ['GET', `/console/projects/${acme.projectId}/keys`], sender);
      expect([role, keys.status]).to.deep.equal([role, role === 'viewer' ? 403 : 200]);
      const overview = await (await send(test, ['GET', `/console/projects/${acme.projectId}`], sender)).text();
      expect([role, overview.includes('/keys"')]).to.deep.equal([role, role !== 'viewer']);
    }
  });

  it('is given to who may', async () => {
    for (const route of ROUTES.filter(({ call }) => call[0] !== 'DELETE')) {
      const sender = route.needed === 'ak_' ? { key: acme.adminKey } : { cookie: acme.cookies[route.needed] };
      expect(await status(route, sender), route.call.join(' ')).to.be.oneOf([200, 201]);
    }
    for (const needed of ['admin', 'ak_'] as const) {
      const tenant = await makeTenant(test, 'Acme');
      const sender = needed === 'ak_' ? { key: tenant.adminKey } : { cookie: tenant.cookies.admin };
      for (const route of ROUTES.filter((one) => one.call[0] === 'DELETE' && one.needed === needed)) {
        expect((await answer(route, owned(tenant), sender))[0], route.call.join(' ')).to.equal(200);
      }
    }
  });

  it('is refused to changes and questions with a session that come from pages of others', async () => {
    const { cookies, orgId, projectId, adminKey } = umbrella;
    const foreign = [{}, { Origin: 'https://evil.example' }, { Origin: 'null' }, { 'Sec-Fetch-Site': 'cross-site' }];
    for (const { call, body } of ROUTES.filter((one) => one.needed !== 'ak_' && one.call[0] !== 'GET')) {
      const path = call[1].replace('{orgID}', orgId).replace('{projectID}', projectId);
      for (const headers of foreign) {
        const init = { method: call[0], headers: { Cookie: cookies.owner, ...headers }, body: JSON.stringify(body) };
        expect([path, (await fetch(test.url + path, init)).status]).to.deep.equal([path, 403]);
      }
    }
    const still = await send(test, ['GET', `/api/admin/projects/${projectId}`], { key: adminKey });
    expect(still.status).to.equal(200);
  });
});
