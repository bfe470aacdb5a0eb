import { monotonic } from '../../lib/base/monotonic.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { compileQuery } from '../../lib/dsl/compile.ts';
import type { ProjectRef } from '../../lib/base/project.ts';
import type { EventStore } from '../../lib/store/event-store.ts';
import { Retaining } from '../../lib/store/retaining.ts';
import { openSmallStore } from '../support/small-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const DAY = 86_400_000;

const projectOf = (id: string, retentionDays: number | null): ProjectRef => {
  return { id, orgId: 'org_test', weight: 1, retentionDays, ipPolicy: 'none' };
};

function open(folder: string, projects: readonly ProjectRef[] = []): Promise<EventStore> {
  return openSmallStore(folder, { projects: () => Promise.resolve(projects) });
}

async function send(store: EventStore, project: string, daysAgo: number): Promise<void> {
  const time = Date.now() - daysAgo * DAY;
  const body = new Uint8Array(Buffer.from(JSON.stringify({ event_type: 'e', user_id: 'ann', time })));
  const context = { receivedAt: Date.now(), keyKind: 'trusted', ip: null, userAgent: null, place: null } as const;
  const ref = projectOf(project, null);
  expect(await store.append({ project: ref, kind: 'track', context, body, encoding: 'identity' })).to.include({
    accepted: 1,
  });
}

async function ask(store: EventStore, project: string, q: string): Promise<readonly (readonly unknown[])[]> {
  const now = Date.now() + 1;
  const { plan } = compileQuery(q, { now, timezone: { project: 'UTC' }, limit: 100, offset: 0 });
  return (await store.query(projectOf(project, null), plan, { deadline: monotonic() + 300_000 })).table.rows;
}

describe('retention', () => {
  it('drops stored events of projects that nobody uses, and tells when a user was first seen all the same', async () => {
    const folder = temporaryFolder();
    for (const daysAgo of [40, 1]) {
      const store = await open(folder);
      for (const project of ['prj_forgets', 'prj_keeps', 'prj_longer']) await send(store, project, daysAgo);
      await store.close(); // a segment for each
    }
    const store = await open(folder, [
      projectOf('prj_forgets', 30),
      projectOf('prj_longer', 60),
      projectOf('prj_new', 30),
    ]);
    const count = async (project: string): Promise<unknown> =>
      (await ask(store, project, 'e | last 90d | count'))[0]?.[0];
    while ((await count('prj_forgets')) !== 1) await sleep(10);
    expect(await count('prj_keeps')).to.equal(2);
    expect(await count('prj_longer')).to.equal(2);
    const [seen] = await ask(store, 'prj_forgets', 'users | where user.first_seen < "2100-01-01" | list');
    const first = Math.min(...(seen ?? []).filter((value) => typeof value === 'number'));
    expect(Math.round((Date.now() - first) / DAY)).to.equal(40);
    await store.close();
  });

  it('is asked for by the newest settings, for those that keep events for ever only while they are used', async () => {
    const asked: ProjectRef[] = [];
    const troubles: string[] = [];
    const retaining = new Retaining({
      projects: () => Promise.resolve([projectOf('prj_a', 7), projectOf('prj_b', null), projectOf('prj_c', null)]),
      retain: (project) => {
        asked.push(project);
        return project.id === 'prj_a' ? Promise.reject(new Error('no disk')) : Promise.resolve();
      },
      onTrouble: (error, what) => troubles.push(`${what}: ${String(error)}`),
    });
    for (const project of [projectOf('prj_a', 30), projectOf('prj_b', null), projectOf('prj_gone', 5)])
      retaining.use(project);
    retaining.forget('prj_gone');
    await retaining.run();
    retaining.close();
    await retaining.run();
    expect(asked).to.have.deep.members([projectOf('prj_a', 7), projectOf('prj_b', null)]);
    expect(troubles).to.deep.equal(['events that are too old could not be dropped: Error: no disk']);
  });
});
