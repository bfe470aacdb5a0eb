import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { ControlDatabase } from '../../lib/control/database.ts';
import { tries } from '../support/campaign.ts';
import { Served } from '../support/served.ts';
import { placesOf } from '../support/stored-texts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Kills per run. */
const KILLS = tries(3);
const KEPT = 6;
const BY = { name: 'test', ip: null };

interface Project {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  /** Acknowledged events. */
  acknowledged: number;
}

describe('kill -9 while users are erased and projects deleted beside others', function () {
  this.timeout(tries(600_000));
  const started: Served[] = [];
  after(() => started.forEach((served) => served.kill('SIGKILL')));

  it('loses nothing of the others, whichever of several writers they have, and brings back nothing that was deleted', async () => {
    const folder = temporaryFolder();
    const control = await ControlDatabase.open(folder, { secret: null });
    const { organization, adminKey } = await control.organizations.create('Org');
    const make = async (name: string): Promise<Project> => {
      const { project, secretKey } = await control.projects.create(organization.id, name, BY);
      return { id: project.id, name, key: secretKey, acknowledged: 0 };
    };
    const kept = await Promise.all(Array.from({ length: KEPT }, (_, n) => make(`kept ${n}`)));
    for (let kill = 0; kill < KILLS; kill++) {
      const gone = await make(`gone ${kill}`);
      const mark = `zebra${kill}x`;
      const served = new Served(folder, { WINDLASS_WRITERS: String(1 + (kill % 3)), WINDLASS_EVENTS_PER_MINUTE: '0' });
      started.push(served);
      const url = await served.ready();
      for (let n = 0; n < 3; n++) await track(url, gone, mark);
      const senders = kept.map((project) => keepSending(url, project));
      const heard = kept.map((project) => project.acknowledged + 2);
      while (kept.some((project, n) => project.acknowledged < heard[n]!)) await sleep(5);
      await sleep((kill * 131) % 200);
      const erasures = kept.map((project) => call(url, project.key, ['DELETE', '/api/gdpr/users/nobody']));
      const names = { project_name: gone.name, project_name_confirm: gone.name };
      const deleted = call(url, adminKey, ['DELETE', `/api/admin/projects/${gone.id}`], names);
      if (kill % 2 === 0) {
        expect(await deleted).to.equal(200);
        expect(placesOf(folder, mark), 'after the answer').to.deep.equal([]);
      } else await sleep((kill * 37) % 90);
      served.kill('SIGKILL');
      await Promise.all([...senders, ...erasures, deleted, served.exited]);
      if ((await deleted) === 200) expect(placesOf(folder, mark), 'after the kill').to.deep.equal([]);
    }
    const served = new Served(folder);
    started.push(served);
    const url = await served.ready();
    for (const project of kept) {
      const stored = await count(url, project);
      expect(stored, project.name).to.be.within(project.acknowledged, project.acknowledged + KILLS);
      expect(project.acknowledged).to.be.above(KILLS);
    }
    for (let kill = 0; kill < KILLS; kill++) {
      const project = (await control.projects.list(organization.id)).find(({ name }) => name === `gone ${kill}`);
      if (project === undefined) expect(placesOf(folder, `zebra${kill}x`), 'at the next start').to.deep.equal([]);
    }
    await control.close();
  });
});

/** The status; null if the service was gone first. */
async function call(
  url: string,
  key: string,
  [method, path]: readonly [method: string, path: string],
  body?: unknown,
): Promise<number | null> {
  try {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    const answer = await fetch(url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await answer.text();
    return answer.status;
  } catch (error) {
    if (error instanceof TypeError) return null; // fetch throws it for a broken connection
    throw error;
  }
}

const track = (url: string, { key }: Project, text: string): Promise<number | null> =>
  call(url, key, ['POST', '/track'], { event_type: 'e', event_properties: { text } });

/** Sends one event after another until the service is gone. */
async function keepSending(url: string, project: Project): Promise<void> {
  while ((await track(url, project, `kept ${project.acknowledged}`)) === 200) project.acknowledged++;
}

async function count(url: string, { key }: Project): Promise<number> {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ q: 'e | last 2 d | count', format: 'json' });
  const answer = await fetch(`${url}/query`, { method: 'POST', headers, body });
  const rows = (await answer.json()) as { count: number }[];
  return rows[0]?.count ?? 0;
}
