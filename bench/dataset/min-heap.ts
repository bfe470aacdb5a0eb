/** A heap of values with numeric keys, least first. Equal keys come out in an arbitrary but always the same order. */
export class MinHeap<T> {
  readonly #keys: number[] = [];
  readonly #values: T[] = [];

  get size(): number {
    return this.#keys.length;
  }

  /** Infinity when empty. */
  get leastKey(): number {
    return this.#keys[0] ?? Infinity;
  }

  push(key: number, value: T): void {
    const keys = this.#keys;
    const values = this.#values;
    let at = keys.length;
    keys.push(key);
    values.push(value);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (keys[parent]! <= key) break;
      keys[at] = keys[parent]!;
      values[at] = values[parent]!;
      at = parent;
    }
    keys[at] = key;
    values[at] = value;
  }

  /** Throws when empty. */
  pop(): T {
    const least = this.#values[0];
    const key = this.#keys.pop();
    const value = this.#values.pop();
    if (least === undefined || key === undefined || value === undefined) throw new Error('pop of an empty heap');
    if (this.#keys.length > 0) this.#sink(key, value);
    return least;
  }

  /** Inserts a value at the top and lets it sink to its place. */
  #sink(key: number, value: T): void {
    const keys = this.#keys;
    const values = this.#values;
    const end = keys.length;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= end) break;
      if (child + 1 < end && keys[child + 1]! < keys[child]!) child++;
      if (keys[child]! >= key) break;
      keys[at] = keys[child]!;
      values[at] = values[child]!;
      at = child;
    }
    keys[at] = key;
    values[at] = value;
  }
}
