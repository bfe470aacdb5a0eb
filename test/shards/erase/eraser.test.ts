import { expect } from 'chai';
import { Eraser } from '../../../lib/shards/erase/eraser.ts';
import { IS_LINUX, lessUrgent } from '../../support/less-urgent.ts';
import { WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('the threads of erasures', () => {
  it('leave processors to others: erasures in a loop took as much as all requests (Linux)', async () => {
    const probe = new WriterProbe(temporaryFolder());
    probe.track([{ event_type: 'e', user_id: 'ann' }]);
    const { file } = probe.snapshot();
    const before = lessUrgent();
    const eraser = new Eraser();
    expect(await eraser.finish(file)).to.equal(false);
    expect(lessUrgent() - before).to.equal(IS_LINUX ? 1 : 0);
    await eraser.close();
  });
});
