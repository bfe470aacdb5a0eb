import { expect } from 'chai';
import Database from 'better-sqlite3';
import { encodeTextRun, readTextKeys, textRuns } from '../../../lib/shards/dictionary/text-runs.ts';
import { hashBytes } from '../../../lib/shards/hashing/hash.ts';
import { TextTable } from '../../../lib/shards/dictionary/text-table.ts';
import { openReader, PROJECT, rowsOf, WriterProbe, type Row } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Too small for a few hundred ids. */
const LITTLE = { projectDictionaryBytes: 64 << 10, dictionaryBytes: 128 << 10, sealRows: 100 };
const FILLER = '字'.repeat(60);
const idOf = (n: number): string => `${FILLER}${n}`;

/** Events of users from `from` up to `to`, with a device and a session each. */
function eventsOf(from: number, to: number, more: object = {}): object[] {
  return Array.from({ length: to - from }, (_, i) => ({
    ...{ event_type: 'e', user_id: idOf(from + i), device_id: `d${idOf(from + i)}`, session_id: `s${idOf(from + i)}` },
    ...more,
  }));
}

/** Sends users 0 to 999, a hundred per segment. */
function fill(probe: WriterProbe): void {
  for (let n = 0; n < 1_000; n += 100) {
    probe.track(eventsOf(n, n + 100));
    probe.snapshot();
  }
}

const usersOf = (rows: readonly Row[]): (string | null)[] => rows.map(({ user }) => user);

describe('ids that do not fit into memory', () => {
  it('keep their numbers: an id that comes again, at once or after a restart, is the same person', () => {
    const folder = temporaryFolder();
    const probe = new WriterProbe(folder, LITTLE);
    fill(probe);
    probe.track(eventsOf(0, 1_000, { event_type: 'again' }));
    expect(openReader(probe.snapshot()).ids().size, 'a user and a device each').to.equal(2_000);
    probe.ask({ op: 'close' });
    const next = new WriterProbe(folder, LITTLE);
    next.track(eventsOf(300, 1_100, { event_type: 'later' }));
    const snapshot = next.snapshot();
    expect(openReader(snapshot).ids().size).to.equal(2_200);
    const rows = rowsOf(snapshot);
    const later = rows.filter(({ type }) => type === 'later');
    expect(usersOf(later)).to.deep.equal(Array.from({ length: 800 }, (_, i) => idOf(300 + i)));
    expect(new Set(usersOf(rows)).size).to.equal(1_100);
  });

  it('are found by readers, and those that never came are not', () => {
    const probe = new WriterProbe(temporaryFolder(), LITTLE);
    fill(probe);
    const ids = openReader(probe.snapshot()).ids();
    for (const n of [0, 1, 500, 999]) expect(ids.text(ids.find(idOf(n)))).to.equal(idOf(n));
    for (const strange of [idOf(1_000), '', 'd', FILLER]) expect(ids.find(strange), strange).to.equal(0);
  });

  it('are bound and undone as others are', () => {
    const probe = new WriterProbe(temporaryFolder(), LITTLE);
    fill(probe);
    probe.identify({ user_id: idOf(3), device_id: `d${idOf(4)}` });
    probe.snapshot();
    const told = probe.ask<{ userId: string | null }>({
      ...{ op: 'device', project: PROJECT },
      deviceId: `d${idOf(4)}`,
    });
    expect(told.userId).to.equal(idOf(3));
  });

  it('leave the shard and its index with an erasure, and are another person when they come again', () => {
    const folder = temporaryFolder();
    const probe = new WriterProbe(folder, LITTLE);
    fill(probe);
    const before = openReader(probe.snapshot()).ids().find(idOf(7));
    expect(probe.erase(idOf(7)).events).to.equal(1);
    const snapshot = probe.snapshot();
    expect(openReader(snapshot).ids().find(idOf(7))).to.equal(0);
    expect(codesInIndex(snapshot.file)).to.not.include(before);
    probe.track(eventsOf(7, 8));
    probe.track(eventsOf(8, 9));
    const rows = rowsOf(probe.snapshot());
    expect(usersOf(rows).filter((user) => user === idOf(7))).to.have.length(1);
    expect(usersOf(rows).filter((user) => user === idOf(8))).to.have.length(2);
  });

  it('are still known when the runs of the index are merged', () => {
    const probe = new WriterProbe(temporaryFolder(), LITTLE);
    fill(probe);
    const { texts, snapshot } = probe.takeCompactions().find((task) => task.texts !== null)!;
    const { field, runs } = texts!;
    const connection = new Database(snapshot.file, { readonly: true });
    const last = Math.max(...textRuns(connection, field).map((run) => run.last));
    const run = { ...encodeTextRun(readTextKeys(connection, runs), 1), last };
    connection.close();
    const { incarnation } = snapshot;
    const nothing = { replaced: [], segments: [], heavy: false, failed: false, idGroup: null } as const;
    probe.ask({ op: 'compacted', project: PROJECT.id, incarnation, ...nothing, texts: { field, replaced: runs, run } });
    probe.track(eventsOf(0, 1_000, { event_type: 'again' }));
    const after = probe.snapshot();
    expect(openReader(after).ids().size).to.equal(2_000);
    expect(new Set(usersOf(rowsOf(after))).size).to.equal(1_000);
  });

  it('hold no more memory than they may, besides what waits to be sealed', () => {
    const probe = new WriterProbe(temporaryFolder(), LITTLE);
    fill(probe);
    expect(probe.memory(), 'of 1,000 users, devices and sessions of 190 bytes').to.be.below(
      LITTLE.projectDictionaryBytes * 2,
    );
  });
});

describe('properties of a project whose dictionaries are full', () => {
  it('keep their values in dictionaries of the segments', () => {
    const probe = new WriterProbe(temporaryFolder(), LITTLE);
    const texts = Array.from({ length: 600 }, (_, i) => `${FILLER}${i}`);
    const sent = (some: readonly string[]): object[] =>
      some.map((text, i) => ({ event_type: 'e', device_id: 'd', event_properties: { [`k${i % 7}`]: text } }));
    for (let i = 0; i < texts.length; i += 50) {
      probe.track(sent(texts.slice(i, i + 50)));
      probe.snapshot();
    }
    const stored = rowsOf(probe.snapshot()).flatMap(({ properties }) => Object.values(properties));
    expect(new Set(stored)).to.deep.equal(new Set(texts.map((text) => `string ${text}`)));
    expect(stored).to.have.length(texts.length);
    expect(probe.memory()).to.be.below(LITTLE.projectDictionaryBytes * 2);
  });
});

describe('a table of texts', () => {
  it('is as before when there is no room for a text', () => {
    const table = new TextTable(1_000);
    const text = Buffer.from('a'.repeat(900));
    const add = (length: number): number => table.code(text, 0, length, hashBytes(text, 0, length));
    expect([add(3), add(500), add(490)]).to.deep.equal([1, 2, 3]);
    expect(() => add(10)).to.throw('more than 1000 bytes');
    expect([table.size, table.textBytes]).to.deep.equal([3, 993]);
    expect([add(5), add(3), add(490)]).to.deep.equal([4, 1, 3]);
    expect(Buffer.from(table.bytes(4)).toString()).to.equal('aaaaa');
  });
});

function codesInIndex(file: string): number[] {
  const connection = new Database(file, { readonly: true });
  try {
    const runs = textRuns(connection, 5).map(({ id }) => id);
    return [...readTextKeys(connection, runs).codes];
  } finally {
    connection.close();
  }
}
