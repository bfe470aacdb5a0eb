import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect } from 'chai';
import { checkShard } from '../../../lib/shards/upkeep/check.ts';
import type { Snapshot } from '../../../lib/shards/shard-reader.ts';
import {
  countTypes,
  decodeTypeCounts,
  decodeTypeRows,
  encodeTypeCounts,
  encodeTypeRows,
  type TypeCounts,
  typeGroups,
} from '../../../lib/shards/segment/type-rows.ts';
import { ShardPlay } from '../../support/shard-play.ts';
import { NOW, openReader, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { expectTypeRows, typeColumns } from '../../support/type-rows.ts';

/** Most rows that share a column. */
const GROUP = 4096;

describe('the rows of event types, encoded', () => {
  const gap = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 2_000 }));
  const size = fc.oneof(fc.nat(9), fc.constantFrom(255, 256, 257, GROUP - 1, GROUP, GROUP + 1), fc.nat(12_000));
  const types = fc.array(fc.record({ gap, rows: size.map((rows) => rows + 1) }), { minLength: 1, maxLength: 12 });
  const manyRare = fc.array(fc.record({ gap, rows: fc.integer({ min: 1, max: 40 }) }), {
    minLength: 200,
    maxLength: 600,
  });

  it('are given back, of many and of few types, rare and frequent ones, apart and mixed', () => {
    fc.assert(
      fc.property(fc.oneof(types, manyRare), fc.boolean(), fc.integer(), (counts, mixed, seed) => {
        const { codes, types } = rowsOf(counts, mixed ? seed : null);
        const columns = new Map(encodeTypeRows(codes, types).map(({ field, data }) => [field, data]));
        const groups = typeGroups(types);
        expect([...columns.keys()]).to.deep.equal(groups.map(({ field }) => field));
        const rowsByType = new Map<number, number[]>();
        for (const [row, code] of codes.entries()) {
          const known = rowsByType.get(code);
          if (known === undefined) rowsByType.set(code, [row]);
          else known.push(row);
        }
        for (const group of groups) {
          for (const code of group.types.codes) {
            const expected = rowsByType.get(code) ?? [];
            const decoded = decodeTypeRows(columns.get(group.field)!, group, code);
            if (expected.join() !== decoded.join()) expect([...decoded], `type ${code}`).to.deep.equal(expected);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('are in columns that hold few rows of other types, and in few columns', () => {
    fc.assert(
      fc.property(fc.oneof(types, manyRare), (counts) => {
        const { codes, types } = rowsOf(counts, null);
        const groups = typeGroups(types);
        if (types.codes.length > 1)
          expect(groups.flatMap((group) => [...group.types.codes])).to.deep.equal([...types.codes]);
        for (const group of groups) if (group.types.codes.length > 1) expect(group.rows).to.be.at.most(GROUP);
        expect(groups.length).to.be.at.most((2 * codes.length) / GROUP + 1);
      }),
    );
  });

  it('take no bytes where all rows have one type', () => {
    expect(encodeTypeRows(new Uint32Array(1000).fill(7), countTypes(new Uint32Array(1000).fill(7)))).to.deep.equal([]);
  });

  it('are refused where a column is not of the types it is asked for', () => {
    const codes = Uint32Array.of(1, 2, 1);
    const types = countTypes(codes);
    const [column] = encodeTypeRows(codes, types);
    const [group] = typeGroups(types);
    expect(() => decodeTypeRows(column!.data, { ...group!, rows: 4 }, 1)).to.throw('has 3 rows instead of 4');
    expect(() => decodeTypeRows(column!.data, group!, 3)).to.throw('no rows of event type 3');
  });
});

/** A code for each row: type by type, or shuffled by a seed. */
function rowsOf(
  counts: readonly { readonly gap: number; readonly rows: number }[],
  seed: number | null,
): { codes: Uint32Array; types: TypeCounts } {
  let code = 0;
  const every = counts.map(({ gap, rows }) => ({ code: (code += gap), rows }));
  const codes = Uint32Array.from(every.flatMap(({ code, rows }) => new Array<number>(rows).fill(code)));
  const types = countTypes(codes);
  expect([...types.codes].map((one, i) => ({ code: one, rows: types.rows[i] }))).to.deep.equal(every);
  expect(decodeTypeCounts(Buffer.from(encodeTypeCounts(types)).toString())).to.deep.equal(types);
  if (seed !== null) shuffle(codes, seed);
  return { codes, types };
}

function shuffle(codes: Uint32Array, seed: number): void {
  let random = seed;
  for (let row = codes.length - 1; row > 0; row--) {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    const other = random % (row + 1);
    [codes[row], codes[other]] = [codes[other]!, codes[row]!];
  }
}

const event = (type: string, n: number): object => ({
  event_type: type,
  time: new Date(NOW - 100_000_000 + n * 1000).toISOString(),
  user_id: n % 10 === 0 ? 'ann' : 'bob',
});

/** Two frequent types and twenty rare ones. */
const events = (from: number, to: number): object[] =>
  Array.from({ length: to - from }, (_, i) => {
    const n = from + i;
    return event(n % 12 === 0 ? `rare ${(n / 12) % 20}` : n % 2 === 0 ? 'view' : 'click', n);
  });

function sealed(probe: WriterProbe, sent: readonly object[]): Snapshot {
  probe.append('track_lines', sent.map((one) => JSON.stringify(one)).join('\n'));
  return probe.snapshot();
}

/** Changes columns of a shard that nobody is reading. */
function change({ file }: Snapshot, sql: string): void {
  const shard = new Database(file);
  expect(shard.prepare(sql).run().changes, sql).to.be.above(0);
  shard.close();
}

describe('the rows of event types in a shard', () => {
  it('are read without the column of types', () => {
    const snapshot = sealed(new WriterProbe(temporaryFolder()), events(0, 12_000));
    expectTypeRows(snapshot);
    const expected = openReader(snapshot).segment(1).rowsOfType(1);
    change(snapshot, 'DELETE FROM columns WHERE field = 4');
    expect(openReader(snapshot).segment(1).rowsOfType(1)).to.deep.equal(expected);
    expect(openReader(snapshot).segment(1).column('event_type')).to.equal(null);
  });

  it('are found in segments that were sealed before they were stored', () => {
    const snapshot = sealed(new WriterProbe(temporaryFolder()), events(0, 12_000));
    change(snapshot, 'DELETE FROM columns WHERE field < 0');
    expectTypeRows(snapshot);
    expect(checkShard(snapshot.file)).to.deep.equal([]);
  });

  it('are all rows where all have one type, with nothing stored', () => {
    const probe = new WriterProbe(temporaryFolder());
    const snapshot = sealed(probe, [event('only', 1), event('only', 2), event('only', 3)]);
    expectTypeRows(snapshot);
    expect(typeColumns(snapshot).stored).to.deep.equal([[]]);
  });

  it('are made anew by a compaction, also of segments that have none, and by an erasure', () => {
    const requests = [events(6_000, 12_000), [event('last', 1)], events(0, 6_000)];
    const play = new ShardPlay(temporaryFolder(), 'prj_test', {
      turns: [].values(),
      sealRows: 1_000_000,
      segmentRows: 20_000,
      lines: true,
    });
    for (const track of requests) {
      play.send({ at: NOW, track });
      play.turn('seal');
    }
    change(play.snapshot(), 'DELETE FROM columns WHERE field < 0 AND segment = 1');
    play.turn('compact');
    const compacted = play.snapshot();
    expect(compacted.segments.map(({ rows }) => rows)).to.deep.equal([12_001]);
    expectHeld(compacted);
    expect(play.erase('ann').events).to.equal(1_200);
    const rest = play.snapshot();
    expect(rest.segments.map(({ rows }) => rows)).to.deep.equal([10_801]);
    expectHeld(rest);
  });

  it('are held to the column of types by a check', () => {
    const snapshot = sealed(new WriterProbe(temporaryFolder()), events(0, 12_000));
    expectHeld(snapshot);
    const [first, second] = typeColumns(snapshot).stored[0]!;
    change(
      snapshot,
      `UPDATE columns SET (data, sum) = (SELECT data, sum FROM columns WHERE field = 4) WHERE field = ${first}`,
    );
    change(snapshot, `DELETE FROM columns WHERE field = ${second}`);
    change(snapshot, 'INSERT INTO columns SELECT segment, -999, data, sum FROM columns WHERE field = 4');
    const problems = checkShard(snapshot.file).join('\n');
    expect(problems).to.match(new RegExp(`segment 1, column ${first}: column ${first} has 12000 rows instead of`));
    expect(problems).to.match(new RegExp(`segment 1, column ${second}: 0 right rows instead of`));
    expect(problems).to.include('segment 1, column -999 is of no event type');
  });
});

function expectHeld(snapshot: Snapshot): void {
  expectTypeRows(snapshot);
  const { stored, expected } = typeColumns(snapshot);
  expect(stored).to.deep.equal(expected);
  expect(stored[0]).to.have.length.above(1);
  expect(checkShard(snapshot.file)).to.deep.equal([]);
}
