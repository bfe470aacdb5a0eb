/** The rows of each event type in a shard's segments: as stored, and as the column of types has them. */
import Database from 'better-sqlite3';
import { expect } from 'chai';
import type { Snapshot } from '../../lib/shards/shard-reader.ts';
import { typeGroups } from '../../lib/shards/segment/type-rows.ts';
import { openReader } from './shard-rows.ts';

/** Fails if the rows of any type, even one without rows, differ from the column of types. */
export function expectTypeRows(snapshot: Snapshot): void {
  const reader = openReader(snapshot);
  for (const { id } of snapshot.segments) {
    const segment = reader.segment(id);
    const codes = Array.from(segment.column('event_type')!.codes!);
    for (let code = 0; code <= reader.eventTypes().size + 1; code++) {
      const expected = codes.flatMap((own, row) => (own === code && code !== 0 ? [row] : []));
      expect([...segment.rowsOfType(code)], `event type ${code} in segment ${id}`).to.deep.equal(expected);
    }
  }
  reader.forget();
}

/** Numbers of the columns that hold the rows of types in a shard's live segments, and the expected numbers. */
export function typeColumns(snapshot: Snapshot): { stored: number[][]; expected: number[][] } {
  const reader = openReader(snapshot);
  const shard = new Database(snapshot.file, { readonly: true });
  const columns = shard
    .prepare<[number], number>('SELECT field FROM columns WHERE segment = ? AND field < 0 ORDER BY field DESC')
    .pluck();
  const stored = snapshot.segments.map(({ id }) => columns.all(id));
  const expected = snapshot.segments.map(({ id }) => typeGroups(reader.segment(id).types).map(({ field }) => field));
  shard.close();
  reader.forget();
  return { stored, expected };
}
