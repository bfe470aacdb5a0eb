/** A disk that fails to sync what it has, so that it is there once the file is opened again. */
import { expect } from 'chai';
import { setThresholds } from '../../../lib/base/threshold.ts';
import { encodeTextRun, readTextKeys, textRuns } from '../../../lib/shards/dictionary/text-runs.ts';
import { eraseFromShard, lookUpUser } from '../../../lib/shards/erase/erase-shard.ts';
import { closedAfterUse, openForReading } from '../../../lib/shards/file/shard-file.ts';
import type { Snapshot } from '../../../lib/shards/shard-reader.ts';
import { checkShard } from '../../../lib/shards/upkeep/check.ts';
import type { CompactionTask } from '../../../lib/shards/writer-messages.ts';
import { answerTo, Bench, tell, track } from '../../support/bench.ts';
import { compacted } from '../../support/compacted.ts';
import { NOW, openReader, PROJECT, rowsOf, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The threshold from which on a seal is another thread’s. */
const ROWS = ['rows of a seal that others wait for'];
const DAY = 86_400_000;
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
const LONG_AGO = NOW - 20 * DAY;
const event = (n: number): object => ({
  ...{ event_type: 'e', user_id: `u${n}`, time: new Date(LONG_AGO).toISOString() },
  ...{ event_properties: { n }, insert_id: `id ${n}` },
});

describe('what a disk has though it said that it has not', () => {
  let folder: string;
  let bench: Bench;
  let probe: WriterProbe;
  beforeEach(() => {
    folder = temporaryFolder();
    bench = new Bench();
    probe = new WriterProbe(folder, {}, bench);
  });

  afterEach(() => setThresholds('usual', ROWS));

  /** Sends events, each in a segment of its own. */
  function fill(from: number, to: number): void {
    for (const n of numbers(from, to)) {
      track(probe, [event(n)]);
      probe.snapshot();
    }
  }

  const stored = (from: WriterProbe): number[] =>
    rowsOf(from.snapshot())
      .map(({ properties }) => Number(properties['n']))
      .sort((a, b) => a - b);

  /** Has a compaction fail that is there all the same. */
  function failCompaction(): CompactionTask {
    const task = probe.takeCompactions().at(-1)!;
    const told = tell(probe, compacted(task));
    bench.failOnceDone(probe);
    expect(answerTo(probe, told)).to.deep.include({ ok: false });
    return task;
  }

  it('is a compaction: the next one finds it, and each event is there once', () => {
    fill(0, 8);
    const task = failCompaction();
    expect(stored(probe), 'what was there before is still read').to.deep.equal(numbers(0, 8));
    fill(8, 10);
    tell(probe, compacted(task));
    bench.next(probe);
    expect(stored(probe)).to.deep.equal(numbers(0, 10));
    expect(probe.snapshot().segments.map(({ rows }) => rows)).to.deep.equal([8, 1, 1]);
    const [change] = probe.replies.flatMap((reply) => (reply.op === 'changed' ? [reply.retired] : [])).slice(-1);
    expect(change, 'the old ones go').to.deep.equal(task.segments);
    track(probe, numbers(0, 10).map(event));
    expect(stored(probe), 'all ids are known').to.deep.equal(numbers(0, 10));
    expect(stored(new WriterProbe(folder))).to.deep.equal(numbers(0, 10));
  });

  it('is a compaction before a seal: both are there once', () => {
    fill(0, 8);
    const task = failCompaction();
    setThresholds('least', ROWS);
    track(probe, [event(8)]);
    tell(probe, { op: 'snapshot' });
    bench.failOnceDone(probe);
    tell(probe, compacted(task));
    bench.next(probe);
    tell(probe, { op: 'snapshot' });
    bench.next(probe);
    setThresholds('usual', ROWS);
    expect(stored(probe)).to.deep.equal(numbers(0, 9));
    expect(stored(new WriterProbe(folder))).to.deep.equal(numbers(0, 9));
  });

  it('is a compaction before an erasure, which reads what is there', () => {
    fill(0, 8);
    failCompaction();
    const frozen = answerTo(probe, tell(probe, { op: 'freeze' }))!.value as Snapshot;
    expect(lookUpUser(frozen, 'u3').devices).to.deep.equal([]);
    expect(eraseFromShard(frozen, { userId: 'u3' }).events).to.equal(1);
    tell(probe, { op: 'thaw' });
    bench.next(probe);
    expect(stored(probe)).to.deep.equal([0, 1, 2, 4, 5, 6, 7]);
  });

  it('is what retention drops: it stays dropped, and users keep their times', () => {
    fill(0, 3);
    const retain = (): number => tell(probe, { op: 'retain', project: { ...PROJECT, retentionDays: 10 }, now: NOW });
    retain();
    bench.failOnceDone(probe);
    track(probe, [{ ...event(3), time: new Date(NOW).toISOString() }]);
    expect(stored(probe)).to.deep.equal(numbers(0, 4));
    const again = retain();
    bench.next(probe);
    expect(answerTo(probe, again)).to.deep.include({ ok: true });
    for (const each of [probe, new WriterProbe(folder)]) {
      expect(stored(each)).to.deep.equal([3]);
      const snapshot = each.snapshot();
      expect(
        openReader(snapshot)
          .profiles(snapshot)
          .map(({ lastSeen }) => lastSeen),
      ).to.deep.equal([LONG_AGO, LONG_AGO, LONG_AGO, NOW]);
    }
  });

  it('is a merge of an index: known ids stay known, and the index is merged further', () => {
    probe = new WriterProbe(folder, { projectDictionaryBytes: 64 << 10, dictionaryBytes: 128 << 10 }, bench);
    const users = (from: number, to: number): object[] =>
      numbers(from, to).map((n) => ({ event_type: 'e', user_id: `${'字'.repeat(60)}${n}`, event_properties: { n } }));
    for (const n of numbers(0, 16)) {
      track(probe, users(n * 100, n * 100 + 100));
      probe.snapshot();
    }
    const { texts, snapshot } = probe.takeCompactions().find((task) => task.texts !== null)!;
    const { field, runs } = texts!;
    using shard = closedAfterUse(openForReading(snapshot.file));
    const last = Math.max(
      ...textRuns(shard.connection, field).flatMap((run) => (runs.includes(run.id) ? run.last : [])),
    );
    const run = { ...encodeTextRun(readTextKeys(shard.connection, runs), 1), last };
    const { incarnation } = snapshot;
    const nothing = { replaced: [], segments: [], heavy: false, failed: false } as const;
    const merge = (): number =>
      tell(probe, { op: 'compacted', incarnation, ...nothing, texts: { field, replaced: runs, run } });
    merge();
    bench.failOnceDone(probe);
    const before = textRuns(shard.connection, field);
    merge();
    bench.next(probe);
    expect(textRuns(shard.connection, field), 'merged once').to.deep.equal(before);
    track(probe, users(0, 1_600));
    const after = probe.snapshot();
    expect(openReader(after).ids().size).to.equal(1_600);
    expect(checkShard(after.file)).to.deep.equal([]);
  });
});
