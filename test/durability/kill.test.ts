import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { tries } from '../support/campaign.ts';
import { Served } from '../support/served.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Kills per run. */
const KILLS = tries(3);
const CLIENTS = 4;
const BATCH = 7;

/** What a client knows: acknowledged events, and for each device the user it was last certainly bound to. */
interface Acknowledged {
  readonly events: Set<number>;
  readonly identified: Set<number>;
}

describe('kill -9 at any moment', function () {
  this.timeout(tries(600_000));
  const started: Served[] = [];
  const serve = (folder: string, settings: Record<string, string>): Served => {
    const served = new Served(folder, settings);
    started.push(served);
    return served;
  };
  after(() => started.forEach((served) => served.kill('SIGKILL')));

  it('loses nothing acknowledged and doubles nothing, over and over', async () => {
    const folder = temporaryFolder();
    const acknowledged: Acknowledged = { events: new Set(), identified: new Set() };
    const sent = new Set<number>();
    let key = '';
    for (let kill = 0; kill < KILLS; kill++) {
      const served = serve(folder, {
        WINDLASS_SEAL_ROWS: '300',
        WINDLASS_SEAL_AGE: '200ms',
        WINDLASS_SEGMENT_ROWS: '1024',
      });
      const url = await served.ready();
      key ||= served.secretKey;
      await expectAll(url, key, acknowledged, sent);
      const clients = Array.from({ length: CLIENTS }, (_, client) =>
        send(url, key, { client, from: kill * 1_000_000, acknowledged, sent }),
      );
      const heard = acknowledged.events.size + 2 * BATCH + ((kill * 613) % 1_700);
      while (acknowledged.events.size < heard) await sleep(5);
      served.kill('SIGKILL');
      await Promise.all([...clients, served.exited]);
    }
    const served = serve(folder, {});
    await expectAll(await served.ready(), key, acknowledged, sent);
    served.kill('SIGTERM');
    expect((await served.exited)[0]).to.equal(0);
    expect(acknowledged.events.size).to.be.above(KILLS * BATCH);
  });
});

interface Client {
  readonly client: number;
  /** First number of its events. */
  readonly from: number;
  readonly acknowledged: Acknowledged;
  readonly sent: Set<number>;
}

/** Sends batches, queries and identifies until the service is gone. Every batch is sent twice, like a client's retry. */
async function send(url: string, key: string, { client, from, acknowledged, sent }: Client): Promise<void> {
  for (let next = from + client; ; next += CLIENTS * BATCH) {
    const numbers = Array.from({ length: BATCH }, (_, i) => next + i * CLIENTS);
    for (const n of numbers) sent.add(n);
    const events = numbers.map((n) => ({
      event_type: 'e',
      user_id: `u${n}`,
      insert_id: `id-${n}`,
      event_properties: { n },
    }));
    const answers = await Promise.all([post(url, key, 'track', { events }), post(url, key, 'track', { events })]);
    if (answers.includes(true)) for (const n of numbers) acknowledged.events.add(n);
    const identified = await post(url, key, 'identify', {
      user_id: `p${next}`,
      user_property_ops: { $add: { times: 1 } },
    });
    if (identified) acknowledged.identified.add(next);
    if (next % 3 === 0) await post(url, key, 'query', { q: 'e | last 1 d | count' });
    if (!identified) return;
  }
}

/** Whether the answer was 200; false if the service is gone. */
async function post(url: string, key: string, path: string, body: unknown): Promise<boolean> {
  try {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    const answer = await fetch(`${url}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    await answer.text();
    return answer.status === 200;
  } catch (error) {
    if (error instanceof TypeError) return false; // fetch throws it for a broken connection
    throw error;
  }
}

async function rows(url: string, key: string, q: string): Promise<Record<string, string>[]> {
  const found: Record<string, string>[] = [];
  for (let offset = 0; ; offset += 10_000) {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ q, format: 'json', limit: 10_000, offset });
    const answer = await fetch(`${url}/query`, { method: 'POST', headers, body });
    expect(answer.status, q).to.equal(200);
    const page = (await answer.json()) as Record<string, string>[];
    found.push(...page);
    if (page.length < 10_000) return found;
  }
}

/** Every acknowledged event is stored once; unacknowledged ones at most once; nothing else is there. */
async function expectAll(
  url: string,
  key: string,
  acknowledged: Acknowledged,
  sent: ReadonlySet<number>,
): Promise<void> {
  const stored = (await rows(url, key, 'e | last 1 d | count by event_properties.n')).map((row) => [
    Number(row['event_properties.n']),
    row['count'],
  ]);
  expect(stored.filter(([, count]) => String(count) !== '1')).to.deep.equal([]);
  const numbers = new Set(stored.map(([n]) => n));
  expect([...acknowledged.events].filter((n) => !numbers.has(n))).to.deep.equal([]);
  expect(stored.filter(([n]) => !sent.has(Number(n)))).to.deep.equal([]);
  const profiles = await rows(url, key, 'users | last 1 d | where user.times exists | count by user_id, user.times');
  expect(profiles.filter((row) => row['user.times'] !== '1')).to.deep.equal([]);
  const known = new Set(profiles.map((row) => row['user_id']));
  expect([...acknowledged.identified].filter((n) => !known.has(`p${n}`))).to.deep.equal([]);
}
