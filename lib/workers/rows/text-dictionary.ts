/** A dictionary in which only strings count: `_url` is `event_properties.url` where that is a string. */
import type { ValueDictionary, ValueType } from './field-column.ts';

/** The strings of a dictionary, always the same for the same one. */
export function stringsIn(dictionary: ValueDictionary): ValueDictionary {
  const known = dictionaries.get(dictionary) ?? new TextDictionary(dictionary);
  dictionaries.set(dictionary, known);
  return known;
}

const dictionaries = new WeakMap<ValueDictionary, TextDictionary>();

class TextDictionary implements ValueDictionary {
  readonly #dictionary: ValueDictionary;
  readonly key: string;

  constructor(dictionary: ValueDictionary) {
    this.#dictionary = dictionary;
    this.key = `text:${dictionary.key}`;
  }

  get size(): number {
    return this.#dictionary.size;
  }
  get onlyStrings(): boolean {
    return this.#dictionary.onlyStrings ?? false;
  }
  type(code: number): ValueType {
    return this.#dictionary.type(code) === 'string' ? 'string' : 'null';
  }
  text(code: number): string {
    return this.#dictionary.text(code);
  }
  number(code: number): number {
    return this.#dictionary.number(code);
  }
  find(text: string): number {
    return this.#dictionary.find?.(text) ?? 0;
  }
}
