import { expect } from 'chai';
import { bytesOfColumns, Hold, limitColumns, makeColumn, retireColumns, WORDS } from '../../lib/primitives/columns.ts';
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
    first.release();
    others.push(columnOf(4));
    expect([...new Set(column)]).to.deep.equal([1]);
    const later = new Hold();
    second.release();
    second.release();
    const reused = columnOf(5);
    expect(reused.byteOffset).to.equal(column.byteOffset);
    retireColumns([...others, reused]);
    later.release();
  });

  it('lie on the heap where nobody holds the memory, or where there are too many', () => {
    expect(isInMemory(columnOf(1))).to.equal(false);
    const hold = new Hold();
    limitColumns(bytesOfColumns() + LENGTH * 4);
    const columns = [columnOf(1), columnOf(2)];
    expect(columns.map(isInMemory)).to.deep.equal([true, false]);
    expect([...new Set(columns[1])]).to.deep.equal([2]);
    retireColumns(columns);
    hold.release();
  });
});
