import { expect } from 'chai';
import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { wlJson } from '../cli/run-inside.ts';
import { Served } from '../support/served.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const CLIENTS = 3;
const BATCH = 20;
/** Least number of events acknowledged before the backup begins. */
const BEFORE = 600;

describe('a restore drill', () => {
  it('brings back every event acknowledged before the backup began, once, though load went on while it was made', async () => {
    const folder = join(temporaryFolder(), 'data');
    const backup = join(temporaryFolder(), 'backup');
    const settings = { WINDLASS_SEAL_ROWS: '150', WINDLASS_SEAL_AGE: '200ms', WINDLASS_SEGMENT_ROWS: '1024' };
    const served = new Served(folder, settings);
    const url = await served.ready();
    const key = served.secretKey;
    const acknowledged = new Set<number>();
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let next = client; ; next += CLIENTS) {
        const numbers = Array.from({ length: BATCH }, (__, i) => next * BATCH + i);
        if (!(await sent(url, key, numbers))) return;
        for (const n of numbers) acknowledged.add(n);
      }
    });
    while (acknowledged.size < BEFORE) await sleep(5);
    const before = [...acknowledged];
    await wlJson(folder, ['admin', 'backup', backup]);
    expect(acknowledged.size, 'the load went on').to.be.above(before.length);
    served.kill('SIGKILL');
    await Promise.all([served.exited, ...clients]);
    fs.rmSync(folder, { recursive: true });

    await wlJson(folder, ['admin', 'restore', backup]);
    const again = new Served(folder, settings);
    try {
      const found = await counted(await again.ready(), key);
      expect(
        [...found.values()].filter((count) => count !== 1),
        'each once',
      ).to.deep.equal([]);
      expect(
        before.filter((n) => !found.has(n)),
        'acknowledged before the backup began, and lost',
      ).to.deep.equal([]);
      expect(again.stderr).to.not.contain('damaged');
    } finally {
      again.kill('SIGKILL');
      await again.exited;
    }
  });
});

/** False if the server is gone. */
async function sent(url: string, key: string, numbers: readonly number[]): Promise<boolean> {
  const events = numbers.map((n) => ({ event_type: 'e', insert_id: `id-${n}`, event_properties: { n } }));
  try {
    const headers = { 'X-API-Key': key };
    const answer = await fetch(`${url}/track`, { method: 'POST', headers, body: JSON.stringify({ events }) });
    await answer.text();
    return answer.status === 200;
  } catch (error) {
    if (error instanceof TypeError) return false; // fetch throws it for a broken connection
    throw error;
  }
}

/** How often each number is stored. */
async function counted(url: string, key: string): Promise<ReadonlyMap<number, number>> {
  const found = new Map<number, number>();
  for (let offset = 0; ; offset += 10_000) {
    const q = 'e | last 1 d | count by event_properties.n';
    const body = JSON.stringify({ q, format: 'json', limit: 10_000, offset });
    const answer = await fetch(`${url}/query`, { method: 'POST', headers: { 'X-API-Key': key }, body });
    const page = (await answer.json()) as Record<string, string>[];
    expect(answer.status, JSON.stringify(page)).to.equal(200);
    for (const row of page) found.set(Number(row['event_properties.n']), Number(row['count']));
    if (page.length < 10_000) return found;
  }
}
