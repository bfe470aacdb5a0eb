import type { Connection } from '../shard-file.ts';
import type { SegmentEntry } from '../shard-state.ts';
import { sumOf } from '../stored-bytes.ts';
import type { EncodedSegment } from './encode.ts';

/** Writes a segment and its columns inside a transaction of the caller. */
export function storeSegment(connection: Connection, segment: EncodedSegment, tidy: boolean): SegmentEntry {
  const { rows, first, last, types } = segment;
  const counts = Buffer.from(types).toString('latin1');
  const id = Number(
    connection
      .prepare('INSERT INTO segments (rows, first, last, types, tidy, sum) VALUES (?, ?, ?, ?, ?, ?)')
      .run(rows, first, last, counts, tidy ? 1 : 0, sumOf(counts)).lastInsertRowid,
  );
  const insert = connection.prepare('INSERT INTO columns (segment, field, data, sum) VALUES (?, ?, ?, ?)');
  for (const { field, data } of segment.columns) insert.run(id, field, data, sumOf(data));
  return { id, rows, first, last, tidy };
}

/** Takes segments out of what queries see; their bytes stay until `purgeSegments`. */
export function retireSegments(connection: Connection, ids: readonly number[]): void {
  const retire = connection.prepare('UPDATE segments SET live = 0 WHERE id = ?');
  for (const id of ids) retire.run(id);
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

/** Removes what an earlier run retired and did not get to remove: no query of this run reads it. */
export function purgeRetired(connection: Connection): void {
  const retired = connection.prepare<[], number>('SELECT id FROM segments WHERE live = 0').pluck().all();
  if (retired.length > 0) connection.transaction(() => purgeSegments(connection, retired)).immediate();
}
