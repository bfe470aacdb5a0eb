/** The insert ids of a stored segment and their arrivals: they decide if its filter lets an id pass. */
import { emptySought, seekId, type SoughtId } from './insert-key.ts';
import type { Connection } from '../../file/shard-file.ts';
import { INSERT_ID, RECEIVED } from '../columns.ts';
import { IdLookup } from './id-lookup.ts';
import { decodeReceived } from './insert-filter.ts';
import { decodeInsertIds } from './insert-ids.ts';
import { segmentColumn } from '../segment-column.ts';

/** A segment, and the arrival of the first id in its filter. */
export interface IdSource {
  readonly segment: number;
  readonly first: number;
}

/** Ids, their texts as one character per byte, and the time after which they must have arrived. */
export interface Look {
  readonly ids: readonly string[];
  readonly since: number;
}

export class SegmentIds {
  readonly #lookup: IdLookup;
  readonly #read: () => Float64Array;
  /** null: no id has been found yet, as in most segments whose filter lets one pass by chance. */
  #received: Float64Array | null = null;

  /** @param read Returns the arrival of each row. */
  constructor(lookup: IdLookup, read: () => Float64Array) {
    this.#lookup = lookup;
    this.#read = read;
  }

  /** Bytes of memory once one of its ids has been found. */
  get bytes(): number {
    return this.#lookup.bytes + this.#lookup.rows * Float64Array.BYTES_PER_ELEMENT;
  }

  /** Makes a table if so many more lookups are worth it. */
  expect(looks: number): void {
    this.#lookup.expect(looks);
  }

  find({ ids, since }: Look, secret: readonly [number, number]): boolean[] {
    const sought = emptySought();
    return ids.map((id) => this.has(seekText(id, secret, sought), since));
  }

  /** Whether the id arrived after a time. */
  has(id: SoughtId, since: number): boolean {
    return this.#lookup.some(id, (row) => (this.#received ??= this.#read())[row]! > since);
  }
}

export const readLookup = (connection: Connection, { segment }: IdSource): IdLookup =>
  new IdLookup(decodeInsertIds(segmentColumn(connection, segment, INSERT_ID)));

export const readReceived = (connection: Connection, { segment, first }: IdSource): Float64Array =>
  decodeReceived(segmentColumn(connection, segment, RECEIVED), { first });

/** Which of the ids a segment has. @param secret The shard's key for hashes. */
export function findIds(
  connection: Connection,
  source: IdSource,
  { look, secret }: { readonly look: Look; readonly secret: readonly [number, number] },
): boolean[] {
  return new SegmentIds(readLookup(connection, source), () => readReceived(connection, source)).find(look, secret);
}

/** @param id Its text, one character per byte. */
export function seekText(id: string, secret: readonly [number, number], out: SoughtId): SoughtId {
  const bytes = Buffer.from(id, 'latin1');
  seekId(bytes, 0, bytes.length, secret, out);
  return out;
}
