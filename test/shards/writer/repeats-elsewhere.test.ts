import fs from 'node:fs';
import { expect } from 'chai';
import { setThresholds, type End } from '../../../lib/base/threshold.ts';
import { answerTo, begin, Bench, tell, track } from '../../support/bench.ts';
import { rowsOf, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const OTHER = 'prj_other';
const SEGMENTS = 3;
const IDS = 10; // per segment
const MUCH_TEXT = ['bytes of texts of insert ids with short fingerprints'];
const SLICE = ['milliseconds of a slice'];

const events = (from: number, to: number): object[] =>
  Array.from({ length: to - from }, (_, i) => ({ event_type: 'e', insert_id: `a long id ${from + i}` }));
/** Two ids of each segment, and a new one. */
const REPEATS = [0, 9, 10, 19, 20, 29, 99].flatMap((n) => events(n, n + 1));
const STORED = SEGMENTS * IDS;

/** A writer with segments whose ids come again. `end`: at `least` all of them count as long, at `most` none does. */
function probeOf(end: End, folder = temporaryFolder()): { probe: WriterProbe; bench: Bench } {
  setThresholds(end, MUCH_TEXT);
  const bench = new Bench();
  const probe = new WriterProbe(folder, {}, bench);
  for (let n = 0; n < SEGMENTS; n++) {
    track(probe, events(n * IDS, (n + 1) * IDS));
    probe.snapshot();
  }
  return { probe, bench };
}

const isAcknowledged = (probe: WriterProbe, id: number): boolean | undefined => answerTo(probe, id)?.ok;

describe('insert ids that come again', () => {
  beforeEach(() => setThresholds('most', SLICE)); // else a slow machine splits a request into several
  afterEach(() => setThresholds('usual', [...MUCH_TEXT, ...SLICE]));

  it('are looked for by the other thread where ids are long: once a segment for all of a body, while others are served', () => {
    const { probe, bench } = probeOf('least');
    const repeats = track(probe, REPEATS);
    const later = track(probe, events(200, 201));
    for (let n = SEGMENTS; n > 0; n--) {
      expect(bench.tasks.map(({ task }) => task.op)).to.deep.equal(['insert_ids']);
      expect(bench.tasks[0]!.task).to.have.nested.property('look.ids').with.length(2);
      expect(isAcknowledged(probe, track(probe, events(n, n + 1), OTHER)), 'another project').to.equal(true);
      expect([repeats, later].map((id) => isAcknowledged(probe, id))).to.deep.equal([undefined, undefined]);
      bench.next(probe);
    }
    expect(bench.tasks).to.deep.equal([]);
    expect([repeats, later].map((id) => isAcknowledged(probe, id))).to.deep.equal([true, true]);
    const ids = rowsOf(probe.snapshot()).map(({ insertId }) => insertId);
    expect(ids.slice(STORED)).to.deep.equal(['a long id 99', 'a long id 200']);
  });

  it('are looked for by the writer where ids are short: a segment a step, and others are served between', () => {
    const { probe, bench } = probeOf('most');
    setThresholds('least', SLICE);
    probe.stepwise = true;
    const repeats = begin(probe, REPEATS);
    let served = 0;
    for (; isAcknowledged(probe, repeats) !== true; probe.turns(1)) {
      const other = isAcknowledged(probe, track(probe, events(served, served + 1), OTHER));
      if (other === true && isAcknowledged(probe, repeats) === undefined) served++;
    }
    expect(served, 'of another project meanwhile').to.be.at.least(SEGMENTS);
    expect([isAcknowledged(probe, repeats), bench.tasks]).to.deep.equal([true, []]);
    probe.stepwise = false;
    track(probe, REPEATS);
    expect(rowsOf(probe.snapshot())).to.have.length(STORED + 1);
  });

  it('are told anew when the disk did not keep what came before them, and what was found for nobody is dropped', () => {
    const { probe, bench } = probeOf('least');
    probe.ask({ op: 'extent', project: OTHER }); // loads it
    probe.stepwise = true;
    const { fdatasync, fdatasyncSync } = fs;
    const nothing = new Int32Array(new SharedArrayBuffer(4));
    let tellSync: (error: Error | null) => void = () => undefined;
    let [lost, repeats] = [0, 0];
    try {
      Object.assign(fs, {
        fdatasyncSync: () => Atomics.wait(nothing, 0, 0, 20), // a slow disk that nobody waits for
        fdatasync: (_fd: number, done: typeof tellSync) => (tellSync = done),
      });
      track(probe, events(300, 301), OTHER);
      lost = begin(probe, [{ event_type: 'e', insert_id: 'lost' }]);
      repeats = begin(probe, REPEATS);
      expect(bench.tasks).to.have.length(1);
      tellSync(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }));
    } finally {
      Object.assign(fs, { fdatasync, fdatasyncSync });
    }
    expect(isAcknowledged(probe, lost)).to.equal(false);
    expect(probe.writer.isReady, 'it begins anew').to.equal(true);
    probe.turns(1);
    expect(bench.tasks).to.have.length(2);
    bench.next(probe);
    expect(probe.writer.isReady, 'what it waited for is not what it waits for now').to.equal(false);
    probe.stepwise = false;
    while (bench.tasks.length > 0) bench.next(probe);
    expect(isAcknowledged(probe, repeats)).to.equal(true);
    const ids = rowsOf(probe.snapshot()).map(({ insertId }) => insertId);
    expect(ids.slice(STORED)).to.deep.equal(['a long id 99']);
  });

  it('that cannot be looked for refuse their request alone', () => {
    const { probe, bench } = probeOf('least');
    const refused = track(probe, REPEATS);
    const later = track(probe, events(200, 201));
    bench.fail(probe);
    expect(answerTo(probe, refused)?.error).to.deep.include({ code: 'storage_unavailable' });
    expect(isAcknowledged(probe, later)).to.equal(true);
    expect(rowsOf(probe.snapshot())).to.have.length(STORED + 1);
  });

  it('are looked for before the writer closes, and by whoever takes up the journal', () => {
    const folder = temporaryFolder();
    const { probe, bench } = probeOf('least', folder);
    track(probe, REPEATS);
    while (bench.tasks.length > 0) bench.next(probe);
    const next = new WriterProbe(folder, {}, bench); // as if the other was killed
    tell(next, { op: 'snapshot' });
    expect(bench.tasks.map(({ task }) => task.op)).to.deep.equal(['insert_ids']);
    while (bench.tasks.length > 0) bench.next(next);
    expect(rowsOf(next.snapshot())).to.have.length(STORED + 1);
    const repeats = track(next, REPEATS);
    const closed = tell(next, { op: 'close' });
    expect([repeats, closed].map((id) => isAcknowledged(next, id))).to.deep.equal([undefined, undefined]);
    while (bench.tasks.length > 0) bench.next(next);
    expect([repeats, closed].map((id) => isAcknowledged(next, id))).to.deep.equal([true, true]);
  });
});
