import { expect } from 'chai';
import { variantsInOrder, pValue, resultRows, wilsonInterval } from '../../../../lib/dsl/finish/choice-results.ts';
import { newStop, type TaskReply } from '../../../../lib/workers/pool/protocol.ts';
import { WHOLE } from '../../../../lib/workers/query-context.ts';
import { TaskRunner } from '../../../../lib/workers/pool/task-runner.ts';
import { ProfileDictionaries } from '../../../../lib/workers/rows/profile-dictionaries.ts';
import { compile } from '../../../support/compile.ts';
import { MemoryShard, type MemoryEvent } from '../../../support/memory-reader.ts';

const DAY = Date.parse('2026-03-24T00:00:00Z');
const tally = (conversions: number, users: number, variant = 'x') => ({ variant, users, conversions });

describe('results of a choice', () => {
  // Computed with Python's math.erfc.
  const tests = [
    { own: tally(120, 1000), first: tally(100, 1000), p: 0.1529177818639462 },
    { own: tally(5100, 100_000), first: tally(5000, 100_000), p: 0.30718082994388285 },
    { own: tally(1, 2), first: tally(2, 3), p: 0.7093881150142264 },
    { own: tally(900, 1000), first: tally(100, 1000), p: 2.509158096763687e-280 },
  ];
  for (const { own, first, p } of tests) {
    it(`have p = ${p} for ${own.conversions} of ${own.users} against ${first.conversions} of ${first.users}`, () => {
      expect(pValue(own, first)).to.be.closeTo(p, p * 1e-9);
    });
  }

  const intervals = [
    { own: tally(10, 100), low: 0.0552291370606751, high: 0.17436566150491345 },
    { own: tally(0, 20), low: 0, high: 0.16112515805281938 },
    { own: tally(1, 1), low: 0.20654931437723745, high: 1 },
    { own: tally(999_999, 1_000_000), low: 0.9999943350881957, high: 0.9999998234754233 },
  ];
  for (const { own, low, high } of intervals) {
    it(`lie between ${low} and ${high} for ${own.conversions} of ${own.users}`, () => {
      expect(wilsonInterval(own).low).to.be.closeTo(low, 1e-12);
      expect(wilsonInterval(own).high).to.be.closeTo(high, 1e-12);
    });
  }

  it('have neither lift nor p for the first variant, nor where nobody of it converts', () => {
    const [first, second] = resultRows([tally(0, 10, 'control'), tally(5, 10, 'x')]);
    expect(first?.slice(0, 5)).to.deep.equal(['control', 10, 0, 0, null]);
    expect(first?.at(-1)).to.equal(null);
    expect(second?.slice(0, 5)).to.deep.equal(['x', 10, 5, 0.5, null]);
    expect(second?.at(-1)).to.be.a('number');
  });

  it('stand by code point behind control', () => {
    const variants = ['b', 'é', 'control', '😀', 'B', '～'].map((variant) => tally(1, 1, variant));
    expect(variantsInOrder(variants).map(({ variant }) => variant)).to.deep.equal([
      'control',
      'B',
      'b',
      'é',
      '～',
      '😀',
    ]);
  });

  it('tell the notes who saw which variant, whatever is cut from the answer', () => {
    const shown = (arrival: number, user: string, variant: string): MemoryEvent =>
      event(arrival, 'choice.exposure', user, { choice_key: 'k', variant_key: variant });
    const events = [
      shown(0, 'ann', 'control'),
      shown(1, 'ben', 'x'),
      shown(2, 'cia', 'x'),
      shown(3, 'ann', 'control'),
      shown(4, 'dan', 'x'),
      shown(5, 'dan', 'control'),
      event(6, 'buy', 'ben', {}),
    ];
    const reply = ask(events, 'choice k | results buy | limit 1');
    if (reply.kind !== 'table') throw new Error(`the thread answered ${reply.kind}`);
    expect(reply.table.rows.map(([variant, users]) => [variant, users])).to.deep.equal([['control', 1]]);
    expect(reply.seen.exposures).to.deep.equal({
      variants: [
        { variant: 'control', users: 1 },
        { variant: 'x', users: 2 },
      ],
      several: 1,
    });
  });
});

function event(arrival: number, type: string, user: string, properties: MemoryEvent['properties']): MemoryEvent {
  return {
    ...{ arrival, type, properties, time: DAY + arrival * 60_000, userId: user, distinctId: user },
    ...{ deviceId: null, sessionId: null, insertId: `i${arrival}`, userProperties: {}, enriched: {} },
  };
}

/** Runs a query on a thread that reads each event from its own segment. */
function ask(events: readonly MemoryEvent[], query: string): TaskReply {
  const shard = new MemoryShard(events, [], { segmentOf: ({ arrival }) => arrival + 1 });
  const profiles = new ProfileDictionaries(shard.profiles(), shard.ids());
  const thread = new TaskRunner({
    cacheBytes: 0,
    atRest: () => shard.snapshot('prj_memory'),
    reader: () => shard,
    profiles: () => profiles,
    forget: () => undefined,
    leaveRoom: () => undefined,
  });
  const { optimized: plan } = compile(query, { now: DAY + 86_400_000, timezone: null, limit: 100, offset: 0 }, []);
  const snapshot = shard.snapshot();
  const { answer } = thread.handle({
    ...{ kind: 'part', stop: newStop(), deadline: Infinity, memory: 2 ** 30, queryMemory: 2 ** 30, maxGroups: 1e6 },
    ...{ plan, snapshot, segments: snapshot.segments, elsewhere: [], slice: WHOLE, sole: true },
  });
  return answer.reply;
}
