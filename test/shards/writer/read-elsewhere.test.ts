import { expect } from 'chai';
import Database from 'better-sqlite3';
import { setThresholds } from '../../../lib/base/threshold.ts';
import { answerTo, Bench, tell, track } from '../../support/bench.ts';
import { NOW, openReader, PROJECT, rowsOf, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const LIMITS = [
  'texts that are read when a shard is opened',
  'bindings that others wait for',
  'event types that others wait for',
];
const OTHER = 'prj_other';
const users = (from: number, to: number): object[] =>
  Array.from({ length: to - from }, (_, i) => ({ event_type: 'e', user_id: `user ${from + i}` }));

/** Makes a shard look as an earlier version left it: without an index. */
function withoutIndex(folder: string): void {
  const before = new WriterProbe(folder);
  before.track(users(0, 1_000));
  before.snapshot();
  before.ask({ op: 'close' });
  const file = new Database(`${folder}/shards/${PROJECT.id}.db`);
  for (const table of ['text_keys', 'text_runs']) file.exec(`DROP TABLE IF EXISTS ${table}`);
  file.close();
}

describe('what takes long to read', () => {
  before(() => setThresholds('least', LIMITS));
  after(() => setThresholds('usual', LIMITS));

  it('is indexed by the other thread first, in a shard that has no index; others are answered meanwhile', () => {
    const folder = temporaryFolder();
    withoutIndex(folder);
    const bench = new Bench();
    const probe = new WriterProbe(folder, {}, bench);
    const waiting = [track(probe, users(500, 1_500)), tell(probe, { op: 'extent' })];
    expect(bench.tasks.map(({ task }) => task.op)).to.deep.equal(['index']);
    expect(answerTo(probe, track(probe, users(0, 1), OTHER))).to.deep.include({ ok: true });
    expect(waiting.map((id) => answerTo(probe, id))).to.deep.equal([undefined, undefined]);
    bench.next(probe);
    expect(waiting.map((id) => answerTo(probe, id)?.ok)).to.deep.equal([true, true]);
    expect(probe.memory(), 'its ids are on disk').to.be.below(100_000);
    const snapshot = probe.snapshot();
    expect(openReader(snapshot).ids().size, 'those that came again have their numbers').to.equal(1_500);
    expect(new Set(rowsOf(snapshot).map(({ user }) => user)).size).to.equal(1_500);
  });

  it('is indexed by the other thread first where retention reads it, and left alone where nothing is too old', () => {
    const folder = temporaryFolder();
    withoutIndex(folder);
    const bench = new Bench();
    const probe = new WriterProbe(folder, {}, bench);
    const retain = (retentionDays: number, now: number): number =>
      tell(probe, { op: 'retain', project: { ...PROJECT, retentionDays }, now });
    expect(answerTo(probe, retain(10, NOW))).to.deep.include({ ok: true });
    expect(bench.tasks).to.deep.equal([]);
    const retained = retain(10, NOW + 20 * 86_400_000);
    expect(bench.tasks.map(({ task }) => task.op)).to.deep.equal(['index']);
    expect(answerTo(probe, track(probe, users(0, 1), OTHER))).to.deep.include({ ok: true });
    bench.next(probe);
    expect(bench.tasks.map(({ task }) => task.op)).to.deep.equal(['retire']);
    bench.next(probe);
    expect(answerTo(probe, retained)).to.deep.include({ ok: true });
    expect(rowsOf(probe.snapshot())).to.deep.equal([]);
  });

  it('is indexed at the start where the journal has events of such a shard', () => {
    const folder = temporaryFolder();
    withoutIndex(folder);
    const killed = new WriterProbe(folder);
    killed.track(users(500, 1_500));
    const file = new Database(`${folder}/shards/${PROJECT.id}.db`);
    for (const table of ['text_keys', 'text_runs']) file.exec(`DELETE FROM ${table}`);
    file.close();
    const heir = new WriterProbe(folder);
    expect(heir.memory()).to.be.below(100_000);
    expect(openReader(heir.snapshot()).ids().size).to.equal(1_500);
  });

  it('is read by the other thread, of a long log of bindings, and the answer is that of a short one', () => {
    const bench = new Bench();
    const probe = new WriterProbe(temporaryFolder(), {}, bench);
    for (const user_id of ['a', 'b']) probe.identify({ user_id, device_id: 'd' });
    probe.snapshot();
    const device = (): number => tell(probe, { op: 'device', project: PROJECT, deviceId: 'd' });
    const asked = device();
    expect(bench.tasks.map(({ task }) => task.op)).to.deep.equal(['bindings']);
    expect(answerTo(probe, asked)).to.equal(undefined);
    bench.next(probe);
    expect(answerTo(probe, asked)?.value).to.deep.include({ userId: 'b' });
    expect(probe.append('unbind', 'd').accepted, 'it was read a moment ago').to.equal(1);
    const again = device();
    expect(answerTo(probe, again)?.value).to.deep.include({ userId: 'a' });
    probe.snapshot();
    const late = device();
    expect(answerTo(probe, late), 'the log has grown').to.equal(undefined);
    bench.next(probe);
    expect(answerTo(probe, late)?.value).to.deep.include({ userId: 'a' });
    expect(answerTo(probe, late)?.value).to.have.property('history').with.length(3);
  });

  it('is read by the other thread, of the names of a project that has very many, and the answer is the same', () => {
    const bench = new Bench();
    const probe = new WriterProbe(temporaryFolder(), {}, bench);
    const types = (from: number, to: number): object[] =>
      Array.from({ length: to - from }, (_, i) => ({
        event_type: `type ${from + i}`,
        device_id: 'd',
        event_properties: { x: 1 },
      }));
    track(probe, [...types(0, 40), ...types(0, 10)]);
    probe.snapshot();
    track(probe, types(40, 43));
    const asked = tell(probe, { op: 'catalog', project: PROJECT });
    expect(answerTo(probe, asked)).to.equal(undefined);
    bench.next(probe);
    const told = answerTo(probe, asked)?.value;
    setThresholds('usual', LIMITS);
    expect(told).to.deep.equal(probe.ask({ op: 'catalog', project: PROJECT }));
    setThresholds('least', LIMITS);
    expect(told).to.have.property('events').with.length(43);
    expect(told).to.have.nested.property('events[0].rows', 2);
  });
});
