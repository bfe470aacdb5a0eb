/** Everything of a user as lines of JSON: the profile, the devices, then the events in order of time. */
import { ENRICHED_FIELDS } from '../dsl/fields.ts';
import type { Segment, Snapshot } from '../shards/column.ts';
import type { StoredShardReader } from '../shards/reader.ts';
import { rowsOfUser, userIds } from '../shards/user-rows.ts';
import { propertiesAtRow } from './rows/typed-value.ts';

/** A segment's rows of the user, and how far they are read. */
interface Cursor {
  readonly segment: Segment;
  readonly rows: Uint32Array;
  readonly times: Float64Array;
  readonly arrivals: Float64Array;
  at: number;
}

/** Lines without their line ends; none for a user that the project does not know. In memory: the numbers of the user's rows. */
export function* exportUser(reader: StoredShardReader, snapshot: Snapshot, userId: string): Generator<string> {
  const ids = userIds(reader, snapshot, userId);
  if (ids.user === 0) return;
  const profile = reader.profiles(snapshot).find(({ person }) => person === ids.user);
  if (profile) {
    const { firstSeen, lastSeen, properties } = profile;
    yield JSON.stringify({
      type: 'profile',
      user_id: userId,
      first_seen: iso(firstSeen),
      last_seen: iso(lastSeen),
      properties,
    });
  }
  for (const device of ids.devices)
    yield JSON.stringify({ type: 'device', device_id: reader.ids().text(device), user_id: userId });
  const cursors = snapshot.segments.flatMap(({ id }) =>
    cursorOf(reader.segment(id), rowsOfUser(reader.segment(id), ids)),
  );
  for (let next = earliest(cursors); next !== null; next = earliest(cursors))
    yield eventLine(next.segment, next.rows[next.at++]!);
}

function cursorOf(segment: Segment, rows: Uint32Array): Cursor[] {
  return rows.length === 0 ? [] : [{ segment, rows, times: segment.times(), arrivals: segment.arrivals(), at: 0 }];
}

/** The cursor whose next row comes first in the order of events; null when all are read. */
function earliest(cursors: readonly Cursor[]): Cursor | null {
  let first: Cursor | null = null;
  for (const cursor of cursors)
    if (cursor.at < cursor.rows.length && (first === null || isBefore(cursor, first))) first = cursor;
  return first;
}

function isBefore(a: Cursor, b: Cursor): boolean {
  const [rowA, rowB] = [a.rows[a.at]!, b.rows[b.at]!];
  return a.times[rowA]! < b.times[rowB]! || (a.times[rowA] === b.times[rowB] && a.arrivals[rowA]! < b.arrivals[rowB]!);
}

function eventLine(segment: Segment, row: number): string {
  const text = (key: string): string | null => {
    const column = segment.column(key);
    const code = column?.codes?.[row] ?? 0;
    return code === 0 || !column?.dictionary ? null : column.dictionary.text(code);
  };
  const enriched = ENRICHED_FIELDS.map((name) => [name, text(name)] as const).filter(([, value]) => value !== null);
  return JSON.stringify({
    type: 'event',
    time: iso(segment.times()[row]!),
    event_type: text('event_type'),
    user_id: text('user_id'),
    device_id: text('device_id'),
    session_id: text('session_id'),
    insert_id: segment.insertId(row),
    event_properties: propertiesAtRow(segment, 'p', row),
    user_properties: propertiesAtRow(segment, 'u', row),
    ...Object.fromEntries(enriched),
  });
}

const iso = (time: number): string => new Date(time).toISOString();
