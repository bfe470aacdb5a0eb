/** A bounded cache by text; evicts the least recently used entry. */
export class Lru<V> {
  readonly #entries = new Map<string, V>();
  readonly #limits: { readonly entries: number; readonly keyLength: number };

  /** Keys longer than `keyLength` UTF-16 units are not cached, which bounds the memory. */
  constructor(limits: { readonly entries: number; readonly keyLength: number }) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The value of a key, made if it is not cached. */
  get(key: string, make: (key: string) => V): V {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known;
    }
    const made = make(key);
    if (key.length <= this.#limits.keyLength) this.#keep(key, made);
    return made;
  }

  #keep(key: string, value: V): void {
    if (this.#entries.size >= this.#limits.entries) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    }
    this.#entries.set(key, value);
  }
}
