import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../../lib/base/config/config.ts';
import { silentLog } from '../../../lib/base/log.ts';
import { ControlDatabase, SECRET_FILE } from '../../../lib/control/database.ts';
import type { PostgresLocation } from '../../../lib/base/config/postgres-location.ts';
import { startService, type RunningService } from '../../../lib/server/service.ts';
import { openEmbeddedStore } from '../../../lib/store/open-embedded-store.ts';
import { wlInside, wlJson } from '../../../test/cli/run-inside.ts';
import { SAMPLE } from '../../../test/dashboards/dashboard-files.ts';
import type { World } from '../../../test/oracle/world.ts';
import { askAt, WAYS, type Said } from '../../../test/support/asked-answer.ts';
import { tries } from '../../../test/support/campaign.ts';
import { clickHouseAccess } from '../support/chdb-server/chdb-server.ts';
import { goldenNames, readGolden } from '../../../test/support/golden-run.ts';
import { dropSchemas, newSchema, urlOf } from '../support/postgres-schema.ts';
import { startTestService } from '../../../test/support/service.ts';
import { PLAIN, StoreSubject } from '../../../test/support/store-subject.ts';
import { makeTenant, send, type Tenant } from '../../../test/support/tenants.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { wireJson } from '../../../test/support/wire-json.ts';
import { roughly } from '../support/roughly.ts';

/** Of the worlds that one golden file has to itself, every so many moves, as each takes a second; with WINDLASS_TEST_TIMES all. */
const EVERY = tries(1) > 1 ? 1 : 12;
const BY = { name: 'test', ip: null };
/** No limit of requests a minute: the clock jumps. */
const ALONE = { WINDLASS_ADDR: '127.0.0.1:0', WINDLASS_METRICS_ADDR: 'none', WINDLASS_THREADS: '1', WINDLASS_QUERIES_PER_MINUTE: '0', WINDLASS_EVENTS_PER_MINUTE: '0' }; // prettier-ignore

interface Place {
  readonly world: World;
  readonly cases: readonly ReturnType<typeof readGolden>[];
  project: string;
  key: string;
}

/** Worlds with the cases that are asked of them. */
function places(): Place[] {
  const cases = goldenNames().map(readGolden);
  const worlds = [...Map.groupBy(cases, ({ world }) => wireJson(world)).values()];
  return worlds.flatMap((of, nth) =>
    of.length > 1 || nth % EVERY === 0 ? [{ world: of[0]!.world, cases: of, project: '', key: '' }] : [],
  );
}

describe('a data folder with the golden worlds that moves to ClickHouse and PostgreSQL, and back', function () {
  this.timeout(600_000);
  const moved = places();
  let folder: string;
  let tenant: Tenant;
  let location: PostgresLocation;
  let cluster: Record<string, string>;
  let service: RunningService;
  /** What the folder's own server says, before it moves. */
  let answers: readonly Said[];
  let facts: readonly string[];

  const start = (data: string, env: Record<string, string> = {}): Promise<RunningService> =>
    startService({ config: readConfig({ ...ALONE, WINDLASS_DATA: data, ...env }), log: silentLog() });

  async function ask(): Promise<Said[]> {
    const said: Said[] = [];
    for (const [nth, { key, cases }] of moved.entries())
      for (const [mth, { query, context }] of cases.entries())
        said.push(await askAt({ url: service.url, key }, { q: query, context, asking: WAYS[(nth + mth) % WAYS.length]! })); // prettier-ignore
    return said;
  }

  /** What the host says of everything but events, with each kind of credential. */
  async function tell(): Promise<string[]> {
    const { adminKey, orgId, projectId, secretKey, tokens, cookies } = tenant;
    const range = 'from=2026-01-01&to=2026-12-31';
    const asked = [
      ...['organization', 'members', 'projects', 'audit', `usage?${range}`].map((of) => [`/api/admin/${of}`, { key: adminKey }] as const), // prettier-ignore
      ...[`/api/admin/projects/${projectId}`, `/api/admin/projects/${projectId}/tokens`].map((of) => [of, { key: adminKey }] as const), // prettier-ignore
      ...['/dashboards', '/dashboards/sample', '/dashboards/sample?version=1', '/cohorts', '/cohorts/buyers?version=1'].map((of) => [of, { key: secretKey }] as const), // prettier-ignore
      ...Object.values(tokens).map(({ key }) => ['/key', { key }] as const),
      ...Object.values(cookies).map((cookie) => ['/api/session', { cookie }] as const),
      ...[`/api/orgs/${orgId}/members`, `/api/projects/${projectId}/dashboards`].map((of) => [of, { cookie: cookies.owner }] as const), // prettier-ignore
    ];
    const told: string[] = [];
    for (const [path, sender] of asked) {
      const answer = await send(service, ['GET', path], sender);
      const text = (await answer.text()).replaceAll(/"last_used_at":(?:null|"[^"]*")/g, ''); // asking is a use
      told.push(`${path}: ${answer.status} ${text}`);
    }
    return told;
  }

  const wl = async (...args: string[]): Promise<Record<string, unknown>> => {
    const { code, stdout, stderr } = await wlInside(['admin', 'cluster', ...args, '--data', folder, '--json'], cluster);
    if (code !== 0) throw new Error(`wl ${args.join(' ')}: ${stderr}`);
    return JSON.parse(stdout) as Record<string, unknown>;
  };

  before(async () => {
    const first = await startTestService();
    folder = first.folder;
    tenant = await makeTenant(first, 'Acme');
    for (const title of ['Sample', 'Another'])
      await send(first, ['PUT', '/dashboards/sample'], { key: tenant.secretKey }, SAMPLE.replace('title: Sample', `title: ${title}`)); // prettier-ignore
    for (const where of ['did(a)', 'did(a) >= 2'])
      await send(first, ['PUT', '/cohorts/buyers'], { key: tenant.secretKey }, { where });
    await first.service.close();
    const control = await ControlDatabase.open(folder, { secret: null });
    const subject = new StoreSubject(PLAIN, openEmbeddedStore, folder);
    const store = await subject.store;
    store.onUsage((totals) => control.usage.record(totals));
    for (const place of moved) {
      const { project, secretKey } = await control.projects.create(tenant.orgId, 'World', BY);
      Object.assign(place, { project: project.id, key: secretKey });
      subject.project = project.id;
      for (const request of place.world) await subject.send(request);
    }
    await store.close();
    await control.close();

    location = await newSchema();
    const { url, user, password, database } = await clickHouseAccess();
    cluster = {
      WINDLASS_SECRET: readFileSync(join(folder, SECRET_FILE), 'utf8').trim(),
      WINDLASS_CONTROL: urlOf(location),
      WINDLASS_STORE: `clickhouse://${user}:${password}@${new URL(url).host}/${database}`,
    };
    service = await start(folder);
    answers = await ask();
    await tell(); // the first act of a session in an organization is told in its trail
    facts = await tell();
  });
  after(async () => {
    await service.close();
    await dropSchemas([location]);
  });

  it('moves by one command while its server runs, and by another that finishes', async () => {
    const first = await wl('import');
    expect(first).to.deep.include({ finished: false, failed: [] });
    await service.close();
    const last = await wl('import', '--finish');
    expect(last).to.deep.include({ finished: true, failed: [] });
    expect(last['projects']).to.have.length.at.least(moved.filter(({ world }) => world.length > 0).length / 2);
  });

  it('is served by a node of the cluster with the same accounts, keys, dashboards, usage and audit trail', async () => {
    service = await start(temporaryFolder(), cluster);
    for (const [nth, said] of (await tell()).entries()) expect(said).to.equal(facts[nth]);
  });

  it('answers every question there alike, but for the last digits of long numbers', async () => {
    const there = await ask();
    for (const [nth, said] of there.entries()) expect(roughly(said)).to.deep.equal(roughly(answers[nth]!));
    expect(there).to.have.length(answers.length);
  });

  it('comes back, project by project, with the same answers', async () => {
    const back = temporaryFolder();
    await wlJson(back, ['admin', 'org', 'create', 'Back']);
    for (const { project } of moved) {
      const file = join(temporaryFolder(), 'project.windlass');
      await wl('export', project, file, '--keep-keys');
      await wlJson(back, ['admin', 'project', 'import', file, '--keep-keys']);
    }
    await service.close();
    service = await start(back);
    const here = await ask();
    for (const [nth, said] of here.entries()) expect(said).to.deep.equal(answers[nth]);
  });
});
