import { IncomingMessage, ServerResponse } from 'node:http';
import net from 'node:net';
import { expect } from 'chai';
import { Deadline } from '../../../lib/router/http/deadline.ts';
import { monotonic } from '../../../lib/base/monotonic.ts';
import { EventLoopTurns } from '../../../lib/router/limits/event-loop-turns.ts';
import { read, type ReadQuery } from '../../../lib/router/query/run-query.ts';

describe('reading queries', () => {
  const queryOf = (orgId: string, q: string): ReadQuery & { deadline: Deadline } => {
    const response = new ServerResponse(new IncomingMessage(new net.Socket()));
    return { project: { orgId }, wanted: { q }, deadline: new Deadline(monotonic(), 60_000, response), response };
  };
  const long = `* | where _os in (${'1,'.repeat(1_000)}2)`;
  const pattern = '* | where _os ~ "a{1000}"';

  it('is done at once, but in turns of organizations for long ones, and for those with regular expressions', async () => {
    const context = { reading: new EventLoopTurns() };
    const order: string[] = [];
    const queries = ([['a', long], ['a', pattern], ['a', '*'], ['b', long], ['a', long], ['b', '* | count']] as const) // prettier-ignore
      .map(([orgId, q], nth) => ({ query: queryOf(orgId, q), name: `${orgId}${nth}` }));
    await Promise.all(queries.map(({ query, name }) => read(context, query, () => order.push(name))));
    expect(order).to.deep.equal(['a2', 'b5', 'a0', 'b3', 'a1', 'a4']);
    for (const { query } of queries) query.deadline.end();
  });

  it('does not happen in its turn if nobody waits any longer', async () => {
    const context = { reading: new EventLoopTurns() };
    const [first, second] = [queryOf('a', long), queryOf('a', long)];
    const order: string[] = [];
    const held = Promise.withResolvers<string>();
    const running = read(context, first, () => held.promise);
    const left = read(context, second, () => order.push('second')).catch(String);
    second.response.emit('close');
    expect(await left).to.include('disconnected');
    held.resolve('first');
    expect(await running).to.equal('first');
    await read(context, first, () => order.push('first'));
    expect(order).to.deep.equal(['first']);
    for (const { deadline } of [first, second]) deadline.end();
  });
});
