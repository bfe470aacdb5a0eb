/** A codebook in which only strings count: `_url` is what `event_properties.url` has of them. */
import type { Codebook, ValueType } from './field-column.ts';

export class TextBook implements Codebook {
  readonly #book: Codebook;
  readonly key: string;

  constructor(book: Codebook) {
    this.#book = book;
    this.key = `text:${book.key}`;
  }

  get size(): number {
    return this.#book.size;
  }
  type(code: number): ValueType {
    return this.#book.type(code) === 'string' ? 'string' : 'null';
  }
  text(code: number): string {
    return this.#book.text(code);
  }
  number(code: number): number {
    return this.#book.number(code);
  }
  find(text: string): number {
    return this.#book.find?.(text) ?? 0;
  }
}
