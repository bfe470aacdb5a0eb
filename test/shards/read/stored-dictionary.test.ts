import { expect } from 'chai';
import type { TextList } from '../../../lib/shards/segment/encoding/texts.ts';
import { StoredDictionary, textCache } from '../../../lib/shards/read/stored-dictionary.ts';

function listOf(texts: readonly string[]): TextList {
  const bytes = new TextEncoder().encode(texts.join('')); // a buffer of its own
  let end = 0;
  const ends = Uint32Array.from(texts, (text) => (end += Buffer.byteLength(text)));
  return { count: texts.length, types: new Uint8Array(texts.length), ends, bytes };
}

/** A dictionary of one chunk, the texts stored in it, and how often they were read. */
function dictionaryOf(...texts: string[]): { dictionary: StoredDictionary; stored: string[]; reads: () => number } {
  let reads = 0;
  const dictionary = new StoredDictionary(
    'of a test',
    {
      chunks: () => [{ first: 1, count: texts.length }],
      texts: () => {
        reads++;
        return listOf(texts);
      },
      onlyStrings: () => true,
      find: () => null,
    },
    textCache(2_000),
  );
  dictionary.refresh();
  return { dictionary, stored: texts, reads: () => reads };
}

describe('a dictionary of a shard file', () => {
  it('keeps the texts that it has read when nothing was added', () => {
    const { dictionary, reads } = dictionaryOf('ann', 'bob');
    expect(dictionary.text(1)).to.equal('ann');
    dictionary.refresh();
    expect(dictionary.text(2)).to.equal('bob');
    expect(reads()).to.equal(1);
  });

  it('reads a chunk again that has absorbed others', () => {
    const { dictionary, stored, reads } = dictionaryOf('ann');
    expect(dictionary.text(1)).to.equal('ann');
    stored.push('bob');
    dictionary.refresh();
    expect([dictionary.size, dictionary.text(2), dictionary.find('ann')]).to.deep.equal([2, 'bob', 1]);
    expect(reads()).to.equal(2);
  });

  /** Chunks of one text, with so much room in the cache. */
  function chunksOf(texts: readonly TextList[], room: number) {
    const reads: number[] = [];
    const cache = textCache(room);
    const source = {
      chunks: () => texts.map((_, at) => ({ first: at + 1, count: 1 })),
      texts(first: number): TextList {
        reads.push(first);
        return texts[first - 1]!;
      },
      onlyStrings: () => true,
      find: () => null,
    };
    const dictionary = new StoredDictionary('of a test', source, cache);
    dictionary.refresh();
    return { dictionary, cache, reads };
  }

  it('keeps the texts that are used, and lets go of the rest', () => {
    const { dictionary, cache, reads } = chunksOf(
      Array.from({ length: 20 }, (_, at) => listOf([`${at}`.padStart(100)])),
      3_500,
    );
    for (let code = 2; code <= 20; code++) {
      expect(dictionary.text(code).trim()).to.equal(`${code - 1}`);
      expect(dictionary.text(1).trim()).to.equal('0');
      expect(cache.weight).to.be.within(1, 3_500);
    }
    dictionary.text(20);
    dictionary.text(2);
    expect(reads.filter((first) => first === 1)).to.have.length(1);
    expect(reads.filter((first) => first === 20)).to.have.length(1);
    expect(reads.filter((first) => first === 2)).to.have.length(2);
    dictionary.forget();
    expect(cache.weight).to.equal(0);
    expect(dictionary.text(1).trim()).to.equal('0');
  });

  it('reads texts again that are more than it may keep', () => {
    const { dictionary, cache, reads } = chunksOf([listOf(['x'.repeat(5_000)])], 3_500);
    expect([dictionary.text(1).length, dictionary.text(1).length]).to.deep.equal([5_000, 5_000]);
    expect([reads.length, cache.weight]).to.deep.equal([2, 0]);
  });

  it('counts texts by the buffers that it keeps, of which it may see a part', () => {
    const buffer = new ArrayBuffer(64 << 10);
    const { dictionary, cache } = chunksOf([{ ...listOf(['a']), bytes: new Uint8Array(buffer, 100, 1) }], 1 << 20);
    dictionary.text(1);
    expect(cache.weight).to.be.at.least(buffer.byteLength);
  });
});
