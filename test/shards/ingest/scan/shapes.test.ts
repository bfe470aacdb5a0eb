import { expect } from 'chai';
import fc from 'fast-check';
import { setThresholds } from '../../../../lib/base/threshold.ts';
import { memoryAt, give, take } from '../../../../lib/primitives/memory.ts';
import { scanEvent } from '../../../../lib/shards/ingest/scan/scan-event.ts';
import { ScannedEvent } from '../../../../lib/shards/ingest/scan/scanned-event.ts';
import { Shapes } from '../../../../lib/shards/ingest/scan/shapes.ts';
import { readJsonWithDigits } from '../../../../lib/base/text/read-json.ts';
import { contextOf, eventOf, parsedEvent } from './event-of.ts';
import { eventText, numberToken, often, plainEventText, textToken, timeToken } from './json-texts.ts';

const LEARNING = 'events by which one is learned';

const out = new ScannedEvent();
const context = contextOf();
const shapes = new Shapes();

/** Texts (keys with their colon) and numbers. */
const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d+(?:\.\d+)?/g;

const memory = take(1 << 20);

/** Learns the event in a text; false if it is not ordinary. */
function learn(text: string): boolean {
  const bytes = Buffer.from(text);
  if (scanEvent(bytes, 0, bytes.length, out) < 0) return false;
  shapes.learn(bytes, out);
  return true;
}

/** The bytes where primitives can read them, until the next call. What is around them was other texts. */
function inMemory(bytes: Uint8Array): Buffer<SharedArrayBuffer> {
  const copy = memoryAt(memory, bytes.length);
  copy.set(bytes);
  return Buffer.from(copy.buffer, memory, bytes.length);
}

/** What the shapes alone read in a text; null if its shape is unknown. */
function scanned(text: string): ReturnType<typeof eventOf> | null {
  const bytes = Buffer.from(text);
  shapes.use(bytes);
  return shapes.scan(0, bytes.length, out) < 0 ? null : eventOf(bytes, out, context);
}

describe('Shapes', () => {
  before(() => setThresholds('least', [LEARNING]));
  after(() => setThresholds('usual', [LEARNING]));

  it('means the same as JSON.parse and normaliseEvent of events that have other values than one before', () => {
    let known = 0;
    const tokens = fc.array(fc.tuple(fc.oneof(textToken, timeToken), numberToken, fc.nat(5)), { minLength: 12, maxLength: 12 }); // prettier-ignore
    const damage = often(fc.constant(null), fc.tuple(fc.nat(), fc.nat(255)), 3);
    fc.assert(
      fc.property(fc.oneof(eventText, plainEventText), tokens, damage, fc.nat(15), (text, others, damaged, place) => {
        learn(text);
        let nth = 0;
        const changed = text.replace(TOKEN, (value, colon?: string) => {
          const [textual, number, keep] = others[nth++ % others.length]!;
          return colon !== undefined || keep > 2 ? value : value.startsWith('"') ? textual : number;
        });
        const ahead = place >> 1;
        const copied = Buffer.from(' '.repeat(ahead) + changed);
        if (damaged) copied[damaged[0] % copied.length] = damaged[1];
        const bytes = place % 2 === 0 ? copied : inMemory(copied);
        shapes.use(bytes);
        const end = shapes.scan(ahead, bytes.length, out);
        if (end < 0) return;
        known++;
        const expected = parsedEvent(readJsonWithDigits(bytes.toString('utf8', ahead, end), BigInt), context);
        expect([out.start, out.end]).to.deep.equal([ahead, end]);
        expect(eventOf(bytes, out, context)).to.deep.equal(expected);
      }),
      { numRuns: 2000 },
    );
    expect(known, 'of known shape').to.be.greaterThan(50);
  });

  it('knows the shape of whatever senders usually send', () => {
    fc.assert(
      fc.property(plainEventText, (text) => {
        expect(learn(text) && learn(text)).to.equal(true); // the second time there is room
        expect(scanned(text), text).to.deep.equal(parsedEvent(readJsonWithDigits(text, BigInt), context));
      }),
      { numRuns: 300 },
    );
  });

  it('tells keys and hashes as the scanner does, and equal numbers for equal keys of one object', () => {
    const text =
      '{"event_type":"größe","insert_id":"i","event_properties":{"a":"x","b":1.5,"c":null},"user_properties":{"a":true}}';
    const bytes = Buffer.from(text);
    learn(text);
    const columns = (space: 'eventProperties' | 'userProperties'): number[] =>
      Array.from({ length: out[space].count }, (_, i) => out[space].slots[i * 8 + 7]!);
    const told = (): unknown => ({
      texts: [...out.texts.subarray(0, 12)],
      properties: Array.from(out.eventProperties.slots.subarray(0, 8 * 3)).filter((_, i) => i % 8 < 6),
      hash: out.eventProperties.slots[6],
    });
    scanEvent(Buffer.from(text.replace('größe', 'grösse')), 0, bytes.length + 1, out); // has another hash
    out.clear(0);
    const other = new Shapes();
    other.use(bytes);
    expect(other.scan(0, bytes.length, out)).to.equal(-1);
    learn(text);
    const asScanned = told();
    expect(scanned(text)?.type).to.equal('größe');
    expect(told()).to.deep.equal(asScanned);
    const [a, b, c] = columns('eventProperties');
    expect(new Set([0, a, b, c, ...columns('userProperties')]).size).to.equal(5);
    learn('{"event_type":"e","event_properties":{"b":"x","a":"y"}}');
    scanned('{"event_type":"e","event_properties":{"b":"z","a":"z"}}');
    expect(columns('eventProperties')).to.deep.equal([b, a]);
  });

  it('knows nothing at first, whatever its memory was used for before', () => {
    const used = Array.from({ length: 40 }, () => take(1 << 18));
    for (const address of used) {
      memoryAt(address, 1 << 18).fill(0x11);
      give(address);
    }
    const fresh = new Shapes();
    const bytes = Buffer.from('{"event_type":"e"}');
    fresh.use(bytes);
    expect(fresh.scan(0, bytes.length, out)).to.equal(-1);
  });

  it('reads bodies longer than it copies at a time', () => {
    const lines = Array.from({ length: 5_000 }, (_, i) => `{"event_type":"e","user_id":"u${i}","insert_id":"${'x'.repeat(i % 400)}y"}`); // prettier-ignore
    const bytes = Buffer.from(lines.join('\n'));
    learn(lines[0]!);
    shapes.use(bytes);
    for (let i = 0, at = 0; i < lines.length; i++) {
      const end = shapes.scan(at, bytes.length, out);
      expect(end, String(i)).to.equal(at + lines[i]!.length);
      expect(eventOf(bytes, out, context).userId).to.equal(`u${i}`);
      at = end + 1;
    }
  });

  it('learns events of ever other keys a few at a time, and those of old shapes go on being known', () => {
    setThresholds('usual', [LEARNING]);
    const own = new Shapes();
    let known = 0;
    for (let i = 0; i < 20_000; i++) {
      const bytes = Buffer.from(
        i % 2 ? `{"event_type":"e","event_properties":{"k${i}":1}}` : '{"event_type":"e","time":7}',
      );
      own.use(bytes);
      if (own.scan(0, bytes.length, out) >= 0) known++;
      else if (scanEvent(bytes, 0, bytes.length, out) >= 0) own.learn(bytes, out);
    }
    setThresholds('least', [LEARNING]);
    expect(known).to.be.greaterThan(9_000);
  });
});
