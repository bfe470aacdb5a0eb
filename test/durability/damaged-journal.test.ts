import { expect } from 'chai';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ControlDatabase } from '../../lib/control/database.ts';
import { wl } from '../cli/run-wl.ts';
import { Served } from '../support/served.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const REQUESTS = 20;
const EVENTS = 50;

describe('a bit that flips in the middle of a journal, under a server that was killed', () => {
  const folder = temporaryFolder();
  const journal = join(folder, 'journal');
  const started: Served[] = [];
  after(() => started.forEach((served) => served.kill('SIGKILL')));
  const serve = (): Served => {
    const served = new Served(folder, { WINDLASS_METRICS_ADDR: '127.0.0.1:0' });
    started.push(served);
    return served;
  };

  it('costs the one request it is in, which log, metric and `wl admin check` tell, and the server is ready', async () => {
    const control = await ControlDatabase.open(folder, { secret: null });
    const { organization } = await control.organizations.create('Org');
    const make = async (name: string): Promise<Tenant> => {
      const { project, secretKey } = await control.projects.create(organization.id, name, { name: 'test', ip: null });
      return { id: project.id, key: secretKey };
    };
    const [hit, other] = [await make('Hit'), await make('Other')];
    await control.close();
    const first = serve();
    const url = await first.ready();
    for (let request = 0; request < REQUESTS; request++) {
      for (const { key } of [hit, other]) await track(url, key, request);
    }
    first.kill('SIGKILL');
    await first.exited;

    flip(journal, `"request":${REQUESTS / 2},"of":"${hit.key.slice(-8)}"`);
    expect((await check(folder)).code, 'before the start').to.equal(1);
    const second = serve();
    const again = await second.ready();
    expect(await count(again, hit.key)).to.equal((REQUESTS - 1) * EVENTS);
    expect(await count(again, other.key)).to.equal(REQUESTS * EVENTS);
    expect((await fetch(`${again}/readyz`)).status).to.equal(200);
    expect(second.stderr).to.match(
      new RegExp(`"projects":\\["${hit.id}"\\],"records":1,"bytes":\\d+.*damaged journal file`),
    );
    expect(await metric(second, 'windlass_store_journal_damaged_files')).to.equal(1);
    expect(await metric(second, 'windlass_store_journal_lost_records')).to.equal(1);
    const told = await check(folder);
    expect(told.code).to.equal(1);
    expect(told.stdout).to.equal(`damaged: journal of project ${hit.id} (Hit)\n`);
    expect(told.stderr)
      .to.match(/: 1 records, \d+ bytes cannot be read/)
      .and.not.include(other.id);

    const aside = readdirSync(journal).filter((name) => name.startsWith('damaged-'));
    expect(aside.map((name) => name.replace(/^.*\./, ''))).to.have.members(['log', 'json']);
    for (const name of aside) rmSync(join(journal, name));
    expect((await check(folder)).code, 'put away by the operator').to.equal(0);
  });
});

interface Tenant {
  readonly id: string;
  readonly key: string;
}

const check = (folder: string): ReturnType<typeof wl> => wl(['admin', 'check', '--data', folder]);

/** Flips a bit of a text in the only journal file that contains it. */
function flip(folder: string, text: string): void {
  const name = readdirSync(folder).find((file) => readFileSync(join(folder, file)).includes(text));
  if (name === undefined) throw new Error(`no journal has ${text}`);
  const bytes = readFileSync(join(folder, name));
  bytes[bytes.indexOf(text)]! ^= 2;
  writeFileSync(join(folder, name), bytes);
}

async function post(url: string, key: string, body: unknown): Promise<unknown> {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.status).to.equal(200);
  return response.json();
}

async function track(url: string, key: string, request: number): Promise<void> {
  const event_properties = { request, of: key.slice(-8) };
  const events = Array.from({ length: EVENTS }, () => ({ event_type: 'e', event_properties }));
  expect(await post(`${url}/track`, key, { events })).to.deep.equal({ accepted: EVENTS });
}

async function count(url: string, key: string): Promise<number> {
  const rows = (await post(`${url}/query`, key, { q: 'e | last 1 d | count', format: 'json' })) as { count: number }[];
  return rows[0]!.count;
}

async function metric(served: Served, name: string): Promise<number> {
  const address = /metrics on ([\d.:]+)/.exec(served.stdout)?.[1] ?? '';
  const text = await (await fetch(`http://${address}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
}
