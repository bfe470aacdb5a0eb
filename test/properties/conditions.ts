/** Random fields, literals and conditions, as text. */
import fc from 'fast-check';
import { EVENTS, LONG, MOMENTS, NUMBERS, TEXTS, USERS } from './worlds.ts';

/** Fields of events without those that are times: their literals must be times. */
export const PLAIN_FIELDS = [
  'event_type', 'user_id', 'device_id', 'session_id', 'distinct_id',
  'event_properties.p', 'event_properties.p', 'event_properties.q', 'event_properties.n', 'event_properties.n',
  'event_properties.a', 'event_properties.a.b', 'event_properties.a.b.c', 'event_properties."a.b"',
  'event_properties."key with space"', 'event_properties.__proto__', 'event_properties.__proto__.b',
  'event_properties.constructor', 'event_properties.""', 'event_properties.größe', 'event_properties.P',
  'event_properties."0"', 'event_properties.never',
  'user_properties.plan', 'user_properties.__proto__', 'user.plan', 'user.size', 'user.score', 'user.a.b', 'user.__proto__',
  'user.email', 'user.email_domain', 'user.never',
  '_url', '_path', '_path_clean', '_hostname', '_title', '_referrer', '_referrer_domain', '_ingest_origin', '_browser',
] as const; // prettier-ignore

export const SESSION_FIELDS = [
  'session.duration', 'session.event_count', 'session.first_event', 'session.last_event', 'session.landing_path',
  'session.exit_path_clean', 'session.landing_hostname', 'session.utm_source', 'session.gclid', 'session.language',
  'session.referring_domain', 'session.ingest_origin',
] as const; // prettier-ignore

export const LAST_SESSION_FIELDS = SESSION_FIELDS.map((name) => name.replace('session.', 'user_last_session.'));
export const TIME_FIELDS = ['time', 'user.first_seen', 'user.last_seen'] as const;
export const PROFILE_FIELDS = ['user_id', 'email', 'email_domain', 'user.plan', 'user.size', 'user.score', 'user.a.b', 'user.a', 'user.__proto__', 'user.email', 'user.never'] as const; // prettier-ignore

export const quoted = (text: string): string => JSON.stringify(text);

const textLiteral = fc
  .constantFrom(...TEXTS, ...EVENTS, ...USERS, 'shop.example', 'mail', 'deep', '{"b":1}', '[1,"a"]')
  .map(quoted);
const numberLiteral = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NUMBERS, 2, 1000, -0.5).map((n) => numberText(n)) },
  { weight: 1, arbitrary: fc.constantFrom(...LONG).map(String) },
);
const timeLiteral = fc.oneof(
  fc.constantFrom(...MOMENTS, '2026-03-24', '2026-03-08T02:30', '2026-03-24T12:00+02:00').map(quoted),
  fc.constantFrom(...MOMENTS).map((moment) => String(Date.parse(moment))),
);
const wordLiteral = fc.constantFrom('true', 'false', 'null');
const pattern = fc
  .constantFrom('x', '^x', '^$', '(?i)^X', '[0-9]+', 'é|😀', '\\.example', '^.$', 'a\\|b', '"b":', '\\d{2}', '')
  .map(quoted);

function numberText(n: number): string {
  return String(n).replace('e+', 'e');
}

function plainTest(field: string): fc.Arbitrary<string> {
  const literal = fc.oneof(textLiteral, numberLiteral, wordLiteral);
  const ordered = fc.oneof(textLiteral, numberLiteral);
  return fc.oneof(
    fc.tuple(fc.constantFrom('=', '!='), literal).map(([op, right]) => `${field} ${op} ${right}`),
    fc.tuple(fc.constantFrom('<', '<=', '>', '>='), ordered).map(([op, right]) => `${field} ${op} ${right}`),
    fc.tuple(fc.constantFrom('in', 'not in'), fc.array(literal, { minLength: 1, maxLength: 4 })).map(([op, list]) => `${field} ${op} (${list.join(', ')})`),
    fc.constantFrom('exists', 'not exists').map((op) => `${field} ${op}`),
    fc.tuple(fc.constantFrom('contains', 'not contains', 'starts with', 'ends with', 'not ends with'), literalOfText()).map(([op, right]) => `${field} ${op} ${right}`),
    fc.tuple(fc.constantFrom('has', 'has', 'not has'), fc.oneof(literalOfText(), numberLiteral)).map(([op, right]) => `${field} ${op} ${right}`),
    fc.tuple(fc.constantFrom('~', '!~'), pattern).map(([op, right]) => `${field} ${op} ${right}`),
  ); // prettier-ignore
}

/** Arithmetic is compared with numbers alone. */
const numberTest = fc.tuple(
  fc.constantFrom('(event_properties.n * 2)', '(event_properties.n / event_properties.p)', '(1 - event_properties.a.b)'),
  fc.oneof(fc.tuple(fc.constantFrom('=', '!=', '<', '<=', '>', '>='), fc.constantFrom('0', '84', '-0.5', '1')).map((parts) => parts.join(' ')), fc.constantFrom('in (0, 84)', 'exists', 'not exists', '= null')),
).map((parts) => parts.join(' ')); // prettier-ignore

function literalOfText(): fc.Arbitrary<string> {
  return fc.oneof(fc.constantFrom('"x"', '"4"', '"é"', '""', '"b"', '"."'), fc.constantFrom('42', '1', 'true'));
}

function timeTest(field: string): fc.Arbitrary<string> {
  return fc.oneof(
    fc.tuple(fc.constantFrom('=', '!=', '<', '<=', '>', '>='), timeLiteral).map(([op, right]) => `${field} ${op} ${right}`),
    fc.array(timeLiteral, { minLength: 1, maxLength: 3 }).map((list) => `${field} in [${list.join(', ')}]`),
    fc.constantFrom('contains "T10:"', 'contains "+0"', 'starts with "2026-03-2"', 'ends with "Z"', '~ "^2026-03-2[0-4]"', 'exists', 'not exists').map((rest) => `${field} ${rest}`),
  ); // prettier-ignore
}

/** Conditions over these fields, at most two levels deep. */
export function conditionOver(plain: readonly string[], times: readonly string[]): fc.Arbitrary<string> {
  const test = fc.oneof(
    ...(plain.includes('event_properties.n') ? [{ weight: 1, arbitrary: numberTest }] : []),
    { weight: 6, arbitrary: fc.constantFrom(...plain).chain(plainTest) },
    ...(times.length === 0 ? [] : [{ weight: 1, arbitrary: fc.constantFrom(...times).chain(timeTest) }]),
  );
  const joined = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc.oneof(
      { weight: 4, arbitrary: inner },
      { weight: 1, arbitrary: fc.tuple(inner, inner).map(([a, b]) => `(${a} and ${b})`) },
      { weight: 2, arbitrary: fc.tuple(inner, inner).map(([a, b]) => `(${a} or ${b})`) },
      { weight: 1, arbitrary: inner.map((a) => `not ${a}`) },
    );
  return joined(joined(test));
}

export const eventCondition = conditionOver(
  [...PLAIN_FIELDS, ...PLAIN_FIELDS, ...SESSION_FIELDS, ...LAST_SESSION_FIELDS],
  TIME_FIELDS,
);
/** For queries that read all of history, or form sessions themselves. */
export const eventOnlyCondition = conditionOver(PLAIN_FIELDS, TIME_FIELDS);
export const sessionCondition = conditionOver(SESSION_FIELDS, ['session.start_time', 'session.end_time']);
export const profileCondition = conditionOver(PROFILE_FIELDS, ['first_seen', 'last_seen', 'user.last_seen']);
