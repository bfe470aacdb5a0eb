import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import type { StoredShardReader } from '../../../lib/shards/read/stored-shard-reader.ts';
import type { DeviceBindings } from '../../../lib/shards/writer-messages.ts';
import { openReader, PROJECT, WriterProbe } from '../../support/shard-rows.ts';

const seen = (ids: object): object => ({ event_type: 'e', time: '2026-06-01T10:00:00Z', ...ids });

describe('identity of a shard', () => {
  let folder: string;
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'windlass-identity-'));
  });
  afterEach(() => {
    fs.rmSync(folder, { recursive: true });
  });

  /** The persons of all rows, as seen by a reader that lives on between queries. */
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

  it('undoes the last binding of a device, in order with what came before, also when it is killed before a seal', () => {
    const probe = new WriterProbe(folder);
    probe.track([seen({ device_id: 'd1' }), seen({ device_id: 'd2' })]);
    for (const user_id of ['ann', 'bob']) probe.identify({ user_id, device_id: 'd1' });
    expect(probe.append('unbind', 'd1').accepted).to.equal(1);
    expect(probe.append('unbind', 'd2').accepted, 'never bound').to.equal(0);
    const killed = fs.mkdtempSync(path.join(os.tmpdir(), 'windlass-identity-'));
    fs.cpSync(folder, killed, { recursive: true });
    for (const one of [probe, new WriterProbe(killed)]) {
      const reader = openReader(one.snapshot());
      expect(people(one, reader)).to.deep.equal(['ann', 'd2']);
      reader.forget();
      const { userId, history } = one.ask<DeviceBindings>({ op: 'device', project: PROJECT, deviceId: 'd1' });
      expect([userId, ...history.map(({ action }) => action)]).to.deep.equal(['ann', 'bind', 'bind', 'undo']);
    }
    fs.rmSync(killed, { recursive: true });
  });

  it('forgets an erased user in the history of devices, and gives no device back to a user by that', () => {
    const probe = new WriterProbe(folder);
    const bind = (device_id: string, ...users: string[]): void => {
      for (const user_id of users) {
        if (user_id === 'undo') probe.append('unbind', device_id);
        else probe.identify({ user_id, device_id });
      }
    };
    bind('now', 'ann', 'gone');
    bind('once', 'ann', 'gone', 'bob');
    bind('undone', 'ann', 'gone', 'undo');
    bind('between', 'bob', 'gone', 'bob');
    bind('other', 'ann', 'bob', 'undo');
    probe.erase('gone');
    const users = (deviceId: string): unknown =>
      probe
        .ask<DeviceBindings | null>({ op: 'device', project: PROJECT, deviceId })
        ?.history.map(({ action, userId }) => `${action} ${userId}`);
    expect(users('now')).to.equal(undefined);
    expect(users('once')).to.deep.equal(['bind ann', 'bind bob']);
    expect(users('undone')).to.deep.equal(['bind ann']);
    expect(users('between')).to.deep.equal(['bind bob']);
    expect(users('other')).to.deep.equal(['bind ann', 'bind bob', 'undo ann']);
  });
});
