import { expect } from 'chai';
import {
  allBindings,
  encodeBindings,
  storeBindings,
  bindingsOfDevice,
  eraseBindings,
  deviceBindings,
  heldBindings,
  readBindings,
  undoing,
  type DeviceBinding,
} from '../../../lib/shards/file/bindings.ts';
import type { Connection } from '../../../lib/shards/file/shard-file.ts';
import { openInMemory } from '../../support/shard-in-memory.ts';

const bind = (device: number, user: number, at: number): DeviceBinding => ({ device, user, at, undo: false });

/** Devices bound again and again, more entries than two rows of the table hold. */
const MANY = Array.from({ length: 9_000 }, (_, i): DeviceBinding => ({
  ...bind((i % 7) + 1, i + 1, i + 1),
  undo: i % 5 === 4,
}));

function logOf(entries: readonly DeviceBinding[]): Connection {
  const connection = openInMemory();
  for (let at = 0; at < entries.length; at += 4_096)
    storeBindings(connection, at, encodeBindings(entries.slice(at, at + 4_096)));
  return connection;
}

/** Who is bound after `version` entries, computed simply. */
function boundAfter(version: number): number[] {
  const bound: number[] = [];
  for (const { device, user } of MANY.slice(0, version)) bound[device] = user;
  return bound.slice(1);
}

describe('the log of bindings', () => {
  it('says who was bound after any number of entries, however many came at once', () => {
    const connection = openInMemory();
    let length = 0;
    for (const some of [1, 4_095, 0, 1, 3_000, 1_096, 807]) {
      storeBindings(connection, length, encodeBindings(MANY.slice(length, length + some)));
      length += some;
    }
    expect(length).to.equal(MANY.length);
    expect([...allBindings(connection)]).to.deep.equal(MANY);
    for (const version of [7, 8, 4_095, 4_096, 4_097, 7_096, 7_097, 8_193, 9_000]) {
      const { codes } = readBindings(connection, version);
      expect([...codes.subarray(1, 8)], `after ${version}`).to.deep.equal(boundAfter(version));
      for (const known of [0, 1, 4_096, 4_097, 7_100, 9_000]) {
        const earlier = readBindings(connection, known);
        const before = [...earlier.codes];
        const more = readBindings(connection, version, earlier);
        expect([...more.codes.subarray(1, 8)], `after ${version}, known ${known}`).to.deep.equal(boundAfter(version));
        expect(more.version).to.equal(version);
        expect([...earlier.codes], 'the earlier ones').to.deep.equal(before);
      }
    }
    expect(readBindings(connection, 0).codes).to.deep.equal(Uint32Array.of(0));
  });

  it('is not read again up to what is known', () => {
    const connection = logOf(MANY);
    const earlier = readBindings(connection, 8_192);
    connection.exec('UPDATE bindings SET data = zeroblob(length(data)) WHERE first < 8192'); // reading it would throw
    expect(() => readBindings(connection, 9_000)).to.throw();
    const { codes } = readBindings(connection, 9_000, earlier);
    expect([...codes.subarray(1, 8)]).to.deep.equal(boundAfter(9_000));
  });

  it('tells who a device is, what it was last, and a thousand undos, by few entries however often it was bound', () => {
    const rebound = Array.from({ length: 6_000 }, (_, i): DeviceBinding => bind(1, (i % 3) + 2, i + 1));
    const undone = Array.from({ length: 1_500 }, (_, i): DeviceBinding => ({ ...bind(1, 9, 30_000 + i), undo: true }));
    const again = Array.from({ length: 700 }, (_, i): DeviceBinding => bind(1, i + 20, 40_000 + i));
    for (const log of [
      rebound.slice(0, 1_000),
      rebound,
      [...rebound, ...undone.slice(0, 600)],
      [...rebound.slice(0, 4_200), ...undone, ...again],
    ]) {
      const connection = logOf(log.flatMap((entry) => [bind(2, 3, entry.at), entry]));
      const found = bindingsOfDevice(connection, 1);
      expect(found.length).to.be.at.most(2_000);
      expect(deviceBindings(found, String)).to.deep.equal(deviceBindings(log, String));
      const [few, all] = [[...found], [...log]];
      for (let nth = 0; nth < 400; nth++) {
        const undo = undoing(all, 50_000);
        expect(undoing(few, 50_000), `undo ${nth}`).to.deep.equal(undo);
        if (undo === null) break;
        few.push(undo);
        all.push(undo);
      }
    }
  });

  it('begins a new row when the last is full, so that what stands is not written again', () => {
    const connection = openInMemory();
    storeBindings(connection, 0, encodeBindings(MANY.slice(0, 4_095)));
    storeBindings(connection, 4_095, encodeBindings(MANY.slice(4_095, 4_096)));
    storeBindings(connection, 4_096, encodeBindings(MANY.slice(4_096, 4_097)));
    const rows = connection.prepare('SELECT first, count FROM bindings ORDER BY first').raw().all();
    expect(rows).to.deep.equal([
      [0, 4_096],
      [4_096, 1],
    ]);
  });

  it('is rewritten in full rows without whoever is erased', () => {
    const connection = logOf(MANY);
    const devices = new Set([1, 3]);
    expect(eraseBindings(connection, { users: new Set(), devices })).to.equal(6_428);
    expect([...allBindings(connection)]).to.deep.equal(MANY.filter(({ device }) => !devices.has(device)));
    const rows = connection.prepare('SELECT first, count FROM bindings ORDER BY first').raw().all();
    expect(rows).to.deep.equal([
      [0, 4_096],
      [4_096, 2_332],
    ]);
    expect(eraseBindings(connection, { users: new Set(), devices: new Set([2, 4, 5, 6, 7]) })).to.equal(0);
    expect([...allBindings(connection)]).to.deep.equal([]);
  });

  it('keeps the newest bindings of a device whose user is erased, however often it was bound', () => {
    const log = Array.from({ length: 20_000 }, (_, i) => bind(1, (i % 3) + 2, i + 1));
    const connection = logOf(log);
    const left = eraseBindings(connection, { users: new Set([2]), devices: new Set() });
    expect(left).to.be.above(600).and.below(2_000);
    const others = log.filter(({ user }) => user !== 2);
    expect([...allBindings(connection)]).to.deep.equal(others.slice(-left));
  });
});

describe('bindings that count', () => {
  const [ann, again, bob, cem] = [bind(1, 10, 1), bind(1, 10, 2), bind(1, 20, 3), bind(1, 30, 4)];
  const undo = (user: number, at: number): DeviceBinding => ({ device: 1, user, at, undo: true });

  it('are those not undone, and to be bound again to the same user is none', () => {
    expect(heldBindings([ann, again, bob, cem, undo(20, 5)])).to.deep.equal([ann, bob]);
    expect(heldBindings([ann, undo(0, 2), undo(0, 3), bob])).to.deep.equal([bob]);
  });

  it('are undone from the last to the first, each naming who is bound after it', () => {
    expect(undoing([ann, again, bob], 7)).to.deep.equal(undo(10, 7));
    expect(undoing([ann, again], 7)).to.deep.equal(undo(0, 7));
    expect(undoing([ann, undo(0, 2)], 7)).to.equal(null);
    expect(undoing([], 7)).to.equal(null);
  });

  it('of others stay when a user is erased, and nothing of the devices that are bound to it', () => {
    const without = (log: readonly DeviceBinding[], users: number[], devices: number[] = []): DeviceBinding[] => {
      const connection = logOf(log);
      eraseBindings(connection, { users: new Set(users), devices: new Set(devices) });
      return [...allBindings(connection)];
    };
    const elsewhere = [bind(2, 20, 5), { ...bind(2, 0, 6), undo: true }, bind(3, 10, 7)];
    const [first, second] = elsewhere;
    const back = bind(1, 10, 3);
    expect(without([ann, bob, back, cem, ...elsewhere], [10], [3])).to.deep.equal([bob, cem, first, second]);
    expect(without([bob, back, undo(20, 3), cem], [10])).to.deep.equal([bob, cem]);
    expect(without([bob, back, bind(1, 20, 9)], [10])).to.deep.equal([bob]);
    expect(without([bob, back, bind(1, 20, 4), cem, bind(1, 20, 9)], [10, 30])).to.deep.equal([bob]);
  });

  it('are not replaced by one that is older than the present one, wherever that is asked', () => {
    const log = [bob, ann, cem, bind(1, 10, 3.5)];
    expect(heldBindings(log)).to.deep.equal([bob, cem]);
    expect(deviceBindings(log, String)).to.deep.include({ userId: '30', boundAt: 4 });
    expect(readBindings(logOf(log), 4).codes[1]).to.equal(30);
    const connection = logOf([...log, bind(1, 20, 4)]);
    expect(readBindings(connection, 5, readBindings(connection, 4)).codes[1], 'at the same date').to.equal(20);
    expect(undoing([bob, bind(1, 30, 100), bind(1, 10, 50)], 7), 'an undo is no older than what it ends').to.deep.equal(undo(20, 100)); // prettier-ignore
  });
});
