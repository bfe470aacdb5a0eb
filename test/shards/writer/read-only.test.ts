import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { setThresholds } from '../../../lib/base/threshold.ts';
import { shardPath } from '../../../lib/shards/file/shard-file.ts';
import { PROJECT, rowsOf, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The threshold from which on a seal is the store thread’s. */
const ROWS = ['rows of a seal that others wait for'];
/** An account without rights of its own: root may write to whatever it can open. */
const NOBODY = 65_534;

/** Runs `use` while everything in a folder can be written, but for one file, which is made if it is missing. */
function withoutWriting(folder: string, file: string, use: () => void): void {
  const above = path.dirname(folder);
  fs.chmodSync(above, (fs.statSync(above).mode & 0o7777) | 0o011);
  fs.appendFileSync(file, '');
  for (const name of ['.', ...fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })])
    fs.chmodSync(path.join(folder, name), 0o777);
  fs.chmodSync(file, 0o444);
  const isRoot = process.geteuid!() === 0;
  if (isRoot) process.seteuid!(NOBODY);
  try {
    use();
  } finally {
    if (isRoot) process.seteuid!(0);
    fs.chmodSync(file, 0o666);
  }
}

describe('a shard that could not be opened for writing', () => {
  afterEach(() => setThresholds('usual', ROWS));
  for (const [what, suffix] of Object.entries({ file: '', log: '-wal', 'index of its log': '-shm' })) {
    for (const [who, size] of [
      ['writer', 'usual'],
      ['store thread', 'least'],
    ] as const) {
      it(`is written to by the ${who} once its ${what} can be`, () => {
        setThresholds(size, ROWS);
        const folder = temporaryFolder();
        const earlier = new WriterProbe(folder);
        earlier.track([{ event_type: 'e', user_id: 'u' }]);
        earlier.ask({ op: 'close' });
        const probe = new WriterProbe(folder);
        withoutWriting(folder, shardPath(folder, PROJECT.id) + suffix, () => {
          probe.track([{ event_type: 'e', user_id: 'v' }]);
          expect(() => probe.snapshot()).to.throw('SQLITE_READONLY');
        });
        expect(rowsOf(probe.snapshot()).map(({ user }) => user)).to.deep.equal(['u', 'v']);
      });
    }
  }
});
