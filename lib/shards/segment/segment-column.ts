import { prepared, type Connection } from '../file/shard-file.ts';
import { bytesOf, type StoredBytes } from '../file/stored-bytes.ts';

/** The bytes of a column; throws if the segment lacks it. */
export function segmentColumn(connection: Connection, segment: number, field: number): Buffer {
  const row = prepared<[number, number], StoredBytes>(
    connection,
    'SELECT data, sum FROM columns WHERE segment = ? AND field = ?',
  ).get(segment, field);
  if (!row) throw new Error(`segment ${segment} lacks column ${field}`);
  return bytesOf(row);
}
