import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import v8 from 'node:v8';
import vm from 'node:vm';
import { expect } from 'chai';
import { bytesOfColumns, Hold } from '../../../lib/primitives/columns.ts';
import { StaleSnapshot, type Snapshot } from '../../../lib/shards/shard-reader.ts';
import { openForReading, openForWriting, shardPath } from '../../../lib/shards/file/shard-file.ts';
import { StoredShardReader } from '../../../lib/shards/read/stored-shard-reader.ts';
import { textAtRow } from '../../../lib/workers/rows/typed-value.ts';
import { zoneOf } from '../../../lib/dsl/plan/columns.ts';
import { ShardReaders } from '../../../lib/workers/pool/shard-readers.ts';
import { NOW, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function collectGarbage(): void {
  v8.setFlagsFromString('--expose-gc');
  vm.runInNewContext('gc')();
}

describe('the shards that a query thread reads', () => {
  it('are answered from memory once their files are closed for others, until they have something newer', () => {
    const writer = new WriterProbe(temporaryFolder());
    const write = (project: string, color: string, size: string): Snapshot => {
      writer.track([{ event_type: 'a', device_id: 'd', event_properties: { color, size } }], NOW, project);
      return writer.snapshot(project);
    };
    const opened: string[] = [];
    const readers = new ShardReaders({ cacheBytes: 0, readShards: 1 }, (file) => {
      opened.push(path.basename(file, '.db'));
      return openForReading(file);
    });
    const newest = (snapshot: Snapshot, key: string): string | undefined => {
      const segment = readers.reader(snapshot).segment(snapshot.segments.at(-1)!.id);
      const column = segment.column(key);
      return column?.dictionary?.text(column.codes![segment.rows - 1]!);
    };
    const [a, b] = [write('prj_a', 'red', 'small'), write('prj_b', 'blue', 'large')];
    expect([newest(a, 'p:color'), newest(b, 'p:color'), newest(a, 'p:size')]).to.deep.equal(['red', 'blue', 'small']);
    expect(opened).to.deep.equal(['prj_a', 'prj_b']);
    const later = write('prj_a', 'green', 'tiny');
    expect([newest(later, 'p:color'), newest(later, 'p:size')]).to.deep.equal(['green', 'tiny']);
    expect(opened).to.deep.equal(['prj_a', 'prj_b', 'prj_a']);
    for (const project of ['prj_a', 'prj_b']) readers.forget(project);
    writer.ask({ op: 'close' });
  });

  it('have insert ids from their files, also once these were closed for others', () => {
    const writer = new WriterProbe(temporaryFolder());
    const write = (project: string): Snapshot => {
      writer.track([{ event_type: 'a', device_id: 'd', insert_id: `first of ${project}` }], NOW, project);
      return writer.snapshot(project);
    };
    const readers = new ShardReaders({ cacheBytes: 0, readShards: 1 });
    const idOf = (snapshot: Snapshot): string => {
      const segment = readers.reader(snapshot).segment(snapshot.segments[0]!.id);
      return segment.insertIds().text(0);
    };
    const [a, b] = [write('prj_a'), write('prj_b')];
    const ids = [a, b, a, b].map(idOf);
    expect(ids).to.deep.equal(['first of prj_a', 'first of prj_b', 'first of prj_a', 'first of prj_b']);
    for (const project of ['prj_a', 'prj_b']) readers.forget(project);
    writer.ask({ op: 'close' });
  });

  it('give up profiles, and what was read of them, with the other columns', async () => {
    const writer = new WriterProbe(temporaryFolder());
    writer.track([{ event_type: 'a', user_id: 'u' }], NOW, 'prj_a');
    const readers = new ShardReaders({ cacheBytes: 2 ** 20, readShards: 1 });
    const snapshot = writer.snapshot('prj_a');
    const ask = (): object => readers.profiles(snapshot, () => undefined).profiles;
    expect(ask()).to.equal(ask());
    const kept = new WeakRef(ask());
    readers.leaveRoom(0);
    expect(readers.cacheBytes).to.equal(0);
    await turn(); // until then, what was read of a WeakRef stays
    collectGarbage();
    expect(kept.deref()).to.equal(undefined);
    readers.forget('prj_a');
    writer.ask({ op: 'close' });
  });

  it('keep properties of profiles while events arrive, and read them anew once one changes', () => {
    const writer = new WriterProbe(temporaryFolder());
    const readers = new ShardReaders({ cacheBytes: 2 ** 20, readShards: 1 });
    const plans = (): { version: number; isKept: boolean; people: number; plan: unknown } => {
      const query = new Hold();
      const snapshot = writer.snapshot('prj_a');
      const version = snapshot.profileVersion;
      const reader = readers.reader(snapshot);
      const isKept = reader instanceof StoredShardReader && reader.isCached(`properties/${version}`);
      const profiles = readers.profiles(snapshot, () => undefined);
      const plan = profiles.column({ kind: 'profile', path: 'plan' }, Uint32Array.of(1));
      const told = {
        version,
        isKept,
        people: profiles.profiles.length,
        plan: textAtRow(plan, 0, zoneOf({ zone: 'UTC' })),
      };
      query[Symbol.dispose]();
      return told;
    };
    const event = (user: string, plan: string | null): object => ({ event_type: 'a', user_id: user, ...(plan === null ? {} : { user_properties: { plan } }) }); // prettier-ignore
    writer.track([event('u', 'free')], NOW, 'prj_a');
    const first = plans();
    expect([first.isKept, first.people, first.plan]).to.deep.equal([false, 1, 'free']);
    writer.track([event('v', null)], NOW, 'prj_a');
    expect(plans()).to.deep.equal({ ...first, isKept: true, people: 2 });
    writer.track([event('u', 'pro')], NOW, 'prj_a');
    expect(plans()).to.deep.include({ isKept: false, people: 2, plan: 'pro' });
    readers.forget('prj_a');
    writer.ask({ op: 'close' });
  });

  it('read the properties of few persons without those of all', () => {
    const writer = new WriterProbe(temporaryFolder());
    const users = Array.from({ length: 400 }, (_, n) => ({
      event_type: 'a',
      user_id: `u${n}`,
      user_properties: { n },
    }));
    writer.track(users, NOW, 'prj_a');
    const readers = new ShardReaders({ cacheBytes: 2 ** 24, readShards: 1 });
    const snapshot = writer.snapshot('prj_a');
    const taken: number[] = [];
    const profiles = readers.profiles(snapshot, (bytes) => taken.push(bytes));
    const numbersOf = (persons: readonly number[]): unknown[] => {
      const column = profiles.columnOfPage({ kind: 'profile', path: 'n' }, Uint32Array.from(persons));
      return persons.map((_, row) => textAtRow(column, row, zoneOf({ zone: 'UTC' })));
    };
    const persons = Array.from({ length: 400 }, (_, n) => readers.reader(snapshot).ids().find(`u${n}`));
    const few = persons.slice(0, 200);
    const expected = few.map((_, n) => String(n));
    expect(numbersOf([...few, 0])).to.deep.equal([...expected, null]);
    expect(taken, 'of all').to.deep.equal([]);
    expect(numbersOf(persons), 'of many').to.deep.equal(persons.map((_, n) => String(n)));
    expect(taken).to.have.lengthOf(1);
    readers.forget('prj_a');
    writer.ask({ op: 'close' });
  });

  it('give back what they know of persons when they learn more, or are forgotten', () => {
    const writer = new WriterProbe(temporaryFolder());
    const readers = new ShardReaders({ cacheBytes: 2 ** 20, readShards: 1 });
    let devices = 0;
    const learn = (count: number): number => {
      const events = Array.from({ length: count }, () => ({ event_type: 'a', device_id: `device ${++devices}` }));
      writer.track(events, NOW, 'prj_a');
      const query = new Hold();
      const snapshot = writer.snapshot('prj_a');
      const { size } = readers.reader(snapshot).identity(snapshot.identityVersion);
      query[Symbol.dispose]();
      return 4 * size;
    };
    const before = bytesOfColumns();
    const held = learn(200);
    expect(bytesOfColumns() - before).to.equal(held);
    for (let times = 0; times < 10; times++) expect(bytesOfColumns() - before + 4).to.equal(learn(1));
    readers.forget('prj_a');
    expect(bytesOfColumns()).to.equal(before);
    writer.ask({ op: 'close' });
  });

  for (const size of ['small', 'large'] as const)
    it(`are read at rest as their writers have them, and not from a copy of before, if ${size}`, () => {
      const folder = temporaryFolder();
      const readers = new ShardReaders({ cacheBytes: 0, readShards: 1 });
      const shard = { project: 'prj_a', file: shardPath(folder, 'prj_a') };
      for (const color of ['red', 'green']) {
        const writer = new WriterProbe(folder);
        const note = size === 'small' ? '' : randomBytes(600 << 10).toString('base64');
        const noted = Array.from({ length: 820 }, (_, at) => note.slice(at * 1_000, (at + 1) * 1_000));
        const events = noted.map((text) => ({ event_type: color, device_id: 'd', event_properties: { text } }));
        writer.track(events, NOW, 'prj_a');
        const told = writer.snapshot('prj_a');
        writer.ask({ op: 'close' });
        expect(fs.statSync(shard.file).size > 512 << 10).to.equal(size === 'large');
        const made = readers.atRest(shard);
        expect(made).to.deep.equal(told);
        const last = readers.reader(made).segment(made.segments.at(-1)!.id);
        expect(readers.reader(made).eventTypes().text(last.column('event_type')!.codes![0]!)).to.equal(color);
        if (size === 'large') readers.forget('prj_a'); // who has it open keeps its log
      }
      readers.forget('prj_a');
    });

  it('are left to their writers when nothing is in them yet, or they are of an earlier version', () => {
    const folder = temporaryFolder();
    const readers = new ShardReaders({ cacheBytes: 0, readShards: 1 });
    const file = shardPath(folder, 'prj_a');
    openForWriting(file).close();
    const read = (): Snapshot => readers.atRest({ project: 'prj_a', file });
    expect(read).to.throw(StaleSnapshot);
    const connection = openForWriting(file);
    connection.exec('PRAGMA user_version = 2');
    connection.close();
    expect(read).to.throw(StaleSnapshot);
    readers.forget('prj_a');
  });
});
