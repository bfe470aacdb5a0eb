/**
 * Hash → code, by open addressing. A large table is in parts that grow one at a time: rehashing a million entries takes some
 * fifty milliseconds, during which the thread could do nothing else.
 */
const FIRST_SLOTS = 16;
/** Shared by all tables without entries. */
const NO_PAIRS = new Uint32Array(2);
/** Entries from which on there are parts, and bits of the number of parts: the hash's high bits select one. */
const WHOLE = 32_768;
const PART_BITS = 6;

export class TextSlots {
  /** Pairs of hash and code; code 0: free. */
  #parts: Uint32Array[] = [NO_PAIRS];
  #counts = [0];

  /** Bytes of memory in use. */
  get memory(): number {
    return this.#parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** The pairs to search for a hash, from `hash & (length / 2 - 1)` on, until one is free. */
  part(hash: number): Uint32Array {
    return this.#parts[this.#index(hash)]!;
  }

  /** Makes room for another entry with this hash. */
  room(hash: number): void {
    if (this.#parts.length === 1 && this.#counts[0]! >= WHOLE) this.#divide();
    const index = this.#index(hash);
    const old = this.#parts[index]!;
    if ((this.#counts[index]! + 1) * 4 <= old.length) return;
    const larger = new Uint32Array(Math.max(FIRST_SLOTS, old.length) * 2);
    for (let i = 0; i < old.length; i += 2) if (old[i + 1] !== 0) place(larger, old[i]!, old[i + 1]!);
    this.#parts[index] = larger;
  }

  /** Adds an entry that `room` was made for. */
  put(hash: number, code: number): void {
    const index = this.#index(hash);
    place(this.#parts[index]!, hash, code);
    this.#counts[index]!++;
  }

  #divide(): void {
    const old = this.#parts[0]!;
    const slots = old.length >>> PART_BITS;
    this.#parts = Array.from({ length: 1 << PART_BITS }, () => new Uint32Array(slots));
    this.#counts = Array<number>(1 << PART_BITS).fill(0);
    for (let i = 0; i < old.length; i += 2) {
      if (old[i + 1] === 0) continue;
      this.room(old[i]!);
      this.put(old[i]!, old[i + 1]!);
    }
  }

  #index(hash: number): number {
    return this.#parts.length === 1 ? 0 : hash >>> (32 - PART_BITS);
  }
}

function place(pairs: Uint32Array, hash: number, code: number): void {
  const mask = (pairs.length >>> 1) - 1;
  let i = hash & mask;
  while (pairs[i * 2 + 1] !== 0) i = (i + 1) & mask;
  pairs[i * 2] = hash;
  pairs[i * 2 + 1] = code;
}
