import { expect } from 'chai';
import { checkBeforeInflating } from '../../lib/shards/segment/encoding/inflate-raw.ts';
import { decodeTexts, encodeTexts } from '../../lib/shards/segment/encoding/texts.ts';

describe('a thread that is to stop', () => {
  afterEach(() => checkBeforeInflating(() => undefined));

  it('inflates nothing more: ending it in the middle of that would abort the process', () => {
    const text = Buffer.from('a text that repeats itself '.repeat(20));
    const encoded = encodeTexts({ count: 1, types: new Uint8Array(1), ends: Uint32Array.of(text.length), bytes: text });
    expect(decodeTexts(encoded).bytes).to.deep.equal(new Uint8Array(text));
    checkBeforeInflating(() => {
      throw new Error('stopped');
    });
    expect(() => decodeTexts(encoded)).to.throw('stopped');
  });
});
