/** Random worlds: small vocabularies, so that things coincide, with everything hostile that a client may send. */
import fc from 'fast-check';
import type { World, WorldRequest } from '../oracle/world.ts';

/** When the queries of the properties arrive: a day after Europe's clocks changed. */
export const NOW = Date.parse('2026-03-30T12:00:00Z');

export const USERS = ['ann', 'ann', 'bob', 'bob', 'd1', 'é😀', '__proto__', 'constructor', '42', ' '];
const DEVICES = ['d1', 'd1', 'd2', 'd3', '__proto__', 'ann', 'D1'];
const SESSIONS = ['s1', 's2', 's3', 'toString'];
export const EVENTS = [
  'a',
  'a',
  'a',
  'b',
  'b',
  'c',
  'page view',
  '__proto__',
  'ünï😀',
  'choice.exposure',
  'choice.exposure',
];

/** Moments that coincide: days around clock changes, ties in one millisecond, history. */
export const MOMENTS = [
  '2025-11-20T10:00:00.000Z',
  '2026-01-31T23:30:00.000Z',
  '2026-02-28T23:59:59.999Z',
  '2026-03-01T00:00:00.000Z',
  '2026-03-08T06:30:00.000Z',
  '2026-03-08T07:00:00.000Z',
  '2026-03-22T23:00:00.000Z',
  '2026-03-23T00:00:00.000Z',
  '2026-03-24T10:00:00.000Z',
  '2026-03-24T10:00:00.001Z',
  '2026-03-24T10:30:00.000Z',
  '2026-03-24T11:00:00.000Z',
  '2026-03-28T22:59:59.000Z',
  '2026-03-28T23:00:00.000Z',
  '2026-03-29T00:59:59.999Z',
  '2026-03-29T01:00:00.000Z',
  '2026-03-29T22:00:00.000Z',
  '2026-03-30T10:00:00.000Z',
];

export const TEXTS = ['', 'x', 'X', 'xy', '42', '42.0', ' 42', '1e3', '-.5', 'NaN', 'true', 'false', '0', '1', 'null', 'é', 'é', '～', '😀', 'a|b\n"c"\\', '\ud800']; // prettier-ignore
export const NUMBERS = [0, -0, 1, 42, 42.5, -3, 0.1, 0.2, 0.7, 1e21, 1e-7, 1e16, -16, 123456789012345];
/** Whole numbers beyond 2^53, sent as digits, and the float of two of them. */
export const LONG: readonly bigint[] = [
  9007199254740992n,
  9007199254740993n,
  -777777777777777777777n,
  12345678901234567890n,
];

const value = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 5, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(...LONG, 2 ** 53, '9007199254740993') },
  { weight: 2, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>([], [1, 'a'], ['x', 42, 'x', '42', null, [1], { b: 1 }], {}, { b: 1 }, { b: { c: 'deep' } }, { 'b.c': 2 }, { b: null }, { b: 9007199254740993n }, { z: 1, '7': 'x', y: [{}] }) },
  { weight: 1, arbitrary: fc.constant(JSON.parse('{"__proto__": {"b": 3}, "constructor": "k"}')) },
); // prettier-ignore

const URLS = [
  'https://shop.example/',
  'https://shop.example/users/12345/edit?utm_source=mail',
  'http://Other.Example/a%20b?utm_source=ad&gclid=g#f',
  '/relative',
  'no url',
];

/** A property with a value suited to its key. */
const property = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constantFrom('p', 'q'), value) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('n'), fc.oneof(fc.constantFrom<unknown>(...NUMBERS, ...LONG), fc.constantFrom('42', '1e3', '-.5', 'x', ''))) },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom('a', 'a.b', 'a.b.c'), value) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom('__proto__', 'constructor', '', 'key with space', 'größe', '0', 'P'), value) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom('url', 'referrer'), fc.constantFrom<unknown>(...URLS, 5)) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom('title', 'utm_source', 'language'), fc.constantFrom<unknown>('t', 'mail', 7)) },
); // prettier-ignore

const properties = fc.array(property, { maxLength: 7, size: 'max' }).map((entries) => Object.fromEntries(entries));

const profileProperties = fc
  .array(fc.tuple(fc.constantFrom('plan', 'size', 'a', '__proto__'), value), { maxLength: 3 })
  .map((entries) => Object.fromEntries(entries));

const exposure = fc.record({
  choice_key: fc.constantFrom('k', 'k', 'other'),
  variant_key: fc.constantFrom<unknown>('control', 'control', 'x', 'x', 'Y', 1, '1'),
});

const moment = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...MOMENTS) },
  { weight: 1, arbitrary: fc.integer({ min: Date.parse('2026-02-20'), max: NOW - 3600_000 }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>('2026-03-24', '2026-03-24T12:00:00+02:00', 'no time', 1774346400, null) },
); // prettier-ignore

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });

const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const event = fc
  .record({
    event_type: fc.constantFrom(...EVENTS),
    time: moment,
    user_id: maybe(fc.oneof(fc.constantFrom(...USERS), fc.constantFrom<unknown>(42, 'null', ''))),
    device_id: maybe(fc.constantFrom(...DEVICES)),
    session_id: maybe(fc.constantFrom(...SESSIONS)),
    insert_id: rarely(fc.constantFrom('i1', 'i2', 'i3', '__proto__')),
    import_id: rarely(fc.constantFrom('a', 'b')),
    event_properties: properties,
    user_properties: rarely(profileProperties),
    origin: rarely(fc.constant('server')),
    clientOriginated: rarely(fc.boolean()),
  })
  .chain((made) =>
    made.event_type === 'choice.exposure'
      ? exposure.map((shown) => ({ ...made, event_properties: { ...made.event_properties, ...shown } }))
      : fc.constant(made),
  )
  .map(withoutUndefined);

const invalidEvent = fc.constantFrom<unknown>({}, { event_type: '' }, { event_type: 'a', user_id: {} }, 5, null, []);

const identify = fc
  .record({
    user_id: fc.constantFrom(...USERS),
    device_id: maybe(fc.constantFrom(...DEVICES)),
    time: rarely(fc.constantFrom<unknown>('2026-03-01', '2026-03-04T10:00:00Z', 1772964002, 'soon')),
    user_properties: fc.option(profileProperties, { nil: undefined }),
    user_property_ops: fc.option(
      fc.record({
        $set: profileProperties,
        $add: fc.record({ score: fc.constantFrom<unknown>(1, 2.5, -3, 'x') }),
        $unset: fc.constantFrom<unknown>([], ['plan'], ['__proto__', 'size']),
      }),
      { nil: undefined },
    ),
    email: rarely(fc.constantFrom(' Ann@Mail.Example ', 'a@b@c.D', 'none')),
  })
  .map(({ email, ...body }) =>
    withoutUndefined({
      ...body,
      user_properties: email === undefined ? body.user_properties : { ...body.user_properties, email },
    }),
  );

/** When requests arrive: mostly together, sometimes weeks earlier, so that insert ids are forgotten. */
const arrival = fc.oneof(
  { weight: 6, arbitrary: fc.constant(NOW - 1800_000) },
  { weight: 1, arbitrary: fc.constantFrom(...['2026-03-02T08:00Z', '2026-03-05T08:00Z', '2026-03-24T11:00Z'].map((time) => Date.parse(time))) },
); // prettier-ignore

const request: fc.Arbitrary<WorldRequest> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      at: arrival,
      track: fc.array(fc.oneof({ weight: 20, arbitrary: event }, { weight: 1, arbitrary: invalidEvent }), { minLength: 1, maxLength: 16, size: 'max' }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ at: arrival, identify }) },
  { weight: 1, arbitrary: fc.record({ at: arrival, unbind: fc.constantFrom(...DEVICES) }) },
); // prettier-ignore

/** Requests in order of arrival. Without fast-check's bias to small values: a world of one event tests no interaction. */
export const world: fc.Arbitrary<World> = fc
  .noBias(fc.array(request, { minLength: 1, maxLength: 9, size: 'max' }))
  .map((requests) => requests.toSorted((a, b) => a.at - b.at));

/** Bodies are JSON: an undefined value has no key. */
function withoutUndefined(body: { readonly [key: string]: unknown }): { [key: string]: unknown } {
  return Object.fromEntries(Object.entries(body).filter(([, one]) => one !== undefined));
}
