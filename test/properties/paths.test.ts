import { expect } from 'chai';
import fc from 'fast-check';
import { compile } from '../support/compile.ts';
import { PartsSubject } from '../support/parts-subject.ts';
import type { Turn } from '../support/shard-play.ts';
import { oracleSubject } from '../support/subject.ts';
import { printDifference } from './counterexample.ts';
import { eventCondition } from './conditions.ts';
import { sameAnswer } from './same-answer.ts';
import { runs, replay } from './settings.ts';
import { EVENTS, NOW, world } from './worlds.ts';
import type { World } from '../oracle/world.ts';

/** Queries per world: loading one costs more than answering. */
const QUERIES = 12;

const turn = fc.constantFrom<Turn>('nothing', 'seal', 'seal', 'restart', 'compact');
const cutting = fc.record({
  turns: fc.array(turn, { maxLength: 9, size: 'max' }),
  sealRows: fc.constantFrom(1, 2, 3, 1_000),
  segmentRows: fc.constantFrom(2, 4, 1_000),
});

/** Few persons and moments close together: paths across segments, ties and late arrivals. */
const START = Date.parse('2026-03-28T23:59:00Z');
const close = fc.record({
  event_type: fc.constantFrom('a', 'a', 'b', 'c', 'choice.exposure'),
  time: fc
    .oneof(fc.integer({ min: 0, max: 12 }), fc.constantFrom(60, 61, 1_440, 44_640))
    .map((minutes) => START + minutes * 60_000),
  user_id: fc.constantFrom('u', 'u', 'v', 'w', 'z', null),
  device_id: fc.constantFrom('d', 'e', null),
  event_properties: fc.record({
    q: fc.constantFrom<unknown>('x', 'y', 42, '42', null, '', ' -> ', '(none)'),
    n: fc.constantFrom<unknown>(1, 2.5, 0.1, 0.2, '7', 'x', -1e9, null),
    choice_key: fc.constantFrom('k', 'k', 'other'),
    variant_key: fc.constantFrom<unknown>('control', 'x', 1, '', null),
  }),
});
const request = fc.oneof(
  { weight: 4, arbitrary: fc.array(close, { minLength: 1, maxLength: 6 }).map((track) => ({ at: NOW, track })) },
  { weight: 1, arbitrary: fc.record({ user_id: fc.constantFrom('u', 'v', 'w'), device_id: fc.constantFrom('d', 'e') }).map((identify) => ({ at: NOW, identify })) },
); // prettier-ignore
const dense: fc.Arbitrary<World> = fc.array(request, { maxLength: 12, size: 'max' });

const name = (event: string): string => (/^[a-z.]+$/.test(event) ? event : JSON.stringify(event));
const event = fc.constantFrom('a', 'b', '*', '*', ...EVENTS).map((one) => (one === '*' ? one : name(one)));
const stages = (...all: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...all).map((parts) => parts.filter((part) => part !== '').join(' | '));
const where = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom('where event_type != "b"', 'where event_properties.q != "x"') },
  { weight: 1, arbitrary: eventCondition.map((text) => `where ${text}`) },
);
const range = fc.constantFrom('from 2025-01-01', 'from 2026-03-28', 'from 2026-03-29T00:03Z', 'from 2026-01-01 to 2026-03-29T00:05Z'); // prettier-ignore
const window = fc.constantFrom('', 'window 1 m', 'window 2 m', 'window 5m', 'window 1 d', 'window 1 mo', 'window 2 q');
const zone = fc.constantFrom('', '', 'tz "Europe/Berlin"', 'tz "America/New_York"');
const paths = stages(
  fc.tuple(fc.constantFrom('from', 'to'), event).map(([way, from]) => `paths ${way} ${from}`),
  range,
  where,
  window,
  zone,
  fc.constantFrom('', 'depth 1', 'depth 2', 'depth 3', 'depth 9', 'depth 40'),
  fc.constantFrom(
    '',
    '',
    'by event_properties.q',
    'by distinct_id',
    'by event_properties.p',
    'by time',
    'by user.plan',
  ),
  fc.constantFrom('', '', 'top 1', 'top 3', 'limit 2', 'offset 1'),
);
const choice = stages(
  fc.constantFrom('choice k', 'choice k', 'choice other'),
  fc.oneof(
    event.filter((one) => one !== '*').map((conversion) => `results ${conversion}`),
    fc.constantFrom(
      'results sum event_properties.n',
      'results avg event_properties.n of a',
      'results sum (event_properties.n / 3) of *',
    ),
  ),
  range,
  where,
  window,
  zone,
  fc.constantFrom('', '', 'unit event_properties.q', 'unit device_id', 'unit event_type'),
  fc.constantFrom('', '', 'sort ci_low', 'sort lift asc', 'top 1', 'limit 1'),
  fc.constantFrom('', '', 'by event_properties.q', 'by event_type, event_properties.p', 'by user.plan'),
);

const ASKED = [
  { what: 'paths', query: paths },
  { what: 'results of choices', query: choice },
] as const;

describe('behaviour in the order of events', () => {
  const oracle = oracleSubject();
  let subject: PartsSubject;
  before(() => {
    subject = new PartsSubject();
  });
  after(() => subject.close());

  for (const { what, query } of ASKED) {
    it(`${what} are as the oracle says, however late events come and segments are cut`, async function () {
      this.timeout(24 * 3600_000);
      const queries = fc.noBias(fc.array(query, { minLength: 1, maxLength: QUERIES, size: 'max' }));
      const worlds = fc.oneof({ weight: 3, arbitrary: dense }, { weight: 1, arbitrary: world });
      await fc.assert(
        fc.asyncProperty(worlds, cutting, queries, async (requests, cut, texts) => {
          subject.cutting = { ...cut, turns: cut.turns.values() };
          await Promise.all([oracle.load(requests), subject.load(requests)]);
          for (const text of texts) {
            const plans = compile(text, { now: NOW, timezone: null, limit: 100, offset: 0 }, requests);
            const [expected, actual] = [await oracle.query(plans), await subject.query(plans)];
            const difference = { world: requests, query: text, zone: plans.bound.zone, expected, actual };
            if (!sameAnswer(expected, actual)) expect.fail(printDifference(difference));
          }
        }),
        { numRuns: runs(24), ...replay() },
      );
    });
  }
});
