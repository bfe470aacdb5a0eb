import { expect } from 'chai';
import fc from 'fast-check';
import type { World, WorldRequest } from '../oracle/world.ts';
import { compile } from '../support/compile.ts';
import { PartsSubject } from '../support/parts-subject.ts';
import type { Turn } from '../support/shard-play.ts';
import { oracleSubject } from '../support/subject.ts';
import { conditionOver } from './conditions.ts';
import { printDifference } from './counterexample.ts';
import { sameAnswer } from './same-answer.ts';
import { runs, replay } from './settings.ts';
import { NOW } from './worlds.ts';

const QUERIES = 12;
const HOUR = 3600_000;

/** Sessions that overlap: few ids, times and persons, shared by users and devices, late, and up to 100 days old. */
const time = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 12 }).map((hours) => NOW - hours * HOUR) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 9 }).map((days) => NOW - days * 24 * HOUR) },
  { weight: 1, arbitrary: fc.integer({ min: 85, max: 95 }).map((days) => NOW - days * 24 * HOUR) },
  { weight: 1, arbitrary: fc.constantFrom(NOW + 1 - 90 * 24 * HOUR, NOW - 90 * 24 * HOUR, NOW - 1, NOW, NOW + HOUR) },
);
const url = fc.constantFrom<unknown>(
  'https://shop.example/',
  'https://shop.example/a/12345?utm_source=mail&utm_medium=news',
  'https://Shop.Example/b?utm_source=&gclid=G&utm_campaign=42',
  'https://shop.example/c?utm%5Fsource=coded#utm_term=no',
  'https://shop.example/d?utm_source=a&utm_source=b&fbclid=%20',
  'https://search.example/?q=1',
  'no url?utm_source=x',
  '',
  5,
);
const sent = fc.constantFrom<unknown>('mail', 'ad', '', 42, null, true, {}, [1]);
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });
const event = fc.record({
  event_type: fc.constantFrom('a', 'a', 'b', 'c'),
  time: time.map((ms) => new Date(ms).toISOString()),
  user_id: maybe(fc.constantFrom('ann', 'bob', 'd1')),
  device_id: maybe(fc.constantFrom('d1', 'd2', 'ann')),
  session_id: fc.constantFrom('s1', 's1', 's2', 's3', 's4', '__proto__', '', undefined),
  event_properties: fc
    .record({
      url: maybe(url),
      referrer: maybe(url),
      language: maybe(sent),
      utm_source: maybe(sent),
      utm_campaign: maybe(sent),
      n: maybe(fc.constantFrom(1, 2.5, '3')),
    })
    .map(withoutUndefined),
});
const request: fc.Arbitrary<WorldRequest> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      at: fc.constant(NOW - 1000),
      track: fc.array(event.map(withoutUndefined), { minLength: 1, maxLength: 12, size: 'max' }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      at: fc.constant(NOW - 1000),
      identify: fc.record({ user_id: fc.constantFrom('ann', 'bob'), device_id: fc.constantFrom('d1', 'd2') }),
    }),
  },
);
const world: fc.Arbitrary<World> = fc.noBias(fc.array(request, { minLength: 1, maxLength: 9, size: 'max' }));

function withoutUndefined(body: { readonly [key: string]: unknown }): { [key: string]: unknown } {
  return Object.fromEntries(Object.entries(body).filter(([, one]) => one !== undefined));
}

const NAMES = [
  'duration', 'event_count', 'first_event', 'last_event', 'landing_url', 'landing_path', 'landing_path_clean',
  'landing_hostname', 'exit_url', 'exit_path', 'exit_path_clean', 'referrer', 'referring_domain', 'utm_source', 'utm_medium',
  'utm_campaign', 'utm_term', 'utm_content', 'gclid', 'fbclid', 'language', 'timezone', 'country', 'region', 'city',
  'continent', 'ingest_origin',
]; // prettier-ignore
const OWN = NAMES.map((name) => `session.${name}`);
const LAST = NAMES.map((name) => `user_last_session.${name}`);
const TIMES = ['session.start_time', 'session.end_time'];
const LAST_TIMES = TIMES.map((name) => name.replace('session', 'user_last_session'));
const EVENT = ['event_type', 'distinct_id', 'event_properties.n', '_path', 'user_id'];

const own = fc.constantFrom(...OWN, ...TIMES);
const any = fc.constantFrom(...OWN, ...LAST, ...TIMES, ...LAST_TIMES, ...EVENT);
const number = fc.constantFrom('session.duration', 'session.event_count', 'session.utm_campaign', 'event_properties.n', 'user_last_session.duration'); // prettier-ignore
const range = fc.constantFrom(
  '',
  'last 100 d',
  'last 100 d',
  'last 90 d',
  'last 5 h',
  'last 3d',
  'from 2026-03-21T10:00 to 2026-03-30T08:00',
  'from 2026-03-30T03:00 to 2026-03-30T09:00',
  'from 2026-03-30T06:00 to 2026-04-02',
);
const zone = fc.constantFrom('', '', 'tz "Asia/Kathmandu"', 'tz "America/New_York"');
const bucket = fc.constantFrom('day', 'week', 'month');
const ofEvents = conditionOver(EVENT, ['time']).map((condition) => `where ${condition}`);
const ofSessions = conditionOver(OWN, TIMES).map((condition) => `where ${condition}`);
const ofAll = conditionOver([...OWN, ...LAST], [...TIMES, ...LAST_TIMES]).map((condition) => `where ${condition}`);
const orNothing = (stage: fc.Arbitrary<string>): fc.Arbitrary<string> => fc.oneof(fc.constant(''), stage);
const metric = fc.oneof(
  fc.constantFrom('count', 'unique', 'count, unique', `max session.end_time, count`),
  any.map((field) => `unique ${field}`),
  fc
    .tuple(fc.constantFrom('sum', 'avg', 'min', 'median', 'stddev', 'mode', 'p90'), number)
    .map((parts) => `count, ${parts.join(' ')}`),
);
const groups = fc
  .uniqueArray(fc.oneof(any, bucket), { maxLength: 2 })
  .map((list) => (list.length === 0 ? '' : `by ${list.join(', ')}`));

function pipe(source: string, ...stages: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.tuple(...stages).map((parts) => [source, ...parts.filter((part) => part !== '')].join(' | '));
}

const measured = fc.tuple(metric, groups).map((parts) => parts.join(' '));
const query = fc.oneof(
  {
    weight: 6,
    arbitrary: pipe('sessions', range, zone, orNothing(ofEvents), orNothing(ofSessions), fc.oneof(measured, groups)),
  },
  { weight: 4, arbitrary: pipe('*', range, zone, orNothing(ofAll), orNothing(ofEvents), measured) },
  { weight: 2, arbitrary: pipe('a', range, zone, ofAll, measured) },
  { weight: 1, arbitrary: pipe('*', range, zone, ofAll, fc.constant('list')) },
  { weight: 1, arbitrary: pipe('*', range, zone, ofEvents, fc.tuple(own, any).map((fields) => `latest ${fields.join(' per ')}`)) },
  { weight: 1, arbitrary: pipe('formula count(a) + unique(b, session.utm_source) + max(*, session.duration)', range, zone, ofAll, orNothing(bucket.map((unit) => `by ${unit}`))) },
  { weight: 1, arbitrary: pipe('fields', range, zone, ofAll) },
  { weight: 1, arbitrary: pipe('inspect a', range, zone, orNothing(ofAll)) },
); // prettier-ignore

describe('sessions', () => {
  const oracle = oracleSubject();
  let subject: PartsSubject;
  before(() => {
    subject = new PartsSubject();
  });
  after(() => subject.close());

  it('are what the oracle forms, however segments are cut and split among parts', async function () {
    this.timeout(24 * 3600_000);
    const turn = fc.constantFrom<Turn>('nothing', 'nothing', 'seal', 'seal', 'restart', 'compact');
    const cutting = fc.record({
      turns: fc.array(turn, { maxLength: 9, size: 'max' }),
      sealRows: fc.constantFrom(1, 3, 1_000),
      segmentRows: fc.constantFrom(4, 1_000),
      lines: fc.boolean(),
    });
    const asked = fc.tuple(query, fc.integer({ min: 1, max: 3 }));
    const queries = fc.noBias(fc.array(asked, { minLength: 1, maxLength: QUERIES, size: 'max' }));
    await fc.assert(
      fc.asyncProperty(world, cutting, queries, async (requests, cut, all) => {
        subject.cutting = { ...cut, turns: cut.turns.values() };
        await Promise.all([oracle.load(requests), subject.load(requests)]);
        for (const [text, parts] of all) {
          const plans = compile(text, { now: NOW, timezone: null, limit: 200, offset: 0 }, requests);
          subject.parts = parts;
          const [expected, actual] = [await oracle.query(plans), await subject.query(plans)];
          const difference = { world: requests, query: text, zone: plans.bound.zone, expected, actual };
          if (!sameAnswer(expected, actual)) expect.fail(printDifference(difference));
        }
      }),
      { numRuns: runs(24), ...replay() },
    );
  });

  it('of at most a day add up: days asked one by one have as many as the days asked together', async function () {
    this.timeout(24 * 3600_000);
    await fc.assert(
      fc.asyncProperty(shortSessions, fc.constantFrom(1, 3, 1_000), async (requests, sealRows) => {
        subject.cutting = { turns: [].values(), sealRows, segmentRows: 4, lines: false };
        subject.parts = 1;
        await subject.load(requests);
        const count = async (from: number, to: number): Promise<number> => {
          const text = `sessions | from ${dateOf(from)} to ${dateOf(to)} | count, sum session.event_count, sum session.duration`;
          const plans = compile(text, { now: NOW, timezone: null, limit: 200, offset: 0 }, requests);
          const { rows } = await subject.query(plans);
          return (rows[0] ?? []).reduce<number>((sum, cell) => sum + Number(cell ?? 0), 0);
        };
        let sum = 0;
        for (let day = 0; day < DAYS; day++) sum += await count(FIRST_DAY + day * DAY, FIRST_DAY + (day + 1) * DAY);
        expect(sum).to.equal(await count(FIRST_DAY, FIRST_DAY + DAYS * DAY));
      }),
      { numRuns: runs(24), ...replay() },
    );
  });
});

const DAY = 24 * HOUR;
const DAYS = 4;
const FIRST_DAY = Date.parse('2026-03-20');
const dateOf = (ms: number): string => new Date(ms).toISOString();

/** Sessions of at most a day that begin before, in and after some days. */
const shortSessions: fc.Arbitrary<World> = fc
  .array(
    fc.record({
      begin: fc.integer({ min: -36, max: 24 * DAYS + 12 }),
      later: fc.array(fc.integer({ min: 0, max: 24 }), { maxLength: 4 }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((sessions) => {
    const events = sessions.flatMap(({ begin, later }, at) =>
      [0, ...later].map((hours) => ({
        event_type: 'a',
        session_id: `s${at}`,
        time: dateOf(FIRST_DAY + (begin + hours) * HOUR),
      })),
    );
    return [{ at: NOW - 1000, track: events }];
  });
