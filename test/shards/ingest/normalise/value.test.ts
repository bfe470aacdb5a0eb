import { expect } from 'chai';
import { Remarks } from '../../../../lib/shards/ingest/normalise/remarks.ts';
import { storedProperties, storedValue } from '../../../../lib/shards/ingest/normalise/value.ts';

function stored(value: unknown): { value: unknown; trimmed: number } {
  const remarks = new Remarks();
  return { value: storedValue(value, remarks), trimmed: remarks.valuesTrimmed };
}

const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

describe('storedValue', () => {
  it('keeps every type', () => {
    expect(stored('a')).to.deep.equal({ value: { type: 'string', text: 'a' }, trimmed: 0 });
    expect(stored('').value).to.deep.equal({ type: 'string', text: '' });
    expect(stored('true').value).to.deep.equal({ type: 'string', text: 'true' });
    expect(stored(true).value).to.deep.equal({ type: 'boolean', text: 'true' });
    expect(stored(false).value).to.deep.equal({ type: 'boolean', text: 'false' });
    expect(stored(null).value).to.deep.equal({ type: 'null', text: '' });
    expect(stored(1.5).value).to.equal(1.5);
    expect(stored({ b: 1, a: [null, 'x'] }).value).to.deep.equal({ type: 'object', text: '{"b":1,"a":[null,"x"]}' });
    expect(stored([1, {}]).value).to.deep.equal({ type: 'array', text: '[1,{}]' });
  });

  it('keeps whole numbers beyond 2^53 as texts of their digits', () => {
    expect(stored(9007199254740993n)).to.deep.equal({
      value: { type: 'string', text: '9007199254740993' },
      trimmed: 0,
    });
    const text = '{"a":["-12345678901234567890"]}';
    expect(stored({ a: [-12345678901234567890n] })).to.deep.equal({ value: { type: 'object', text }, trimmed: 0 });
  });

  it('makes -0 a 0', () => {
    expect(Object.is(stored(-0).value, 0)).to.equal(true);
    expect(stored([-0]).value).to.deep.equal({ type: 'array', text: '[0]' });
  });

  it('cuts texts to 8,192 UTF-16 units, between pairs', () => {
    expect(stored('x'.repeat(8192)).trimmed).to.equal(0);
    expect(stored('x'.repeat(8193))).to.deep.equal({ value: { type: 'string', text: 'x'.repeat(8192) }, trimmed: 1 });
    expect(stored(`${'x'.repeat(8191)}😀`)).to.deep.equal({
      value: { type: 'string', text: 'x'.repeat(8191) },
      trimmed: 1,
    });
    expect(stored(`${'x'.repeat(8190)}😀y`).value).to.deep.equal({ type: 'string', text: `${'x'.repeat(8190)}😀` });
  });

  it('leaves texts inside objects as long as they are', () => {
    expect(stored({ a: 'x'.repeat(9000) }).trimmed).to.equal(0);
  });

  it('replaces lone surrogates', () => {
    expect(stored('a\ud800b')).to.deep.equal({ value: { type: 'string', text: 'a\ufffdb' }, trimmed: 1 });
    expect(stored('😀\udc00')).to.deep.equal({ value: { type: 'string', text: '😀\ufffd' }, trimmed: 1 });
    expect(stored({ '\ud800': ['\udc00'] })).to.deep.equal({
      value: { type: 'object', text: '{"\ufffd":["\ufffd"]}' },
      trimmed: 2,
    });
  });

  it('drops numbers that overflowed', () => {
    expect(stored(JSON.parse('1e999'))).to.deep.equal({ value: undefined, trimmed: 1 });
    expect(stored(-Infinity)).to.deep.equal({ value: undefined, trimmed: 1 });
    expect(stored({ a: Infinity, b: [Infinity, 1] })).to.deep.equal({
      value: { type: 'object', text: '{"b":[null,1]}' },
      trimmed: 2,
    });
  });

  it('drops what is deeper than 32 levels', () => {
    expect(stored(nested(32)).trimmed).to.equal(0);
    expect(stored(nested(33))).to.deep.equal({ value: undefined, trimmed: 1 });
    expect(stored([nested(31)]).trimmed).to.equal(0);
    expect(stored([nested(32)])).to.deep.equal({ value: undefined, trimmed: 1 });
    const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    expect(stored(deep)).to.deep.equal({ value: undefined, trimmed: 1 });
  });

  it('drops objects and arrays over 64 KiB of JSON, counted in bytes', () => {
    expect(stored(['x'.repeat(65_532)]).trimmed).to.equal(0);
    expect(stored(['x'.repeat(65_533)])).to.deep.equal({ value: undefined, trimmed: 1 });
    expect(stored(['é'.repeat(32_767)])).to.deep.equal({ value: undefined, trimmed: 1 });
  });

  it('keeps __proto__ inside objects', () => {
    const text = '{"__proto__":{"constructor":1},"a":2}';
    expect(stored(JSON.parse(text)).value).to.deep.equal({ type: 'object', text });
  });
});

describe('storedProperties', () => {
  function properties(value: unknown): { keys: string[]; trimmed: number } {
    const remarks = new Remarks();
    return { keys: storedProperties(value, remarks).map(([key]) => key), trimmed: remarks.valuesTrimmed };
  }

  it('takes __proto__ and constructor for ordinary keys', () => {
    expect(properties(JSON.parse('{"__proto__":1,"constructor":2,"toString":3}'))).to.deep.equal({
      keys: ['__proto__', 'constructor', 'toString'],
      trimmed: 0,
    });
  });

  it('keeps the first 256 and counts each further one', () => {
    const many = Object.fromEntries(Array.from({ length: 258 }, (_, i) => [`k${i}`, i]));
    const { keys, trimmed } = properties(many);
    expect(keys).to.deep.equal(Object.keys(many).slice(0, 256));
    expect(trimmed).to.equal(2);
  });

  it('cuts keys to 256 units, and then the last of the same wins', () => {
    const key = 'k'.repeat(256);
    const remarks = new Remarks();
    expect(storedProperties({ [`${key}a`]: 1, [`${key}b`]: 2 }, remarks)).to.deep.equal([[key, 2]]);
    expect(remarks.valuesTrimmed).to.equal(2);
    expect(properties({ [`${'k'.repeat(255)}😀`]: 1 })).to.deep.equal({ keys: ['k'.repeat(255)], trimmed: 1 });
  });

  it('drops what is no object, and counts it when it was given', () => {
    for (const value of ['a', 5, true, [1]]) expect(properties(value)).to.deep.equal({ keys: [], trimmed: 1 });
    for (const value of [undefined, null]) expect(properties(value)).to.deep.equal({ keys: [], trimmed: 0 });
  });
});
