import { expect } from 'chai';
import { insertKey, type InsertKey } from '../../lib/shards/insert-key.ts';
import { HEX16, TEXT } from '../../lib/shards/segment/insert-ids.ts';

/** `id` in the middle of other bytes, as it stands in a request. */
function keyOf(id: string, secret: readonly [number, number] = [1, 2]): InsertKey {
  const bytes = Buffer.from(`00${id}ff`);
  const key: InsertKey = { kind: TEXT, high: -1, low: -1 };
  insertKey(bytes, 2, bytes.length - 2, secret, key);
  return key;
}

describe('keys of insert ids', () => {
  it('are the number itself of 16 lower-case hexadecimal digits', () => {
    expect(keyOf('0123456789abcdef')).to.deep.equal({ kind: HEX16, high: 0x01234567, low: 0x89abcdef });
    expect(keyOf('ffffffff00000000')).to.deep.equal({ kind: HEX16, high: 0xffffffff, low: 0 });
    expect(keyOf('0000000080000000')).to.deep.equal({ kind: HEX16, high: 0, low: 0x80000000 });
  });

  it('are hashes of all others', () => {
    for (const id of [
      '0123456789abcde',
      '0123456789abcdef0',
      '0123456789ABCDEF',
      '0123456789abcdeg',
      'g123456789abcdef',
    ]) {
      expect(keyOf(id).kind, id).to.equal(TEXT);
    }
  });

  // Shards keep them for days: a key that changes with a release lets every id of these days in a second time.
  it('stay what shards have stored', () => {
    const stored: readonly [id: string, secret: readonly [number, number], high: number, low: number][] = [
      ['', [0x1, 0x2], 0xad0af653, 0x883c6e20],
      ['a', [0x1, 0x2], 0xda602517, 0xe21bb8fc],
      ['ab', [0x1, 0x2], 0xbef96282, 0xacbe52a3],
      ['abc', [0x3, 0x4], 0xae4f3b08, 0xf1e67a7f],
      ['order', [0x9e3779b9, 0x7f4a7c15], 0xace91893, 0x8b55355a],
      ['order-17', [0x9e3779b9, 0x7f4a7c15], 0xc53e27ac, 0x318a2f53],
      ['é😀', [0xffffffff, 0x0], 0x16c543ec, 0x90622d36],
      ['0123456789ABCDEF', [0x1, 0x2], 0xe0f766d3, 0x36837942],
    ];
    for (const [id, secret, high, low] of stored) {
      expect(keyOf(id, secret), id).to.deep.equal({ kind: TEXT, high, low });
    }
  });
});
