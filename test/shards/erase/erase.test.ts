import Database from 'better-sqlite3';
import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import type { Snapshot } from '../../../lib/shards/shard-reader.ts';
import { COLUMN } from '../../../lib/shards/segment/columns.ts';
import { eraseFromShard } from '../../../lib/shards/erase/erase-shard.ts';
import { exportUser } from '../../../lib/store/export/user-export.ts';
import { filesWith } from '../../support/files-with.ts';
import { NOW, openReader, PROJECT, rowsOf, WriterProbe, type Sent } from '../../support/shard-rows.ts';
import { placesOf } from '../../support/stored-texts.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const at = (n: number): string => new Date(NOW - 1_000_000 + n * 1000).toISOString();

/** Events of ann (some from her devices), of bob, and of nobody; values that only ann has contain "zebra". */
function fill(probe: WriterProbe): void {
  const sent = (n: number, more: Sent): Sent => ({ event_type: 'view', time: at(n), insert_id: `id-${n}`, ...more });
  probe.track([
    sent(1, {
      user_id: 'ann-zebra',
      device_id: 'd-zebra',
      event_properties: { n: 1, own: 'zebra one', shared: 'both' },
    }),
    sent(2, { user_id: 'bob', device_id: 'd-bob', event_properties: { n: 2, shared: 'both', own: 'bobs' } }),
    sent(3, { device_id: 'd-zebra', session_id: 's-zebra', event_properties: { n: 3, nested: { deep: 'zebra two' } } }),
    sent(4, { device_id: 'd-zebra', user_id: 'bob', event_properties: { n: 4 } }),
  ]);
  probe.identify({
    user_id: 'ann-zebra',
    device_id: 'd-zebra',
    user_properties: { email: 'ann@zebra.example', email_domain: 'zebra.example' },
  });
  probe.identify({ user_id: 'bob', device_id: 'd-bob', user_properties: { plan: 'pro' } });
  probe.snapshot();
  probe.track([
    sent(5, {
      user_id: 'ann-zebra',
      event_type: 'zebra only',
      event_properties: { n: 5, own: 'zebra three' },
      insert_id: 'zebra-insert',
    }),
    sent(6, { device_id: 'd-other', event_properties: { n: 6 } }),
  ]);
}

describe('erasure of a user', () => {
  it('removes events, profile, bindings and insert ids, and leaves the others as they were', () => {
    const probe = new WriterProbe(temporaryFolder());
    fill(probe);
    const others = rowsOf(probe.snapshot()).filter((row) => [2, 4, 6].includes(Number(row.properties['n'])));
    expect(probe.erase('ann-zebra')).to.deep.equal({ events: 3, profiles: 1, devices: 1 });
    const snapshot = probe.snapshot();
    expect(rowsOf(snapshot)).to.deep.equal(others);
    expect(
      openReader(snapshot)
        .profiles(snapshot)
        .map(({ properties }) => properties),
    ).to.deep.equal([{ plan: 'pro' }]);
    probe.track([{ event_type: 'view', time: at(7), insert_id: 'zebra-insert', event_properties: { n: 7 } }]);
    expect(rowsOf(probe.snapshot())).to.have.length(4);
    const repeats = ['id-2', 'id-4', 'id-6'].map((id): Sent => ({ event_type: 'view', insert_id: id }));
    probe.track([...repeats, { event_type: 'view', insert_id: 'id-1' }]);
    expect(rowsOf(probe.snapshot()), 'of the others the ids are known still').to.have.length(5);
  });

  it('leaves no byte of the user and of values that nobody else has, in any file and any column, also after a restart', () => {
    const folder = temporaryFolder();
    const probe = new WriterProbe(folder);
    fill(probe);
    expect(filesWith(folder, 'zebra')).not.to.deep.equal([]);
    probe.erase('ann-zebra');
    expect(filesWith(folder, 'ann-zebra')).to.deep.equal([]);
    expect(filesWith(folder, 'zebra-insert')).to.deep.equal([]);
    const text = (writer: WriterProbe): string => {
      const snapshot = writer.snapshot();
      const reader = openReader(snapshot);
      const dictionaries = [reader.ids(), reader.eventTypes(), reader.dictionary(COLUMN.sessionId)];
      for (const { id } of snapshot.segments) {
        const segment = reader.segment(id);
        for (const key of segment.columnKeys()) dictionaries.push(...[segment.column(key)?.dictionary ?? []].flat());
      }
      return dictionaries
        .map((dictionary) => Array.from({ length: dictionary.size }, (_, i) => dictionary.text(i + 1)).join())
        .join();
    };
    // The device stays: an event that it sent for bob is his.
    expect(text(probe).replaceAll('d-zebra', '')).not.to.contain('zebra');
    expect(text(new WriterProbe(folder)).replaceAll('d-zebra', '')).not.to.contain('zebra');
  });

  it('answers zeros for a user that nobody knows', () => {
    const probe = new WriterProbe(temporaryFolder());
    fill(probe);
    expect(probe.erase('nobody')).to.deep.equal({ events: 0, profiles: 0, devices: 0 });
    expect(rowsOf(probe.snapshot())).to.have.length(6);
  });

  it('holds back what comes for the project meanwhile, in its order, and nothing of other projects', () => {
    const probe = new WriterProbe(temporaryFolder());
    fill(probe);
    const snapshot = probe.ask<Snapshot>({ op: 'freeze', project: PROJECT.id });
    expect(() => probe.track([{ event_type: 'late', device_id: 'd-late' }])).to.throw('no answer');
    expect(() => probe.identify({ user_id: 'bob', device_id: 'd-late' })).to.throw('no answer');
    expect(probe.track([{ event_type: 'other' }], NOW, 'prj_other').accepted).to.equal(1);
    eraseFromShard(snapshot, { userId: 'ann-zebra' });
    probe.ask({ op: 'thaw', project: PROJECT.id });
    const late = rowsOf(probe.snapshot()).filter(({ type }) => type === 'late');
    expect(late.map(({ person }) => person)).to.deep.equal(['bob']);
    expect(rowsOf(probe.snapshot())).to.have.length(4);
  });

  it('is finished by the next one, whoever that is for, when something of another process still read the file', () => {
    const folder = temporaryFolder();
    const probe = new WriterProbe(folder);
    fill(probe);
    const snapshot = probe.ask<Snapshot>({ op: 'freeze', project: PROJECT.id });
    const backup = new Database(snapshot.file, { readonly: true });
    const rows = backup.prepare('SELECT data FROM columns').iterate();
    rows.next();
    expect(() => eraseFromShard(snapshot, { userId: 'ann-zebra' })).to.throw('something still reads');
    rows.return?.();
    backup.close();
    probe.ask({ op: 'thaw', project: PROJECT.id });
    expect(rowsOf(probe.snapshot())).to.have.length(3);
    expect(probe.erase('nobody')).to.deep.equal({ events: 0, profiles: 0, devices: 0 });
    expect(placesOf(folder, 'ann-zebra')).to.deep.equal([]);
    expect(fs.readdirSync(path.join(folder, 'shards')).filter((name) => name.endsWith('.new'))).to.deep.equal([]);
  });
});

describe('export of a user', () => {
  const lines = (probe: WriterProbe, userId: string): Sent[] => {
    const snapshot = probe.snapshot();
    return [...exportUser(openReader(snapshot), { snapshot, userId, after: null })].map(
      ({ line }) => JSON.parse(line) as Sent,
    );
  };

  it('tells the profile, the devices, and the events in order of time with the types they were sent with', () => {
    const probe = new WriterProbe(temporaryFolder());
    fill(probe);
    const exported = lines(probe, 'ann-zebra');
    expect(exported.map((line) => line['type'])).to.deep.equal(['profile', 'device', 'event', 'event', 'event']);
    expect(exported[0]).to.deep.include({
      user_id: 'ann-zebra',
      properties: { email: 'ann@zebra.example', email_domain: 'zebra.example' },
    });
    expect(exported[1]).to.deep.include({ device_id: 'd-zebra' });
    expect(exported.slice(2).map((line) => line['event_properties'])).to.deep.equal([
      { n: 1, own: 'zebra one', shared: 'both' },
      { n: 3, nested: { deep: 'zebra two' } },
      { n: 5, own: 'zebra three' },
    ]);
  });

  it('is empty for a user that nobody knows', () => {
    const probe = new WriterProbe(temporaryFolder());
    fill(probe);
    expect(lines(probe, 'nobody')).to.deep.equal([]);
  });
});
