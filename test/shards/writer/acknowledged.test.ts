/** What was acknowledged stays, whatever happens beside it: each case once lost events. */
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { monotonic } from '../../../lib/base/monotonic.ts';
import { answerTo, begin, Bench, tell } from '../../support/bench.ts';
import { NOW, rowsOf, PROJECT, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ioError = (): Error => Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });

const append = (probe: WriterProbe, types: readonly string[], project?: string): number =>
  begin(probe, types.map((type) => ({ event_type: type })), project); // prettier-ignore

/** As after kill -9. */
function restarted(folder: string): WriterProbe {
  const copy = temporaryFolder();
  fs.cpSync(folder, copy, { recursive: true });
  return new WriterProbe(copy);
}

const typesOf = (probe: WriterProbe, project?: string): string[] =>
  rowsOf(probe.snapshot(project)).map(({ type }) => type).sort(); // prettier-ignore

describe('what was acknowledged', () => {
  let folder: string;
  let probe: WriterProbe;
  const { fdatasync, ftruncateSync } = fs;
  const saved = { fdatasync, ftruncateSync };
  beforeEach(() => {
    folder = temporaryFolder();
    probe = new WriterProbe(folder);
  });
  afterEach(() => Object.assign(fs, saved));

  /** Two requests: the first is being synced, the other waits. Returns how to end the sync, and their numbers. */
  function underWay(): { fail: () => void; ids: number[] } {
    let done: (error: Error | null) => void = () => undefined;
    Object.assign(fs, { fdatasync: (_fd: number, told: typeof done) => (done = told) });
    probe.more = true; // a sync that is not waited for
    const ids = [append(probe, ['first']), append(probe, ['second'], 'prj_other')];
    return { ids, fail: () => done(ioError()) };
  }

  it('after a failed sync is not replaced, at the next start, by what was refused', () => {
    const { ids, fail } = underWay();
    fail();
    Object.assign(fs, saved);
    probe.more = false;
    expect(ids.map((id) => answerTo(probe, id)?.ok)).to.deep.equal([false, false]);
    const later = [append(probe, ['third']), append(probe, ['fourth'], 'prj_other')];
    tell(probe, { op: 'device', project: { ...PROJECT, id: 'prj_nobody' }, deviceId: 'd' }); // waits for the disk
    expect(later.map((id) => answerTo(probe, id)?.ok)).to.deep.equal([true, true]);
    const next = restarted(folder);
    expect([typesOf(next), typesOf(next, 'prj_other')]).to.deep.equal([['third'], ['fourth']]);
  });

  it('comes only when what was refused is cut off, if that was not possible at once', () => {
    const { ids, fail } = underWay();
    Object.assign(fs, {
      ftruncateSync: () => {
        throw ioError();
      },
    });
    fail();
    Object.assign(fs, { fdatasync: saved.fdatasync });
    probe.more = false;
    expect(ids.map((id) => answerTo(probe, id)?.ok)).to.deep.equal([false, false]);
    const refused = append(probe, ['third']);
    expect(answerTo(probe, refused)).to.deep.include({ ok: false });
    Object.assign(fs, saved);
    probe.track([{ event_type: 'fourth' }]);
    expect(typesOf(restarted(folder))).to.deep.equal(['fourth']);
  });

  it('of a project that is not loaded is not given up with the journal of a quiet minute, while it is synced', async () => {
    probe = new WriterProbe(folder, { dictionaryBytes: 100 << 10 });
    probe.track([{ event_type: 'loaded' }], NOW, 'prj_loaded');
    probe.snapshot('prj_loaded'); // the memory is crowded now: others are deferred
    const journal = path.join(folder, 'journal');
    const isEmpty = (): boolean =>
      fs.readdirSync(journal).every((name) => fs.statSync(path.join(journal, name)).size === 0);
    for (; !isEmpty(); await turn()) probe.tick(monotonic() + 61_000); // until the seal is on disk, and the journal rests
    Object.assign(fs, { fdatasync: () => undefined }); // a disk that takes long
    probe.more = true;
    const id = append(probe, ['deferred'], 'prj_new');
    expect(answerTo(probe, id)).to.equal(undefined);
    probe.tick(monotonic() + 61_000);
    Object.assign(fs, saved);
    probe.more = false;
    expect(answerTo(probe, id)).to.deep.include({ ok: true });
    expect(typesOf(restarted(folder), 'prj_new')).to.deep.equal(['deferred']);
    expect(typesOf(probe, 'prj_new')).to.deep.equal(['deferred']);
  });

  it('stays where a project is dropped for want of memory between two seals of what an earlier run left', () => {
    for (let n = 0; n < 10; n++) probe.track(Array.from({ length: 10 }, () => ({ event_type: `e${n}` })));
    const bench = new Bench();
    const copy = temporaryFolder();
    fs.cpSync(folder, copy, { recursive: true });
    probe = new WriterProbe(copy, { sealRows: 30, dictionaryBytes: 100 << 10 }, bench);
    probe.stepwise = true;
    const asked = tell(probe, { op: 'snapshot' });
    for (let n = 0; n < 200 && answerTo(probe, asked) === undefined; n++) {
      if (bench.tasks.length > 0) bench.next(probe);
      tell(probe, { op: 'extent', project: `prj_other${n % 3}` }); // each wants memory
      probe.tick(monotonic());
      probe.turns(1);
    }
    expect(answerTo(probe, asked)).to.deep.include({ ok: true });
    probe.stepwise = false;
    while (bench.tasks.length > 0) bench.next(probe);
    expect(rowsOf(probe.snapshot())).to.have.length(100);
  });
});
