/** The longest queries that are taken, made of one thing many times: answered as the oracle does, or refused in a sentence. */
import { expect } from 'chai';
import { QueryError } from '../../lib/dsl/errors.ts';
import { compile } from '../support/compile.ts';
import { PartsSubject } from '../support/parts-subject.ts';
import { oracleSubject } from '../support/subject.ts';
import type { World } from '../oracle/world.ts';
import { printDifference } from './counterexample.ts';
import { sameAnswer } from './same-answer.ts';

const NOW = Date.UTC(2026, 2, 10, 12);
const DAY = 86_400_000;
/** Bytes of a query. */
const MOST = 16_384;
const CONTEXT = { now: NOW, timezone: 'Europe/Berlin', limit: 1_000, offset: 0 };

const WORLD: World = [
  {
    at: NOW - 1_000,
    track: Array.from({ length: 400 }, (_, at) => ({
      event_type: at % 3 === 0 ? 'a' : 'b',
      user_id: `u${at % 17}`,
      session_id: `s${at % 40}`,
      time: NOW - (at % 90) * DAY - at * 1_000,
      event_properties: { n: (at % 50) / 8, g: `g${at % 6}`, items: [at % 4, String(at % 3)] },
    })),
  },
];

/** Texts of the numbers from 0, as many as fit into a query between the start and the end. */
function many(start: string, one: (at: number) => string, between: string, end = '', most = Infinity): string {
  const parts: string[] = [];
  let bytes = start.length + end.length;
  for (let at = 0; at < most; at++) {
    const part = one(at);
    bytes += part.length + between.length;
    if (bytes > MOST) break;
    parts.push(part);
  }
  return start + parts.join(between) + end;
}

const list = (length: number, one: (at: number) => string, between: string): string =>
  many('', one, between, '', length);

const ANSWERED = [
  many('* | count by event_properties.g | having ', (at) => `count != ${at}`, ' and ', '', 200),
  many('* | count by event_properties.g | having ', (at) => `count = ${at}`, ' or ', '', 999),
  many('* | count by event_properties.g | ', (at) => `having count > ${at}`, ' | '),
  many(
    '* | where ',
    (at) => `event_properties.items has ${at} or event_properties.g not starts with "g${at}"`,
    ' or ',
    ' | count',
  ),
  `* | where ${list(16, (at) => `did(a[event_properties.n > ${at / 2}]) = ${at} in last ${at + 1}w`, ' or ')} | count`,
  `* | ${list(128, (at) => `count[event_properties.n > ${at}] as m${at}`, ', ')} by event_properties.g`,
  `* | ${list(128, (at) => `avg of sum event_properties.n[event_properties.n > ${at}] per user_id as m${at}`, ', ')}`,
  `* | sum (${list(128, () => 'event_properties.n', ' * ')})`,
  `* | count by ${list(16, (at) => `event_properties.n bin ${at + 1}`, ', ')}`,
  `* | list ${list(127, (at) => `event_properties.n${at}`, ', ')}, time | sort (${list(64, (at) => `event_properties.n / ${at}`, ' + ')})`,
  `formula ${list(64, (at) => `count(a[event_properties.n > ${at}]) rolling ${at + 1}d`, ' + ')} by day | last 60d`,
  `funnel ${list(20, () => list(3, (at) => `${'ab'[at % 2]}`, ' or '), ' -> ')} | order any | window 90d | last 90d`,
  `funnel ${list(64, (at) => 'ab'[at % 2]!, ' -> ')} | order strict | avg, p1, p90, stddev | unit session_id | last 90d`,
  'retention a returning b | by day, event_properties.g | periods 400 | last 90d',
  'retention a returning b | sum event_properties.n | cumulative | by day, event_properties.g, user_id | periods 400 | last 90d',
  '* | count, unique by day, event_properties.g | rolling 100y | last 30d',
  '* | unique by week | rolling 9999y | last 30d',
  '* | count by event_properties.n bin 1e-300 | last 90d',
  '* | count by event_properties.n bin 1.7e308 | last 90d',
];

const REFUSED: readonly (readonly [query: string, says: string])[] = [
  [many('* | count | having ', (at) => `count>${at}`, ' or '), 'at most 1000 conditions'],
  [`* | sum ${'('.repeat(8_000)}1${')'.repeat(8_000)}`, 'nested'],
  [`* | count | having ${'('.repeat(8_000)}count > 1${')'.repeat(8_000)}`, 'nested'],
  [`* | sum (${'-'.repeat(16_000)}event_properties.n)`, 'nested'],
  [many('* | sum (', () => 'event_properties.n', ' * ', ')'), 'at most 128 numbers and operands'],
  [many('formula ', (at) => `count(a) rolling ${at + 1}d`, ' + ', ' by day'), 'at most 128 numbers and operands'],
  [many('* | where ', () => 'did(a[', ''), 'at most 64 levels of nested conditions'],
  [many('* | where ', (at) => `did(a) > ${at}`, ' or ', '', 900), 'at most 16 conditions'],
  [many('funnel ', () => 'a or b', ' -> '), 'at most 64 steps'],
  [many('funnel ', (at) => `a${at}`, ' or ', ' -> b'), 'at most 64 events in one step'],
  [many('* | list ', (at) => `event_properties.a${at}`, ', '), 'at most 128 fields'],
  [many('* | count by ', (at) => `each event_properties.a${at}`, ', '), 'at most 32 groups'],
  [many('* | ', (at) => `max of count per event_properties.a${at}`, ', '), 'at most 128 metrics'],
  ['formula unique(*) rolling 7d by hour | from 0100-01-01', 'at most 1000000 buckets'],
  ['* | unique by hour | rolling 7d | from 0100-01-01', 'at most 1000000 buckets'],
];

const named = (query: string): string => (query.length <= 60 ? query : `${query.slice(0, 60)}… (${query.length})`);

describe('the longest queries', () => {
  const oracle = oracleSubject();
  let kernels: PartsSubject;
  before(async () => {
    kernels = new PartsSubject();
    await Promise.all([oracle.load(WORLD), kernels.load(WORLD)]);
  });
  after(() => kernels.close());

  for (const query of ANSWERED) {
    it(`are answered as the oracle does: ${named(query)}`, async () => {
      const plans = compile(query, CONTEXT, WORLD);
      const [expected, actual] = [await oracle.query(plans), await kernels.query(plans)];
      const difference = { world: WORLD, query, zone: plans.bound.zone, expected, actual };
      if (!sameAnswer(expected, actual)) expect.fail(printDifference(difference));
    });
  }

  for (const [query, says] of REFUSED) {
    it(`are refused with a reason: ${named(query)}`, () => {
      expect(() => compile(query, CONTEXT, WORLD)).to.throw(QueryError, says);
    });
  }
});
