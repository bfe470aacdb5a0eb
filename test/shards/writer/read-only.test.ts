import { expect } from 'chai';
import { setThresholds } from '../../../lib/base/threshold.ts';
import { shardPath } from '../../../lib/shards/file/shard-file.ts';
import { PROJECT, rowsOf, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { withoutWriting } from '../../support/without-writing.ts';

/** The threshold from which on a seal is the store thread’s. */
const ROWS = ['rows of a seal that others wait for'];

describe('a shard that could not be opened for writing', () => {
  afterEach(() => setThresholds('usual', ROWS));
  for (const [what, suffix] of Object.entries({ file: '', log: '-wal', 'index of its log': '-shm' })) {
    for (const [who, size] of [
      ['writer', 'usual'],
      ['store thread', 'least'],
    ] as const) {
      it(`is written to by the ${who} once its ${what} can be`, async () => {
        setThresholds(size, ROWS);
        const folder = temporaryFolder();
        const earlier = new WriterProbe(folder);
        earlier.track([{ event_type: 'e', user_id: 'u' }]);
        earlier.ask({ op: 'close' });
        const probe = new WriterProbe(folder);
        await withoutWriting(folder, shardPath(folder, PROJECT.id) + suffix, () => {
          probe.track([{ event_type: 'e', user_id: 'v' }]);
          expect(() => probe.snapshot()).to.throw('SQLITE_READONLY');
        });
        expect(rowsOf(probe.snapshot()).map(({ user }) => user)).to.deep.equal(['u', 'v']);
      });
    }
  }
});
