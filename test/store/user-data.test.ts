import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonic } from '../../lib/base/monotonic.ts';
import { setThresholds } from '../../lib/base/threshold.ts';
import { compileQuery } from '../../lib/dsl/compile.ts';
import { closedAfterUse, openForReading, shardPath } from '../../lib/shards/file/shard-file.ts';
import type { EventStore } from '../../lib/store/event-store.ts';
import { openSmallStore } from '../support/small-store.ts';
import { placesOf } from '../support/stored-texts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const project = { id: 'prj_a', orgId: 'org_test', weight: 1, retentionDays: null, ipPolicy: 'anonymized' } as const;

const RETRY = ['milliseconds until an erasure is finished again'];

const open = (): Promise<EventStore> => openSmallStore(temporaryFolder(), { threads: 2 });

async function send(store: EventStore, kind: 'track' | 'identify', body: unknown): Promise<void> {
  const context = { receivedAt: Date.now(), keyKind: 'trusted', ip: null, userAgent: null, place: null } as const;
  const bytes = new Uint8Array(Buffer.from(JSON.stringify(body)));
  expect(await store.append({ project, kind, context, body: bytes, encoding: 'identity' })).to.include({ rejected: 0 });
}

async function count(store: EventStore, q: string): Promise<unknown> {
  const now = Date.now() + 1;
  const { plan } = compileQuery(q, { now, timezone: { project: 'UTC' }, limit: 100, offset: 0 });
  return (await store.query(project, plan, { deadline: monotonic() + 300_000 })).table.rows[0]?.[0];
}

interface ExportedLine {
  readonly type: string;
  readonly device_id?: string;
}

async function exported(store: EventStore, user: string): Promise<readonly ExportedLine[]> {
  const lines = (await text(store.exportUser(project, user))).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as ExportedLine);
}

describe('data of one user', () => {
  afterEach(() => setThresholds('usual', RETRY));

  it('is exported as lines and erased from answers, while queries run', async () => {
    const store = await open();
    await send(store, 'track', {
      events: [1, 2, 3].map((n) => ({ event_type: 'e', user_id: n < 3 ? 'ann' : 'bob', event_properties: { n } })),
    });
    await send(store, 'identify', { user_id: 'ann', device_id: 'd1' });
    const lines = await exported(store, 'ann');
    expect(lines.map(({ type }) => type)).to.deep.equal(['profile', 'device', 'event', 'event']);
    const running = Array.from({ length: 5 }, () => count(store, 'e'));
    expect(await store.eraseUser(project, 'ann')).to.deep.equal({ events: 2, profiles: 1, devices: 1 });
    for (const answer of await Promise.all(running)) expect([1, 3]).to.include(answer);
    expect(await count(store, 'e')).to.equal(1);
    expect(await count(store, 'user "ann" | count')).to.equal(0);
    expect(await count(store, 'users | count')).to.equal(1);
    await store.close();
  });

  it('names the devices in order of their names, not of their arrival', async () => {
    const store = await open();
    const names = ['d3', '\u{1f600}', '\uff5e', 'd10', 'd2'];
    for (const device_id of names) await send(store, 'track', { event_type: 'e', device_id });
    for (const device_id of names.toReversed()) await send(store, 'identify', { user_id: 'ann', device_id });
    const lines = (await exported(store, 'ann')).filter(({ type }) => type === 'device');
    expect(lines.map(({ device_id }) => device_id)).to.deep.equal(['d10', 'd2', 'd3', '\uff5e', '\u{1f600}']);
    await store.close();
  });

  it('is nothing for a user that nobody knows', async () => {
    const store = await open();
    expect(await exported(store, 'nobody')).to.deep.equal([]);
    expect(await store.eraseUser(project, 'nobody')).to.deep.equal({ events: 0, profiles: 0, devices: 0 });
    await store.close();
  });

  for (const when of ['a while later', 'after the next start'])
    it(`leaves no byte where something read the file while it was erased: all are gone ${when}`, async function () {
      this.timeout(120_000);
      if (when === 'a while later') setThresholds('least', RETRY);
      const folder = temporaryFolder();
      let store = await openSmallStore(folder, { onTrouble: () => undefined });
      for (const user of ['zebra', 'bob'])
        await send(store, 'track', { event_type: 'e', user_id: user, event_properties: { own: `of ${user}` } });
      expect(await count(store, 'e')).to.equal(2);
      using reader = closedAfterUse(openForReading(shardPath(folder, project.id)));
      reader.connection.exec('BEGIN; SELECT * FROM meta');
      const erased = await store.eraseUser(project, 'zebra').catch((error: unknown) => String(error));
      expect(erased).to.contain('something still reads the old bytes');
      expect(placesOf(folder, 'zebra')).to.not.deep.equal([]);
      reader.connection.exec('COMMIT');
      if (when !== 'a while later') {
        await store.close();
        store = await openSmallStore(folder);
      }
      while (placesOf(folder, 'zebra').length > 0) await sleep(50);
      expect(await count(store, 'e')).to.equal(1);
      expect(fs.readdirSync(path.join(folder, 'shards')).filter((name) => name.endsWith('.erasing'))).to.deep.equal([]);
      await store.close();
    });

  it('is gone with the project, when that is dropped while it is erased', async () => {
    const store = await open();
    await send(store, 'track', { event_type: 'e', user_id: 'ann' });
    const erased = store.eraseUser(project, 'ann').then(
      () => 'erased',
      (error: unknown) => String(error),
    );
    await store.drop(project.id);
    expect(await erased).to.be.oneOf(['erased', 'AppError: The project was deleted.']);
    const refused = await count(store, 'e').catch((error: unknown) => String(error));
    expect(refused).to.contain('deleted');
    await store.close();
  });
});
