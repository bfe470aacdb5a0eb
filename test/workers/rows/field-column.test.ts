import { expect } from 'chai';
import type { Dictionary } from '../../../lib/shards/shard-reader.ts';
import { dictionaryOf, type ValueDictionary } from '../../../lib/workers/rows/field-column.ts';

/** Characters that a thread keeps of one dictionary, and in all. */
const [OF_ONE, IN_ALL] = [2 ** 20, 16 * 2 ** 20];

describe('a stored dictionary', () => {
  /** One of few long texts. `made`: how many of them were read. */
  function longTexts(nth: number): { readonly values: ValueDictionary; readonly made: () => number } {
    let made = 0;
    const text = (code: number): string => {
      made++;
      return `${nth} ${code} `.padEnd(OF_ONE / 5, 'x');
    };
    const stored: Dictionary = {
      key: `long ${nth}`,
      size: 4,
      type: () => 'string',
      text,
      find: () => 0,
      compare: () => 0,
    };
    return { values: dictionaryOf(stored), made: () => made };
  }
  const readAll = (values: ValueDictionary): void => {
    for (let code = 1; code <= values.size; code++) values.text(code);
  };

  it('keeps texts, but only some of those of many dictionaries', () => {
    const all = Array.from({ length: (2 * IN_ALL) / OF_ONE }, (_, nth) => longTexts(nth));
    for (const { values } of all) readAll(values);
    const [first, last] = [all[0]!, all.at(-1)!];
    for (const { values } of [first, last]) readAll(values);
    expect([first.made(), last.made()]).to.deep.equal([8, 4]);
  });
});
