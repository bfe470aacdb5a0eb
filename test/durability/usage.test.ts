import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { ControlDatabase } from '../../lib/control/database.ts';
import type { ProjectUsageRow } from '../../lib/control/types.ts';
import { tries } from '../support/campaign.ts';
import { Served } from '../support/served.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { lastTwoDays } from '../support/last-two-days.ts';

const KILLS = tries(3);
const VALID = 7;
const INVALID = 2;

/** Requests sent, and those of them answered. */
interface Told {
  sent: number;
  answered: number;
}

describe('usage, when the service is killed while it counts', function () {
  this.timeout(tries(600_000));
  const started: Served[] = [];
  after(() => started.forEach((served) => served.kill('SIGKILL')));

  it('says exactly what is stored, soon after the next start', async () => {
    const folder = temporaryFolder();
    const batches: Told = { sent: 0, answered: 0 };
    const refused: Told = { sent: 0, answered: 0 };
    let key = '';
    for (let kill = 0; kill < KILLS; kill++) {
      const served = serve(started, folder);
      const url = await served.ready();
      key ||= served.secretKey;
      const senders = [0, 1, 2].map((sender) => send(url, key, { name: `${kill} ${sender}`, batches, refused }));
      const heard = batches.answered + 2 + ((kill * 43) % 150);
      while (batches.answered < heard) await sleep(5);
      served.kill('SIGKILL');
      await Promise.all([...senders, served.exited]);
    }
    const served = serve(started, folder);
    const url = await served.ready();
    const rows = await post(url, key, 'query', { q: 'e | last 2 d | count', format: 'json' });
    const stored = (rows as { count: number }[])[0]?.count;
    let usage = await usageOf(folder);
    for (let look = 0; usage.events_stored !== stored && look < 50; look++) {
      await sleep(100);
      usage = await usageOf(folder);
    }
    expect(usage.events_stored).to.equal(stored);
    expect(usage.events_ingested).to.equal(usage.events_stored + usage.events_duplicate);
    // Every batch is counted as a whole: its valid events, its duplicates and its invalid ones.
    const counted = usage.events_ingested / (VALID + 1);
    expect(counted).to.be.within(batches.answered, batches.sent);
    expect(usage.events_duplicate).to.equal(counted);
    const refusals = (usage.events_rejected - counted * INVALID) / 3;
    expect(refusals).to.be.within(refused.answered, refused.sent);
    expect(batches.answered).to.be.above(KILLS);
    served.kill('SIGTERM');
    await served.exited;
  });

  it('loses of the queries at most those of the last two seconds', async () => {
    const folder = temporaryFolder();
    const served = serve(started, folder);
    const url = await served.ready();
    const key = served.secretKey;
    for (let n = 0; n < 5; n++) await post(url, key, 'query', { q: '* | count' });
    for (let look = 0; (await usageOf(folder)).queries_run < 5 && look < 20; look++) await sleep(100);
    for (let n = 0; n < 3; n++) await post(url, key, 'query', { q: '* | count' });
    served.kill('SIGKILL');
    await served.exited;
    expect((await usageOf(folder)).queries_run).to.be.within(5, 8);
  });
});

function serve(started: Served[], folder: string): Served {
  const served = new Served(folder, {
    WINDLASS_SEAL_ROWS: '150',
    WINDLASS_SEAL_AGE: '150ms',
    WINDLASS_EVENTS_PER_MINUTE: '0',
  });
  started.push(served);
  return served;
}

/** Sends until the service is gone. */
async function send(
  url: string,
  key: string,
  { name, batches, refused }: { name: string; batches: Told; refused: Told },
): Promise<void> {
  for (let n = 0; ; n++) {
    const event = (i: number): object => ({ event_type: 'e', insert_id: `${name} ${n} ${i}` });
    const events = [...Array.from({ length: VALID }, (_, i) => event(i)), event(0), {}, 5];
    batches.sent++;
    if ((await post(url, key, 'track', { events })) === null) return;
    batches.answered++;
    refused.sent++;
    if ((await post(url, key, 'track', { events: [{}, {}, null] })) === null) return;
    refused.answered++;
  }
}

/** The answer; null if the service is gone. */
async function post(url: string, key: string, path: string, body: unknown): Promise<unknown> {
  try {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    const answer = await fetch(`${url}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await answer.text();
    expect(answer.status, text).to.equal(200);
    return text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text;
  } catch (error) {
    if (error instanceof TypeError) return null; // fetch throws it for a broken connection
    throw error;
  }
}

/** The sum of yesterday and today, as a run may cross midnight. */
async function usageOf(folder: string): Promise<ProjectUsageRow> {
  const control = await ControlDatabase.open(folder, { secret: null });
  try {
    const [project] = await control.projects.list();
    const rows = await control.usage.ofProject(project!.id, lastTwoDays());
    return rows.reduce((sum, row) => {
      const added = Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'number' ? value + Number(sum[name as keyof ProjectUsageRow]) : value,
      ]);
      return Object.fromEntries(added) as ProjectUsageRow;
    });
  } finally {
    await control.close();
  }
}
