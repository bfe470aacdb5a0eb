import { expect } from 'chai';
import { compileQuery } from '../../lib/dsl/compile.ts';
import { makeTypicalShard } from '../../lib/shards/typical-shard.ts';
import { CONTROL_LENGTH } from '../../lib/workers/messages.ts';
import { WHOLE } from '../../lib/workers/query-context.ts';
import { QueryThread } from '../../lib/workers/query-thread.ts';
import { ShardReaders } from '../../lib/workers/shard-readers.ts';
import { warmUp } from '../../lib/workers/warm-up.ts';

describe('the warm-up of a query thread', () => {
  it('gets an answer to every typical query', () => {
    warmUp(1); // throws when one fails
  });

  it('has a shard in which typical queries find rows', () => {
    const shard = makeTypicalShard();
    const { snapshot, end } = shard;
    const thread = new QueryThread(new ShardReaders(1 << 26, () => shard.connection), new Int32Array(CONTROL_LENGTH));
    const context = { now: end, timezone: { project: 'UTC' }, limit: 100, offset: 0 };
    const answer = (q: string): unknown => {
      const limits = { memory: 1 << 28, queryMemory: 1 << 28, maxGroups: 1_000, deadline: Infinity };
      const { reply } = thread.handle({
        ...{ kind: 'part', run: 1, drop: [], plan: compileQuery(q, context).plan, snapshot, slice: WHOLE },
        ...{ segments: snapshot.segments, elsewhere: [], sole: true, ...limits },
      });
      return reply.kind === 'table' ? reply.table.rows : reply;
    };
    const rows = snapshot.segments.reduce((sum, segment) => sum + segment.rows, 0);
    expect(answer('* | last 30d | count')).to.deep.equal([[rows]]);
    expect(answer('* | last 30d | count by event_properties.browser')).to.have.length(2);
    expect(answer('funnel signup -> purchase | last 30d')).to.have.length(2);
    shard.connection.close();
  });
});
