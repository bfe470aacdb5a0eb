import fc from 'fast-check';
import { expect } from 'chai';
import { encodeIntegers } from '../../../lib/shards/segment/encoding/integers.ts';
import {
  decodeTriples,
  encodeCodesByTriple,
  isByTriple,
  type RowOwners,
  triplesOf,
} from '../../../lib/shards/segment/triples.ts';
import { joinSections } from '../../../lib/shards/segment/encoding/sections.ts';
import { decodeCodesInto, decodeField, decodeNarrow, type TriplesOf } from '../../../lib/shards/segment/decode.ts';
import { COLUMN } from '../../../lib/shards/segment/columns.ts';
import { type EncodedSegment, encodeSegment } from '../../../lib/shards/segment/encode.ts';
import type { RawSegment } from '../../../lib/shards/segment/raw.ts';
import { Lease, Scratch } from '../../../lib/primitives/memory.ts';
import { setThresholds } from '../../../lib/base/threshold.ts';

const FIELD = 16;
/** Codes of a row's user, device and session, and of a field: few or many, mostly of few sessions, sometimes none. */
const code = fc.oneof(fc.constant(0), fc.nat(3), fc.nat(300), fc.nat(0xfffffff));
const row = fc.tuple(code, code, code, fc.oneof(fc.constant(1), fc.nat(70_000)));
const rows = fc.oneof(
  fc.array(row, { minLength: 1, maxLength: 40 }),
  fc
    .tuple(fc.array(row, { minLength: 1, maxLength: 6 }), fc.array(fc.nat(5), { maxLength: 700 }))
    .map(([kinds, which]) => [...kinds, ...which.map((n) => kinds[n % kinds.length]!)]),
  fc.tuple(row, fc.nat(600)).map(([one, count]) => Array.from({ length: count + 1 }, () => one)),
);

describe('triples of rows', () => {
  afterEach(() => setThresholds('usual'));

  for (const end of ['usual', 'least', 'most'] as const) {
    it(`give every code of every row back, whoever the rows are of, with thresholds at their ${end}`, () => {
      setThresholds(end, ['bytes that triples save', 'rows an exception of a triple']);
      fc.assert(
        fc.property(rows, fc.array(fc.tuple(fc.nat(1000), code), { maxLength: 12 }), (all, others) => {
          const changed = all.map(([, , , value]) => value);
          for (const [at, value] of others) changed[at % changed.length] = value;
          const column = (n: 0 | 1 | 2): Uint32Array => Uint32Array.from(all, (one) => one[n]);
          const owners = { users: column(0), devices: column(1), sessions: column(2) };
          const encoded = encode(owners, Uint32Array.from(changed));
          for (const [field, codes] of [
            [COLUMN.userId, owners.users],
            [COLUMN.deviceId, owners.devices],
            [COLUMN.sessionId, owners.sessions],
          ] as const) {
            const data = columnOf(encoded, field);
            if (data === undefined) expect(codes.every((one) => one === 0)).to.equal(true);
            else {
              expect([...decodeNarrow(data, triplesIn(encoded))]).to.deep.equal([...codes]);
              expect([...decodeCodesInto(data, triplesIn(encoded), room)]).to.deep.equal([...codes]);
            }
          }
          const data = columnOf(encoded, FIELD);
          const codes = data && decodeField(data, all.length, triplesIn(encoded)).codes;
          expect(codes ? [...codes] : changed.map(() => 0)).to.deep.equal(changed);
        }),
      );
    });
  }

  it('are counted as they appear, one for each user, device and session', () => {
    const owners = {
      users: Uint32Array.of(0, 7, 0, 7, 7, 0),
      devices: Uint32Array.of(1, 1, 1, 1, 2, 1),
      sessions: Uint32Array.of(5, 5, 5, 5, 5, 0),
    };
    using lease = new Lease();
    const { ofRows, firsts } = triplesOf(owners, lease);
    expect([...ofRows]).to.deep.equal([0, 1, 0, 1, 2, 3]);
    expect([...firsts]).to.deep.equal([0, 1, 4, 5]);
  });

  it('save most of what ids and a field take where sessions have many rows, and cost nothing where each row is of another', () => {
    const COUNT = 4_000;
    const every = (of: (n: number) => number): Uint32Array => Uint32Array.from({ length: COUNT }, (_, n) => of(n));
    const bytes = (owners: RowOwners, codes: Uint32Array): number =>
      encode(owners, codes).columns.reduce((sum, { data }) => sum + data.length, 0);
    const random = (n: number): number => Math.imul(n + 1, 2654435761) >>> 14;
    const long = every((n) => random(n >> 3));
    const sessions = { users: long, devices: long, sessions: every((n) => n >> 3) };
    const strangers = { users: every(random), devices: every(random), sessions: new Uint32Array(COUNT) };
    const both = (owners: RowOwners, codes: Uint32Array): [number, number] => {
      setThresholds('most', ['bytes that triples save']);
      const without = bytes(owners, codes);
      setThresholds('usual');
      return [bytes(owners, codes), without];
    };
    const [byTriple, plain] = both(sessions, long);
    expect(byTriple).to.be.below(plain * 0.45);
    expect(columnOf(encode(sessions, long), COLUMN.triples)).not.to.equal(undefined);
    const [same, before] = both(
      strangers,
      every((n) => random(n * 7)),
    );
    expect(same).to.equal(before);
  });

  it('are not believed where they are damaged: what lies outside is never read', () => {
    const ofRows = decodeTriples(encodeIntegers(Uint32Array.of(0, 1, 2)), room);
    const triples: TriplesOf = () => ofRows;
    const none = new Uint32Array(0);
    expect(() => decodeNarrow(encodeCodesByTriple(Uint32Array.of(1, 2), none, none), triples)).to.throw('lack triples');
    expect(() =>
      decodeNarrow(encodeCodesByTriple(Uint32Array.of(1, 2, 3), Uint32Array.of(3), Uint32Array.of(9)), triples),
    ).to.throw('damaged');
    expect(() =>
      decodeNarrow(encodeCodesByTriple(Uint32Array.of(1, 2, 3), Uint32Array.of(1), Uint32Array.of(9, 9)), triples),
    ).to.throw('damaged');
    const whole = encodeCodesByTriple(Uint32Array.of(1, 2, 3), none, none);
    expect(() => decodeNarrow(Buffer.concat([whole.subarray(0, 8), joinSections([])]), triples)).to.throw('damaged');
    expect(isByTriple(whole)).to.equal(true);
    expect(isByTriple(whole.subarray(0, 4))).to.equal(false);
  });
});

const room = new Scratch();
const triplesRoom = new Scratch();

function encode({ users, devices, sessions }: RowOwners, codes: Uint32Array): EncodedSegment {
  const count = users.length;
  const every = Uint32Array.from({ length: count }, (_, n) => n);
  const some = every.filter((n) => codes[n] !== 0);
  const field = {
    ...{ field: FIELD, rows: some, codes: some.map((n) => codes[n]!), local: null },
    ...{ numberRows: new Uint32Array(0), numbers: new Float64Array(0) },
  };
  const raw: RawSegment = {
    ...{ rows: count, users, devices, sessions, fields: some.length > 0 ? [field] : [] },
    ...{ times: Float64Array.from(every), arrivals: Float64Array.from(every), received: Float64Array.from(every) },
    types: new Uint32Array(count).fill(1),
    insertIds: {
      ...{ kinds: new Uint8Array(count), low: new Uint32Array(count), high: new Uint32Array(count) },
      ...{ imported: new Uint8Array(count), texts: null, uuids: new Uint8Array(0) },
    },
  };
  return encodeSegment(raw, every, { secret: [1, 2], since: -Infinity });
}

const columnOf = ({ columns }: EncodedSegment, field: number): Uint8Array | undefined =>
  columns.find((column) => column.field === field)?.data;

const triplesIn =
  (encoded: EncodedSegment): TriplesOf =>
  () => {
    const data = columnOf(encoded, COLUMN.triples);
    if (!data) throw new Error('there are no triples');
    return decodeTriples(data, triplesRoom);
  };
