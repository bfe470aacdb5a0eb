import { expect } from 'chai';
import { fetch } from '../support/checked-fetch.ts';
import type { TestService } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import { makeTenant } from '../support/tenants.ts';

describe('GET /key', () => {
  let test: TestService;
  before(async () => (test = await sharedService()));
  const ask = async (key?: string, query = ''): Promise<[number, unknown]> => {
    const response = await fetch(`${test.url}/key${query}`, key === undefined ? {} : { headers: { 'X-API-Key': key } });
    return [response.status, await response.json()];
  };

  it('tells of every kind of key whose it is and what it may do', async () => {
    const { publicKey, secretKey, adminKey, tokens, projectId } = await makeTenant(test, 'Keys');
    const all = ['track', 'query', 'admin', 'dashboards'];
    for (const [key, kind, scopes] of [
      [publicKey, 'public', ['track']],
      [secretKey, 'secret', all],
      [tokens.query.key, 'token', ['query']],
    ] as const)
      expect(await ask(key)).to.deep.equal([200, { kind, project_id: projectId, scopes, personal: true }]);
    expect(await ask(adminKey)).to.deep.equal([200, { kind: 'org_admin', project_id: null, scopes: [], personal: true }]);
  });

  it('tells nothing without a valid key in the header', async () => {
    const { secretKey } = await makeTenant(test, 'Others');
    for (const [key, query] of [[undefined], ['sk_unknown'], [undefined, `?key=${secretKey}`]] as const)
      expect((await ask(key, query))[0], `${key} ${query}`).to.equal(401);
  });
});
