import { type Connection, prepared } from '../file/shard-file.ts';
import { smallTable } from '../file/small-tables.ts';
import type { SegmentEntry } from './shard-meta.ts';
import { COLUMN } from './columns.ts';
import { sumOf, checkedBytes, type StoredBytes } from '../file/stored-bytes.ts';
import type { EncodedSegment } from './encode.ts';

/** Writes a segment and its columns inside the caller's transaction. */
export function storeSegment(connection: Connection, segment: EncodedSegment, tidy: boolean): SegmentEntry {
  const { rows, first, last, types, ids } = segment;
  const counts = Buffer.from(types).toString('latin1');
  const id = Number(
    connection
      .prepare(
        'INSERT INTO segments (rows, first, last, types, tidy, sum, ids_first, ids_last, imports) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(
        ...[rows, first, last, counts, tidy ? 1 : 0, sumOf(counts)],
        ...[ids?.first ?? null, ids?.last ?? null, ids?.imports === true ? 1 : 0],
      ).lastInsertRowid,
  );
  const insert = connection.prepare('INSERT INTO columns (segment, field, data, sum) VALUES (?, ?, ?, ?)');
  for (const { field, data } of segment.columns) insert.run(id, field, data, sumOf(data));
  return { id, rows, first, last, tidy, ids };
}

/** Hides segments from queries; their bytes stay until `purgeSegments`. */
export function retireSegments(connection: Connection, ids: readonly number[]): void {
  const retire = connection.prepare('UPDATE segments SET live = 0 WHERE id = ?');
  for (const id of ids) retire.run(id);
}

/** Removes the filters of segments whose insert ids have all expired. */
export function forgetIds(connection: Connection, ids: readonly number[]): void {
  const columns = connection.prepare('DELETE FROM columns WHERE segment = ? AND field IN (?, ?)');
  const segment = connection.prepare('UPDATE segments SET ids_first = NULL, ids_last = NULL WHERE id = ?');
  for (const id of ids) {
    columns.run(id, COLUMN.insertFilter, COLUMN.received);
    segment.run(id);
  }
}

/** Removes the bytes of retired segments. */
export function purgeSegments(connection: Connection, ids: readonly number[]): void {
  const columns = connection.prepare('DELETE FROM columns WHERE segment = ?');
  const segment = connection.prepare('DELETE FROM segments WHERE id = ? AND live = 0');
  for (const id of ids) {
    columns.run(id);
    segment.run(id);
  }
}

/** Whether an earlier run retired segments without removing them. */
export const hasRetired = (connection: Connection): boolean => retiredSegments(connection).length > 0;

const retiredSegments = (connection: Connection): number[] =>
  smallTable(connection, 'segments').flatMap(([id, , , , , live]) => (live === 0 ? id : []));

/** Removes what an earlier run retired but did not remove: no query of this run reads it. */
export function purgeRetired(connection: Connection): void {
  const retired = retiredSegments(connection);
  if (retired.length > 0) connection.transaction(() => purgeSegments(connection, retired)).immediate();
}

/** A column of a segment; undefined if it lacks it. */
export const storedColumn = (connection: Connection, segment: number, field: number): StoredBytes | undefined =>
  prepared<[number, number], StoredBytes>(
    connection,
    'SELECT data, sum FROM columns WHERE segment = ? AND field = ?',
  ).get(segment, field);

/** The bytes of a column; throws if the segment lacks it. */
export function segmentColumn(connection: Connection, segment: number, field: number): Buffer {
  const row = storedColumn(connection, segment, field);
  if (!row) throw new Error(`segment ${segment} lacks column ${field}`);
  return checkedBytes(row);
}
