import { expect } from 'chai';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { setThresholds } from '../../lib/base/threshold.ts';
import { AppError } from '../../lib/base/errors.ts';
import type { ProjectRef } from '../../lib/base/project.ts';
import { DiskTrouble } from '../../lib/store/disk-trouble.ts';
import { shardPath } from '../../lib/shards/file/shard-file.ts';
import type { EventStore } from '../../lib/store/event-store.ts';
import { openSmallStore } from '../support/small-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const EVERY = 'milliseconds between two tries of a disk';

/** A request that needs the shard of its project. */
function identify(store: EventStore): Promise<unknown> {
  const project: ProjectRef = { id: 'prj_a', orgId: 'org_a', weight: 1, retentionDays: null, ipPolicy: 'none' };
  const body = new Uint8Array(Buffer.from(JSON.stringify({ user_id: 'ann', device_id: 'phone' })));
  const context = { receivedAt: Date.now(), keyKind: 'trusted', ip: null, userAgent: null, place: null } as const;
  return store.append({ project, kind: 'identify', context, body, encoding: 'identity' });
}

describe('a disk that fails a request', () => {
  before(() => setThresholds('least', [EVERY]));
  after(() => setThresholds('usual', [EVERY]));

  it('makes the store not ready, and ready again without a request once it can be written', async () => {
    const folder = temporaryFolder();
    const first = await openSmallStore(folder);
    await identify(first);
    await first.close();
    const troubles: string[] = [];
    const store = await openSmallStore(folder, {
      onTrouble: (error, what, project) => troubles.push(`${project}: ${what}: ${String(error)}`),
    });
    fs.mkdirSync(`${shardPath(folder, 'prj_a')}-wal`); // so that SQLite cannot open its log
    const failure = await identify(store).catch(String);
    expect(failure).to.contain('SQLITE_CANTOPEN');
    expect(store.ready()).to.include({ ok: false });
    while (!store.ready().ok) await sleep(10);
    fs.rmdirSync(`${shardPath(folder, 'prj_a')}-wal`);
    expect(troubles).to.have.length(1);
    expect(troubles[0]).to.match(/^prj_a: events cannot be stored, .*make room.*SQLITE_CANTOPEN/);
    await store.close();
    expect(fs.readdirSync(folder).filter((name) => name.startsWith('disk-'))).to.deep.equal([]);
  });

  it('stays a trouble, told once, as long as nothing can be written', async () => {
    const folder = `${temporaryFolder()}/gone`;
    const troubles: string[] = [];
    const trouble = new DiskTrouble({ folder, onTrouble: (_error, what) => troubles.push(what) });
    const full = new AppError('storage_unavailable', 'full');
    trouble.failed(full, 'prj_a');
    trouble.failed(full, 'prj_a');
    await sleep(100);
    expect([trouble.reason, troubles.length]).to.deep.equal(['full', 1]);
    fs.mkdirSync(folder);
    while (trouble.reason !== null) await sleep(10);
    trouble.close();
  });
});
