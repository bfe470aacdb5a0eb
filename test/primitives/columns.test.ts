import { expect } from 'chai';
import { setThresholds } from '../../lib/base/threshold.ts';
import {
  bytesOfColumns,
  Hold,
  largestOf,
  leastOfSome,
  limitColumns,
  makeColumn,
  retireColumns,
  WORDS,
} from '../../lib/primitives/columns.ts';
import { isInMemory, wordsAt } from '../../lib/primitives/memory.ts';

const LENGTH = 1_000;

function columnOf(value: number): Uint32Array {
  return makeColumn(WORDS, { room: LENGTH, length: LENGTH }, (out) => wordsAt(out, LENGTH).fill(value));
}

describe('columns in the memory of a thread', () => {
  afterEach(() => limitColumns(Infinity));

  it('stay as they are until whoever may have seen them has ended', () => {
    const [first, second] = [new Hold(), new Hold()];
    const column = columnOf(1);
    retireColumns([column]);
    const others = [columnOf(2), columnOf(3)];
    expect([...new Set(column)]).to.deep.equal([1]);
    first[Symbol.dispose]();
    others.push(columnOf(4));
    expect([...new Set(column)]).to.deep.equal([1]);
    const later = new Hold();
    second[Symbol.dispose]();
    second[Symbol.dispose]();
    const reused = columnOf(5);
    expect(reused.byteOffset).to.equal(column.byteOffset);
    retireColumns([...others, reused]);
    later[Symbol.dispose]();
  });

  it('lie on the heap where nobody holds the memory, or where there are too many', () => {
    expect(isInMemory(columnOf(1))).to.equal(false);
    const hold = new Hold();
    limitColumns(bytesOfColumns() + LENGTH * 4);
    const columns = [columnOf(1), columnOf(2)];
    expect(columns.map(isInMemory)).to.deep.equal([true, false]);
    expect([...new Set(columns[1])]).to.deep.equal([2]);
    retireColumns(columns);
    hold[Symbol.dispose]();
  });
});

describe('lists that a query makes of one segment after another', () => {
  const LISTS = ['bytes of lists in the memory'];
  afterEach(() => setThresholds('usual', LISTS));

  it('lie in the memory until the query ends, while all of them are small', () => {
    const hold = new Hold();
    const lists = [hold.list(1 << 20), hold.listOfFloats(1 << 21), hold.list(1 << 22), hold.list(1 << 20)];
    expect(lists.map(isInMemory)).to.deep.equal([true, true, false, true]);
    hold[Symbol.dispose]();
    const next = new Hold();
    expect(isInMemory(next.list(1 << 22)), 'of the next query').to.equal(true);
    next[Symbol.dispose]();
  });

  it('lie where they may, however many they are', () => {
    const hold = new Hold();
    setThresholds('least', LISTS);
    expect(isInMemory(hold.list(1))).to.equal(false);
    setThresholds('most', LISTS);
    expect(isInMemory(hold.listOfFloats(1 << 23))).to.equal(true);
    hold[Symbol.dispose]();
  });
});

describe('the largest and the least of codes', () => {
  const PIECES = ['codes copied at once'];
  afterEach(() => setThresholds('usual', PIECES));

  for (const end of ['usual', 'least', 'most'] as const)
    it(`are found on the heap and in the memory, but for what is missing (pieces: ${end})`, () => {
      setThresholds(end, PIECES);
      const hold = new Hold();
      const some = Uint32Array.from({ length: 40_000 }, (_, i) => (i % 3 === 0 ? 0 : 7 + ((i * 7_919) % 39_989)));
      const column = makeColumn(WORDS, { room: some.length, length: some.length }, (out) =>
        wordsAt(out, some.length).set(some),
      );
      const [least, most] = [Math.min(...some.filter((code) => code !== 0)), Math.max(...some)];
      for (const codes of [some, column, Uint16Array.from(some)])
        expect([leastOfSome(codes), largestOf(codes)], codes.constructor.name).to.deep.equal([least, most]);
      expect([leastOfSome(Uint8Array.of(0, 200, 3)), largestOf(Uint8Array.of(0, 200, 3))]).to.deep.equal([3, 200]);
      for (const none of [new Uint8Array(0), new Uint16Array(20_000)])
        expect([leastOfSome(none), largestOf(none)]).to.deep.equal([0, 0]);
      retireColumns([column]);
      hold[Symbol.dispose]();
    });
});
