import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ControlDatabase } from '../../lib/control/database.ts';
import type { Turns } from '../support/loop-turns.ts';
import { Served } from '../support/served.ts';

const LOOP_TURNS = new URL('../support/loop-turns.js', import.meta.url).href;
const EVENTS = 10_000;
const ATTACK_MS = 1_500;
const BY = { name: 'test', ip: null };
/** Milliseconds of processor time that the event loop may take before it looks at others. */
const HELD = 10;

describe('the event loop of a service', () => {
  let folder: string;
  let served: Served | null = null;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'windlass-'));
  });
  afterEach(async () => {
    served?.kill('SIGKILL');
    await served?.exited;
    rmSync(folder, { recursive: true });
  });

  it('is not held by a tenant that asks as much as it can, and others are answered meanwhile', async () => {
    const [attacker, other] = await projects(folder);
    const unlimited = { WINDLASS_EVENTS_PER_MINUTE: '0', WINDLASS_QUERIES_PER_MINUTE: '0' };
    served = new Served(folder, { ...unlimited, WINDLASS_THREADS: '2', NODE_OPTIONS: `--import=${LOOP_TURNS}` });
    const url = await served.ready();
    const ask = async (key: string, q: string): Promise<string> => {
      const body = JSON.stringify({ q, format: 'json', limit: 10_000 });
      const response = await fetch(`${url}/query`, { method: 'POST', headers: { 'X-API-Key': key }, body });
      return `${response.status} ${await response.text()}`;
    };
    await send(url, attacker, lines(EVENTS));
    await send(url, other, lines(1_000));
    const until = performance.now() + ATTACK_MS;
    const attacks = attack().map(async (question) => {
      for (let nth = 0; performance.now() < until; nth++) expect(await ask(attacker, question(nth))).to.match(/^200 /);
    });
    let answered = 0;
    while (performance.now() < until) {
      expect(await ask(other, '* | last 30d | count')).to.equal('200 [{"count":1000}]');
      answered++;
    }
    await Promise.all(attacks);
    const turns = await turnsOf(served);
    expect(turns.p99, `${JSON.stringify(turns)}, ${answered} answers`).to.be.below(HELD);
    expect(answered).to.be.greaterThan(0);
  });
});

/** Keys of two projects in two organizations. */
async function projects(folder: string): Promise<[attacker: string, other: string]> {
  const control = await ControlDatabase.open(folder, { secret: null });
  try {
    const make = async (name: string): Promise<string> => {
      const { organization } = await control.organizations.create(name);
      return (await control.projects.create(organization.id, name, BY)).secretKey;
    };
    return [await make('attacker'), await make('other')];
  } finally {
    await control.close();
  }
}

/** Events with many texts, as NDJSON. */
function lines(count: number): string {
  const time = new Date(Date.now() - 3_600_000).toISOString();
  return Array.from({ length: count }, (_, nth) =>
    JSON.stringify({
      ...{
        event_type: nth % 3 === 0 ? 'view' : 'click',
        time,
        user_id: `user ${nth % 5_000}`,
        session_id: `s${nth % 9_000}`,
      },
      event_properties: { path: `/docs/${nth}/page`, number: nth % 977 },
    }),
  ).join('\n');
}

async function send(url: string, key: string, body: string): Promise<void> {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/x-ndjson' };
  const response = await fetch(`${url}/track`, { method: 'POST', headers, body });
  expect(response.status, await response.text()).to.equal(200);
}

/** Expensive queries: different regular expressions each time, all rows, many groups. */
function attack(): readonly ((nth: number) => string)[] {
  const regular = (nth: number): string =>
    Array.from({ length: 200 }, (_, at) => `event_properties.path ~ "(a|b)*x${nth}_${at}.*y"`).join(' or ');
  const heavy = [
    '* | last 30d | list | limit 10000',
    '* | last 30d | count by event_properties.path | limit 10000',
    '* | last 30d | count, unique by session_id, user_id | limit 10000',
    'inspect view | last 30d',
    '* | last 30d | mode event_properties.path by user_id | limit 10000',
  ];
  const loops = heavy.map((q) => () => q);
  return [
    ...loops,
    ...[0, 1].map((first) => (nth: number) => `* | last 30d | where ${regular(2 * nth + first)} | count`),
  ];
}

async function turnsOf(served: Served): Promise<Turns> {
  served.kill('SIGUSR2');
  for (;;) {
    const told = /^loop turns (.*)$/m.exec(served.stdout)?.[1];
    if (told !== undefined) return JSON.parse(told) as Turns;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
