import { expect } from 'chai';
import { experimentOf, resultRows, type VariantTally } from '../../../../lib/dsl/finish/choice-results.ts';
import type { ChoicePlan } from '../../../../lib/dsl/plan/plan.ts';
import { newStop, type TaskReply } from '../../../../lib/workers/pool/protocol.ts';
import { WHOLE } from '../../../../lib/workers/query-context.ts';
import { TaskRunner } from '../../../../lib/workers/pool/task-runner.ts';
import { dictionariesOf } from '../../../support/dictionaries-of.ts';
import { planOf } from '../../../dsl/queries.ts';
import { compile } from '../../../support/compile.ts';
import { MemoryShard, type MemoryEvent } from '../../../support/memory-reader.ts';

const DAY = Date.parse('2026-03-24T00:00:00Z');

const tally = (variant: string, users: number, conversions: number, group: readonly string[] = []): VariantTally => ({
  ...{ variant, users, conversions, group, numbers: null },
});
const measured = (variant: string, count: number, total: number, variance: number): VariantTally => ({
  ...{ variant, users: count, conversions: 0, group: [], numbers: { count, total, variance } },
});
const planFor = (query: string): ChoicePlan => {
  const plan = planOf(query);
  if (plan.kind !== 'choice') throw new Error(`a plan of ${plan.kind}`);
  return plan;
};
const PLAN = planFor('choice k | results b');
const MEANS = planFor('choice k | results avg event_properties.n');

describe('results of a choice', () => {
  it('have neither lift nor p for the first variant, nor where nobody of it converts', () => {
    const [first, second] = resultRows([tally('x', 10, 5), tally('control', 10, 0)]);
    expect(first?.slice(0, 5)).to.deep.equal(['control', 10, 0, 0, null]);
    expect(first?.slice(-2)).to.deep.equal([null, null]);
    expect(second?.slice(0, 5)).to.deep.equal(['x', 10, 5, 0.5, null]);
    expect(second?.at(-2)).to.be.a('number');
  });

  it('compare every group with the same first variant, and adjust its tests for each other', () => {
    const rows = resultRows([
      ...[tally('control', 1000, 100, ['DE']), tally('a', 1000, 130, ['DE']), tally('b', 1000, 120, ['DE'])],
      ...[tally('a', 1000, 100, ['FR']), tally('b', 1000, 150, ['FR'])],
    ]);
    const testsOf = (group: string, variant: string): readonly unknown[] =>
      rows.find((row) => row[0] === group && row[1] === variant)!.slice(-2);
    const [p, adjusted] = testsOf('DE', 'a') as [number, number];
    expect(adjusted).to.be.closeTo(2 * p, 1e-15);
    expect(testsOf('DE', 'b')[0]).to.equal(testsOf('DE', 'b')[1]);
    expect([testsOf('FR', 'a'), testsOf('FR', 'b')]).to.deep.equal([[null, null], [null, null]]); // prettier-ignore
  });

  it('are null where numbers are too few, do not vary, or are beyond the range of floats', () => {
    const [control, one, same, huge] = resultRows([
      ...[measured('control', 3, 3, 0), measured('1', 1, 7, NaN), measured('2', 3, 3, 0), measured('3', 2, Infinity, Infinity)],
    ]); // prettier-ignore
    expect(control).to.deep.equal(['control', 3, 3, 1, null, 1, 1, null, null]);
    expect(one).to.deep.equal(['1', 1, 7, 7, 6, null, null, null, null]);
    expect(same).to.deep.equal(['2', 3, 3, 1, 0, 1, 1, null, null]);
    expect(huge).to.deep.equal(['3', 2, null, null, null, null, null, null, null]);
    expect(resultRows([{ ...measured('x', 0, 0, NaN), users: 2 }])).to.deep.equal([
      ['x', 0, null, null, null, null, null, null, null],
    ]);
  });

  describe('have a verdict', () => {
    const verdictOf = (plan: ChoicePlan, ...tallies: readonly VariantTally[]) =>
      experimentOf(plan, tallies, 0).verdicts[0] ?? null;

    it('of the highest variant that is decided to be above the first', () => {
      const verdict = verdictOf(PLAN, tally('control', 1000, 100), tally('a', 1000, 180), tally('b', 1000, 200));
      expect(verdict).to.deep.include({ variant: 'b', first: 'control', values: [0.2, 0.1], more: 0 });
    });

    it('else of the open one that is nearest to a decision, with how many more persons it takes', () => {
      const verdict = verdictOf(
        PLAN,
        ...[tally('control', 1000, 100), tally('a', 900, 99), tally('b', 1000, 50), tally('c', 1000, 105)],
      );
      expect(verdict?.variant).to.equal('a');
      // R: power.prop.test(p1 = .1, p2 = .11, power = .8) has 14750.79, by a pooled variance in place of the two.
      expect(verdict?.more).to.equal(Math.ceil((7.848879734349088 * (0.09 + 0.11 * 0.89)) / 0.01 ** 2) - 900);
    });

    it('else of the highest, all of which are below the first', () => {
      const verdict = verdictOf(PLAN, tally('control', 1000, 200), tally('a', 1000, 100), tally('b', 1000, 110));
      expect(verdict?.variant).to.equal('b');
      expect(verdict?.p).to.be.below(0.05);
      expect(verdict?.interval?.high).to.be.below(0);
    });

    it('of means, whose interval is of Welch', () => {
      // R: t.test(extra ~ group, data = sleep): -3.3654832 to 0.2054832, p-value = 0.07939.
      const sleep = [measured('control', 10, 7.5, 3.200555555555556), measured('new', 10, 23.3, 4.009)];
      const verdict = verdictOf(MEANS, ...sleep);
      expect(verdict?.p).to.be.closeTo(0.07939, 5e-6);
      expect(verdict?.interval?.low).to.be.closeTo(-0.2054832, 5e-8);
      expect(verdict?.interval?.high).to.be.closeTo(3.3654832, 5e-8);
      expect(verdict?.more).to.equal(Math.ceil((7.848879734349088 * (3.200555555555556 + 4.009)) / 1.58 ** 2) - 10);
    });

    it('of none without two variants, and of the largest groups alone', () => {
      expect(verdictOf(PLAN, tally('a', 5, 1))).to.equal(null);
      const groups = Array.from({ length: 12 }, (_, at) => [
        ...[tally('control', 10 + at, 5, [`g${at}`]), tally('x', 10 + at, 6, [`g${at}`])],
      ]).flat();
      const { verdicts, tables } = experimentOf(planFor('choice k | results b | by _country'), groups, 0);
      expect(verdicts.map((verdict) => verdict?.group)).to.deep.equal([['g11'], ['g10'], ['g9'], ['g8'], ['g7']]);
      expect(tables).to.equal(12);
    });
  });

  it('stand by code point behind control', () => {
    const variants = ['b', 'é', 'control', '😀', 'B', '～'].map((variant) => tally(variant, 1, 1));
    expect(experimentOf(PLAN, variants, 0).variants.map(({ variant }) => variant)).to.deep.equal([
      ...['control', 'B', 'b', 'é', '～', '😀'],
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
    expect(reply.seen.experiment).to.deep.include({
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
  const profiles = dictionariesOf(shard.profiles(), shard.ids());
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
