/** Bytes of a shard under a checksum: what a disk changed is found when it is read, not believed. */
import zlib from 'node:zlib';

/** A row with bytes, and their CRC-32; null: written by version 0.1.0. */
export interface StoredBytes {
  readonly data: Buffer;
  readonly sum: number | null;
}

export const sumOf = (data: Uint8Array | string): number => zlib.crc32(data);

/** A text under a checksum, which is one over its UTF-8. Throws when it is not what was written. */
export function textOf(text: string, sum: number | null): string {
  if (sum !== null && zlib.crc32(text) !== sum) throw new Error('a stored text does not have its checksum');
  return text;
}

/** The bytes of a row. Throws when they are not those that were written. */
export function bytesOf({ data, sum }: StoredBytes): Buffer {
  if (sum !== null && zlib.crc32(data) !== sum) throw new Error('stored bytes do not have their checksum');
  return data;
}
