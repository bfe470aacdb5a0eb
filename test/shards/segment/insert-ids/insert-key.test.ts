import { expect } from 'chai';
import { emptySought, isSameId, seekId, type SoughtId } from '../../../../lib/shards/segment/insert-ids/insert-key.ts';
import { keyOf } from '../../../../lib/shards/segment/insert-ids/key-runs.ts';
import { HEX16, TEXT, UUID } from '../../../../lib/shards/segment/insert-ids/insert-ids.ts';

/** `id` between other bytes, as in a request. */
function sought(id: string, secret: readonly [number, number] = [1, 2]): SoughtId {
  const bytes = Buffer.from(`00${id}ff`);
  const found = emptySought();
  seekId(bytes, 2, bytes.length - 2, secret, found);
  return { ...found, bytes: found.bytes.slice() };
}

describe('insert ids that are looked for', () => {
  it('of 16 lower-case hexadecimal digits have the number itself for a key', () => {
    for (const [id, high, low] of [
      ['0123456789abcdef', 0x01234567, 0x89abcdef],
      ['ffffffff00000000', 0xffffffff, 0],
      ['0000000080000000', 0, 0x80000000],
    ] as const)
      expect(sought(id), id).to.include({ kind: HEX16, high, low });
  });

  it('are UUIDs where all letters are small and all dashes in their places', () => {
    const id = '550e8400-e29b-41d4-a716-4466554400ff';
    const { kind, bytes, start, end } = sought(id);
    expect(kind).to.equal(UUID);
    expect(Buffer.from(bytes.subarray(start, end)).toString('hex')).to.equal(id.replaceAll('-', ''));
    for (const other of [
      id.toUpperCase(),
      id.replaceAll('-', ''),
      `${id}0`,
      id.slice(1),
      id.replace('-', '0'),
      id.replace('f', 'g'),
      id.replace(/-(.)/, '$1-'),
    ])
      expect(sought(other).kind, other).to.equal(TEXT);
  });

  it('are texts otherwise, whose keys others than the shard do not know', () => {
    for (const id of ['', 'a', '0123456789abcde', '0123456789abcdef0', '0123456789ABCDEF', 'g123456789abcdef', 'é😀']) {
      const one = sought(id);
      expect(one.kind, id).to.equal(TEXT);
      expect([one.high, one.low], id).to.deep.equal([sought(id).high, sought(id).low]);
      expect([one.high, one.low], id).not.to.deep.equal([sought(id, [1, 3]).high, sought(id, [1, 3]).low]);
    }
  });

  it('are the same where every byte is', () => {
    const place = (text: string): SoughtId => sought(text);
    expect(isSameId(place('order 1'), place('order 1'))).to.equal(true);
    for (const other of ['order 2', 'order', 'order 11', 'Order 1', ''])
      expect(isSameId(place('order 1'), place(other)), other).to.equal(false);
  });

  // Shards of format 2 store these keys: with others, every id of 7 days would be accepted a second time.
  it('have the keys in runs that shards have stored', () => {
    const stored: readonly [id: string, secret: readonly [number, number], high: number, low: number][] = [
      ['', [0x1, 0x2], 0xad0af653, 0x883c6e20],
      ['a', [0x1, 0x2], 0xda602517, 0xe21bb8fc],
      ['ab', [0x1, 0x2], 0xbef96282, 0xacbe52a3],
      ['abc', [0x3, 0x4], 0xae4f3b08, 0xf1e67a7f],
      ['order', [0x9e3779b9, 0x7f4a7c15], 0xace91893, 0x8b55355a],
      ['order-17', [0x9e3779b9, 0x7f4a7c15], 0xc53e27ac, 0x318a2f53],
      ['é😀', [0xffffffff, 0x0], 0x16c543ec, 0x90622d36],
      ['0123456789ABCDEF', [0x1, 0x2], 0xe0f766d3, 0x36837942],
      ['0123456789abcdef', [0x1, 0x2], 0x01234567, 0x89abcdef],
    ];
    for (const [id, secret, high, low] of stored) expect(keyOf(id, secret), id).to.deep.equal({ high, low });
  });
});
