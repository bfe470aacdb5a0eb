import { expect } from 'chai';
import { ColumnCache } from '../../../lib/shards/segment/column-cache.ts';
import type { Identity } from '../../../lib/shards/shard-reader.ts';
import { ConnectionPool } from '../../../lib/shards/file/connections.ts';
import { StoredShardReader } from '../../../lib/shards/read/stored-shard-reader.ts';
import type { StoredSegment } from '../../../lib/shards/segment/stored-segment.ts';
import { makeTypicalShard } from '../../support/typical-shard.ts';

describe('values of some rows', () => {
  const shard = makeTypicalShard();
  after(() => shard.connection.close());

  /** A segment with nothing decoded yet, and bindings of every third device. */
  function fresh(nth: number): { segment: StoredSegment; identity: Identity } {
    const { snapshot, connection } = shard;
    const reader = new StoredShardReader(snapshot, new ConnectionPool(() => connection, 1), new ColumnCache(1 << 26));
    const personOfDevice = Uint32Array.from({ length: 80_000 }, (_, code) => (code % 3 === 0 ? 7 : code));
    const identity = { version: 1, size: personOfDevice.length, personOfDevice };
    return { segment: reader.segment(snapshot.segments[nth]!.id), identity };
  }

  for (const nth of [0, 1]) {
    for (const each of [1, 3, 5, 300]) {
      it(`are those of the whole column: every ${each}th row of segment ${nth}`, () => {
        const { segment, identity } = fresh(nth);
        const rows = Uint32Array.from({ length: Math.floor(segment.rows / each) }, (_, at) => at * each + each - 1);
        const before = [segment.timesAt(rows), segment.personsAt(rows, identity)];
        const [times, persons] = [segment.times(), segment.persons(identity)];
        expect(before[0]).to.deep.equal(Float64Array.from(rows, (row) => times[row]!));
        expect(before[1]).to.deep.equal(Uint32Array.from(rows, (row) => persons[row]!));
        expect([segment.timesAt(rows), segment.personsAt(rows, identity)]).to.deep.equal(before);
        expect(new Set(persons)).to.include(7); // from bindings
        expect(before[1]!.length).to.equal(rows.length);
      });
    }
  }

  it('are read of the segment that is asked, whichever was read before', () => {
    const { snapshot, connection } = shard;
    const reader = new StoredShardReader(snapshot, new ConnectionPool(() => connection, 1), new ColumnCache(0));
    const identity = {
      version: 1,
      size: 80_000,
      personOfDevice: Uint32Array.from({ length: 80_000 }, (_, code) => code),
    };
    const rows = Uint32Array.of(1, 300, 6_000);
    const [first, last] = snapshot.segments.map(({ id }) => reader.segment(id));
    const read = (of: StoredSegment): unknown => [of.timesAt(rows), of.personsAt(rows, identity)];
    const [one, other] = [read(first!), read(last!)];
    expect(one).to.not.deep.equal(other);
    expect([read(first!), read(last!)]).to.deep.equal([one, other]);
  });
});
