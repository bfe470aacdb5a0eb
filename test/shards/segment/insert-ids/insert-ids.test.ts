import { expect } from 'chai';
import { joinSections, splitSections } from '../../../../lib/shards/segment/encoding/sections.ts';
import {
  decodeInsertIds,
  encodeInsertIds,
  HEX16,
  insertIdText,
  MADE,
  numberMadeIds,
  TEXT,
  UUID,
  type InsertIdRows,
} from '../../../../lib/shards/segment/insert-ids/insert-ids.ts';

const IMPORTED = Uint8Array.from([1, 0, 0, 1, 0, 0, 0, 0, 0]);

/** Rows as the writer has them: generated ids do not have their numbers yet. */
function rows(): InsertIdRows {
  const texts = ['order-1', '', 'é😀'].map((text) => Buffer.from(text));
  return {
    kinds: Uint8Array.from([TEXT, MADE, HEX16, TEXT, HEX16, MADE, TEXT, UUID, UUID]),
    imported: IMPORTED,
    low: Uint32Array.from([0, 0, 0x89abcdef, 1, 0, 0, 2, 1, 0]),
    high: Uint32Array.from([0, 0, 0x01234567, 0, 0xffffffff, 0, 0, 0, 0]),
    texts: {
      count: 3,
      types: new Uint8Array(3),
      ends: Uint32Array.from([7, 7, 13]),
      bytes: Buffer.concat(texts),
    },
    uuids: Uint8Array.from({ length: 32 }, (_, i) => i),
  };
}

const TEXTS = [
  'order-1',
  'evt_0000000000000005',
  '0123456789abcdef',
  '',
  'ffffffff00000000',
  'evt_00000002ffffffff',
  'é😀',
  '10111213-1415-1617-1819-1a1b1c1d1e1f',
  '00010203-0405-0607-0809-0a0b0c0d0e0f',
];
const ARRIVALS = Float64Array.from([0, 5, 0, 0, 0, 3 * 2 ** 32 - 1, 0, 0, 0]);

const textsOf = (ids: InsertIdRows): string[] => Array.from(ids.kinds, (_, row) => insertIdText(ids, row));

describe('insert ids of a segment', () => {
  it('are read as they were written, in any order and of every kind', () => {
    for (const order of [
      [0, 1, 2, 3, 4, 5, 6, 7, 8],
      [8, 6, 4, 7, 5, 2, 3, 1, 0],
      [7],
      [4, 1, 6],
      [2, 4],
      [1, 5],
      [3],
    ]) {
      const read = decodeInsertIds(encodeInsertIds(rows(), Uint32Array.from(order)));
      numberMadeIds(read, () => Float64Array.from(order, (row) => ARRIVALS[row]!));
      expect(textsOf(read), order.join()).to.deep.equal(order.map((row) => TEXTS[row]));
      expect([...read.imported], order.join()).to.deep.equal(order.map((row) => IMPORTED[row]));
    }
  });

  it('of imports are told from others where all have 16 digits', () => {
    const order = Uint32Array.of(4, 2);
    const imported = Uint8Array.from(IMPORTED.keys(), (row) => (row === 2 ? 1 : 0));
    const read = decodeInsertIds(
      encodeInsertIds({ ...rows(), texts: null, uuids: new Uint8Array(0), imported }, order),
    );
    expect([...read.imported]).to.deep.equal([0, 1]);
  });

  it('need no arrivals where none is made', () => {
    const read = decodeInsertIds(encodeInsertIds(rows(), Uint32Array.of(4, 2, 0, 7)));
    numberMadeIds(read, () => expect.fail('arrivals were read'));
    expect(textsOf(read)).to.deep.equal([4, 2, 0, 7].map((row) => TEXTS[row]));
  });

  it('take 8 bytes for one of 16 digits, 16 for a UUID, and none for a made one', () => {
    const bytes = (order: readonly number[]): number => encodeInsertIds(rows(), Uint32Array.from(order)).length;
    expect(bytes([2, 2, 2, 2]) - bytes([2, 2])).to.equal(16);
    expect(bytes([7, 7, 7, 8]) - bytes([7, 8])).to.equal(32);
    expect(bytes([1, 1, 1, 1])).to.equal(bytes([1, 1]));
  });

  it('refuse a column that has fewer UUIDs than rows of them', () => {
    const encoded = splitSections(encodeInsertIds(rows(), Uint32Array.of(7, 8)));
    expect(() => decodeInsertIds(joinSections([...encoded.slice(0, 3), encoded[3]!.subarray(16)]))).to.throw(
      'other UUIDs',
    );
  });

  it('say that a text is missing rather than give another', () => {
    expect(() => insertIdText({ ...rows(), texts: null }, 0)).to.throw('there are none');
  });
});
