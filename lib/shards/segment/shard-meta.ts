/** What a shard's file stores about itself: numbers and versions, segments, fields. */
import { CORE_COLUMNS } from './columns.ts';
import type { IdSpan } from './insert-ids/insert-filter.ts';
import { DATED_SINCE, prepared, type Connection } from '../file/shard-file.ts';
import { isImage } from '../file/shard-image.ts';
import { smallTable } from '../file/small-tables.ts';
import type { SegmentSummary, Snapshot } from '../shard-reader.ts';
import type { Secret } from '../hashing/text-hash.ts';

export interface SegmentEntry extends SegmentSummary {
  /** Compaction can leave it: it is full and overlaps no older one. */
  readonly tidy: boolean;
  /** Arrivals of the insert ids in its filter; null if it has none. */
  readonly ids: IdSpan | null;
}

/** How many words of 32 bits there are. `randomInt` asks the system for many at once, which takes as long as asking for one. */
export const WORD_VALUES = 2 ** 32;

export interface ShardMeta {
  readonly nextArrival: number;
  readonly identityVersion: number;
  readonly profileVersion: number;
  /** -Infinity if the shard always kept the dates of changes to profiles. */
  readonly datedSince: number;
  /** undefined if nothing was ever sealed. */
  readonly incarnation: number | undefined;
  readonly idSecret: Secret | undefined;
}

export function readMeta(connection: Connection): ShardMeta {
  const meta = new Map(smallTable(connection, 'meta'));
  const [first, second] = [meta.get('id_secret_1'), meta.get('id_secret_2')];
  return {
    nextArrival: meta.get('next_arrival') ?? 1,
    identityVersion: meta.get('identity_version') ?? 0,
    profileVersion: meta.get('profile_version') ?? 0,
    datedSince: meta.get(DATED_SINCE) ?? -Infinity,
    incarnation: meta.get('incarnation'),
    idSecret: first === undefined || second === undefined ? undefined : [first, second],
  };
}

/** Just one of them, in a quarter of the time. */
export const nextArrival = (connection: Connection): number => metaValue(connection, 'next_arrival') ?? 1;

/** One number of table `meta`; undefined if it was never written. */
export const metaValue = (connection: Connection, key: string): number | undefined =>
  connection.prepare<[string], number>('SELECT value FROM meta WHERE key = ?').pluck().get(key);

/** Writes numbers to table `meta`. Runs inside the caller's transaction, if there is one. */
export function writeMeta(connection: Connection, values: Readonly<Record<string, number>>): void {
  const write = connection.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)');
  for (const [key, value] of Object.entries(values)) write.run(key, value);
}

/** A segment, which may have been replaced; undefined if it is gone. */
export function segmentSummary(connection: Connection, id: number): SegmentSummary | undefined {
  if (!isImage(connection)) {
    const sql = 'SELECT id, rows, first, last FROM segments WHERE id = ?';
    return prepared<[number], SegmentSummary>(connection, sql).get(id);
  }
  const found = smallTable(connection, 'segments').find(([own]) => own === id);
  return found && { id, rows: found[1], first: found[2], last: found[3] };
}

/** The segments that queries see, in order of creation. */
export function readSegments(connection: Connection): SegmentEntry[] {
  return smallTable(connection, 'segments').flatMap(([id, rows, first, last, tidy, live, ...span]) => {
    const [firstId, lastId, imports] = span;
    const ids = firstId === null || lastId === null ? null : { first: firstId, last: lastId, imports: imports === 1 };
    return live === 1 ? { id, rows, first, last, tidy: tidy === 1, ids } : [];
  });
}

/** What a query may read of a shard; null if nothing was ever sealed into it. */
export function readSnapshot(connection: Connection, project: string, file: string): Snapshot | null {
  const { incarnation, identityVersion, profileVersion } = readMeta(connection);
  if (incarnation === undefined) return null;
  const segments = readSegments(connection).map(({ id, rows, first, last }) => ({ id, rows, first, last }));
  return { project, file, incarnation, segments, identityVersion, profileVersion };
}

/** The numbers of stored columns by key, for readers. */
export function fieldNumbers(connection: Connection): Map<string, number> {
  const numbers = new Map(Object.entries(CORE_COLUMNS));
  for (const [id, key] of smallTable(connection, 'fields')) numbers.set(key, id);
  return numbers;
}
