import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { monotonic } from '../../../lib/base/monotonic.ts';
import { openForReading, shardPath } from '../../../lib/shards/file/shard-file.ts';
import type { Storing } from '../../../lib/shards/storer.ts';
import { answerTo, Bench, tell, track } from '../../support/bench.ts';
import { PROJECT, rowsOf, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const OTHER = 'prj_other';
const event = (n: number): Record<string, unknown> => ({ event_type: `e${n}`, user_id: `u${n}`, insert_id: `id-${n}` });
const arrived = (probe: WriterProbe, project: string = PROJECT.id): string[] =>
  rowsOf(probe.snapshot(project)).sort((a, b) => a.arrival - b.arrival).map(({ type }) => type); // prettier-ignore

describe('a project that the store thread takes up', () => {
  let folder: string;
  let bench: Bench;
  let probe: WriterProbe;
  beforeEach(() => {
    folder = temporaryFolder();
    probe = new WriterProbe(folder);
    for (const n of [1, 2]) track(probe, [event(n)]);
    restart();
  });

  const restart = (storing: Storing = (bench = new Bench())): void => {
    probe = new WriterProbe(folder, {}, storing);
  };
  const tasks = (): string[] => bench.tasks.map(({ task }) => task.op);

  it('is sealed without being loaded, and its messages wait for that; those of others do not', () => {
    probe.writer.loading.replayNext();
    expect(tasks()).to.deep.equal(['replay']);
    const own = [track(probe, [event(2), event(3)]), tell(probe, { op: 'snapshot' })];
    const other = track(probe, [event(1)], OTHER);
    expect([...own, other].map((id) => answerTo(probe, id) !== undefined)).to.deep.equal([false, false, true]);
    probe.writer.loading.replayNext();
    expect(tasks(), 'one at a time').to.deep.equal(['replay']);
    bench.next(probe);
    expect(own.map((id) => answerTo(probe, id)?.ok)).to.deep.equal([true, true]);
    expect(arrived(probe)).to.deep.equal(['e1', 'e2', 'e3']);
    restart();
    expect(arrived(probe), 'after a kill').to.deep.equal(['e1', 'e2', 'e3']);
  });

  it('needs the journal no longer then', () => {
    probe.writer.loading.replayNext();
    bench.next(probe);
    expect(probe.writer.loading.replayNext()).to.equal(false);
    probe.ask({ op: 'close' });
    expect(fs.readdirSync(path.join(folder, 'journal'))).to.deep.equal([]);
    expect(arrived(new WriterProbe(folder))).to.deep.equal(['e1', 'e2']);
  });

  it('is taken up by the writer if the other thread cannot, and nothing is lost', () => {
    probe.writer.loading.replayNext();
    const id = track(probe, [event(3)]);
    bench.fail(probe);
    expect(answerTo(probe, id)?.ok).to.equal(true);
    expect(probe.replies.filter(({ op }) => op === 'trouble')).to.deep.equal([]);
    expect(arrived(probe)).to.deep.equal(['e1', 'e2', 'e3']);
  });

  it('is taken up by the writer if its records have moved meanwhile', () => {
    track(probe, [event(1)], OTHER); // behind the others, in another file
    restart();
    probe.writer.loading.replayNext();
    const journal = path.join(folder, 'journal');
    const [first] = fs.readdirSync(journal).sort();
    const bytes = fs.readFileSync(path.join(journal, first!));
    fs.writeFileSync(path.join(journal, first!), bytes.subarray(0, 24)); // as if rewritten
    bench.next(probe);
    fs.writeFileSync(path.join(journal, first!), bytes);
    restart();
    expect([arrived(probe), arrived(probe, OTHER)]).to.deep.equal([['e1', 'e2'], ['e1']]);
  });

  it('is not, if there is much of it', () => {
    const much = { ...event(3), event_properties: { text: 'x'.repeat(40 << 10) } };
    probe = new WriterProbe(folder);
    track(probe, [much]);
    track(probe, [{ ...much, event_type: 'e4', insert_id: 'id-4' }]);
    restart();
    probe.writer.loading.replayNext();
    expect(tasks(), 'only its seal').to.deep.equal(['seal']);
    bench.next(probe);
    expect(arrived(probe)).to.deep.equal(['e1', 'e2', 'e3', 'e4']);
  });

  it('is deleted after that, if it is to be', () => {
    probe.writer.loading.replayNext();
    const id = tell(probe, { op: 'drop' });
    bench.next(probe);
    bench.next(probe); // rewrites the journal
    expect(answerTo(probe, id)?.ok).to.equal(true);
    expect(fs.existsSync(shardPath(folder, PROJECT.id))).to.equal(false);
    expect(arrived(new WriterProbe(folder))).to.deep.equal([]);
  });

  it('is waited for by the end of the service', () => {
    probe.writer.loading.replayNext();
    const id = tell(probe, { op: 'close' });
    expect(answerTo(probe, id)).to.equal(undefined);
    bench.next(probe);
    expect([answerTo(probe, id)?.ok, bench.closed]).to.deep.equal([true, true]);
  });

  it('has its days told as they are, though some of it was told before', () => {
    track(probe, [event(2), event(3)]);
    probe.tick(monotonic());
    track(probe, [event(4)]);
    probe.writer.loading.replayNext();
    bench.next(probe);
    probe.tick(monotonic());
    const told = probe.replies.flatMap((reply) => (reply.op === 'usage' ? reply.days : []));
    expect(told.map(({ counts, isMore }) => [counts.stored, isMore])).to.deep.equal([
      [2, true],
      [4, undefined],
    ]);
  });

  it('is on disk, in its file, or in its log while a question reads the file', () => {
    probe.writer.loading.replayNext();
    bench.next(probe);
    const file = shardPath(folder, PROJECT.id);
    const reader = openForReading(file);
    reader.exec('BEGIN');
    const rows = (): unknown => reader.prepare('SELECT sum(rows) FROM segments').pluck().get();
    expect(rows()).to.equal(2);
    track(probe, [event(3)]);
    restart();
    probe.writer.loading.replayNext();
    bench.next(probe);
    expect([rows(), fs.statSync(`${file}-wal`).size > 0]).to.deep.equal([2, true]);
    reader.exec('COMMIT');
    expect(rows()).to.equal(3);
    reader.close();
  });

  it('is compacted once it has many segments', () => {
    for (let n = 3; n < 12; n++) {
      probe = new WriterProbe(folder);
      track(probe, [event(n)]);
      restart();
      probe.writer.loading.replayNext();
      bench.next(probe);
    }
    expect(probe.takeCompactions().map(({ project }) => project)).to.deep.equal([PROJECT.id]);
    expect(arrived(probe)).to.have.length(11);
  });
});

describe('events of a project that is not loaded', () => {
  /** Whether events were counted of a project that is not loaded. */
  const isDeferred = (probe: WriterProbe): boolean => {
    probe.tick(monotonic());
    const days = probe.replies.flatMap((reply) => (reply.op === 'usage' ? reply.days : []));
    return days.findLast(({ project }) => project === PROJECT.id)?.isMore === true;
  };

  it('are left to the journal if there is no memory for it, also those of a new one, and loaded if there is', () => {
    for (const dictionaryBytes of [1, 64 << 20]) {
      const folder = temporaryFolder();
      for (const [from, expected] of [
        [1, ['e1', 'e2']],
        [2, ['e1', 'e2', 'e3']],
      ] as const) {
        const probe = new WriterProbe(folder, { dictionaryBytes });
        track(probe, [event(from)], 'prj_loaded'); // one shard is always loaded
        for (const n of [0, 1]) track(probe, [event(from + n)]);
        expect(isDeferred(probe)).to.equal(dictionaryBytes === 1);
        expect(arrived(probe)).to.deep.equal(expected);
        probe.ask({ op: 'close' });
      }
    }
  });

  it('are nowhere if the disk does not take them, and come again', () => {
    const { fdatasyncSync } = fs;
    const probe = new WriterProbe(temporaryFolder(), { dictionaryBytes: 1 });
    track(probe, [event(1)], 'prj_loaded');
    fs.fdatasyncSync = () => {
      throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', syscall: 'fdatasync' });
    };
    try {
      expect(answerTo(probe, track(probe, [event(1)]))?.ok).to.equal(false);
    } finally {
      fs.fdatasyncSync = fdatasyncSync;
    }
    expect(arrived(probe)).to.deep.equal([]);
    track(probe, [event(1)]);
    expect(arrived(probe)).to.deep.equal(['e1']);
  });
});
