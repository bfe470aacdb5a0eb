import { expect } from 'chai';
import { compileQuery } from '../../../../lib/dsl/compile.ts';
import { columnsOf } from '../../../../lib/dsl/plan/columns.ts';
import { JANUARY } from '../../../dsl/plans.ts';
import { MemoryShard, type MemoryEvent } from '../../../support/memory-reader.ts';
import { runPlan } from '../../../support/run-plan.ts';

const ROWS = 40;
const NOW = JANUARY + 86_400_000;

const eventOf = (arrival: number): MemoryEvent => ({
  arrival,
  time: JANUARY + arrival,
  type: 'a',
  userId: null,
  deviceId: null,
  sessionId: null,
  insertId: `i${arrival}`,
  properties: { n: arrival },
  userProperties: {},
  enriched: {},
  distinctId: null,
});

describe('a list', () => {
  it('reads the properties of each segment once, though rows of two alternate: they may be large', () => {
    const events = Array.from({ length: ROWS }, (_, arrival) => eventOf(arrival));
    const shard = new MemoryShard(events, [], { segmentOf: ({ arrival }) => (arrival % 2) + 1 });
    let read = 0;
    for (const id of [1, 2]) {
      const segment = shard.segment(id);
      const keys = segment.columnKeys();
      segment.columnKeys = () => {
        read++;
        return keys;
      };
    }
    const { plan } = compileQuery('* | list | last 1d', {
      ...{ now: NOW, timezone: { project: 'UTC' }, limit: ROWS, offset: 0, earliest: null },
    });
    const { table } = runPlan(plan, shard, shard.snapshot('p'), { partOf: () => 0 });
    const ids = table.rows.map((row) => row[columnsOf(plan).findIndex(({ name }) => name === 'insert_id')]);
    expect(ids).to.deep.equal(Array.from({ length: ROWS }, (_, nth) => `i${ROWS - 1 - nth}`));
    expect(read).to.equal(4); // those of events, and of users
  });
});
