/** The insert ids of a segment by what they are: the exact look that follows where a filter lets one pass. */
import { isSameId, slotOfKey, type SoughtId } from '../insert-key.ts';
import { textHash } from '../text-hash.ts';
import { HEX16, MADE, placeOfId, type IdPlace, type InsertIds } from './insert-ids.ts';

export class IdLookup {
  readonly #ids: InsertIds;
  /** Row + 1 by key; open addressing. */
  readonly #slots: Uint32Array;

  /** @param secret The shard's, as for `seekId`. */
  constructor(ids: InsertIds, secret: readonly [number, number]) {
    this.#ids = ids;
    const { kinds, high, low } = ids;
    let size = 4;
    while (size < kinds.length * 2) size *= 2;
    this.#slots = new Uint32Array(size);
    const hash = { a: 0, b: 0, c: 0 };
    const place = emptyPlace();
    for (let row = 0; row < kinds.length; row++) {
      if (kinds[row] === MADE) continue;
      if (kinds[row] === HEX16) this.#add(row, high[row]!, low[row]!);
      else {
        placeOfId(ids, row, place);
        textHash(place.bytes, place, secret, hash);
        this.#add(row, hash.a, hash.b);
      }
    }
  }

  /** Bytes of memory. */
  get bytes(): number {
    const { kinds, texts, uuids } = this.#ids;
    return (
      kinds.length * 9 + uuids.length + (texts ? texts.bytes.length + texts.count * 5 : 0) + this.#slots.byteLength
    );
  }

  /** Whether there is a row with the id that passes. */
  some(sought: SoughtId, passes: (row: number) => boolean): boolean {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const place = emptyPlace();
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

  #add(row: number, high: number, low: number): void {
    const mask = this.#slots.length - 1;
    let i = slotOfKey(high, low) & mask;
    while (this.#slots[i] !== 0) i = (i + 1) & mask;
    this.#slots[i] = row + 1;
  }
}

const emptyPlace = (): IdPlace => ({ bytes: new Uint8Array(0), start: 0, end: 0 });
