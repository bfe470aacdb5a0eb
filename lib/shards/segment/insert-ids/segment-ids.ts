/** The insert ids of a stored segment and their arrivals: they decide if its filter lets an id pass. */
import { emptySought, isSameId, seekId, slotOfKey, type SoughtId } from './insert-key.ts';
import type { Connection } from '../../file/shard-file.ts';
import { COLUMN } from '../columns.ts';
import { hashBytes } from '../../hashing/hash.ts';
import { decodeReceived } from './insert-filter.ts';
import { bytesOfIds, decodeInsertIds, HEX16, MADE, placeOfId, type IdPlace, type InsertIdRows } from './insert-ids.ts';
import { segmentColumn } from '../store.ts';
import type { Secret } from '../../hashing/text-hash.ts';

/** A segment, and the arrival of the first id in its filter. */
export interface IdSource {
  readonly segment: number;
  readonly first: number;
}

/** Ids, their texts as one character per byte, and the time after which one is recent. */
export interface Look {
  readonly ids: readonly string[];
  readonly since: number;
}

/** What a segment has of an id: nothing, or the sum of these. */
export const FOUND = { recent: 1, imported: 2 } as const;

export class SegmentIds {
  readonly #ids: InsertIdRows;
  readonly #read: () => Float64Array;
  /** null: no id has been found yet, as in most segments whose filter lets one pass by chance. */
  #received: Float64Array | null = null;
  /** Row + 1 by key, open addressing. */
  readonly #slots: Uint32Array;

  /** @param read Returns the arrival of each row. */
  constructor(ids: InsertIdRows, read: () => Float64Array) {
    this.#ids = ids;
    this.#read = read;
    this.#slots = slotsOf(ids);
  }

  /** Bytes of memory, including the table, once one of its ids has been found. */
  get bytes(): number {
    const received = this.#ids.kinds.length * Float64Array.BYTES_PER_ELEMENT;
    return bytesOfIds(this.#ids) + received + this.#slots.byteLength;
  }

  find({ ids, since }: Look, secret: Secret): number[] {
    const sought = emptySought();
    return ids.map((id) => this.found(seekText(id, secret, sought), since));
  }

  /** Whether the id arrived after a time, and whether an event of an import has it: as `FOUND`. */
  found(sought: SoughtId, since: number): number {
    const place = emptyPlace();
    const slots = this.#slots;
    const mask = slots.length - 1;
    let found = 0;
    for (let i = slotOf(sought.kind, sought) & mask; slots[i] !== 0; i = (i + 1) & mask) {
      const row = slots[i]! - 1;
      if (!this.#isAt(row, sought, place)) continue;
      if (this.#ids.imported[row] === 1) found |= FOUND.imported;
      if (this.#isAfter(row, since)) found |= FOUND.recent;
    }
    return found;
  }

  #isAfter(row: number, since: number): boolean {
    return (this.#received ??= this.#read())[row]! > since;
  }

  #isAt(row: number, sought: SoughtId, place: IdPlace): boolean {
    const { kinds, high, low } = this.#ids;
    if (kinds[row] !== sought.kind) return false;
    if (sought.kind === HEX16) return high[row] === sought.high && low[row] === sought.low;
    placeOfId(this.#ids, row, place);
    return isSameId(sought, place);
  }
}

/** The table of the ids' rows: a power of two, at least twice as many. */
function slotsOf(ids: InsertIdRows): Uint32Array {
  const { kinds, high, low } = ids;
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(2, kinds.length * 2))));
  const mask = slots.length - 1;
  const key = { ...emptyPlace(), high: 0, low: 0 };
  for (let row = 0; row < kinds.length; row++) {
    if (kinds[row] === MADE) continue;
    key.high = high[row]!;
    key.low = low[row]!;
    if (kinds[row] !== HEX16) placeOfId(ids, row, key);
    let i = slotOf(kinds[row]!, key) & mask;
    while (slots[i] !== 0) i = (i + 1) & mask;
    slots[i] = row + 1;
  }
  return slots;
}

export const readInsertIds = (connection: Connection, { segment }: IdSource): InsertIdRows =>
  decodeInsertIds(segmentColumn(connection, segment, COLUMN.insertId));

export const readReceived = (connection: Connection, { segment, first }: IdSource): Float64Array =>
  decodeReceived(segmentColumn(connection, segment, COLUMN.received), { first });

/** What a segment has of each id, as `FOUND`. @param secret The shard's key for hashes. */
export function findIds(
  connection: Connection,
  source: IdSource,
  { look, secret }: { readonly look: Look; readonly secret: Secret },
): number[] {
  return new SegmentIds(readInsertIds(connection, source), () => readReceived(connection, source)).find(look, secret);
}

/** @param id Its text, one character per byte. */
export function seekText(id: string, secret: Secret, out: SoughtId): SoughtId {
  const bytes = Buffer.from(id, 'latin1');
  seekId(bytes, 0, bytes.length, secret, out);
  return out;
}

/** The slot of an id. Those who choose ids cannot predict it, since hashes use a secret of the process. */
const slotOf = (kind: number, { high, low, bytes, start, end }: Omit<SoughtId, 'kind' | 'uuid'>): number =>
  kind === HEX16 ? slotOfKey(high, low) : hashBytes(bytes, start, end);

const emptyPlace = (): IdPlace => ({ bytes: new Uint8Array(0), start: 0, end: 0 });
