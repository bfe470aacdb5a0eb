import { expect } from 'chai';
import { hashBytes } from '../../../lib/shards/hashing/hash.ts';
import { TextTable } from '../../../lib/shards/dictionary/text-table.ts';

const PIECE = 1 << 20;
const LENGTHS = [1, PIECE - 7, 6, 0, 300, PIECE, 64, PIECE + 5, 65, 0, 2 * PIECE, 3];

const textOf = (n: number, length: number): Buffer => Buffer.from(`${n}`.padEnd(length, 'x').slice(0, length));

function codeOf(table: TextTable, bytes: Uint8Array, type: number): number {
  return table.code(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length), type);
}

function codesTo(last: number): Uint32Array {
  return Uint32Array.from({ length: last }, (_, i) => i + 1);
}

describe('TextTable', () => {
  it('gives texts back, long and short, and each its own code for each type', () => {
    const table = new TextTable();
    const texts = LENGTHS.map((length, n) => textOf(n, length));
    const kept: Buffer[] = [];
    for (const [n, text] of texts.entries()) {
      const code = codeOf(table, text, 0);
      if (code > kept.length) kept.push(text);
      expect(kept[code - 1]!.equals(text), `text ${n}`).to.equal(true);
    }
    expect(table.size).to.equal(LENGTHS.length - 1); // the empty text came twice
    const other = codeOf(table, texts[0]!, 1);
    expect([other, table.type(other)]).to.deep.equal([kept.length + 1, 1]);

    kept.forEach((text, i) => expect(Buffer.from(table.bytes(i + 1)).equals(text)).to.equal(true));
    const list = table.list(codesTo(kept.length));
    expect(Buffer.from(list.bytes).equals(Buffer.concat(kept))).to.equal(true);
    expect(table.listAfter(0).count).to.equal(kept.length + 1);
    for (let last = 0; last <= table.size; last++)
      for (let first = 1; first <= last + 1; first++) {
        const [range, wanted] = [table.range(first, last), table.list(codesTo(last).slice(first - 1))];
        expect([range.count, [...range.types], [...range.ends]], `${first} to ${last}`).to.deep.equal([wanted.count, [...wanted.types], [...wanted.ends]]); // prettier-ignore
        expect(Buffer.from(range.bytes).equals(wanted.bytes), `${first} to ${last}`).to.equal(true);
      }
  });

  it('finds every text however far it has grown, and what it loads from a list', () => {
    const table = new TextTable();
    const count = 150_000;
    for (let n = 0; n < count; n++) codeOf(table, Buffer.from(`text ${n}`), 0);
    expect(table.size).to.equal(count);
    const loaded = new TextTable();
    loaded.load(table.listAfter(0));
    for (let n = 0; n < count; n++) {
      const text = Buffer.from(`text ${n}`);
      const hash = hashBytes(text, 0, text.length);
      const codes = [table, loaded].map((one) => one.find(text, 0, text.length, hash));
      if (codes[0] !== n + 1 || codes[1] !== n + 1) expect.fail(`text ${n} has codes ${codes.join(', ')}`);
    }
    expect(Buffer.from(table.range(2, count).bytes).equals(table.list(codesTo(count).slice(1)).bytes)).to.equal(true);
    expect(codeOf(table, Buffer.from('another'), 0)).to.equal(count + 1);
  });

  it('keeps the types of texts that come after many strings, also those that it loads from a list', () => {
    const table = new TextTable();
    const texts = Array.from({ length: 40 }, (_, n) => Buffer.from(`text ${n % 30}`));
    const codes = texts.map((text, n) => codeOf(table, text, n < 30 ? 0 : n % 5));
    const types = codes.map((code) => table.type(code));
    expect(types).to.deep.equal(texts.map((_, n) => (n < 30 ? 0 : n % 5)));
    expect(table.size).to.equal(38); // two already came as strings
    const loaded = new TextTable();
    loaded.load(table.listAfter(0));
    expect(texts.map((text, n) => codeOf(loaded, text, n < 30 ? 0 : n % 5))).to.deep.equal(codes);
  });

  it('is as it was when it has no room for a text', () => {
    const table = new TextTable(10);
    expect(codeOf(table, Buffer.from('123456'), 0)).to.equal(1);
    expect(() => codeOf(table, Buffer.from('78901'), 0)).to.throw(RangeError);
    expect([table.size, table.textBytes]).to.deep.equal([1, 6]);
    expect(codeOf(table, Buffer.from('7890'), 0)).to.equal(2);
  });
});
