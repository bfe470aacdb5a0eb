import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { eraseFromShard } from '../../../lib/shards/erase/erase-shard.ts';
import type { Snapshot } from '../../../lib/shards/shard-reader.ts';
import { monotonic } from '../../../lib/base/monotonic.ts';
import { openForReading, openForWriting, SHARD_FORMAT, shardPath } from '../../../lib/shards/file/shard-file.ts';
import { ShardImages } from '../../../lib/shards/file/shard-image.ts';
import { Bench, tell, track } from '../../support/bench.ts';
import { NOW, PROJECT, rowsOf, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const DAY = 86_400_000;

describe('a small shard at rest', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = temporaryFolder();
    file = shardPath(folder, PROJECT.id);
  });

  const beside = (): string[] => fs.readdirSync(path.dirname(file)).filter((name) => name !== path.basename(file));
  const event = (id: string, user = 'u1'): object => ({ event_type: 'e', user_id: user, insert_id: id });
  const ids = (snapshot: Snapshot): string[] => rowsOf(snapshot).map(({ insertId }) => insertId).sort(); // prettier-ignore
  /** A writer that starts with a sealed event. */
  const begin = (bench = new Bench()): { probe: WriterProbe; bench: Bench } => {
    const earlier = new WriterProbe(folder);
    earlier.track([event('one')]);
    earlier.ask({ op: 'close' });
    const probe = new WriterProbe(folder, {}, bench);
    track(probe, [event('one'), event('two')]); // reads its filter
    expect(beside()).to.deep.equal([]);
    return { probe, bench };
  };

  it('is read without another file, and never written to by mistake', () => {
    openForWriting(file).close();
    const images = new ShardImages();
    const image = images.get(file)!;
    expect(image.prepare('SELECT count(*) AS rows FROM segments').get()).to.deep.equal({ rows: 0 });
    expect(() => image.exec('DELETE FROM meta')).to.throw('readonly');
    expect(beside()).to.deep.equal([]);
    images.closeAll();
  });

  it('is opened where somebody has it open, or it is of another format, large or not there', () => {
    const images = new ShardImages();
    expect(images.get(file)).to.equal(null);
    const writing = openForWriting(file);
    writing.exec("INSERT INTO meta VALUES ('a', 1)");
    expect(images.get(file)).to.equal(null);
    const reading = openForReading(file);
    reading.prepare('SELECT * FROM meta').all();
    writing.close();
    expect(images.get(file)).to.equal(null);
    reading.close();
    const later = openForWriting(file);
    later.pragma(`user_version = ${SHARD_FORMAT + 1}`);
    later.close();
    expect(images.get(file)).to.equal(null);
    const large = openForWriting(shardPath(folder, 'large'));
    large.prepare('INSERT INTO bindings VALUES (1, 1, zeroblob(?), 0)').run(1 << 20);
    large.close();
    expect(images.get(shardPath(folder, 'large'))).to.equal(null);
  });

  it('is read anew after the writer has sealed', () => {
    const { probe } = begin();
    probe.snapshot();
    expect(probe.track([event('two'), event('three')]).accepted).to.equal(2);
    expect(ids(probe.snapshot())).to.deep.equal(['one', 'three', 'two']);
  });

  for (const [name, meanwhile] of [
    ['', () => undefined],
    [', and was read while that went on', (probe: WriterProbe) => void track(probe, [event('one', 'u2')])],
  ] as const)
    it(`is read anew after the other thread has sealed${name}`, () => {
      const { probe, bench } = begin();
      probe.tick(monotonic() + DAY);
      expect(bench.tasks.map(({ task }) => task.op)).to.deep.equal(['seal']);
      meanwhile(probe);
      bench.next(probe);
      track(probe, [event('two'), event('three')]);
      expect(ids(probe.snapshot())).to.deep.equal(['one', 'three', 'two']);
    });

  it('is read anew after a user was erased from it', () => {
    const { probe, bench } = begin();
    track(probe, [event('of another', 'u2')]);
    const frozen = probe.ask<Snapshot>({ op: 'freeze', project: PROJECT.id });
    eraseFromShard(frozen, { userId: 'u1' });
    tell(probe, { op: 'thaw' });
    bench.next(probe);
    track(probe, [event('of another', 'u2'), event('one')]);
    expect(ids(probe.snapshot())).to.deep.equal(['of another', 'one']);
  });

  it('is not opened by retention while a user is erased from it, which would go on in the file that was replaced', () => {
    const { probe, bench } = begin();
    track(probe, [event('of another', 'u2')]);
    const frozen = probe.ask<Snapshot>({ op: 'freeze', project: PROJECT.id });
    tell(probe, { op: 'retain', project: { ...PROJECT, retentionDays: 1 }, now: NOW });
    eraseFromShard(frozen, { userId: 'u1' });
    tell(probe, { op: 'thaw' });
    bench.next(probe);
    track(probe, [event('later', 'u2')]);
    expect(ids(probe.snapshot())).to.deep.equal(['later', 'of another']);
  });

  it('is another after its project was deleted', () => {
    const { probe, bench } = begin();
    tell(probe, { op: 'drop' });
    bench.next(probe);
    track(probe, [event('one')]);
    expect(ids(probe.snapshot())).to.deep.equal(['one']);
  });
});
