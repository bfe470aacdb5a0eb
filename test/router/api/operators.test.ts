import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { wlInside, wlJson } from '../../cli/run-inside.ts';
import { fetch } from '../../support/checked-fetch.ts';
import { record } from '../../support/open-schemas.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startTestService } from '../../support/service.ts';

type Json = Record<string, unknown>;
type Call = readonly [method: string, path: string, body?: unknown, idempotencyKey?: string];

describe('several operators of a host', () => {
  let test: TestService;
  let keys: string[];
  before(async () => {
    test = await startTestService();
    keys = [];
    for (const name of ['one', 'two']) keys.push(await newKey(name));
  });
  after(() => test.stop());

  const newKey = async (name: string): Promise<string> =>
    String(record(await wlJson(test.folder, ['admin', 'operator-key', 'create', name]))['key']);
  const as = (key: string | undefined, [method, path, body, idempotencyKey]: Call): Promise<Response> =>
    fetch(`${test.url}/operator${path}`, {
      method,
      headers: { 'X-API-Key': key ?? '', ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }); // prettier-ignore
  /** Both at the same time. */
  const both = (call: Call): Promise<Response[]> => Promise.all(keys.map((key) => as(key, call)));
  const statuses = (answers: readonly Response[]): number[] =>
    answers.map(({ status }) => status).toSorted((a, b) => a - b);
  const organizations = async (name: string): Promise<Json[]> =>
    ((await wlJson(test.folder, ['admin', 'org', 'list'])) as Json[]).filter((one) => one['name'] === name);
  const newOrg = async (name: string): Promise<string> =>
    String(record((await jsonOf(await as(keys[0], ['POST', '/orgs', { name }])))['organization'])['id']);

  it('who create the same at once each make their own, also with the same Idempotency-Key', async () => {
    const answers = await both(['POST', '/orgs', { name: 'Twice' }, 'twice']);
    expect(statuses(answers)).to.deep.equal([201, 201]);
    const made = await Promise.all(answers.map((answer) => jsonOf(answer)));
    const ids = made.map(({ organization }) => record(organization)['id']);
    expect(new Set(ids).size).to.equal(2);
    expect((await organizations('Twice')).map(({ id }) => id)).to.have.members(ids);
    const again = await both(['POST', '/orgs', { name: 'Twice' }, 'twice']);
    expect(again.map(({ headers }) => headers.get('idempotency-replayed'))).to.deep.equal(['true', 'true']);
    expect(await Promise.all(again.map((answer) => jsonOf(answer)))).to.deep.equal(made);
  });

  it('who invite the same person at once make one member', async () => {
    const org = await newOrg('Invited');
    const answers = await both(['POST', `/orgs/${org}/members`, { email: 'ada@example.com', role: 'admin' }]);
    for (const { status } of answers) expect(status).to.be.oneOf([200, 201, 409]);
    const listed = await as(keys[1], ['GET', `/orgs/${org}/members`]);
    expect(((await listed.json()) as Json[]).map(({ email }) => email)).to.deep.equal(['ada@example.com']);
  });

  it('who delete the same at once: one does, the other is told that it is gone', async () => {
    const org = await newOrg('Gone');
    await as(keys[0], ['POST', `/orgs/${org}/projects`, { name: 'Web' }]);
    expect(statuses(await both(['DELETE', `/orgs/${org}`, { name: 'Gone' }]))).to.deep.equal([200, 404]);
    expect(await organizations('Gone')).to.deep.equal([]);
  });

  it('of whom one deletes what the other adds to leave no project without its organization', async () => {
    for (const nth of [1, 2, 3]) {
      const name = `Leaving ${nth}`;
      const org = await newOrg(name);
      const [made, gone] = await Promise.all([
        as(keys[0], ['POST', `/orgs/${org}/projects`, { name: 'Late' }]),
        as(keys[1], ['DELETE', `/orgs/${org}`, { name }]),
      ]);
      expect(gone.status).to.equal(200);
      expect(made.status).to.be.oneOf([201, 404]);
    }
    const projects = (await (await as(keys[0], ['GET', '/projects'])).json()) as Json[];
    expect(projects.map(({ name }) => name)).to.not.include('Late');
  });

  it('lose a key when its time is over, whatever they do with it, and may still revoke it', async () => {
    const key = await newKey('short');
    expect((await as(key, ['GET', '/orgs'])).status).to.equal(200);
    const file = new Database(join(test.folder, 'control.db'));
    file.prepare("UPDATE operator_keys SET expires_at = ? WHERE name = 'short'").run(Date.now() - 1);
    file.close();
    while ((await as(key, ['GET', '/orgs'])).status === 200) await new Promise((done) => setTimeout(done, 20)); // within a second
    for (const call of [['GET', '/orgs'], ['POST', '/orgs', { name: 'Never' }], ['GET', '/health'], ['GET', '/projects/prj_none/export']] as Call[]) {
      const answer = await as(key, call);
      expect([answer.status, (await jsonOf(answer))['code']], call.join(' ')).to.deep.equal([401, 'unauthenticated']);
    }
    expect(await organizations('Never')).to.deep.equal([]);
    const told = await wlInside(['admin', 'org', 'list', '--host', test.url], { WINDLASS_OPERATOR_KEY: key });
    expect([told.code, told.stderr]).to.match(/^1,wl: .*\n[^]*wl admin operator-key create/);
    expect(told.stderr).to.not.include(key);
    const listed = (await wlJson(test.folder, ['admin', 'operator-key', 'list'])) as Json[];
    const expired = listed.find(({ name }) => name === 'short');
    expect(await wlJson(test.folder, ['admin', 'operator-key', 'revoke', String(expired?.['id'])])).to.be.an('object');
    expect((await as(keys[0], ['GET', '/orgs'])).status, 'the others still work').to.equal(200);
  }); // prettier-ignore
});
