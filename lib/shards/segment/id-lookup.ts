/** The insert ids of a segment by what they are: the exact look that follows where a filter lets one pass. */
import { isSameId, slotOfKey, type SoughtId } from '../insert-key.ts';
import { textHash } from '../text-hash.ts';
import { threshold } from '../../threshold.ts';
import { HEX16, MADE, placeOfId, type IdPlace, type InsertIds } from './insert-ids.ts';

/** Looks that go through all ids: where there are more, a table pays. */
const FEW = threshold('looks for an insert id without a table', 8);

export class IdLookup {
  readonly #ids: InsertIds;
  readonly #secret: readonly [number, number];
  /** Row + 1 by key, open addressing; empty until there were many looks. */
  #slots = new Uint32Array(0);
  #looks = 0;

  /** @param secret The shard's, as for `seekId`. */
  constructor(ids: InsertIds, secret: readonly [number, number]) {
    this.#ids = ids;
    this.#secret = secret;
  }

  /** Bytes of memory, those of the table included. */
  get bytes(): number {
    const { kinds, texts, uuids } = this.#ids;
    const text = texts ? texts.bytes.length + texts.count * 5 : 0;
    return kinds.length * 9 + uuids.length + text + this.#tableLength * 4;
  }

  /** Whether there is a row with the id that passes. */
  some(sought: SoughtId, passes: (row: number) => boolean): boolean {
    const place = emptyPlace();
    if (this.#looks++ < FEW.value) {
      const { length } = this.#ids.kinds;
      for (let row = 0; row < length; row++) if (this.#isAt(row, sought, place) && passes(row)) return true;
      return false;
    }
    if (this.#slots.length === 0) this.#makeTable();
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let i = slotOfKey(sought.high, sought.low) & mask; slots[i] !== 0; i = (i + 1) & mask) {
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

  /** A power of two, twice the rows at least. */
  get #tableLength(): number {
    return 2 ** Math.ceil(Math.log2(Math.max(2, this.#ids.kinds.length * 2)));
  }

  #makeTable(): void {
    const { kinds, high, low } = this.#ids;
    this.#slots = new Uint32Array(this.#tableLength);
    const hash = { a: 0, b: 0, c: 0 };
    const place = emptyPlace();
    for (let row = 0; row < kinds.length; row++) {
      if (kinds[row] === MADE) continue;
      if (kinds[row] === HEX16) this.#add(row, high[row]!, low[row]!);
      else {
        placeOfId(this.#ids, row, place);
        textHash(place.bytes, place, this.#secret, hash);
        this.#add(row, hash.a, hash.b);
      }
    }
  }

  #add(row: number, high: number, low: number): void {
    const mask = this.#slots.length - 1;
    let i = slotOfKey(high, low) & mask;
    while (this.#slots[i] !== 0) i = (i + 1) & mask;
    this.#slots[i] = row + 1;
  }
}

const emptyPlace = (): IdPlace => ({ bytes: new Uint8Array(0), start: 0, end: 0 });
