import { expect } from 'chai';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { setThresholds } from '../../lib/base/threshold.ts';
import { AppError } from '../../lib/base/errors.ts';
import type { ProjectRef } from '../../lib/base/project.ts';
import { ofInodes } from '../../lib/store/no-inodes.ts';
import { DiskTrouble } from '../../lib/store/disk-trouble.ts';
import { damaged, shardPath } from '../../lib/shards/file/shard-file.ts';
import type { EventStore } from '../../lib/store/event-store.ts';
import { openSmallStore } from '../support/small-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const EVERY = 'milliseconds between two tries of a disk';

/** A request that needs the shard of its project. */
function identify(store: EventStore, id = 'prj_a'): Promise<unknown> {
  const project: ProjectRef = { id, orgId: 'org_a', weight: 1, retentionDays: null, ipPolicy: 'none' };
  const body = new Uint8Array(Buffer.from(JSON.stringify({ user_id: 'ann', device_id: 'phone' })));
  const context = { receivedAt: Date.now(), keyKind: 'trusted', ip: null, userAgent: null, place: null } as const;
  return store.append({ project, kind: 'identify', context, body, encoding: 'identity' });
}

describe('a disk that fails a request', () => {
  before(() => setThresholds('least', [EVERY]));
  after(() => setThresholds('usual', [EVERY]));

  it('is told of a project whose file cannot be used, while all others are served and the store is ready', async () => {
    const folder = temporaryFolder();
    const first = await openSmallStore(folder);
    await identify(first);
    await first.close();
    fs.mkdirSync(`${shardPath(folder, 'prj_a')}-wal`); // so that SQLite cannot open its log
    const troubles: string[] = [];
    const store = await openSmallStore(folder, {
      onTrouble: (error, what, project) => troubles.push(`${project}: ${what}: ${String(error)}`),
    });
    for (let nth = 0; nth < 2; nth++) {
      const failure = await identify(store).catch(String);
      expect(failure).to.contain('the data of this project cannot be used at the moment (SQLITE_CANTOPEN)');
      while (troubles.length === 0) await sleep(10);
      expect(store.ready()).to.deep.equal({ ok: true });
    }
    await identify(store, 'prj_b');
    fs.rmdirSync(`${shardPath(folder, 'prj_a')}-wal`);
    await identify(store);
    expect(troubles).to.have.length(1);
    expect(troubles[0]).to.match(/^prj_a: the file of a project cannot be used, .*`wl admin check`.*SQLITE_CANTOPEN/);
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

  it('makes the store not ready where it fails a project and takes no other file, and says why without free inodes', async () => {
    const folder = `${temporaryFolder()}/gone`;
    const trouble = new DiskTrouble({ folder, onTrouble: () => undefined });
    const alone = damaged(Object.assign(new Error('full'), { code: 'SQLITE_CANTOPEN' }), 'prj_a.db');
    expect(alone.data).to.include({ code: 'storage_unavailable', ofProject: true });
    const told = ofInodes(alone, folder, () => ({ files: 1_000, ffree: 0 }));
    expect(told.message).to.contain('no free inodes');
    expect(told.data.hints?.join()).to.contain('df -i');
    await trouble.suspect(told, 'prj_a');
    expect(trouble.reason).to.equal(told.message);
    trouble.close();
    for (const free of [
      { files: 1_000, ffree: 1 },
      { files: 0, ffree: 0 }, // a file system that makes inodes as it needs them
    ])
      expect(ofInodes(alone, folder, () => free)).to.equal(alone);
    const other = new AppError('storage_unavailable', 'it fails (EIO)');
    expect(ofInodes(other, folder, () => ({ files: 1_000, ffree: 0 }))).to.equal(other);
    expect(ofInodes(alone, folder), 'of a folder that is not there').to.equal(alone);
  });
});
