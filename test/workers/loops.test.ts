import { expect } from 'chai';
import fc from 'fast-check';
import { LoopInputs, loopOf } from '../../lib/workers/loops/generate.ts';
import { packedLoop } from '../../lib/workers/loops/packed.ts';

const ROWS = 40;
const codes = fc.array(fc.integer({ min: 0, max: 200 }), { minLength: ROWS, maxLength: ROWS });
const span = fc.tuple(fc.nat(ROWS), fc.nat(ROWS)).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));

describe('generated loops', () => {
  it('count the same whether rows are taken one at a time or four, of any width, from any row to any other', () => {
    fc.assert(
      fc.property(codes, codes, codes, span, (bytes, halves, words, { from, to }) => {
        const [a, b, c] = [Uint8Array.from(bytes), Uint16Array.from(halves), Uint32Array.from(words)];
        const table = Uint8Array.from({ length: 201 }, (_, code) => code % 3);
        const out = new Uint32Array(1_000);
        const loop = packedLoop(
          (inputs) =>
            `n = (n + ${inputs.table(table)}[${inputs.value(a)}]) | 0; out[${inputs.base} + ${inputs.value(b)}] += ${inputs.value(c)} * (i + 1);`,
          null,
        );
        const counted = loop(out, { from, to, a: 7, b: 0 });
        const plain = new Uint32Array(1_000);
        let n = 0;
        for (let i = from; i < to; i++) {
          n += table[a[i]!]!;
          plain[7 + b[i]!]! += c[i]! * (i + 1);
        }
        expect(counted).to.equal(n);
        expect(out).to.deep.equal(plain);
      }),
    );
  });

  it('write four rows apart where they are told to', () => {
    const values = Uint8Array.from({ length: 11 }, () => 1);
    const out = new Uint32Array(40);
    packedLoop((inputs) => `out[${inputs.base} + ${inputs.value(values)}]++;`, null)(out, {
      from: 0,
      to: 11,
      a: 0,
      b: 10,
    });
    expect([out[1], out[11], out[21], out[31]]).to.deep.equal([5, 2, 2, 2]);
  });

  it('read arrays that do not begin at a whole word, one row at a time', () => {
    const values = new Uint8Array(Uint8Array.from([9, 1, 2, 3, 4, 5, 6, 7, 8]).buffer, 1);
    const sum = packedLoop((inputs) => `n += ${inputs.value(values)};`, null)(new Uint8Array(0), {
      from: 0,
      to: 8,
      a: 0,
      b: 0,
    });
    expect(sum).to.equal(36);
  });

  it('visit the rows of a list', () => {
    const values = Uint16Array.from([10, 20, 30, 40]);
    const rows = Uint32Array.from([3, 1]);
    const total = { from: 0, to: 2, a: 0, b: 0 };
    expect(packedLoop((inputs) => `n += ${inputs.value(values)};`, rows)(rows, total)).to.equal(60);
    const inputs = new LoopInputs();
    const loop = loopOf(`n += ${inputs.value(values)};`, inputs, true);
    expect(loop(rows, inputs.arrays, rows, total)).to.equal(60);
  });
});
