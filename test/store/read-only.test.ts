import { expect } from 'chai';
import { monotonic } from '../../lib/base/monotonic.ts';
import { compileQuery } from '../../lib/dsl/compile.ts';
import { shardPath } from '../../lib/shards/file/shard-file.ts';
import type { EventStore } from '../../lib/store/event-store.ts';
import { openSmallStore } from '../support/small-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { withoutWriting } from '../support/without-writing.ts';

const project = { id: 'prj_a', orgId: 'org_test', weight: 1, retentionDays: null, ipPolicy: 'anonymized' } as const;

async function send(store: EventStore): Promise<void> {
  const context = { receivedAt: Date.now(), keyKind: 'trusted', ip: null, userAgent: null, place: null } as const;
  const body = new Uint8Array(Buffer.from(JSON.stringify({ event_type: 'e', user_id: 'u' })));
  expect(await store.append({ project, kind: 'track', context, body, encoding: 'identity' })).to.include({
    accepted: 1,
  });
}

async function count(store: EventStore): Promise<unknown> {
  const options = { now: Date.now() + 1, timezone: { project: 'UTC' }, limit: 100, offset: 0 };
  const { plan } = compileQuery('* | last 7 d | count', options);
  return (await store.query(project, plan, { deadline: monotonic() + 300_000 })).table.rows[0]?.[0];
}

describe('a shard that readers could not open for writing', () => {
  let store: EventStore;
  afterEach(() => store.close());

  it('is let go by them, and then written to', async () => {
    const folder = temporaryFolder();
    store = await openSmallStore(folder);
    await send(store);
    await store.close();
    await withoutWriting(folder, `${shardPath(folder, project.id)}-shm`, async () => {
      store = await openSmallStore(folder);
      expect(await count(store)).to.equal(1);
    });
    await send(store);
    const tries: unknown[] = [];
    while (tries.length < 20 && tries.at(-1) !== 2)
      tries.push(await count(store).catch((error: Error) => error.message));
    expect(tries.at(-1), String(tries[0])).to.equal(2);
  });
});
