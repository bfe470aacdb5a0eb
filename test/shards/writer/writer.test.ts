import { expect } from 'chai';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { Journal } from '../../../lib/shards/journal/journal.ts';
import { compactSegments, SEGMENT_TEXT } from '../../../lib/shards/compaction/compact-segments.ts';
import { COLUMN } from '../../../lib/shards/segment/columns.ts';
import { openForReading } from '../../../lib/shards/file/shard-file.ts';
import { compacted } from '../../support/compacted.ts';
import { NOW, openReader, PROJECT, rowsOf, WriterProbe, type Row, type Sent } from '../../support/shard-rows.ts';

const event = (n: number, more: Sent = {}): Sent => ({
  event_type: n % 3 === 0 ? 'click' : 'view',
  device_id: `d${n % 7}`,
  time: new Date(NOW - 1_000_000 + n * 1000).toISOString(),
  insert_id: n.toString(16).padStart(16, '0'),
  event_properties: { n, path: `/p/${n % 5}`, ok: n % 2 === 0 },
  ...more,
});
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
const events = (from: number, to: number): Sent[] => range(from, to).map((n) => event(n));
const ascending = (a: unknown, b: unknown): number => Number(a) - Number(b);
const numbers = (rows: readonly Row[]): unknown[] => rows.map((row) => row.properties['n']);

describe('the writer', () => {
  let folder: string;
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'windlass-writer-'));
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  it('gives events back as they were sent, in order of time', () => {
    const probe = new WriterProbe(folder);
    const sent = event(1, {
      user_id: 'u1',
      session_id: 's1',
      event_properties: { a: 'x', b: 1.5, c: true, d: null, e: { f: [1] }, g: '' },
    });
    expect(probe.track([event(5), sent])).to.include({ accepted: 2, rejected: 0 });
    const rows = rowsOf(probe.snapshot());
    expect(rows.map((row) => row.insertId)).to.deep.equal(['0000000000000001', '0000000000000005']);
    expect(rows[0]).to.deep.include({
      type: 'view',
      user: 'u1',
      device: 'd1',
      session: 's1',
      person: 'u1',
      time: NOW - 999_000,
    });
    expect(rows[0]!.properties).to.deep.equal({
      a: 'string x',
      b: 1.5,
      c: 'boolean true',
      d: 'null ',
      e: 'object {"f":[1]}',
      g: 'string ',
    });
  });

  it('takes 64 KiB at most for a project of a few events', () => {
    const probe = new WriterProbe(folder);
    probe.track(events(0, 20));
    const { file } = probe.snapshot();
    probe.ask({ op: 'close' });
    expect(fs.statSync(file).size).to.be.at.most(64 << 10);
  });

  it('keeps the order of arrival within a millisecond', () => {
    const probe = new WriterProbe(folder);
    const same = new Date(NOW).toISOString();
    probe.track(range(0, 5).map((n) => event(n, { time: same })));
    probe.snapshot();
    probe.track(range(5, 9).map((n) => event(n, { time: same })));
    const rows = rowsOf(probe.snapshot()).sort((a, b) => a.arrival - b.arrival);
    expect(numbers(rows)).to.deep.equal(range(0, 9));
  });

  it('stores an insert id once, in a batch, over batches, over seals and over a restart', () => {
    let probe = new WriterProbe(folder);
    expect(probe.track([event(1), event(1), event(2)]).accepted).to.equal(3);
    probe.track([event(2), event(3)]);
    probe.snapshot();
    probe.track([event(1), event(3), event(4, { insert_id: 'not hexadecimal' })]);
    probe.snapshot();
    probe = new WriterProbe(folder);
    probe.track([event(4, { insert_id: 'not hexadecimal' }), event(1), event(5)]);
    expect(numbers(rowsOf(probe.snapshot())).sort(ascending)).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('lets an insert id come again 7 days later, to the millisecond', () => {
    const WEEK = 7 * 86_400_000;
    const probe = new WriterProbe(folder);
    probe.track([event(1)], NOW);
    probe.track([event(1)], NOW + WEEK - 1);
    expect(rowsOf(probe.snapshot())).to.have.length(1);
    probe.track([event(1)], NOW + WEEK - 1);
    expect(rowsOf(probe.snapshot())).to.have.length(1);
    probe.track([event(1)], NOW + WEEK);
    expect(rowsOf(probe.snapshot())).to.have.length(2);
    probe.track([event(1)], NOW + WEEK + 5);
    expect(rowsOf(probe.snapshot())).to.have.length(2);
  });

  it('removes filters of insert ids with the last of them, and nothing else', () => {
    const WEEK = 7 * 86_400_000;
    const probe = new WriterProbe(folder);
    probe.track(events(0, 5), NOW);
    const { file } = probe.snapshot();
    const fields = (): number[] => {
      const shard = openForReading(file);
      const found = shard.prepare<[], number>('SELECT field FROM columns').pluck().all();
      shard.close();
      return found;
    };
    const before = fields();
    probe.ask({ op: 'retain', project: PROJECT, now: NOW + WEEK - 1 });
    expect(fields()).to.deep.equal(before);
    probe.ask({ op: 'retain', project: PROJECT, now: NOW + WEEK });
    expect(fields()).to.deep.equal(
      before.filter((field) => field !== COLUMN.insertFilter && field !== COLUMN.received),
    );
    probe.track(events(0, 5), NOW + WEEK);
    expect(numbers(rowsOf(probe.snapshot())).sort(ascending)).to.deep.equal([0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
  });

  it('finds everything acknowledged again after it was killed, whatever was sealed, and counts it once', () => {
    let probe = new WriterProbe(folder);
    let sent = 0;
    for (let round = 0; round < 12; round++) {
      probe.track(events(sent, sent + 10));
      probe.identify({ user_id: `u${round}`, device_id: `d${round % 7}`, user_properties: { round } });
      sent += 10;
      if (round % 3 === 1) probe.snapshot();
      if (round % 4 === 2) probe = new WriterProbe(folder); // the old one is killed
    }
    probe = new WriterProbe(folder);
    const snapshot = probe.snapshot();
    expect(numbers(rowsOf(snapshot)).sort(ascending)).to.deep.equal(range(0, sent));
    const profiles = openReader(snapshot).profiles(snapshot);
    expect(profiles.map((profile) => profile.properties['round'])).to.deep.equal(range(0, 12));
    const stored = probe.usage().reduce((most, day) => Math.max(most, day.counts.stored), 0);
    expect(stored).to.equal(sent);
  });

  it('forgets a refused request as if it had never come', () => {
    const probe = new WriterProbe(folder);
    probe.track(events(0, 3));
    const body = `{"events": [${events(3, 6)
      .map((sent) => JSON.stringify(sent))
      .join()}, oops]}`;
    expect(() => probe.append('track', body)).to.throw('bad_json');
    probe.track(events(3, 4));
    const rows = rowsOf(probe.snapshot());
    expect(numbers(rows)).to.deep.equal([0, 1, 2, 3]);
    expect(rowsOf(new WriterProbe(folder).snapshot())).to.deep.equal(rows);
  });

  it('skips invalid events and says which', () => {
    const probe = new WriterProbe(folder);
    const answer = probe.track([event(0), { event_type: 7 }, 'text', event(1)]);
    expect(answer).to.include({ accepted: 2, rejected: 2 });
    expect(answer.errors.map((error) => error.index)).to.deep.equal([1, 2]);
    expect(probe.track([{ nothing: true }])).to.include({ accepted: 0, rejected: 1 });
  });

  it('reads lines, counts them, and goes on after a bad one', () => {
    const probe = new WriterProbe(folder);
    const answer = probe.append(
      'track_lines',
      `${JSON.stringify(event(0))}\n\n{bad\r\n${JSON.stringify(event(1))}\r\n`,
    );
    expect(answer).to.include({ accepted: 2, rejected: 1, lines: 4 });
    expect(answer.errors.map((error) => error.index)).to.deep.equal([2]);
  });

  it('moves the events of a device to the user it is bound to, also the earlier ones, and the last binding wins', () => {
    const probe = new WriterProbe(folder);
    probe.track([
      event(1, { device_id: 'd' }),
      event(2, { device_id: 'd', user_id: 'own' }),
      event(3, { device_id: 'other' }),
    ]);
    probe.identify({ user_id: 'first', device_id: 'd' });
    expect(rowsOf(probe.snapshot()).map((row) => row.person)).to.deep.equal(['first', 'own', 'other']);
    probe.identify({ user_id: 'second', device_id: 'd' });
    expect(rowsOf(probe.snapshot()).map((row) => row.person)).to.deep.equal(['second', 'own', 'other']);
  });

  it('compacts segments into larger ones in order of time and loses nothing', () => {
    const probe = new WriterProbe(folder);
    const shuffled = range(0, 400).sort((a, b) => ((a * 7919) % 401) - ((b * 7919) % 401));
    for (let at = 0; at < shuffled.length; at += 25) {
      probe.track(
        shuffled
          .slice(at, at + 25)
          .map((n) => event(n, n % 10 === 0 ? { insert_id: `text ${n}`, event_properties: { n, late: `v${n}` } } : {})),
      );
      probe.snapshot();
    }
    const before = rowsOf(probe.snapshot());
    for (let tasks = probe.takeCompactions(); tasks.length > 0; tasks = probe.takeCompactions()) {
      for (const task of tasks) probe.ask(compacted(task));
    }
    const snapshot = probe.snapshot();
    expect(snapshot.segments.length).to.be.below(8);
    probe.track(range(0, 300).map((n) => event(n, n % 10 === 0 ? { insert_id: `text ${n}` } : {})));
    expect(probe.snapshot().segments, 'all ids are known still').to.deep.equal(snapshot.segments);
    const byArrival = (a: Row, b: Row): number => a.arrival - b.arrival;
    expect(rowsOf(snapshot).sort(byArrival)).to.deep.equal(before.sort(byArrival));
    for (const { id } of snapshot.segments) {
      const times = openReader(snapshot).segment(id).times();
      expect([...times]).to.deep.equal([...times].sort((a, b) => a - b));
    }
  });

  it('makes more segments of rows with much text, so that none carries more than a reader decodes at once', () => {
    const probe = new WriterProbe(folder, { projectDictionaryBytes: 1 << 10 });
    for (const n of range(0, 10)) {
      probe.track([{ ...event(n), event_properties: { n, text: `${n}`.repeat(8_000) } }]);
      probe.snapshot();
    }
    const [task] = probe.takeCompactions();
    const reader = openReader(task!.snapshot);
    const segments = task!.segments.map((id) => reader.segment(id));
    const bytes = segments.reduce((sum, segment) => sum + segment.textBytes(), 0);
    expect(bytes)
      .to.be.above(task!.segments.length * 8_000)
      .and.below(task!.segments.length * 9_000);
    const fields = reader.fieldKeys(Math.max(...task!.segments));
    const ids = { secret: reader.idSecret(), since: task!.idsSince };
    expect(compactSegments(segments, fields, { segmentRows: 1000, bytes, ids })).to.have.length(1);
    expect(compactSegments(segments, fields, { segmentRows: 1000, bytes: SEGMENT_TEXT * 3, ids })).to.have.length(3);
    reader.forget();
  });

  for (const [memory, given] of Object.entries({ enough: {}, little: { dictionaryBytes: 1 } }))
    it(`keeps replaced segments until they are purged, with ${memory} memory`, () => {
      const probe = new WriterProbe(folder, given);
      for (const n of range(0, 10)) {
        probe.track([event(n)]);
        probe.snapshot();
      }
      const old = probe.snapshot();
      const [task] = probe.takeCompactions();
      const { project, segments: replaced } = task!;
      probe.ask(compacted(task!));
      probe.usage();
      for (const other of ['prj_1', 'prj_2', 'prj_3']) probe.track([event(1)], NOW, other);
      probe.track([event(10)]);
      expect(numbers(rowsOf(probe.snapshot())).sort(ascending)).to.deep.equal(range(0, 11));
      expect(numbers(rowsOf(old)).sort(ascending)).to.deep.equal(range(0, 10));
      probe.ask({ op: 'purge', project, segments: replaced });
      expect(numbers(rowsOf(probe.snapshot())).sort(ascending)).to.deep.equal(range(0, 11));
      expect(() => rowsOf(old)).to.throw('older than the shard');
    });

  it('replays what was acknowledged under the first rules under these: blank ids and types, the browser of a server', () => {
    const journal = new Journal(path.join(folder, 'journal'), { partition: 0, partitions: 1 }, 1 << 20);
    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0';
    const context = { receivedAt: NOW, keyKind: 'trusted', ip: null, userAgent, place: null };
    const body = Buffer.from(JSON.stringify({ events: [{ event_type: ' ', user_id: ' ' }] }));
    journal.add({ head: { project: PROJECT, arrival: 1, kind: 'track', context }, body });
    journal.write();
    journal.syncNow();
    journal.synced();
    journal.close(false);
    const probe = new WriterProbe(folder);
    expect(rowsOf(probe.snapshot())).to.have.length(1).and.to.have.nested.property('[0].user', ' ');
    expect(probe.track([{ event_type: ' ' }])).to.include({ accepted: 0, rejected: 1 });
    const before = probe.snapshot();
    expect(openReader(before).segment(before.segments[0]!.id).column('_browser'), 'its browser').to.be.an('object');
  });

  it('writes bodies to the journal as they came, packed, and takes them up again from there', () => {
    const sent = { events: [event(1), event(2)], filler: 'x'.repeat(1_000_000) };
    const body = new Uint8Array(gzipSync(JSON.stringify(sent)));
    const context = { receivedAt: NOW, keyKind: 'trusted', ip: null, userAgent: null, place: null } as const;
    const probe = new WriterProbe(folder);
    probe.ask({ op: 'append', kind: 'track', project: PROJECT, encoding: 'gzip', body, context });
    const journal = path.join(folder, 'journal');
    const sizes = fs.readdirSync(journal).map((name) => fs.statSync(path.join(journal, name)).size);
    expect(Math.max(...sizes)).to.be.below(10_000);
    expect(numbers(rowsOf(new WriterProbe(folder).snapshot()))).to.deep.equal([1, 2]);
  });

  it('drops a project with every byte of it, in the journal too, and leaves the others alone', () => {
    const probe = new WriterProbe(folder);
    probe.track([event(1, { event_properties: { n: 1, secret: 'zebra-stripes' } })], NOW, 'prj_gone');
    probe.track([event(2)], NOW, 'prj_stays');
    probe.ask({ op: 'drop', project: 'prj_gone' });
    for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (entry.isFile())
        expect(fs.readFileSync(path.join(entry.parentPath, entry.name), 'latin1'), entry.name).not.to.contain('zebra');
    }
    expect(rowsOf(probe.snapshot('prj_stays'))).to.have.length(1);
    expect(rowsOf(new WriterProbe(folder).snapshot('prj_stays'))).to.have.length(1);
  });

  it('keeps values that do not fit the dictionary of a field with the segment', () => {
    const probe = new WriterProbe(folder);
    for (let at = 0; at < 80_000; at += 2000) {
      probe.track(range(at, at + 2000).map((n) => event(n, { event_properties: { n, request: `request ${n}` } })));
    }
    const rows = rowsOf(probe.snapshot());
    expect(rows.every((row) => row.properties['request'] === `string request ${String(row.properties['n'])}`)).to.equal(
      true,
    );
    expect(rows).to.have.length(80_000);
  });

  it('refuses a damaged shard for its project only', () => {
    let probe = new WriterProbe(folder);
    probe.track([event(1)], NOW, 'prj_bad');
    probe.track([event(1)], NOW, 'prj_good');
    probe.ask({ op: 'close' });
    fs.writeFileSync(
      path.join(folder, 'shards', 'prj_bad.db'),
      'this is no database, and it is long enough to be looked at as one '.repeat(20),
    );
    probe = new WriterProbe(folder);
    expect(() => probe.track([event(2)], NOW, 'prj_bad')).to.throw('shard_damaged');
    expect(probe.track([event(2)], NOW, 'prj_good').accepted).to.equal(1);
    probe.ask({ op: 'drop', project: 'prj_bad' });
    expect(probe.track([event(2)], NOW, 'prj_bad').accepted).to.equal(1);
  });
});
