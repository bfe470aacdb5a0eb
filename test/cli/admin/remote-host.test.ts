import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { DAY_MS } from '../../../lib/base/day.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { makeTenant, send, type Tenant } from '../../support/tenants.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { wlInside } from '../run-inside.ts';
import type { Finished } from '../run-wl.ts';
import { ScriptedServer } from '../scripted-server.ts';

type Json = Record<string, unknown>;

/** What differs from one run to the next: ids, keys, times. */
const masked = (text: string): string =>
  text
    .replaceAll(/\b(org|prj|tok|ak|pk|sk|aat|whm)_[\w-]+/g, '$1_')
    .replaceAll(/token=[\w-]+/g, 'token=')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');

describe('wl admin --host', () => {
  let test: TestService;
  let acme: Tenant;
  let key: string;
  before(async () => {
    test = await startTestService();
    acme = await makeTenant(test, 'Acme');
    const made = await onFolder(['operator-key', 'create', 'from afar', '--json']);
    key = String((JSON.parse(made.stdout) as Json)['key']);
  });
  after(() => test.stop());

  const onFolder = (args: readonly string[]): Promise<Finished> => wlInside(['admin', ...args, '--data', test.folder]);
  const onHost = (args: readonly string[], env: Readonly<Record<string, string>> = { WINDLASS_OPERATOR_KEY: key }) =>
    wlInside(['admin', ...args, '--host', test.url], env);
  const json = async (args: readonly string[]): Promise<Json> => {
    const { code, stdout, stderr } = await onHost([...args, '--json']);
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout) as Json;
  };

  /** Runs it on the folder and on the host, as text and as JSON; `args` makes a line anew for each run. Returns the last JSON. */
  async function same(args: () => readonly string[] | Promise<readonly string[]>): Promise<unknown> {
    let last = '';
    for (const format of [[], ['--json']]) {
      const line = await args();
      const folder = await onFolder([...line, ...format]);
      const host = await onHost([...(await args()), ...format]);
      expect([host.code, host.stderr, masked(host.stdout)], line.join(' ')).to.deep.equal([0, '', masked(folder.stdout)]);
      last = host.stdout;
    }
    return JSON.parse(last);
  } // prettier-ignore

  const newOrg = async (name: string): Promise<string> => String((await json(['org', 'create', name]))['id']);
  const newProject = async (name: string): Promise<string> =>
    String((await json(['project', 'create', name, '--org', acme.orgId]))['id']);

  it('manages organizations as on the folder', async () => {
    await same(() => ['org', 'create', 'Made']);
    const own = await newOrg('Shops');
    await same(() => ['org', 'set', own, '--name', 'Shops Inc']);
    await same(() => ['org', 'suspend', own, '--what', 'ingest', '--reason', 'too many events']);
    const listed = (await same(() => ['org', 'list'])) as Json[];
    expect(listed.find(({ id }) => id === own)).to.deep.include({ name: 'Shops Inc' }).and.to.have.property('suspension');
    await same(() => ['org', 'resume', own]);
    await same(() => ['limits', own, '--projects', '3', '--events-per-month', 'none', '--weight', '2']);
    expect(await same(() => ['limits', own])).to.have.deep.property('limits', { projects: 3, events_per_month: null, weight: 2 });
    expect(await same(async () => ['org', 'delete', await newOrg('Leaving'), '--name', 'Leaving'])).to.include({ deleted: true });
  }); // prettier-ignore

  it('manages projects as on the folder', async () => {
    await same(() => ['project', 'create', 'Made', '--org', acme.orgId]);
    const own = await newProject('Shop');
    const settings = ['--timezone', 'Europe/Paris', '--personal-properties', 'plan,team', '--events-per-month', '500'];
    await same(() => ['project', 'set', own, '--name', 'Web shop', '--retention-days', '90', ...settings]);
    await same(() => ['project', 'suspend', own, '--reason', 'unpaid']);
    await onFolder(['org', 'suspend', acme.orgId, '--reason', 'all of it']);
    const every = (await same(() => ['project', 'list'])) as Json[];
    expect(every.map(({ id }) => id)).to.include.members([own, test.keys.project.id]);
    await same(() => ['project', 'list', '--org', acme.orgId]);
    await same(() => ['project', 'resume', own]);
    await onFolder(['org', 'resume', acme.orgId]);
    const leaving = async (): Promise<readonly string[]> => ['project', 'delete', await newProject('Bye'), '--name', 'Bye'];
    expect(await same(leaving)).to.include({ deleted: true });
  }); // prettier-ignore

  it('lists all projects of a host that has more than a page of them', async () => {
    const pages = [
      { page: [{ id: 'prj_1' }], next: 'prj_1' },
      { page: [{ id: 'prj_2' }], next: null },
    ].map(({ page, next }) => ({ page: page.map((one) => ({ ...one, settings: {} })), next }));
    const server = new ScriptedServer(
      pages.map(({ page, next }) => (response) => {
        response.writeHead(200, { 'Content-Type': 'application/json', ...(next === null ? {} : { 'X-Next-Cursor': next }) });
        response.end(JSON.stringify(page));
      }),
      (response) => response.writeHead(500).end(),
    ); // prettier-ignore
    const url = await server.start();
    const { stdout } = await wlInside(['admin', 'project', 'list', '--json', '--host', url], { WINDLASS_OPERATOR_KEY: key });
    await server.stop();
    expect((JSON.parse(stdout) as Json[]).map(({ id }) => id)).to.deep.equal(['prj_1', 'prj_2']);
    expect(server.requests.map((one) => one.url)).to.deep.equal([
      '/operator/projects?limit=1000',
      '/operator/projects?limit=1000&cursor=prj_1',
    ]);
    expect(server.requests[0]?.headers['x-api-key']).to.equal(key);
  }); // prettier-ignore

  it('manages tokens, links and sessions as on the folder', async () => {
    const project = acme.projectId;
    const create = ['token', 'create', project, '--scopes', 'query, track', '--expires-in', '720h', '--name', 'ci'];
    expect(await same(() => create)).to.include({ project_id: project });
    await same(() => ['token', 'create', project, '--scopes', 'query', '--no-personal']);
    const [first] = (await same(() => ['token', 'list', project])) as Json[];
    expect(await json(['token', 'revoke', String(first?.['id'])])).to.deep.equal({ deleted: true, id: first?.['id'] });
    const next = async (): Promise<readonly string[]> => ['token', 'revoke', String((await json(create))['id'])];
    await same(next);
    await same(() => ['login-link', '--email', 'ada@example.com']);
    await same(() => ['login-link', '--email', 'Ada@Example.com', '--org', acme.orgId, '--role', 'viewer']);
    expect(await same(() => ['logout', '--email', 'ADA@example.com'])).to.deep.equal({ email: 'ada@example.com', sessions_ended: 0 });
  }); // prettier-ignore

  it('gives the only organization of a host a first owner, and a project', async () => {
    const lone = await startTestService();
    const made = await wlInside(['admin', 'operator-key', 'create', 'k', '--json', '--data', lone.folder]);
    const env = { WINDLASS_OPERATOR_KEY: String((JSON.parse(made.stdout) as Json)['key']) };
    const told = async (...args: string[]): Promise<string> => (await wlInside(['admin', ...args, '--host', lone.url], env)).stdout;
    expect(await told('login-link', '--email', 'a@example.com')).to.include(`(${lone.keys.organization.id}) as owner`);
    expect(await told('project', 'create', 'Second')).to.include(lone.keys.organization.id);
    await lone.stop();
    const several = await onHost(['project', 'create', 'Which']);
    expect([several.code, several.stderr]).to.deep.equal([1, (await onFolder(['project', 'create', 'Which'])).stderr]);
  }); // prettier-ignore

  it('tells usage, messages, load and health as on the folder', async () => {
    await test.post('/track', { event_type: 'a', user_id: 'u' });
    await test.rows('a | count');
    const counted = async (): Promise<boolean> => {
      const organizations = (await json(['usage'])) as unknown as { projects: Json[] }[];
      const projects = organizations.flatMap((organization) => organization.projects);
      return projects.some((project) => project['events_stored'] === 1 && project['queries_run'] === 1);
    };
    while (!(await counted())) await setTimeout(50); // within 5 s the service writes what it has counted
    await same(() => ['usage']);
    await same(() => ['usage', '--csv']);
    await same(() => ['usage', '--month', '2020-01']);
    await same(() => ['usage', '--month', '2020-01', '--csv']);
    await same(() => ['webhooks']);
    expect(await json(['webhooks', '--test', '--limit', '1'])).to.have.nested.property('[0].type', 'webhook.test');
    const top = ['top', '--every', '1', '--json'];
    const [folder, host] = [await onFolder(top), await onHost(top)];
    const names = (text: string): unknown[] =>
      (JSON.parse(text) as Json[]).map((line) => [Object.keys(line), line['project'], line['organization']]);
    expect(names(host.stdout)).to.deep.equal(names(folder.stdout));
    expect(host.stdout).to.include('My project');
    const checks = (text: string): string[] => [...text.matchAll(/^(?:ok {2}|MEND) {2}([\w ]+):/gm)].map(([, name]) => name!);
    const [here, there] = [await onFolder(['doctor']), await onHost(['doctor'])];
    expect(checks(there.stdout)).to.include.members(['versions', 'permissions', 'server']);
    expect(checks(there.stdout)).to.deep.equal(checks(here.stdout));
    expect([there.code, there.stderr === '']).to.deep.equal([here.code, here.stderr === '']);
  }); // prettier-ignore

  it('exports a project to a file of this machine, and imports it from one', async () => {
    await send(test, ['POST', '/track'], { key: acme.secretKey }, { events: [{ event_type: 'moved' }, { event_type: 'moved' }] });
    const folder = temporaryFolder();
    const [here, there] = [join(folder, 'here.windlass'), join(folder, 'from.windlass')];
    const shown = ({ stdout }: Finished): string => stdout.replace(/\w+\.windlass/, 'FILE').replace(/\d+ bytes/, 'BYTES');
    const told = await onHost(['project', 'export', acme.projectId, there]);
    expect(shown(told)).to.equal(shown(await onFolder(['project', 'export', acme.projectId, here])));
    expect(told.stdout).to.include(`${statSync(there).size} bytes`);
    expect(statSync(there).mode & 0o777).to.equal(0o600);
    const again = await onHost(['project', 'export', acme.projectId, there]);
    expect([again.code, again.stderr]).to.match(/already exists/);
    const missing = await onHost(['project', 'export', 'prj_none', join(folder, 'none.windlass')]);
    expect([missing.code, missing.stderr]).to.match(/^1,wl: There is no such project/);
    expect(readdirSync(folder)).to.have.members(['here.windlass', 'from.windlass']);
    const imported = (await same(() => ['project', 'import', there, '--org', acme.orgId, '--name=-Moved'])) as Json;
    expect(imported['name']).to.equal('-Moved');
    const body = { q: 'moved | all | count', format: 'json' };
    const answer = await send(test, ['POST', '/query'], { key: String(imported['secret_key']) }, body);
    expect(await answer.json()).to.deep.equal([{ count: 2 }]);
    writeFileSync(join(folder, 'text'), 'no project');
    for (const [file, why] of [['text', /not|no/], ['none', /ENOENT|no such/]] as const) {
      const { code, stderr } = await onHost(['project', 'import', join(folder, file), '--org', acme.orgId]);
      expect([code, stderr]).to.match(why).and.to.not.match(/bug/);
    }
    writeFileSync(join(folder, 'torn'), readFileSync(there).subarray(0, 2_000));
    const torn = await onHost(['project', 'import', join(folder, 'torn'), '--org', acme.orgId]);
    expect([torn.code, torn.stdout]).to.deep.equal([1, '']);
  }); // prettier-ignore

  it('says that a file is larger than the host takes', async () => {
    const small = await startTestService({ WINDLASS_BULK_LIMIT: '1KiB' });
    const folder = temporaryFolder();
    const made = await wlInside(['admin', 'operator-key', 'create', 'k', '--json', '--data', small.folder]);
    const env = { WINDLASS_OPERATOR_KEY: String((JSON.parse(made.stdout) as Json)['key']) };
    const file = join(folder, 'large.windlass');
    await onHost(['project', 'export', acme.projectId, file]);
    const { code, stderr } = await wlInside(['admin', 'project', 'import', file, '--host', small.url], env);
    await small.stop();
    expect(`${code} ${stderr}`).to.match(/^1 wl: The file has more than 1,024 bytes[^]*WINDLASS_BULK_LIMIT/);
  });

  it('says what it cannot do from afar, and why', async () => {
    const lines = [
      ['operator-key', 'list'],
      ['backup', '/backup'],
      ['restore', '/backup'],
      ['check'],
      ['cluster', 'init'],
    ];
    for (const line of lines) {
      const { code, stdout, stderr } = await onHost(line);
      expect([code, stdout], line.join(' ')).to.deep.equal([1, '']);
      expect(stderr).to.match(/^wl: this command works only on the machine of the service, so without --host\nSee: /);
    }
    const file = join(temporaryFolder(), 'p.windlass');
    const kept = await onHost(['project', 'export', acme.projectId, file, '--keep-keys']);
    expect([kept.code, kept.stderr, existsSync(file)]).to.match(/^1,wl: --keep-keys works only/);
    const both = await onFolder(['org', 'list', '--host', test.url]);
    expect([both.code, both.stderr]).to.match(/^1,wl: --host and --data contradict/);
  });

  it('passes on what the host refuses', async () => {
    const old = { event_type: 'old', time: new Date(Date.now() - 400 * DAY_MS).toISOString() };
    expect((await send(test, ['POST', '/track'], { key: acme.secretKey }, old)).status).to.equal(200);
    const shorter = ['project', 'set', acme.projectId, '--retention-days', '30'];
    const refused = await onHost(shorter);
    expect([refused.code, refused.stderr]).to.match(/^1,wl: 1 stored event is older than 30 days[^]*--yes/);
    expect(await json([...shorter, '--yes'])).to.have.nested.property('retention_change.retention_days', 30);
    for (const line of [['limits', 'org_none'], ['token', 'list', 'prj_none'], ['token', 'revoke', 'tok_none']]) {
      const { code, stderr } = await onHost(line);
      expect([code, stderr], line.join(' ')).to.match(/^1,wl: (?:There is no such|there is no) /i);
    }
    const named = await onHost(['org', 'delete', acme.orgId, '--name', 'Other']);
    expect([named.code, named.stderr]).to.match(/^1,wl: Nothing was deleted/);
    const sly = await onHost(['limits', '..']);
    expect([sly.code, sly.stderr]).to.match(/^1,wl: ".." is not a valid organization id/);
  }); // prettier-ignore

  it('takes the key from the environment or a file, and never shows it', async () => {
    const file = join(temporaryFolder(), 'key');
    writeFileSync(file, `${key}\n`);
    expect((await onHost(['org', 'list'], { WINDLASS_OPERATOR_KEY_FILE: file })).code).to.equal(0);
    const none = await onHost(['org', 'list'], { WINDLASS_API_KEY: key });
    expect([none.code, none.stderr]).to.match(/^1,wl: No API key is set for .*\n.*operator key \(op_\)[^]*WINDLASS_OPERATOR_KEY/);
    const wrong = `op_${'x'.repeat(43)}`;
    for (const other of [wrong, acme.adminKey]) {
      const { code, stderr } = await onHost(['org', 'list'], { WINDLASS_OPERATOR_KEY: other });
      expect([code, stderr]).to.match(/^1,wl: .*\n[^]*wl admin operator-key create[^]*from WINDLASS_OPERATOR_KEY/);
      expect(stderr).to.not.include(other).and.not.include('--api-key');
    }
    const odd = await onHost(['org', 'list'], { WINDLASS_OPERATOR_KEY: 'op_ä' });
    expect([odd.code, odd.stderr]).to.match(/^1,wl: The API key from WINDLASS_OPERATOR_KEY is malformed/);
    const given = await onHost(['org', 'list', '--api-key', key]);
    expect([given.code, given.stderr]).to.match(/^1,wl: .*api-key/);
  }); // prettier-ignore

  it('says that a host is away, or is none', async () => {
    const to = (host: string): Promise<Finished> =>
      wlInside(['admin', 'org', 'list', '--host', host, '--timeout', '5s'], { WINDLASS_OPERATOR_KEY: key });
    expect((await to('http://127.0.0.1:1')).stderr).to.match(/^wl: Could not connect to http:\/\/127.0.0.1:1/);
    expect((await to('ftp://x')).stderr).to.match(/^wl: The host from --host must be an address/);
    const answers: [number, string, string, RegExp][] = [
      [200, 'text/html', '<p>portal', /does not look like a Windlass server/],
      [200, 'application/json', '1', /is it a Windlass server/],
      [302, 'text/plain', '', /has moved to/],
    ];
    for (const [status, type, body, why] of answers) {
      const server = new ScriptedServer([], (response) =>
        response.writeHead(status, { 'Content-Type': type, ...(status === 302 && { Location: 'http://other.example' }) }).end(body),
      );
      const { code, stderr } = await to(await server.start());
      await server.stop();
      expect([code, stderr]).to.match(why);
    }
  }); // prettier-ignore
});
