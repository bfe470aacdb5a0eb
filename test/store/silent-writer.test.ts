import { expect } from 'chai';
import { setThresholds } from '../../lib/base/threshold.ts';
import { openSmallStore } from '../support/small-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SILENCE = "milliseconds of a writer's silence";

describe('a writer', () => {
  it('that says nothing for long makes the store not ready', async () => {
    const store = await openSmallStore(temporaryFolder());
    expect(store.ready()).to.deep.equal({ ok: true });
    setThresholds('least', [SILENCE]);
    expect(store.ready()).to.deep.equal({ ok: false, reason: 'a writer does not answer' });
    setThresholds('usual', [SILENCE]);
    await store.close();
  });
});
