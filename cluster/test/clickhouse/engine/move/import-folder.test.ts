import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../../../../lib/base/config/config.ts';
import { silentLog } from '../../../../../lib/base/log.ts';
import { ClickHouse, type Access } from '../../../../lib/clickhouse/client.ts';
import { startService, type RunningService } from '../../../../../lib/server/service.ts';
import { exitOf, startWl } from '../../../../../test/cli/run-wl.ts';
import { wlInside, wlJson } from '../../../../../test/cli/run-inside.ts';
import { clickHouseAccess } from '../../../support/chdb-server/chdb-server.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';

/** Three inserts. */
const EVENTS = 101_000;
const DAYS = 4;
const NOW = Date.now();

interface Told {
  readonly finished: boolean;
  readonly projects: readonly { readonly project: string; readonly events: number; readonly copied: number; readonly days: number }[];
} // prettier-ignore

/** What users see, whose order does not depend on the store. */
const QUESTIONS = [
  '* | last 30d | count, unique by day',
  'funnel a -> b | last 30d',
  'a | last 30d | sum event_properties.n by event_properties.kind',
  'users | where user.plan = "pro"',
  '* | last 30d | count by distinct_id | limit 20',
];

/** The id of a folder's only project. */
async function projectOf(folder: string): Promise<string> {
  const [project] = (await wlJson(folder, ['admin', 'project', 'list'])) as { readonly id: string }[];
  return project?.id ?? '';
}

describe('`wl admin cluster import`', () => {
  const folder = temporaryFolder();
  let access: Access;
  let clickHouse: ClickHouse;
  let env: Record<string, string>;
  let service: RunningService;
  let key: string;
  let sent = 0;

  const start = (more: Record<string, string> = {}): Promise<RunningService> => {
    const settings = { WINDLASS_DATA: folder, WINDLASS_ADDR: '127.0.0.1:0', WINDLASS_METRICS_ADDR: 'none', ...more };
    return startService({ config: readConfig(settings), log: silentLog() });
  };
  const post = async (path: string, body: string, type = 'application/json'): Promise<Response> => {
    const headers = { 'X-API-Key': key, 'Content-Type': type };
    const response = await fetch(service.url + path, { method: 'POST', headers, body });
    expect(response.status, path).to.equal(200);
    return response;
  };
  const track = async (count: number): Promise<void> => {
    const lines = Array.from({ length: count }, () => {
      const n = sent++;
      const event = { event_type: n % 3 === 0 ? 'a' : 'b', user_id: `u${n % 500}`, insert_id: `i${n}`, time: NOW - (n % DAYS) * 86_400_000 }; // prettier-ignore
      return JSON.stringify({ ...event, event_properties: { n, kind: `k${n % 7}` } });
    });
    await post('/track', lines.join('\n'), 'application/x-ndjson');
  };
  const ask = async (): Promise<unknown[]> => {
    const answers: unknown[] = [];
    for (const q of QUESTIONS) answers.push(await (await post('/query', JSON.stringify({ q, format: 'json' }))).json());
    return answers;
  };
  const stored = async (): Promise<number> => {
    const { rows } = await clickHouse.query({ sql: 'SELECT count() FROM events' });
    return Number(rows[0]?.[0]);
  };
  const run = async (...more: string[]): Promise<Told> => {
    const { code, stdout, stderr } = await wlInside(['admin', 'cluster', 'import', '--data', folder, '--json', ...more], env); // prettier-ignore
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as Told;
  };

  before(async () => {
    access = await clickHouseAccess();
    clickHouse = new ClickHouse(access);
    const { host } = new URL(access.url);
    const user = access.password === '' ? '' : `${access.user}:${access.password}@`;
    env = { WINDLASS_STORE: `clickhouse://${user}${host}/${access.database}` };
    service = await start();
    key = service.defaults?.secretKey ?? '';
    await track(EVENTS);
    await post('/identify', JSON.stringify({ user_id: 'u1', device_id: 'd1', user_properties: { plan: 'pro' } }));
    await post('/identify', JSON.stringify({ user_id: 'u2', device_id: 'd1', user_properties: { plan: 'pro' } }));
    await ask(); // seals what is pending
  });
  after(async () => {
    await Promise.all([service.close(), clickHouse.close()]);
  });

  it('goes on where one that was killed had come to, while the server takes events', async () => {
    const child = startWl(['admin', 'cluster', 'import', '--data', folder], env);
    const exited = exitOf(child);
    while ((await stored()) === 0 && child.exitCode === null) await sleep(5);
    child.kill('SIGKILL');
    expect(await exited, 'it was still running').to.equal(null);
    await track(1_000);
    expect(await stored()).to.be.below(EVENTS);
    await ask();
    const told = await run();
    expect(told).to.include({ finished: false });
    expect(told.projects[0]).to.include({ events: EVENTS + 1_000, days: DAYS });
    expect(await stored()).to.equal(EVENTS + 1_000);
    expect((await run()).projects[0], 'nothing is left').to.include({ copied: 0 });
  });

  it('has nothing of a user who is erased, and what comes meanwhile, with the next run', async () => {
    const headers = { 'X-API-Key': key };
    expect((await fetch(`${service.url}/api/gdpr/users/u3`, { method: 'DELETE', headers })).status).to.equal(200);
    await track(500);
    await ask();
    await run();
    const { rows } = await clickHouse.query({ sql: "SELECT count() FROM events WHERE user_id = 'u3' AND toUInt64(substring(insert_id, 2)) < 102000" }); // prettier-ignore
    expect(rows).to.deep.equal([[0]]);
  });

  it('wants the server stopped to finish, moves the rest, and then the cluster answers the same', async () => {
    expect(await run('--finish').catch(String)).to.include('another server uses the data folder');
    await track(700); // of which only the journal knows
    await service.close();
    const sealed = await start();
    service = sealed;
    const expected = await ask();
    await track(0);
    await service.close();
    const told = await run('--finish');
    expect(told).to.include({ finished: true });
    const events = told.projects[0]?.events ?? 0;
    expect(await stored()).to.equal(events);
    expect(events).to.be.above(EVENTS + 1_500);
    expect(await run().catch(String)).to.match(/was moved before/);

    expect(await start().then(() => '', String)).to.match(/were moved to ClickHouse/);
    service = await start(env);
    expect(await ask()).to.deep.equal(expected);
    await track(3);
    expect(await stored()).to.equal(events + 3);
    sent -= 3;
    await track(3);
    expect(await stored(), 'ids are remembered').to.equal(events + 3);
  });

  it('goes back: a project that is exported and imported elsewhere answers the same', async () => {
    const expected = await ask();
    const file = join(temporaryFolder(), 'back.windlass');
    const project = service.defaults?.project.id ?? (await projectOf(folder));
    const exported = await wlInside(['admin', 'cluster', 'export', project, file, '--keep-keys', '--data', folder, '--json'], env); // prettier-ignore
    expect(exported.code, exported.stderr).to.equal(0);
    expect(JSON.parse(exported.stdout)).to.include({ events: await stored() });
    const back = temporaryFolder();
    await wlJson(back, ['admin', 'org', 'create', 'Back']);
    await wlJson(back, ['admin', 'project', 'import', file, '--keep-keys']);
    const cluster = service;
    service = await start({ WINDLASS_DATA: back });
    try {
      expect(await ask()).to.deep.equal(expected);
      sent -= 5;
      await track(5); // ids are remembered
      expect(await ask()).to.deep.equal(expected);
    } finally {
      await service.close();
      service = cluster;
    }
  });

  it('leaves no copies behind, not even that of the run that was killed', () => {
    expect(readdirSync(join(folder, 'cluster-import')).filter((name) => name.startsWith('copy'))).to.deep.equal([]);
  });
});
