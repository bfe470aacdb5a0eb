import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import type { StoredShardReader } from '../../lib/shards/reader.ts';
import { openReader, WriterProbe } from '../support/shard-rows.ts';

const seen = (ids: object): object => ({ event_type: 'e', time: '2026-06-01T10:00:00Z', ...ids });

describe('identity of a shard', () => {
  let folder: string;
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'windlass-identity-'));
  });
  afterEach(() => {
    fs.rmSync(folder, { recursive: true });
  });

  /** The people of all rows, as a reader sees them that lives on between queries. */
  function people(probe: WriterProbe, reader: StoredShardReader): (string | null)[] {
    const snapshot = probe.snapshot();
    const identity = reader.identity(snapshot.identityVersion);
    return snapshot.segments.flatMap(({ id }) =>
      [...reader.segment(id).persons(identity)].map((person) => {
        expect(person, 'codes of persons are below the size').to.be.below(identity.size);
        return person === 0 ? null : reader.ids().text(person);
      }),
    );
  }

  it('knows a device that an identify brought before any event did, though it was asked in between', () => {
    const probe = new WriterProbe(folder);
    probe.identify({ user_id: 'ann' });
    const reader = openReader(probe.snapshot());
    expect(people(probe, reader)).to.deep.equal([]);
    probe.identify({ user_id: 'ann', device_id: 'd1' });
    expect(people(probe, reader)).to.deep.equal([]);
    probe.track([seen({ device_id: 'd1' })]);
    expect(people(probe, reader)).to.deep.equal(['ann']);
    reader.forget();
  });

  it('knows a user that only a binding brought, without a new segment', () => {
    const probe = new WriterProbe(folder);
    probe.track([seen({ device_id: 'd1' }), seen({ device_id: 'd2' })]);
    const reader = openReader(probe.snapshot());
    expect(people(probe, reader)).to.deep.equal(['d1', 'd2']);
    probe.identify({ user_id: 'zed', device_id: 'd1' });
    expect(people(probe, reader)).to.deep.equal(['zed', 'd2']);
    probe.identify({ user_id: 'zoe', device_id: 'd2' });
    expect(people(probe, reader)).to.deep.equal(['zed', 'zoe']);
    reader.forget();
  });
});
