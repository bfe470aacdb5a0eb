import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { setThresholds } from '../../../lib/base/threshold.ts';
import { closedAfterUse, openForReading, openForWriting, shardPath } from '../../../lib/shards/file/shard-file.ts';
import { readSegments } from '../../../lib/shards/segment/shard-meta.ts';
import { atEnds } from '../../support/at-ends.ts';
import { answerTo, Bench, tell, track } from '../../support/bench.ts';
import { outcomeOf, PROJECT, rowsOf, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const OTHER = 'prj_other';
/** The threshold from which on a seal is another thread’s. */
const ROWS = ['rows of a seal that others wait for'];
/** More text than the writer's own seals may hold. */
const LONG = '字'.repeat(500);

const events = (from: number, to: number, filler = LONG): object[] =>
  Array.from({ length: to - from }, (_, i) => ({ event_type: 'e', user_id: `${filler}${from + i}` }));

describe('a seal that takes long', () => {
  let bench: Bench;
  let probe: WriterProbe;
  afterEach(() => setThresholds('usual', ROWS));
  beforeEach(() => {
    bench = new Bench();
    probe = new WriterProbe(temporaryFolder(), { sealBytes: 512 << 10 }, bench);
  });

  it('is another thread’s: meanwhile events of its project are taken and acknowledged, and a question waits', () => {
    expect(answerTo(probe, track(probe, events(0, 500)))).to.deep.include({ ok: true });
    expect(bench.tasks.map(({ task }) => task.op)).to.deep.equal(['seal']);
    expect(answerTo(probe, track(probe, events(500, 505)))).to.deep.include({ ok: true });
    const waiting = [tell(probe, { op: 'snapshot' }), track(probe, events(505, 520))];
    expect(answerTo(probe, track(probe, events(0, 1), OTHER)), 'another project').to.deep.include({ ok: true });
    expect(rowsOf(probe.snapshot(OTHER)), 'its question').to.have.length(1);
    expect(waiting.map((id) => answerTo(probe, id))).to.deep.equal([undefined, undefined]);
    bench.next(probe);
    expect(waiting.map((id) => answerTo(probe, id)?.ok)).to.deep.equal([true, true]);
    expect(rowsOf(probe.snapshot()).map(({ user }) => user)).to.have.length(520);
    expect(bench.tasks, 'a few rows are sealed by the writer').to.deep.equal([]);
  });

  it('has its project wait once there is as much for the next seal', () => {
    track(probe, events(0, 500));
    expect(answerTo(probe, track(probe, events(500, 1_000)))).to.deep.include({ ok: true });
    const waiting = track(probe, events(1_000, 1_001));
    expect(answerTo(probe, waiting)).to.equal(undefined);
    bench.next(probe);
    expect(answerTo(probe, waiting)).to.deep.include({ ok: true });
    expect(bench.tasks.map(({ task }) => task.op)).to.deep.equal(['seal']);
  });

  it('is waited for by the questions of its project, which then see everything acknowledged', () => {
    track(probe, events(0, 300));
    const asked = tell(probe, { op: 'snapshot' });
    expect(answerTo(probe, asked)).to.equal(undefined);
    bench.next(probe);
    expect(answerTo(probe, asked)).to.deep.include({ ok: true });
    expect(rowsOf(probe.snapshot())).to.have.length(300);
  });

  it('tells the question that waits when the disk does not take it, and loses nothing', () => {
    track(probe, events(0, 300));
    const asked = tell(probe, { op: 'snapshot' });
    const waiting = track(probe, events(300, 310));
    bench.fail(probe);
    expect(answerTo(probe, asked)?.error).to.deep.include({ code: 'storage_unavailable' });
    expect(answerTo(probe, waiting)).to.deep.include({ ok: true });
    const again = tell(probe, { op: 'snapshot' });
    bench.next(probe);
    expect(answerTo(probe, again)).to.deep.include({ ok: true });
    expect(rowsOf(probe.snapshot())).to.have.length(310);
  });

  it('stores its events once where the disk took them and said that it did not', () => {
    setThresholds('least', ROWS);
    // At first texts and fields are new, then only rows.
    for (const rows of [300, 600]) {
      track(probe, events(0, 300));
      tell(probe, { op: 'snapshot' });
      bench.failOnceDone(probe);
      const again = tell(probe, { op: 'snapshot' });
      bench.next(probe);
      expect(answerTo(probe, again)).to.deep.include({ ok: true });
      expect(rowsOf(probe.snapshot())).to.have.length(rows);
    }
    setThresholds('usual', ROWS);
    track(probe, events(290, 310));
    expect(new Set(rowsOf(probe.snapshot()).map(({ user }) => user)), 'with what comes later').to.have.property(
      'size',
      310,
    );
  });

  it('leaves to the next one what came before its retry, where the disk took it and said that it did not', () => {
    track(probe, events(0, 500));
    track(probe, [{ event_type: 'new', user_id: 'new', event_properties: { fresh: 'text' } }]);
    bench.failOnceDone(probe);
    const asked = tell(probe, { op: 'snapshot' });
    while (bench.tasks.length > 0) bench.next(probe);
    expect(answerTo(probe, asked)).to.deep.include({ ok: true });
    const rows = rowsOf(probe.snapshot());
    expect(rows).to.have.length(501);
    expect(rows.at(-1)).to.deep.include({ type: 'new', user: 'new', properties: { fresh: 'string text' } });
  });

  it('has on disk what a sync has failed for, before the journal gives it up', () => {
    track(probe, events(0, 500));
    const [{ file }] = bench.tasks as [(typeof bench.tasks)[0]];
    openForWriting(file).close();
    using query = closedAfterUse(openForReading(file));
    bench.failOnceDone(probe);
    tell(probe, { op: 'snapshot' });
    bench.next(probe);
    query.connection.pragma('user_version');
    const copy = path.join(temporaryFolder(), 'copy.db');
    fs.copyFileSync(file, copy); // without the log
    using copied = closedAfterUse(openForReading(copy));
    expect(readSegments(copied.connection).map(({ rows }) => rows)).to.deep.equal([500]);
  });

  it('leaves its events in the journal until it is done: after a kill they are there, once', () => {
    const folder = temporaryFolder();
    const killed = new WriterProbe(folder, { sealBytes: 512 << 10 }, bench);
    track(killed, events(0, 500));
    const heir = new WriterProbe(folder);
    expect(rowsOf(heir.snapshot())).to.have.length(500);
    // The killed writer's seal may still reach the file: its successor notices.
    const late = temporaryFolder();
    const slow = new WriterProbe(late, { sealBytes: 512 << 10 }, bench);
    track(slow, events(0, 500));
    const { file, task } = bench.tasks.at(-1)!;
    outcomeOf(file, task);
    expect(rowsOf(new WriterProbe(late).snapshot())).to.have.length(500);
  });

  it('is waited for by the end of the server', () => {
    track(probe, events(0, 500));
    const closed = tell(probe, { op: 'close' });
    expect(answerTo(probe, closed)).to.equal(undefined);
    bench.next(probe);
    expect(answerTo(probe, closed)).to.deep.include({ ok: true });
    expect(bench.closed).to.equal(true);
  });

  it('is waited for by an erasure and by the deletion of its project', () => {
    track(probe, events(0, 500));
    const frozen = tell(probe, { op: 'freeze' });
    expect(answerTo(probe, frozen)).to.equal(undefined);
    bench.next(probe);
    expect(answerTo(probe, frozen)).to.deep.include({ ok: true });
    tell(probe, { op: 'thaw' });
    bench.next(probe);
    track(probe, events(500, 1_000));
    const dropped = tell(probe, { op: 'drop' });
    expect(bench.tasks.map(({ task }) => task.op)).to.deep.equal(['seal']);
    bench.next(probe);
    expect(answerTo(probe, dropped)).to.equal(undefined);
    bench.next(probe); // for the journal
    expect(answerTo(probe, dropped)).to.deep.include({ ok: true });
    expect(probe.ask({ op: 'extent', project: PROJECT.id })).to.equal(null);
  });

  it('slows whoever holds much when too much waits, instead of refusing it', () => {
    probe = new WriterProbe(temporaryFolder(), { pendingBytes: 1 << 20, sealBytes: 600 << 10 }, bench);
    track(probe, events(0, 500));
    const second = 'prj_second';
    track(probe, events(0, 390), second);
    const waiting = track(probe, events(390, 391), second);
    expect(answerTo(probe, waiting), 'it holds much').to.equal(undefined);
    expect(answerTo(probe, track(probe, events(0, 1), OTHER)), 'it holds little').to.deep.include({ ok: true });
    bench.next(probe);
    expect(answerTo(probe, waiting)).to.deep.include({ ok: true });
  });
});

describe('what a seal stores', () => {
  const uuid = (nth: number): string => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`;
  const hex = (nth: number): string => nth.toString(16).padStart(16, '0');
  const IDS = [(nth: number) => `text-${nth}`, uuid, hex];
  const given = (nth: number): { id: string; properties: object } => ({
    id: IDS[nth % IDS.length]!(nth),
    properties: { nth, text: `t${nth % 50}`, ...(nth % 7 === 0 ? { seldom: `s${nth}` } : {}) },
  });
  const numbered = (from: number, to: number): object[] =>
    Array.from({ length: to - from }, (_, i) => {
      const { id, properties } = given(from + i);
      return {
        ...{ event_type: 'e', user_id: `${LONG}${from + i}` },
        ...{ insert_id: id, event_properties: properties },
      };
    });

  atEnds(
    (title) => {
      it(`is what was set aside though rows follow, and repeats of it are told meanwhile, ${title}`, () => {
        const bench = new Bench();
        const probe = new WriterProbe(temporaryFolder(), { sealBytes: 512 << 10 }, bench);
        let seals = 0;
        for (let from = 0; from < 1_800; from += 600) {
          track(probe, numbered(from, from + 500));
          expect(bench.tasks.map(({ task }) => task.op)).to.deep.equal(['seal']);
          const repeats = numbered(from + 100, from + 103);
          track(probe, [...repeats, ...numbered(from + 500, from + 600), ...repeats]);
          for (; bench.tasks.length > 0; seals++) bench.next(probe);
        }
        expect(seals).to.be.greaterThan(2);
        const rows = rowsOf(probe.snapshot());
        const found = rows.map(({ insertId, properties: { nth, text, seldom } }) => [insertId, nth, text, seldom]);
        const wanted = Array.from({ length: 1_800 }, (_, nth) => [
          ...[given(nth).id, nth, `string t${nth % 50}`],
          nth % 7 === 0 ? `string s${nth}` : undefined,
        ]);
        expect(found.sort(([, a], [, b]) => Number(a) - Number(b))).to.deep.equal(wanted);
      });
    },
    ['bytes of a shared array'],
  );
});

describe('a file that is to be closed, as no more may be open', () => {
  const PROJECTS = ['prj_1', 'prj_2', 'prj_3', 'prj_4'];
  let folder: string;
  let bench: Bench;
  let probe: WriterProbe;
  beforeEach(() => {
    folder = temporaryFolder();
    bench = new Bench();
    probe = new WriterProbe(folder, { openShards: PROJECTS.length }, bench);
    for (const project of PROJECTS) {
      track(probe, events(0, 3, ''), project);
      expect(answerTo(probe, tell(probe, { op: 'snapshot', project }))?.ok).to.equal(true);
    }
  });
  const logs = (): string[] => PROJECTS.filter((project) => fs.existsSync(`${shardPath(folder, project)}-wal`));

  it('has its log brought into it by the other thread; its project goes on, and questions see what came meanwhile', () => {
    expect([bench.tasks.map(({ task }) => task.op), logs()]).to.deep.equal([['checkpoint'], PROJECTS]);
    expect(answerTo(probe, track(probe, events(3, 5, ''), 'prj_1'))?.ok).to.equal(true);
    const asked = tell(probe, { op: 'snapshot', project: 'prj_1' });
    expect(answerTo(probe, asked)).to.equal(undefined);
    bench.next(probe);
    expect(answerTo(probe, asked)?.ok).to.equal(true);
    expect(rowsOf(probe.snapshot('prj_1'))).to.have.length(5);
  });

  it('is closed then, and the next one in its turn', () => {
    bench.next(probe);
    expect([bench.tasks, logs()]).to.deep.equal([[], PROJECTS.slice(1)]);
    track(probe, events(0, 1, ''), 'prj_5');
    tell(probe, { op: 'snapshot', project: 'prj_5' });
    bench.next(probe);
    expect(logs()).to.deep.equal(PROJECTS.slice(2));
    for (const project of PROJECTS) expect(rowsOf(probe.snapshot(project)), project).to.have.length(3);
  });

  it('is waited for by an erasure, which needs the file for itself', () => {
    const frozen = tell(probe, { op: 'freeze', project: 'prj_1' });
    expect(answerTo(probe, frozen)).to.equal(undefined);
    bench.next(probe);
    expect([answerTo(probe, frozen)?.ok, logs()]).to.deep.equal([true, PROJECTS.slice(1)]);
  });

  it('stays as it is when the disk does not take it: that is told, and nothing is lost', () => {
    bench.fail(probe);
    const troubles = probe.replies.flatMap((reply) => (reply.op === 'trouble' ? [[reply.what, reply.project]] : []));
    expect(troubles).to.deep.equal([['seal', 'prj_1']]);
    expect(rowsOf(probe.snapshot('prj_1'))).to.have.length(3);
  });

  it('is read with all that was acknowledged after a kill at any moment of that', () => {
    const before = temporaryFolder();
    fs.cpSync(folder, before, { recursive: true });
    const { file, task } = bench.tasks[0]!;
    outcomeOf(file, task); // the writer never learns of it
    for (const left of [before, folder]) {
      const heir = new WriterProbe(left);
      for (const project of PROJECTS) expect(rowsOf(heir.snapshot(project)), project).to.have.length(3);
    }
  });
});
