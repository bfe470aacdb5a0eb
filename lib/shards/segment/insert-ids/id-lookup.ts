/** Looks up insert ids of a segment: the exact check if a filter lets an id pass. */
import { isSameId, slotOfKey, type SoughtId } from './insert-key.ts';
import { hashBytes } from '../../hashing/hash.ts';
import { threshold } from '../../../base/threshold.ts';
import { HEX16, MADE, placeOfId, type IdPlace, type InsertIds } from './insert-ids.ts';

/** Lookups that scan all ids; for more, a table pays. */
const FEW = threshold('looks for an insert id without a table', 8);

export class IdLookup {
  readonly #ids: InsertIds;
  /** Row + 1 by key, open addressing; empty until there are many lookups. */
  #slots = new Uint32Array(0);
  #looks = 0;

  constructor(ids: InsertIds) {
    this.#ids = ids;
  }

  /** Makes a table if so many more lookups are worth it. */
  expect(looks: number): void {
    if (this.#slots.length === 0 && this.#looks + looks > FEW.value) this.#makeTable();
  }

  get rows(): number {
    return this.#ids.kinds.length;
  }

  /** Bytes of memory, including the table. */
  get bytes(): number {
    const { kinds, texts, uuids } = this.#ids;
    const text = texts ? texts.bytes.length + texts.count * 5 : 0;
    return kinds.length * 9 + uuids.length + text + this.#tableLength * 4;
  }

  /** Whether any row with the id satisfies `passes`. */
  some(sought: SoughtId, passes: (row: number) => boolean): boolean {
    const place = emptyPlace();
    this.expect(1);
    this.#looks++;
    if (this.#slots.length === 0) {
      const { length } = this.#ids.kinds;
      for (let row = 0; row < length; row++) if (this.#isAt(row, sought, place) && passes(row)) return true;
      return false;
    }
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let i = slotOf(sought.kind, sought) & mask; slots[i] !== 0; i = (i + 1) & mask) {
      const row = slots[i]! - 1;
      if (this.#isAt(row, sought, place) && passes(row)) return true;
    }
    return false;
  }

  #isAt(row: number, sought: SoughtId, place: IdPlace): boolean {
    const { kinds, high, low } = this.#ids;
    if (kinds[row] !== sought.kind) return false;
    if (sought.kind === HEX16) return high[row] === sought.high && low[row] === sought.low;
    placeOfId(this.#ids, row, place);
    return isSameId(sought, place);
  }

  /** A power of two, at least twice the rows. */
  get #tableLength(): number {
    return 2 ** Math.ceil(Math.log2(Math.max(2, this.#ids.kinds.length * 2)));
  }

  #makeTable(): void {
    const { kinds, high, low } = this.#ids;
    const slots = (this.#slots = new Uint32Array(this.#tableLength));
    const mask = slots.length - 1;
    const key = { ...emptyPlace(), high: 0, low: 0 };
    for (let row = 0; row < kinds.length; row++) {
      if (kinds[row] === MADE) continue;
      key.high = high[row]!;
      key.low = low[row]!;
      if (kinds[row] !== HEX16) placeOfId(this.#ids, row, key);
      let i = slotOf(kinds[row]!, key) & mask;
      while (slots[i] !== 0) i = (i + 1) & mask;
      slots[i] = row + 1;
    }
  }
}

/** The slot of an id. Those who choose ids cannot predict it, since hashes use a secret of the process. */
const slotOf = (kind: number, { high, low, bytes, start, end }: Omit<SoughtId, 'kind'>): number =>
  kind === HEX16 ? slotOfKey(high, low) : hashBytes(bytes, start, end);

const emptyPlace = (): IdPlace => ({ bytes: new Uint8Array(0), start: 0, end: 0 });
