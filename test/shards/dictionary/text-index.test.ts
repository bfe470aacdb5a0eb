import { expect } from 'chai';
import Database from 'better-sqlite3';
import { TextIndex } from '../../../lib/shards/dictionary/text-index.ts';
import { encodeTextRun, insertTextRun, textKeysOf } from '../../../lib/shards/dictionary/text-runs.ts';
import { TextTable } from '../../../lib/shards/dictionary/text-table.ts';
import { hashBytes } from '../../../lib/shards/hashing/hash.ts';
import type { Secret } from '../../../lib/shards/hashing/text-hash.ts';
import { ColumnCache } from '../../../lib/shards/segment/column-cache.ts';

const FIELD = 1;
const SECRET: Secret = [1, 2];
/** Texts of each run, one after the other. */
const RUNS = [4_000, 1_000, 2_000];
const TOTAL = 7_000;

const textOf = (code: number): Buffer => Buffer.from(`text ${code}`);

/** A file with the runs, and bytes of their filters. */
function runsOf(): { connection: Database.Database; ids: number[]; filters: number[] } {
  const connection = new Database(':memory:');
  const ids: number[] = [];
  const filters: number[] = [];
  let first = 1;
  for (const count of RUNS) {
    const table = new TextTable();
    for (let code = first; code < first + count; code++) {
      const bytes = textOf(code);
      table.code(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
    }
    const list = table.list(Uint32Array.from({ length: count }, (_, at) => at + 1));
    const run = encodeTextRun(textKeysOf(list, first, SECRET), 0);
    ids.push(insertTextRun(connection, FIELD, run));
    filters.push(run.filter.length);
    first += count;
  }
  return { connection, ids, filters };
}

function indexOf(
  connection: Database.Database,
  left: number,
): { index: TextIndex; room: { left: number }; wrong: () => number } {
  const room = { left };
  const index = new TextIndex({ field: FIELD, secret: () => SECRET, room, cache: new ColumnCache(1 << 20) });
  index.load(connection);
  /** How many of all texts, and of as many others, have another code than theirs. */
  const wrong = (): number => {
    let count = 0;
    for (let code = 1; code <= 2 * TOTAL; code++) {
      const bytes = textOf(code);
      if (index.find(() => connection, bytes, 0, bytes.length) !== (code <= TOTAL ? code : 0)) count++;
    }
    return count;
  };
  return { index, room, wrong };
}

describe('an index of texts', () => {
  it('finds each text and no other, with room for all filters, for some, and for none', () => {
    const { connection, filters } = runsOf();
    const all = filters.reduce((sum, bytes) => sum + bytes, 0);
    for (const left of [all, all - 1, filters[1]!, 0]) {
      const { index, room, wrong } = indexOf(connection, left);
      expect(wrong(), `with room for ${left}`).to.equal(0);
      expect(room.left + index.memory, 'what it has, and what is left').to.equal(left);
    }
  });

  it('rather goes without the filter of a large run than without those of small ones', () => {
    const { connection, filters } = runsOf();
    const [large, small, middle] = filters as [number, number, number];
    const { index, wrong } = indexOf(connection, large + small);
    expect([wrong(), index.memory]).to.deep.equal([0, small + middle]);
  });

  it('leaves room for others when runs go, and when it loads them anew', () => {
    const { connection, ids, filters } = runsOf();
    const all = filters.reduce((sum, bytes) => sum + bytes, 0);
    const { index, room, wrong } = indexOf(connection, all);
    wrong();
    expect(room.left).to.equal(0);
    index.remove([ids[0]!]);
    expect([room.left, index.memory]).to.deep.equal([filters[0], all - filters[0]!]);
    index.load(connection);
    expect([room.left, index.memory]).to.deep.equal([all, 0]);
    expect(wrong()).to.equal(0);
  });
});
