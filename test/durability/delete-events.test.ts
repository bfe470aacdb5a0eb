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

describe('kill -9 while an import is undone', function () {
  this.timeout(tries(600_000));
  const started: Served[] = [];
  after(() => started.forEach((served) => served.kill('SIGKILL')));
  const serve = (folder: string): Served => {
    const served = new Served(folder, { WINDLASS_SEAL_ROWS: '700', WINDLASS_SEGMENT_ROWS: '1024' });
    started.push(served);
    return served;
  };

  it('leaves all of it or nothing; what was answered stays gone, byte by byte, and others lose nothing', async () => {
    const folder = temporaryFolder();
    let key = '';
    const outcomes = { before: 0, after: 0 };
    let served = serve(folder);
    for (let kill = 0; kill < KILLS; kill++) {
      const mark = `quagga${kill}x`;
      const id = `import ${kill}`; // it stands in the audit trail
      const url = await served.ready();
      key ||= served.secretKey;
      const api = client(url, key);
      await fill(api, mark, id);
      const others = await api.count(`_import_id != "${id}"`);
      const undoing = api.undo(id);
      await sleep((kill * 97) % 160);
      served.kill('SIGKILL');
      const isDone = await undoing;
      await served.exited;
      if (isDone) expect(placesOf(folder, mark), 'after the answer').to.deep.equal([]);
      outcomes[isDone ? 'after' : 'before']++;
      served = serve(folder);
      const next = client(await served.ready(), key);
      const left = await next.count(`_import_id = "${id}"`);
      expect(left, `answered: ${isDone}`).to.be.oneOf(isDone ? [0] : [0, EVENTS / 2]);
      expect(await next.count(`_import_id != "${id}"`)).to.equal(others);
      while (filesWith(folder, '.erasing').length > 0) await sleep(20);
      if (left === 0) expect(placesOf(folder, mark), 'the start has finished it').to.deep.equal([]);
      expect(await next.undo(id)).to.equal(true);
      expect(placesOf(folder, mark), 'asked again').to.deep.equal([]);
      await fill(next, mark, id);
      expect(await next.count(`_import_id = "${id}"`), 'it may run again').to.equal(EVENTS / 2);
      expect(await next.undo(id)).to.equal(true);
    }
    expect(outcomes.before, JSON.stringify(outcomes)).to.be.above(0);
  });
});

interface Client {
  post(path: string, body: unknown): Promise<unknown>;
  count(where: string): Promise<unknown>;
  /** False if the service was gone before it answered. */
  undo(importId: string): Promise<boolean>;
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
    count: async (where) => {
      const rows = (await post('query', { q: `* | all | where ${where} | count`, format: 'json' })) as {
        count: number;
      }[];
      return rows[0]?.count;
    },
    undo: async (importId) => {
      try {
        const body = JSON.stringify({ import_id: importId });
        const answer = await fetch(`${url}/events`, { method: 'DELETE', headers, body });
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

/** Half of the events are of the import, some only in the journal; all its texts contain the mark. */
async function fill(api: Client, mark: string, id: string): Promise<void> {
  for (let at = 0; at < EVENTS; at += 500) {
    const events = Array.from({ length: 500 }, (_, i) => {
      const n = at + i;
      if (n % 2 === 0) return { event_type: 'e', user_id: `user ${n % 50}`, insert_id: `other ${n}`, event_properties: { n } }; // prettier-ignore
      const own = { user_id: `${mark} ${n % 50}`, insert_id: `${mark} ${n}`, import_id: id };
      return { event_type: mark, ...own, event_properties: { own: `${mark} ${n % 3}` } };
    });
    await api.post('track', { events });
    if (at % 1000 === 0) await api.count('event_type = "e"');
  }
}
