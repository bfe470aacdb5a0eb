import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { tries } from '../support/campaign.ts';
import { Served } from '../support/served.ts';
import { filesWith } from '../support/files-with.ts';
import { placesOf } from '../support/stored-texts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Kills per run. */
const KILLS = tries(3);
const EVENTS = 3000;

describe('kill -9 while a user is erased', function () {
  this.timeout(tries(600_000));
  const started: Served[] = [];
  after(() => started.forEach((served) => served.kill('SIGKILL')));
  const serve = (folder: string): Served => {
    const served = new Served(folder, { WINDLASS_SEAL_ROWS: '700', WINDLASS_SEGMENT_ROWS: '1024' });
    started.push(served);
    return served;
  };

  it('leaves all of the user or nothing; what was answered stays gone, byte by byte; the others lose nothing', async () => {
    const folder = temporaryFolder();
    let key = '';
    const answered = { before: 0, after: 0 };
    let served = serve(folder);
    for (let kill = 0; kill < KILLS; kill++) {
      const mark = `zebra${kill}x`;
      const url = await served.ready();
      key ||= served.secretKey;
      const api = client(url, key);
      await fill(api, mark);
      const others = await api.rows('e | last 1 d | where user_id != "' + mark + '" | count');
      const erasure = api.erase(mark);
      await sleep((kill * 97) % 160);
      served.kill('SIGKILL');
      const done = await erasure;
      await served.exited;
      if (done) expect(placesOf(folder, mark), 'after the answer').to.deep.equal([]);
      answered[done ? 'after' : 'before']++;
      served = serve(folder);
      const next = client(await served.ready(), key);
      const [left] = await next.rows(`user "${mark}" | last 1 d | count`);
      expect(left?.['count'], `answered: ${done}`).to.be.oneOf(done ? [0] : [0, EVENTS / 10]);
      expect(await next.rows('e | last 1 d | where user_id != "' + mark + '" | count')).to.deep.equal(others);
      while (filesWith(folder, '.erasing').length > 0) await sleep(20);
      if (left?.['count'] === 0) expect(placesOf(folder, mark), 'the start has finished it').to.deep.equal([]);
      expect(await next.erase(mark)).to.equal(true);
      expect(placesOf(folder, mark), 'asked again').to.deep.equal([]);
    }
    expect(answered.before, JSON.stringify(answered)).to.be.above(0);
  });
});

interface Client {
  post(path: string, body: unknown): Promise<unknown>;
  rows(q: string): Promise<Record<string, unknown>[]>;
  /** False if the service was gone before it answered. */
  erase(userId: string): Promise<boolean>;
}

function client(url: string, key: string): Client {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  const post: Client['post'] = async (path, body) => {
    const answer = await fetch(`${url}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.status, path).to.equal(200);
    return answer.json();
  };
  return {
    post,
    rows: async (q) => (await post('query', { q, format: 'json' })) as Record<string, unknown>[],
    erase: async (userId) => {
      try {
        const answer = await fetch(`${url}/api/gdpr/users/${userId}`, { method: 'DELETE', headers });
        await answer.text();
        expect(answer.status).to.equal(200);
        return true;
      } catch (error) {
        if (error instanceof TypeError) return false; // fetch throws it for a broken connection
        throw error;
      }
    },
  };
}

/** A tenth of the events are the user's, some only in the journal; all the user's texts contain the mark. */
async function fill(api: Client, mark: string): Promise<void> {
  for (let at = 0; at < EVENTS; at += 500) {
    const events = Array.from({ length: 500 }, (_, i) => {
      const n = at + i;
      if (n % 10 > 0) return { event_type: 'e', user_id: `user ${n % 50}`, event_properties: { n } };
      return {
        event_type: 'e',
        user_id: mark,
        insert_id: `${mark} ${n}`,
        event_properties: { own: `${mark} ${n % 3}` },
      };
    });
    await api.post('track', { events });
    await api.post('identify', {
      user_id: mark,
      device_id: `${mark} device`,
      user_properties: { bio: mark.repeat(30) },
    });
    if (at % 1000 === 0) await api.rows('e | last 1 d | count');
  }
}
