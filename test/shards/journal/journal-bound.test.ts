import { monotonic } from '../../../lib/base/monotonic.ts';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { shardPath } from '../../../lib/shards/file/shard-file.ts';
import { NOW, rowsOf, WriterProbe, type Sent } from '../../support/shard-rows.ts';

const MIB = 1 << 20;
const BOUND = 4 * MIB;

/** Moves a shard's file together with its log. */
function move(from: string, to: string): void {
  for (const end of ['', '-wal', '-shm']) {
    fs.rmSync(to + end, { force: true });
    if (fs.existsSync(from + end)) fs.renameSync(from + end, to + end);
  }
}

describe('the journal on disk', () => {
  let folder: string;
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'windlass-journal-bound-'));
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  const onDisk = (): number => {
    const files = fs.readdirSync(path.join(folder, 'journal'));
    return files.reduce((sum, name) => sum + fs.statSync(path.join(folder, 'journal', name)).size, 0);
  };
  const told = (probe: WriterProbe): number => {
    probe.tick(monotonic());
    const stats = probe.replies.flatMap((reply) => (reply.op === 'stats' ? [reply.stats] : []));
    return stats.at(-1)!.journalBytes;
  };
  const event = (n: number): Sent => ({
    event_type: 'view',
    device_id: 'd1',
    time: new Date(NOW + n).toISOString(),
    insert_id: n.toString(16).padStart(16, '0'),
  });
  /** About 40 KiB of body. */
  const TEXT = 'x'.repeat(8_000);
  const batch = (n: number): Sent[] => [{ ...event(n), event_properties: { a: TEXT, b: TEXT, c: TEXT, d: TEXT } }];
  const flood = (probe: WriterProbe, bytes: number, afterEach = (): void => undefined): void => {
    for (let n = 0; n * 32_000 < bytes; n++) {
      probe.track(batch(n), NOW, 'prj_busy');
      afterEach();
    }
  };

  it('gives its room back when nothing has come for a minute, keeps what waits, and goes on', async () => {
    let probe = new WriterProbe(folder, { journalBytes: BOUND, sealBytes: MIB });
    flood(probe, 2 * BOUND);
    probe.track([event(1)], NOW, 'prj_idle');
    const busy = onDisk();
    probe.tick(monotonic() + 61_000);
    expect(onDisk(), 'of files that hold an event').to.be.below(busy).and.above(0);
    probe = new WriterProbe(folder, { journalBytes: BOUND, sealBytes: MIB }); // the old one is killed
    expect(rowsOf(probe.snapshot('prj_idle'))).to.have.length(1);
    probe.snapshot('prj_busy');
    for (; onDisk() > 0; await turn()) probe.tick(monotonic() + 61_000); // everything is sealed, and soon on disk
    probe.track([event(2)], NOW, 'prj_idle');
    probe = new WriterProbe(folder, { journalBytes: BOUND, sealBytes: MIB });
    expect(rowsOf(probe.snapshot('prj_idle'))).to.have.length(2);
    flood(probe, BOUND);
    probe.ask({ op: 'close' });
    expect(fs.readdirSync(path.join(folder, 'journal')), 'after a stop').to.deep.equal([]);
  });

  it('holds its bound beside one pending event of an idle project, and the metric says what is on disk', () => {
    const probe = new WriterProbe(folder, { journalBytes: BOUND, sealBytes: MIB });
    probe.track([event(1)], NOW, 'prj_idle');
    let most = 0;
    flood(probe, 5 * BOUND, () => (most = Math.max(most, onDisk())));
    expect(most).to.be.below(BOUND + 2 * MIB); // plus two spares
    expect(told(probe)).to.equal(onDisk());
    expect(rowsOf(probe.snapshot('prj_idle'))).to.have.length(1);
  });

  it('keeps only what cannot be sealed, where a project that pins the oldest file cannot be', () => {
    let probe = new WriterProbe(folder, { journalBytes: BOUND, sealBytes: MIB });
    probe.track([event(1)], NOW, 'prj_damaged');
    probe.snapshot('prj_damaged');
    probe.track([event(2)], NOW, 'prj_damaged');
    const file = shardPath(folder, 'prj_damaged');
    move(file, `${file}.kept`);
    fs.writeFileSync(file, 'this is no shard'.repeat(1_000));
    probe = new WriterProbe(folder, { journalBytes: BOUND, sealBytes: MIB });
    flood(probe, 3 * BOUND);
    expect(onDisk()).to.be.below(BOUND + 2 * MIB);
    move(`${file}.kept`, file);
    probe = new WriterProbe(folder);
    expect(rowsOf(probe.snapshot('prj_damaged'))).to.have.length(2);
  });

  it('refuses a project whose seals fail when it has its share waiting, and no other', () => {
    const probe = new WriterProbe(folder, { sealBytes: MIB, openShards: 1 });
    probe.track([event(1)], NOW, 'prj_busy');
    probe.snapshot('prj_other'); // closes the file of the first
    fs.rmSync(shardPath(folder, 'prj_busy'));
    fs.mkdirSync(shardPath(folder, 'prj_busy'));
    expect(() => flood(probe, 3 * MIB)).to.throw('shard_damaged');
    expect(probe.track([event(2)], NOW, 'prj_other').accepted).to.equal(1);
  });
});
