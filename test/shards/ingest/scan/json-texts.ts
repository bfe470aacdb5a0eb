/** Random texts of events: JSON in odd spellings, and texts that are nearly JSON. */
import fc from 'fast-check';

const FIELDS = [
  'event_type', 'user_id', 'device_id', 'session_id', 'insert_id', 'time', 'library', 'origin', 'clientOriginated', 'ip',
  'user_agent', 'event_properties', 'user_properties',
]; // prettier-ignore

/** The usual one, `weight` times as often as the odd one. */
export const often = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>, weight = 12): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd });

const space = often(fc.constant(''), fc.constantFrom(' ', '\n', '\t', '\r\n', '  ', '\f', '\u00a0'), 30);

const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    '',
    'null',
    'NaN',
    'none',
    'undefined',
    '[object Object]',
    ' ',
    ' a',
    '\u00a0',
    '\u1680 ',
    '\u2003\u2029',
    '\u205f',
    '\u3000',
    '\ufeff',
    '\u3042',
    'nu',
    'un',
    'é',
    '😀',
    '\uffff',
    '\ud800',
    '__proto__',
    '1',
    '007',
    '0',
    '-1',
    '00000000-0000-0000-0000-000000000000',
    '0000',
    'unknown',
    'anonymous',
    'anonym',
    'guest',
    'guests',
  ),
);

const escaped = (value: string): string =>
  JSON.stringify(value).replace(/[a-e]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);

export const textToken: fc.Arbitrary<string> = fc.oneof(
  { weight: 40, arbitrary: text.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: text.map(escaped) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '"\u0000"',
      '"\u007f"',
      '"\\x"',
      '"a\nb"',
      '"open',
      '"\\ud83d\\ude00"',
      '"\\ud83d"',
      '"a\\/b"',
    ),
  },
  { weight: 1, arbitrary: fc.integer({ min: 240, max: 8200 }).map((length) => JSON.stringify('x'.repeat(length))) },
);

/** Whole numbers, most of them beyond 2^53 or near it. */
const longNumber = fc
  .oneof(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), fc.bigInt({ min: 2n ** 53n - 9n, max: 2n ** 53n + 9n }))
  .map(String);

export const numberToken: fc.Arbitrary<string> = fc.oneof(
  fc.integer().map(String),
  longNumber,
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.tuple(fc.integer({ min: -1e7, max: 1e7 }), fc.integer({ min: 0, max: 8 })).map(([n, digits]) => (n / 7).toFixed(digits)),
  fc.constantFrom('0', '-0', '-0.0', '01', '-', '1.', '.5', '+1', '1e3', '1E-2', '1e999', '123456789012345', '1234567890123456', '0.123456789012345'),
  fc.constantFrom('9007199254740993.0', '9007199254740993e0', '1' + '0'.repeat(308), '-9007199254740992', '0.000000000000001', '1772964002', '1772964003004', '99999999999', '100000000000', '0x1', '1_0', '--1', '1.5.2'),
); // prettier-ignore

const scalar = fc.oneof(
  { weight: 6, arbitrary: textToken },
  { weight: 4, arbitrary: numberToken },
  { weight: 2, arbitrary: fc.constantFrom('true', 'false', 'null') },
);
const value = often(
  scalar,
  fc.constantFrom('tru', 'nul', 'True', '', '{}', '[]', '[1,"a"]', '{"a":{"b":[null]}}', '{"a":1,"a":2}'),
  30,
);

function object(members: fc.Arbitrary<(readonly [string, string])[]>): fc.Arbitrary<string> {
  const comma = often(fc.constant(','), fc.constantFrom('', ',,', ';'), 400);
  return fc.tuple(members, space, space, space, comma).map(([entries, a, b, c, separator]) => {
    const inner = entries.map(([key, member]) => `${key}${a}:${b}${member}${c}`).join(separator + a);
    return `{${b}${inner}${c}}`;
  });
}

const key = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      '"path"',
      '"plan"',
      '"amount"',
      '"a"',
      '"b"',
      '"url"',
      '"c d"',
      '"title"',
      '"k1"',
      '"k2"',
      '"k3"',
      '"k4"',
    ),
  },
  { weight: 2, arbitrary: textToken },
);
const properties = object(fc.array(fc.tuple(key, value), { maxLength: 6 }));

export const timeToken = fc.oneof(
  fc.date({ min: new Date('2025-12-01'), max: new Date('2026-03-12'), noInvalidDate: true }).map((date) => JSON.stringify(date)),
  fc.constantFrom('"2026-03-08"', '"2026-03-08T10:00:00.1239+01:30"', '"2026-02-30T00:00:00Z"', '"2026-03-08T10:00:00-0100"', '"2026-03-08T24:00:00Z"'),
  fc.constantFrom('"2026-03-08T10:00:60Z"', '"2026-03-08T10:00:00.Z"', '"2026-03-08t10:00:00Z"', '"2026-03-08T10:00:00', '"2026-03-08T1:00:00.00Z"'),
  numberToken,
); // prettier-ignore

function member(name: string): fc.Arbitrary<readonly [string, string]> {
  const usual =
    name.endsWith('properties') ? properties
    : name === 'time' ? timeToken
    : name === 'origin' ? fc.constantFrom('"server"', '"client"', 'null')
    : name === 'clientOriginated' ? fc.constantFrom('true', 'false', '"true"')
    : textToken; // prettier-ignore
  const spelling = often(fc.constant(JSON.stringify(name)), fc.constant(escaped(name)), 60);
  return fc.tuple(spelling, often(usual, fc.oneof(value, fc.constant('null')), 12));
}

const members = fc
  .tuple(
    fc.subarray(FIELDS, { maxLength: 5 }).chain((names) => fc.shuffledSubarray(names, { minLength: names.length })),
    fc.array(often(fc.constant('event_type'), fc.constantFrom(...FIELDS)), { maxLength: 1 }),
    fc.array(fc.tuple(textToken, value), { maxLength: 1 }),
    fc.boolean(),
  )
  .chain(([names, again, unknown, typed]) => {
    const all = typed && !names.includes('event_type') ? ['event_type', ...names] : [...names, ...again];
    return fc.tuple(fc.tuple(...all.map(member)), fc.constant(unknown));
  })
  .map(([known, unknown]) => [...known, ...unknown]);

/** Mostly valid JSON of an event, in an order and spelling that nobody uses. */
export const eventText: fc.Arbitrary<string> = object(members);

const word = fc.stringMatching(/^[a-zé][a-z0-9 _/.é-]{0,20}$/);
const plainValue = fc.oneof(
  word.map((value) => JSON.stringify(value)),
  fc.integer().map(String),
  fc.integer({ min: -1e6, max: 1e6 }).map((n) => String(n / 100)),
  fc.constantFrom('true', 'false', 'null'),
);
const longWhole = fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n }).map(String);
const plainProperties = fc
  .uniqueArray(word, { maxLength: 8 })
  .chain((keys) =>
    fc.tuple(...keys.map((name) => often(plainValue, longWhole).map((token) => `${JSON.stringify(name)}:${token}`))),
  )
  .map((entries) => `{${entries.join(',')}}`);

/** What clients usually send: the scanner must take each of these. */
export const plainEventText: fc.Arbitrary<string> = fc
  .record({
    event_type: word.map((value) => JSON.stringify(value)),
    user_id: fc.integer({ min: 0 }).map((n) => `"u${n}"`),
    time: fc.date({ min: new Date('2025-12-01'), max: new Date('2026-03-08'), noInvalidDate: true }).map((date) => JSON.stringify(date)),
    event_properties: plainProperties,
    user_properties: plainProperties,
    library: word.map((value) => JSON.stringify(value)),
  }, { requiredKeys: ['event_type'] })
  .map((event) => `{${Object.entries(event).map(([name, token]) => `"${name}":${token}`).join(',')}}`); // prettier-ignore
