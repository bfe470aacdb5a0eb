import { expect } from 'chai';
import type { TextList } from '../../../lib/shards/segment/encoding/texts.ts';
import { RecentLists } from '../../../lib/shards/read/recent-lists.ts';
import { StoredDictionary } from '../../../lib/shards/read/stored-dictionary.ts';

function listOf(texts: readonly string[]): TextList {
  const bytes = Buffer.from(texts.join(''));
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
    new RecentLists(1_000),
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
});
