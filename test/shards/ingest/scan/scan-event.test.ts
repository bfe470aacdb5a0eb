import { expect } from 'chai';
import fc from 'fast-check';
import { isUtf8 } from 'node:buffer';
import { scanEvent } from '../../../../lib/shards/ingest/scan/scan-event.ts';
import { ScannedEvent } from '../../../../lib/shards/ingest/scan/scanned-event.ts';
import { readJsonWithDigits } from '../../../../lib/base/text/read-json.ts';
import { RECEIVED_AT, contextOf, eventOf, parsedEvent } from './event-of.ts';
import { eventText, often, plainEventText } from './json-texts.ts';

const out = new ScannedEvent();
const context = contextOf();
const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

/** What the scanner makes of a text; null if it leaves it to JSON.parse. */
function scanned(text: string): ReturnType<typeof eventOf> | null {
  const bytes = Buffer.from(text);
  return scanEvent(bytes, 0, bytes.length, out) < 0 ? null : eventOf(bytes, out, context);
}

describe('scanEvent', () => {
  it('means the same as JSON.parse and normaliseEvent whatever it accepts', () => {
    const none = fc.constant(null);
    const damage = often(none, fc.tuple(fc.nat(), fc.nat(255)), 3);
    const cutting = often(none, fc.nat(), 8);
    fc.assert(
      fc.property(fc.oneof(eventText, plainEventText), damage, cutting, fc.nat(7), (text, damaged, cut, before) => {
        const whole = Buffer.from(' '.repeat(before) + text);
        if (damaged) whole[damaged[0] % whole.length] = damaged[1];
        const bytes = cut === null ? whole : whole.subarray(0, cut % (whole.length + 1));
        const after = scanEvent(bytes, before, bytes.length, out);
        if (after < 0) return;
        const expected = parsedEvent(readJsonWithDigits(decode(bytes.subarray(before, after)), BigInt), context);
        expect(out.start).to.equal(before);
        expect(out.end).to.equal(after);
        expect(eventOf(bytes, out, context)).to.deep.equal(expected);
      }),
      { numRuns: 5000 },
    );
  });

  it('takes what senders usually send', () => {
    fc.assert(
      fc.property(plainEventText, (text) => {
        expect(scanned(text), text).to.deep.equal(parsedEvent(readJsonWithDigits(text, BigInt), context));
      }),
      { numRuns: 500 },
    );
  });

  it('reads every field', () => {
    const text =
      '{"event_type":"buy","user_id":"u1","device_id":"d1","session_id":"s1","insert_id":"i1","time":"2026-03-08T09:00:00.5Z",' +
      '"library":"js","origin":"server","clientOriginated":true,"event_properties":{"a":"x","b":-1.5,"c":true,"d":false,"e":null},' +
      '"user_properties":{"plan":"pro"}}';
    expect(scanned(text)).to.deep.equal({
      type: 'buy',
      userId: 'u1',
      deviceId: 'd1',
      sessionId: 's1',
      insertId: 'i1',
      idsIgnored: 0,
      time: RECEIVED_AT - 3_599_500,
      properties: [
        ['a', { type: 'string', text: 'x' }],
        ['b', -1.5],
        ['c', { type: 'boolean', text: 'true' }],
        ['d', { type: 'boolean', text: 'false' }],
        ['e', { type: 'null', text: '' }],
      ],
      userProperties: [['plan', { type: 'string', text: 'pro' }]],
      library: 'js',
      origin: 'server',
      ip: null,
      userAgent: null,
      importId: null,
      stated: [],
      told: 0,
    });
  });

  it('takes texts that only share a byte with white space', () => {
    for (const type of ['ß', 'あ', '、', '€', '！']) expect(scanned(`{"event_type":"${type}"}`)?.type).to.equal(type);
  });

  it('forgets the event before', () => {
    scanned(
      '{"event_type":"a","user_id":"u","library":"l","time":1,"user_properties":{"a":1},"origin":"server","device_id":null}',
    );
    const text = '{"event_type":"b"}';
    expect(scanned(text)).to.deep.equal(parsedEvent(readJsonWithDigits(text, BigInt), context));
  });

  it('takes UTF-8 and leaves what is none to the decoder', () => {
    expect(scanned('{"event_type":"größe 😀"}')?.type).to.equal('größe 😀');
    for (const bad of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]]) {
      const bytes = Buffer.concat([Buffer.from('{"event_type":"'), Buffer.from(bad), Buffer.from('"}')]);
      expect(scanEvent(bytes, 0, bytes.length, out), bad.join()).to.equal(-1);
    }
  });

  const odd = {
    'escapes in keys': '{"event_type":"e","event_properties":{"a\\u0062":1}}',
    'escapes in values': '{"event_type":"e","event_properties":{"a":"\\n"}}',
    'a key twice': '{"event_type":"e","event_properties":{"a":1,"b":2,"a":3}}',
    'a field twice': '{"event_type":"e","event_type":"f"}',
    'keys that begin with digits': '{"event_type":"e","event_properties":{"b":1,"1":2}}',
    'nested objects': '{"event_type":"e","event_properties":{"a":{}}}',
    'arrays': '{"event_type":"e","event_properties":{"a":[1]}}',
    'exponents': '{"event_type":"e","event_properties":{"a":1e3}}',
    '16 digits up to 2^53': '{"event_type":"e","event_properties":{"a":1234567890123456}}',
    'ids that are numbers': '{"event_type":"e","user_id":5}',
    'ids that stand for nothing': '{"event_type":"e","user_id":"undefined"}',
    'what begins with white space': '{"event_type":"\u3000e"}',
    'unknown fields': '{"event_type":"e","price":1}',
    'devices that stand for nothing': '{"event_type":"e","device_id":"00000000-0000-0000-0000-000000000000"}',
    'sessions that stand for nothing': '{"event_type":"e","session_id":"-1"}',
    'users that look like nobody': '{"event_type":"e","user_id":"guest"}',
    'times in microseconds': '{"event_type":"e","time":178822080000000}',
    'blank ids': '{"event_type":"e","device_id":" "}',
    'empty ids': '{"event_type":"e","device_id":""}',
    'long ids': `{"event_type":"e","device_id":"${'x'.repeat(513)}"}`,
    'long texts': `{"event_type":"e","event_properties":{"a":"${'x'.repeat(8193)}"}}`,
    'long keys': `{"event_type":"e","event_properties":{"${'x'.repeat(257)}":1}}`,
    'too many properties': `{"event_type":"e","event_properties":{${Array.from({ length: 257 }, (_, i) => `"k${i}":1`).join()}}}`,
    'properties of a wrong type': '{"event_type":"e","event_properties":"a"}',
    'addresses': '{"event_type":"e","ip":"1.2.3.4"}',
    'no event type': '{"user_id":"u"}',
    'an empty event type': '{"event_type":""}',
    'event types of a wrong type': '{"event_type":5}',
    'times in other forms': '{"event_type":"e","time":"2026-03-08"}',
    'times that are none': '{"event_type":"e","time":"2026-02-30T00:00:00Z"}',
    'times without their closing quote': '{"event_type":"e","time":"2026-03-08T10:00:00.123456789012345678Zx,"library":"b"}',
    'what is no object': '["event_type"]',
    'what is cut off': '{"event_type":"e"',
    'trailing commas': '{"event_type":"e",}',
    'control characters': '{"event_type":"a\u0001"}',
  }; // prettier-ignore
  for (const [what, text] of Object.entries(odd)) {
    it(`leaves ${what} to JSON.parse`, () => {
      expect(scanned(text)).to.equal(null);
    });
  }

  it('leaves texts of more bytes than they may have characters to JSON.parse, which counts those', () => {
    for (const character of ['x', 'ß', '字', '😀']) {
      const most = Math.floor(256 / Buffer.byteLength(character));
      const text = `{"event_type":"${character.repeat(most)}","user_id":"${character.repeat(2 * most)}"}`;
      expect(scanned(text), character).to.deep.equal(parsedEvent(readJsonWithDigits(text, BigInt), context));
      expect(scanned(`{"event_type":"e","user_id":"${character.repeat(2 * most + 2)}"}`), character).to.equal(null);
      expect(scanned(`{"event_type":"${character.repeat(most + 1)}"}`), character).to.equal(null);
    }
    expect(scanned(`{"event_type":"e","library":"${'字'.repeat(86)}"}`)).to.equal(null);
  });

  it('takes no bytes that are not UTF-8, whatever they begin with', () => {
    const before = Buffer.from('{"event_type":"e","event_properties":{"a":"');
    for (let first = 0x80; first < 256; first++) {
      for (let second = 0x40; second < 256; second++) {
        for (const tail of [[], [0x80], [0x80, 0xbf], [0xbf, 0x41], [0x41, 0x80]]) {
          const text = Uint8Array.of(first, second, ...tail);
          const bytes = Buffer.concat([before, text, Buffer.from('"}}')]);
          const isTaken = scanEvent(bytes, 0, bytes.length, out) >= 0;
          if (isTaken !== (isUtf8(text) && !text.includes(0x5c))) expect.fail(`differs on ${[...text].join(' ')}`);
        }
      }
    }
  });

  it('reads bodies longer than it copies at a time, and from any place of them', () => {
    const lines = Array.from({ length: 5_000 }, (_, i) => `{"event_type":"e","user_id":"u${i}","insert_id":"${'x'.repeat(i % 400)}y"}`); // prettier-ignore
    const bytes = Buffer.from(lines.join('\n'));
    const starts: number[] = [];
    for (let i = 0, at = 0; i < lines.length; i++) {
      starts.push(at);
      const end = scanEvent(bytes, at, bytes.length, out);
      expect(end, String(i)).to.equal(at + lines[i]!.length);
      expect(eventOf(bytes, out, context).userId).to.equal(`u${i}`);
      at = end + 1;
    }
    for (const i of [4_000, 17, 4_999, 0]) {
      expect(scanEvent(bytes, starts[i]!, bytes.length, out)).to.equal(starts[i]! + lines[i]!.length);
      expect(eventOf(bytes, out, context).userId).to.equal(`u${i}`);
    }
  });

  it('takes white space between tokens, but no newline in a line', () => {
    const text = '{ "event_type" : "e",\n"event_properties":\t{ "a" :1 , "b":\r\n2 } }';
    const bytes = Buffer.from(text);
    expect(scanned(text)).to.deep.equal(parsedEvent(readJsonWithDigits(text, BigInt), context));
    expect(scanEvent(bytes, 0, bytes.length, out, true)).to.equal(-1);
    const line = Buffer.from(text.replaceAll('\n', ' '));
    expect(scanEvent(line, 0, line.length, out, true)).to.equal(line.length);
  });

  it('takes 256 properties, ids of 512 and texts of 8,192 bytes', () => {
    const properties = Array.from({ length: 256 }, (_, i) => `"k${i}":"${i === 0 ? 'x'.repeat(8192) : i}"`).join();
    const text = `{"event_type":"${'t'.repeat(256)}","user_id":"${'u'.repeat(512)}","event_properties":{${properties}}}`;
    expect(scanned(text)).to.deep.equal(parsedEvent(readJsonWithDigits(text, BigInt), context));
  });

  it('does not read beyond its end', () => {
    const bytes = Buffer.from('{"event_type":"e"\n,"user_id":"u"}');
    expect(scanEvent(bytes, 0, 17, out)).to.equal(-1);
  });
});
