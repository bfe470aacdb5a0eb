import { expect } from 'chai';
import fs from 'node:fs';
import { join } from 'node:path';
import { makeFolderOnDisk } from '../../lib/base/files/make-folders.ts';
import { NOW, WriterProbe } from '../support/shard-rows.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The files and folders that `run` has synced in this thread, by the names with which they were opened. */
function syncedBy(run: () => unknown): string[] {
  const { fsyncSync, openSync } = fs;
  const synced: string[] = [];
  const paths = new Map<number, string>();
  fs.openSync = (path, ...how) => {
    const fd = openSync(path, ...how);
    paths.set(fd, String(path));
    return fd;
  };
  fs.fsyncSync = (fd) => {
    synced.push(paths.get(fd) ?? '');
    fsyncSync(fd);
  };
  try {
    run();
  } finally {
    Object.assign(fs, { fsyncSync, openSync });
  }
  return synced;
}

describe('a folder that is made', () => {
  it('is in the folder around it on disk, and so are those above it that were missing', () => {
    const folder = fs.realpathSync(temporaryFolder());
    const inner = join(folder, 'a', 'b', 'c');
    expect(syncedBy(() => makeFolderOnDisk(inner))).to.have.members([
      folder,
      join(folder, 'a'),
      join(folder, 'a', 'b'),
    ]);
    expect(syncedBy(() => makeFolderOnDisk(inner))).to.deep.equal([]);
  });

  it('for the journal and for shards is on disk before anything in it is acknowledged', () => {
    const data = fs.realpathSync(temporaryFolder());
    const synced = syncedBy(() => {
      const probe = new WriterProbe(data);
      probe.track([{ event_type: 'a' }], NOW);
      probe.snapshot();
      probe.ask({ op: 'close' });
    });
    expect(fs.readdirSync(data)).to.have.members(['journal', 'shards']);
    expect(synced.filter((path) => path === data)).to.have.length(2);
  });
});
