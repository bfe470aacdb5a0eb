import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { answerTo, Bench, tell, track } from '../../support/bench.ts';
import { rowsOf, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const SECRET = 'zebra-stripes';
const OTHER = 'prj_other';
const event = { event_type: 'e', user_id: SECRET };

/** Journal files that still contain the secret. */
const holders = (folder: string): string[] =>
  fs
    .readdirSync(path.join(folder, 'journal'))
    .filter((name) => fs.readFileSync(path.join(folder, 'journal', name), 'latin1').includes(SECRET));

describe('a journal that is rewritten without a project', () => {
  let folder: string;
  let bench: Bench;
  let probe: WriterProbe;
  beforeEach(() => {
    folder = temporaryFolder();
    bench = new Bench();
    probe = new WriterProbe(folder, {}, bench);
    track(probe, [event]);
    track(probe, [{ event_type: 'e' }], OTHER);
  });

  it('is so by the other thread: the others are acknowledged and sealed meanwhile, the deletion is told when it is done', async () => {
    const dropped = tell(probe, { op: 'drop' });
    expect(bench.tasks.map(({ task }) => task.op)).to.deep.equal(['scrub']);
    expect(answerTo(probe, track(probe, [{ event_type: 'f' }], OTHER))).to.deep.include({ ok: true });
    expect(rowsOf(probe.snapshot(OTHER))).to.have.length(2); // nothing needs the old files any more, yet they stay
    expect([holders(folder).length, answerTo(probe, dropped)]).to.deep.equal([1, undefined]);
    bench.next(probe);
    expect([holders(folder), answerTo(probe, dropped)?.ok]).to.deep.equal([[], true]);
    const files = (): string[] => fs.readdirSync(path.join(folder, 'journal'));
    while (files().filter((name) => !name.startsWith('spare')).length > 1) await turn(); // until the sealed events are on disk
  });

  it('is so for two projects at once, and none of its files is used again before both are done', () => {
    tell(probe, { op: 'drop' });
    tell(probe, { op: 'drop', project: OTHER });
    expect(bench.tasks.map(({ task }) => task.op)).to.deep.equal(['scrub', 'scrub']);
    bench.next(probe);
    expect(fs.readdirSync(path.join(folder, 'journal')).some((name) => name.startsWith('spare'))).to.equal(false);
    bench.next(probe);
    expect(holders(folder)).to.deep.equal([]);
  });

  it('holds an erased project back until it is done, and lets it go on when the disk fails', () => {
    tell(probe, { op: 'freeze' });
    const thawed = tell(probe, { op: 'thaw' });
    const later = track(probe, [event]);
    expect([answerTo(probe, thawed), answerTo(probe, later)]).to.deep.equal([undefined, undefined]);
    bench.fail(probe);
    expect(answerTo(probe, thawed)?.error).to.deep.include({ code: 'storage_unavailable' });
    expect(answerTo(probe, later)?.ok).to.equal(true);
  });
});
