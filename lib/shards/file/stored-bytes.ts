/** Bytes of a shard with a checksum, so that reading finds whatever a disk has changed. */
import zlib from 'node:zlib';
import { readJson } from '../../base/text/read-json.ts';

/** A row's bytes and their CRC-32; null if written by version 0.1.0. */
export interface StoredBytes {
  readonly data: Buffer;
  readonly sum: number | null;
}

export const sumOf = (data: Uint8Array | string): number => zlib.crc32(data);

/** A text with the checksum of its UTF-8. Throws if it is not what was written. */
export function checkedText(text: string, sum: number | null): string {
  if (sum !== null && zlib.crc32(text) !== sum) throw new Error('a stored text does not have its checksum');
  return text;
}

/** The bytes of a row. Throws if they are not what was written. */
export function checkedBytes({ data, sum }: StoredBytes): Buffer {
  if (sum !== null && zlib.crc32(data) !== sum) throw new Error('stored bytes do not have their checksum');
  return data;
}

/** Parses JSON written by the shard itself: the caller names the type, and nothing is checked. */
export function parseStored<T>(text: string): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this package, under a checksum or in a transaction
  return readJson(text) as T;
}
