import { expect } from 'chai';
import { quote } from '../../../../lib/dsl/parse/lex-string.ts';
import type { World } from '../../../../test/oracle/world.ts';
import { TwoServices } from './two-services.ts';

const NOW = Date.UTC(2026, 2, 10, 12);
const CONTEXT = { now: NOW, timezone: null, limit: 10_000, offset: 0 };

/** What some database could take for something else. */
const TEXTS = [
  ...['\0', 'a\0b', '\0\0', '\ud800', 'x\udfff', '\udfff\ud800', '\ufeff', '\ufffd', '\uffff', '😀', 'e\u0301', '\u2028\u2029'],
  ...['NaN', 'nan', 'inf', '-Infinity', 'NULL', 'null', 'true', '\\N', '0x10', '1e999', '-0', '+1', '1.', '.5', '00', '1_000', '1e400', '٣'],
  ...['9007199254740993', '18446744073709551616', '-9223372036854775809', '0.1000000000000000055511151231257827', '5e-324', '1e-400'],
  ...["'", '"', '`', '\\', "\\'", '{p1:String}', '{}', '[]', '%', '_', '--', '/*', ';', '?', '$1', ':a', '\t', '\r\n', ' ', 'a.b', '.', '..', ''],
] as const; // prettier-ignore

const NUMBERS = [0, -0, 1e21, 1e-7, 5e-324, 1.7976931348623157e308, 2 ** 53, -(2 ** 63), 2 ** 64, 0.1, 1 / 3, 123456789.12345679]; // prettier-ignore

/** Sent as digits, which are kept. */
const LONG = ['9007199254740992', '9007199254740993', '-9007199254740993', '12345678901234567890', '9'.repeat(40)].map(
  BigInt,
);

const EVENTS = [
  ...TEXTS.map((text, n) => ({ event_type: 'text', time: NOW - 1_000 - n, insert_id: `t${n}`, user_id: `u${n % 3}${text}`, session_id: `s${text}`, event_properties: { k: text, [text]: n, o: { [text]: text }, l: [text] }, user_properties: { k: text } })),
  ...NUMBERS.map((number, n) => ({ event_type: 'number', time: NOW - 100 - n, insert_id: `n${n}`, device_id: 'd', event_properties: { k: number, o: { n: number }, l: [number] } })),
  ...LONG.map((number, n) => ({ event_type: 'long', time: NOW - 200 - n, insert_id: `l${n}`, user_id: number, event_properties: { k: number, o: { n: number, p: { '\u2028/': ['\u2029\\u2028\\/', number] } } } })),
  { event_type: 'wide', time: NOW - 50, insert_id: 'w', device_id: 'd', event_properties: Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`key ${n}`, n])) },
  ...TEXTS.filter((text) => text.trim() !== '').map((text, n) => ({ event_type: text, time: NOW - 5_000 - n, insert_id: `e${n}`, device_id: `d${text}` })),
]; // prettier-ignore

const WORLD: World = [
  { at: NOW - 10, track: EVENTS },
  ...TEXTS.map((text, n) => ({ at: NOW - 5, identify: { user_id: `u${n % 3}${text}`, device_id: `d${text}`, user_properties: { k: text, [text]: n } } })),
]; // prettier-ignore

const QUERIES = [
  '* | list | sort time',
  'text | list | sort event_properties',
  '* | list | sort user_properties desc',
  '* | where event_properties.o.n = 9007199254740993 or user_id in (12345678901234567890, 5) or user.k = 9007199254740993 | list | sort time',
  ...['event_properties.k', 'event_properties.o', 'event_properties.l', 'event_properties.o.n', 'event_properties.o.p', 'user_id', 'distinct_id', 'session_id', 'event_type', 'user.k', 'user_properties.k'].map((field) => `* | count, unique distinct_id by ${field}`),
  '* | count, sum event_properties.k, min event_properties.k, max event_properties.k, avg event_properties.k, p50 event_properties.k, mode event_properties.k, stddev event_properties.k',
  ...['> 0', '< 1e-300', '= 0', '= 9007199254740992', '= 9007199254740993', '!= 12345678901234567890', 'in (9007199254740993, 18446744073709551616, -9007199254740993, 0, "x")', 'contains 9007199254740993', '> "a"', '<= "\\uFFFF"', 'contains "\\u0000"', '~ "^.$"', '~ "[\\\\x00-\\\\x1f]"', 'exists', '= true', '= null', 'in (1, "1.", true)'].map((test) => `* | where event_properties.k ${test} | count by event_properties.k`),
  'fields', 'inspect *', 'inspect text', 'inspect wide', 'users', 'users | sort properties', 'users | count by user.k', 'text | latest event_properties.k per session_id', 'paths from *', 'sessions | count by session.first_event',
]; // prettier-ignore

describe('hostile texts and numbers', () => {
  let services: TwoServices;
  before(async () => {
    services = await TwoServices.open();
    await services.load(WORLD);
  });
  after(() => services.close());

  for (const q of QUERIES) {
    it(`are answered from ClickHouse as from the data folder: ${q}`, async () => {
      const [embedded, there] = await services.ask(`${q} | from 2026-03-01`, CONTEXT, { format: 'json' });
      expect(embedded.status, embedded.body).to.equal(200);
      expect(there).to.deep.equal(embedded);
    });
  }

  it('are found as they were sent, in any place of a query', async () => {
    for (const text of TEXTS) {
      const literal = quote(text);
      const q = `* | from 2026-03-01 | where event_properties.k = ${literal} or event_type = ${literal} or event_properties.${literal} = 1 or user.k in (${literal}, "x") | count by event_properties.${literal}`;
      const [embedded, there] = await services.ask(q, CONTEXT, { format: 'json' });
      expect(there, JSON.stringify(text)).to.deep.equal(embedded);
    }
  });
});
