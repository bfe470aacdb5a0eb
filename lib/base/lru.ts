/** What an entry of a cache takes beside its value, about: its key, its place, and the objects around its arrays. Bytes. */
export const BESIDE = 512;

interface Kept<V> {
  readonly value: V;
  readonly weight: number;
}

/** Keeps values by key, as many as their weights allow together; evicts the least recently used. */
export class Lru<K, V> {
  /** The least recently used first: a Map keeps the order in which keys were set. */
  readonly #entries = new Map<K, Kept<V>>();
  /** The last one, which a use does not move: loops ask for one key again and again. */
  #newest: Kept<V> | null = null;
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
    return [...this.#entries.keys()];
  }

  /** The value under a key, which counts as use. */
  get(key: K): V | undefined {
    const kept = this.#entries.get(key);
    if (kept === undefined) return undefined;
    if (kept !== this.#newest) {
      this.#entries.delete(key);
      this.#entries.set(key, kept);
      this.#newest = kept;
    }
    return kept.value;
  }

  /** The value under a key, which does not count as use. */
  peek(key: K): V | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Keeps a value in place of an earlier one. Returns false for one that is heavier than all may be together: it is not kept. */
  set(key: K, value: V, weight = 1): boolean {
    this.delete(key);
    if (weight > this.#most) return false;
    this.makeRoom(weight);
    this.#newest = { value, weight };
    this.#entries.set(key, this.#newest);
    this.#weight += weight;
    return true;
  }

  delete(key: K): V | undefined {
    const kept = this.#entries.get(key);
    if (kept === undefined) return undefined;
    this.#entries.delete(key);
    if (kept === this.#newest) this.#newest = null;
    this.#weight -= kept.weight;
    return kept.value;
  }

  clear(): void {
    this.#entries.clear();
    this.#newest = null;
    this.#weight = 0;
  }

  /** Evicts values until so much more fits. */
  makeRoom(weight: number): void {
    for (const [key, { value }] of this.#entries) {
      if (this.#weight + weight <= this.#most) return;
      this.#onEvict(value, key);
      this.delete(key);
    }
  }

  /** Sets the weight of all together. */
  limit(most: number): void {
    this.#most = most;
    this.makeRoom(0);
  }
}

/** The function, which remembers its last results; not for texts longer than `keyLength` UTF-16 units: that bounds the memory. */
export function remembered<V extends object>(
  { entries, keyLength }: { readonly entries: number; readonly keyLength: number },
  make: (text: string) => V,
): (text: string) => V {
  const results = new Lru<string, V>(entries);
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const made = make(text);
    if (text.length <= keyLength) results.set(text, made);
    return made;
  };
}
