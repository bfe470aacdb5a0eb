/** The insert ids of a stored segment and their arrivals: they decide if its filter lets an id pass. */
import { emptySought, isSameId, seekId, slotOfKey, type SoughtId } from './insert-key.ts';
import type { Connection } from '../../file/shard-file.ts';
import { COLUMN } from '../columns.ts';
import { hashBytes } from '../../hashing/hash.ts';
import { decodeReceived } from './insert-filter.ts';
import { bytesOfIds, decodeInsertIds, HEX16, MADE, placeOfId, type IdPlace, type InsertIdRows } from './insert-ids.ts';
import { segmentColumn } from '../store.ts';
import type { Secret } from '../../hashing/text-hash.ts';
import { threshold } from '../../../base/threshold.ts';

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

/** A table of all ids takes as long as so many lookups without it: most segments are asked for one, which passed by chance. */
const FEW = threshold('lookups of insert ids before a table of them', 8);

export class SegmentIds {
  readonly #ids: InsertIdRows;
  readonly #read: () => Float64Array;
  /** null: no id has been found yet, as in most segments whose filter lets one pass by chance. */
  #received: Float64Array | null = null;
  /** Row + 1 by key, open addressing; null: few ids were looked up so far. */
  #slots: Uint32Array | null = null;
  #lookups = 0;

  /** @param read Returns the arrival of each row. */
  constructor(ids: InsertIdRows, read: () => Float64Array) {
    this.#ids = ids;
    this.#read = read;
  }

  /** Bytes of memory, including the table, once one of its ids has been found. */
  get bytes(): number {
    const received = this.#ids.kinds.length * Float64Array.BYTES_PER_ELEMENT;
    return bytesOfIds(this.#ids) + received + slotCount(this.#ids) * Uint32Array.BYTES_PER_ELEMENT;
  }

  find({ ids, since }: Look, secret: Secret): number[] {
    this.#lookups += ids.length;
    if (this.#lookups > FEW.value) this.#slots ??= slotsOf(this.#ids);
    const sought = emptySought();
    return ids.map((id) => this.#found(seekText(id, secret, sought), since));
  }

  /** Whether the id arrived after a time, and whether an event of an import has it: as `FOUND`. */
  #found(sought: SoughtId, since: number): number {
    let found = 0;
    for (const row of this.#rowsOf(sought)) {
      if (this.#ids.imported[row] === 1) found |= FOUND.imported;
      if (this.#isAfter(row, since)) found |= FOUND.recent;
    }
    return found;
  }

  /** The rows that have an id. */
  #rowsOf(sought: SoughtId): number[] {
    const place = emptyPlace();
    const rows: number[] = [];
    const slots = this.#slots;
    if (slots === null) {
      const { kinds } = this.#ids;
      for (let row = 0; row < kinds.length; row++) if (this.#isAt(row, sought, place)) rows.push(row);
      return rows;
    }
    const mask = slots.length - 1;
    for (let i = slotOf(sought.kind, sought) & mask; slots[i] !== 0; i = (i + 1) & mask) {
      const row = slots[i]! - 1;
      if (this.#isAt(row, sought, place)) rows.push(row);
    }
    return rows;
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

/** A power of two, at least twice as many as rows. */
const slotCount = ({ kinds }: InsertIdRows): number => 2 ** Math.ceil(Math.log2(Math.max(2, kinds.length * 2)));

/** The table of the ids' rows. */
function slotsOf(ids: InsertIdRows): Uint32Array {
  const { kinds, high, low } = ids;
  const slots = new Uint32Array(slotCount(ids));
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

export const readInsertIds = (connection: Connection, segment: number): InsertIdRows =>
  decodeInsertIds(segmentColumn(connection, segment, COLUMN.insertId));

export const readReceived = (connection: Connection, { segment, first }: IdSource): Float64Array =>
  decodeReceived(segmentColumn(connection, segment, COLUMN.received), { first });

/** What a segment has of each id, as `FOUND`. @param secret The shard's key for hashes. */
export function findIds(
  connection: Connection,
  source: IdSource,
  { look, secret }: { readonly look: Look; readonly secret: Secret },
): number[] {
  return new SegmentIds(readInsertIds(connection, source.segment), () => readReceived(connection, source)).find(
    look,
    secret,
  );
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
