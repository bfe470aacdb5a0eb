/** The numbers that the values of a dictionary spell. */
import type { ValueDictionary } from './field-column.ts';
import { CHECK_EVERY } from '../check-every.ts';

/** By code: whether its value is or spells a number, and which. */
interface SpelledNumbers {
  size: number;
  count: number;
  has: Uint8Array;
  values: Float64Array;
}

const known = new WeakMap<ValueDictionary, SpelledNumbers>();

/** The number that each code spells. Cached with the dictionary. */
export function spelledBy(dictionary: ValueDictionary, checkpoint: () => void): SpelledNumbers {
  const spelt = known.get(dictionary) ?? { size: 0, count: 0, has: new Uint8Array(0), values: new Float64Array(0) };
  if (spelt.size < dictionary.size) {
    const has = new Uint8Array(dictionary.size + 1);
    const values = new Float64Array(dictionary.size + 1);
    has.set(spelt.has);
    values.set(spelt.values);
    for (let code = spelt.size + 1; code <= dictionary.size; code++) {
      if (code % CHECK_EVERY === 0) checkpoint();
      const number = dictionary.number(code);
      has[code] = Number.isNaN(number) ? 0 : 1;
      spelt.count += has[code]!;
      values[code] = number;
    }
    Object.assign(spelt, { has, values, size: dictionary.size });
    known.set(dictionary, spelt);
  }
  return spelt;
}
