import { expect } from 'chai';
import fc from 'fast-check';
import { withoutExcess } from '../../../../lib/shards/ingest/normalise/shallow.ts';
import { MAX_DEPTH } from '../../../../lib/shards/ingest/normalise/limits.ts';

const LONG = ' '.repeat(64 << 10);
const nested = (levels: number, inner = ''): string => '['.repeat(levels) + inner + ']'.repeat(levels);
const shallow = (text: string): string => Buffer.from(withoutExcess(Buffer.from(text))).toString();

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('JSON without what is dropped anyway', () => {
  it('is as it was where it is short, or nothing in it is deep', () => {
    expect(shallow(nested(1_000))).to.equal(nested(1_000));
    const text = LONG + JSON.stringify({ a: `${'['.repeat(100)}"\\`, b: Array.from({ length: 100 }, () => [[{}]]) });
    expect(shallow(text)).to.equal(text);
  });

  it('has as many levels as a value that is dropped for them, and all that stands beside', () => {
    const text = `${LONG}{"a":${nested(2_000_000, '"]"')},"b":{"c":${nested(200)},"d":"[["},"e":1}`;
    const value = JSON.parse(shallow(text)) as { a: unknown; b: { c: unknown } };
    expect(value).to.deep.include({ e: 1 });
    expect(value.b).to.deep.include({ d: '[[' });
    for (const deep of [value.a, value.b.c]) expect(depthOf(deep)).to.be.above(MAX_DEPTH).and.below(100);
    expect(shallow(text).length).to.be.below(LONG.length + 1_000);
  });

  it('is no JSON where it was none', () => {
    for (const text of [
      `${LONG}${'['.repeat(100_000)}`,
      `${LONG}${nested(100)}]`,
      `{}${LONG}${'['.repeat(100)}`,
      `${LONG}{"a":"${nested(100)}`,
    ])
      expect(() => JSON.parse(shallow(text)) as unknown, text.slice(-20)).to.throw(SyntaxError);
  });

  it('has as many members as make a value too large, and all that stands beside', () => {
    const members = (count: number): string => Array.from({ length: count }, (_, n) => `"k${n}":"]{"`).join();
    const elements = (count: number): string => '1,'.repeat(count - 1) + '1';
    const event = `{"event_properties":{${members(100_000)}},"u":{"v":[${elements(100_000)}], "w": {${members(20)}}},"event_type":"e"}`;
    for (const [text, find] of [
      [event, (value: unknown) => value],
      [`{"events":[{},${event},{}]}`, (value: unknown) => (value as { events: unknown[] }).events[1]],
    ] as const) {
      const found = find(JSON.parse(shallow(text))) as Record<string, Record<string, object>>;
      expect(found['event_type']).to.equal('e');
      expect(Object.keys(found['event_properties']!)).to.have.length(16_384);
      expect(Object.keys(found['u']!)).to.deep.equal(['v', 'w']);
      expect(found['u']!['v']).to.have.length(65_536);
      expect(Object.keys(found['u']!['w']!)).to.have.length(20);
    }
  });

  it('has so many members of an event', () => {
    const event = `{"event_type":"e",${Array.from({ length: 100_000 }, (_, n) => `"k${n}":1`).join()}}`;
    const found = JSON.parse(shallow(event)) as object;
    expect(found).to.include({ event_type: 'e', k0: 1 });
    expect(Object.keys(found)).to.have.length(16_384);
  });

  const bomb = (unit: string, bytes: number): string =>
    `[${Array.from({ length: Math.ceil(bytes / 600_000) }, () => `[${unit.repeat(600_000 / unit.length)}1]`).join()}]`;
  for (const unit of ['[],', '{},', `${nested(20)},`, '{"a":1},'])
    it(`has no value of too many objects or arrays, nor any after it, but all texts and numbers: ${unit}`, () => {
      const properties = `{"a":[[1]],"b":"[","c":${bomb(unit, 2_000_000)},"d":{},"e":[1],"f":2}`;
      const event = `{"event_properties":${properties},"user_properties":{"g":1},"event_type":"e"}`;
      const kept = { a: [[1]], b: '[', c: Infinity, d: Infinity, e: Infinity, f: 2 };
      const found: unknown = JSON.parse(shallow(event));
      expect(found).to.deep.equal({ event_properties: kept, user_properties: Infinity, event_type: 'e' });
      expect(shallow(event)).to.have.length.below(300);
      for (const end of [-1, -50, -1_000_000])
        expect(() => JSON.parse(shallow(event.slice(0, end))) as unknown).to.throw();
    });

  it('has no more short texts than are read in a moment, and all values before', () => {
    const texts = (from: number): string => Array.from({ length: 8_000 }, (_, n) => `"${from + n}"`).join();
    const lists = Array.from({ length: 40 }, (_, nth) => `"l${nth}":[${texts(nth * 8_000)}]`).join();
    const found = JSON.parse(shallow(`{"event_properties":{${lists},"a":"b"},"event_type":"e"}`)) as {
      event_properties: Record<string, unknown>;
    };
    const values = Object.values(found.event_properties);
    expect(values.filter(Array.isArray).map(({ length }) => length)).to.deep.equal(Array(10).fill(8_000));
    expect(values.slice(10)).to.deep.equal([...Array<number>(30).fill(Infinity), 'b']);
  });

  it('has two values as large as may be, of whatever is slowest to read', () => {
    for (const unit of ['[],', '{},', '{"":1},', '[[]],', '"",'])
      expect(
        shallow(`{"event_properties":{"a":[${unit.repeat(65_530 / unit.length)}1],"b":[${unit}1]},"event_type":"e"}`),
        unit,
      ).to.include(`"b":[${unit}1]`);
  });

  it('means the same as before in what is kept', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(JSON.parse(shallow(LONG + JSON.stringify(value)))).to.deep.equal(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
