import { expect } from 'chai';
import { setThresholds } from '../../lib/base/threshold.ts';
import type { Snapshot } from '../../lib/shards/shard-reader.ts';
import { eventSpans } from '../../lib/workers/event-spans.ts';
import { atEnds } from '../support/at-ends.ts';
import { track } from '../support/bench.ts';
import { openReader, WriterProbe } from '../support/shard-rows.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PROJECT = 'prj_spans';
const LIMIT = 'rows of a project whose spans come with an answer';
const at = (day: number): number => Date.UTC(2026, 0, day, 7, 8, 9, 10);

describe('the spans of event types', () => {
  let snapshot: Snapshot;
  before(() => {
    const probe = new WriterProbe(temporaryFolder());
    const send = (event_type: string, day: number): void => void track(probe, [{ event_type, user_id: 'u', time: at(day) }], PROJECT); // prettier-ignore
    for (const day of [4, 3, 20]) send('view', day);
    send('pay', 5);
    probe.snapshot(PROJECT); // seals: several segments
    for (const day of [1, 9]) send('view', day);
    for (let nth = 0; nth < 9; nth++) send(`rare${nth}`, 2);
    snapshot = probe.snapshot(PROJECT);
    expect(snapshot.segments).to.have.length(2);
  });
  const spans = (types: readonly string[]): unknown => eventSpans(openReader(snapshot), snapshot, types);

  atEnds(
    (title) => {
      const isLarge = title.endsWith('least');
      it('go over all segments, in the order asked; types without events have none', () => {
        const view = { name: 'view', rows: 5, first: at(1), last: at(20) };
        const pay = { name: 'pay', rows: 1, first: at(5), last: at(5) };
        expect(spans(['pay', 'none', 'view', ''])).to.deep.equal(isLarge ? [] : [pay, view]);
        expect(spans([])).to.deep.equal([]);
      });
    },
    [LIMIT],
  );

  it('are looked up for eight types', () => {
    setThresholds('usual', [LIMIT]);
    const rare = Array.from({ length: 9 }, (_, nth) => ({ name: `rare${nth}`, rows: 1, first: at(2), last: at(2) }));
    expect(spans(rare.map(({ name }) => name))).to.deep.equal(rare.slice(0, 8));
  });
});
