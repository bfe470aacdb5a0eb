import { expect } from 'chai';
import { codeOfHash, encodeTextRun } from '../../../lib/shards/dictionary/text-runs.ts';

describe('a chunk of keys of texts', () => {
  const keys = {
    a: Uint32Array.of(7, 0xffff_ffff, 7, 7, 0),
    b: Uint32Array.of(1, 2, 1, 0xffff_fffe, 0),
    c: Uint16Array.of(5, 0xffff, 6, 5, 0),
    codes: Uint32Array.of(11, 12, 13, 4_000_000_000, 15),
  };
  const chunk = encodeTextRun(keys, 0).chunks[0]!;

  it('has the code of each key, also of those that begin alike', () => {
    const found = Array.from(keys.codes, (_, i) => codeOfHash(chunk, { a: keys.a[i]!, b: keys.b[i]!, c: keys.c[i]! }));
    expect(found).to.deep.equal([...keys.codes]);
  });

  it('has no code of a key that differs in any part', () => {
    for (const [a, b, c] of [
      [7, 1, 7],
      [7, 2, 5],
      [8, 1, 5],
      [0xffff_ffff, 2, 0],
      [0, 0, 1],
      [0xffff_fffe, 2, 0xffff],
    ] as const)
      expect(codeOfHash(chunk, { a, b, c }), `${a} ${b} ${c}`).to.equal(0);
  });
});
