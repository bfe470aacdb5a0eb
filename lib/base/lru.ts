import { LinkedList, type Place } from './linked-list.ts';

interface Kept<K, V> {
  readonly key: K;
  readonly value: V;
  readonly weight: number;
}

/** Keeps values by key, as many as their weights allow together; evicts the least recently used. */
export class Lru<K, V> {
  readonly #entries = new Map<K, Place<Kept<K, V>>>();
  /** The least recently used first. */
  readonly #order = new LinkedList<Kept<K, V>>();
  readonly #onEvict: (value: V, key: K) => void;
  #most: number;
  #weight = 0;

  /** @param most Weight of all values together. @param onEvict Called before a value makes room for others. */
  constructor(most: number, onEvict: (value: V, key: K) => void = () => undefined) {
    this.#most = most;
    this.#onEvict = onEvict;
  }

  get size(): number {
    return this.#entries.size;
  }
  get weight(): number {
    return this.#weight;
  }
  has(key: K): boolean {
    return this.#entries.has(key);
  }
  keys(): K[] {
    return Array.from(this.#order, ({ key }) => key);
  }

  /** The value under a key, which counts as use. */
  get(key: K): V | undefined {
    const place = this.#entries.get(key);
    if (place === undefined) return undefined;
    this.#order.moveToEnd(place);
    return place.value.value;
  }

  /** The value under a key, which does not count as use. */
  peek(key: K): V | undefined {
    return this.#entries.get(key)?.value.value;
  }

  /** Keeps a value in place of an earlier one. Returns false for one that is heavier than all may be together: it is not kept. */
  set(key: K, value: V, weight = 1): boolean {
    this.delete(key);
    if (weight > this.#most) return false;
    this.makeRoom(weight);
    this.#entries.set(key, this.#order.push({ key, value, weight }));
    this.#weight += weight;
    return true;
  }

  delete(key: K): V | undefined {
    const place = this.#entries.get(key);
    if (place === undefined) return undefined;
    this.#entries.delete(key);
    this.#order.remove(place);
    this.#weight -= place.value.weight;
    return place.value.value;
  }

  clear(): void {
    this.#entries.clear();
    this.#order.clear();
    this.#weight = 0;
  }

  /** Evicts values until so much more fits. */
  makeRoom(weight: number): void {
    while (this.#weight + weight > this.#most) {
      const oldest = this.#order.first;
      if (oldest === null) return;
      this.#onEvict(oldest.value, oldest.key);
      this.delete(oldest.key);
    }
  }

  /** Sets the weight of all together. */
  limit(most: number): void {
    this.#most = most;
    this.makeRoom(0);
  }
}
