/** Everything about a user as JSON lines: the profile, the devices by name, then the events in order of time. */
import { isoTime } from '../../base/day.ts';
import { AppError } from '../../base/errors.ts';
import { ENRICHED_FIELDS } from '../../dsl/plan/fields.ts';
import { compareCodePoints } from '../../dsl/plan/value.ts';
import type { Segment, Snapshot } from '../../shards/shard-reader.ts';
import type { StoredShardReader } from '../../shards/read/stored-shard-reader.ts';
import { rowsOfUser, userIds, type UserIds } from '../../shards/read/user-rows.ts';
import { propertiesOf } from '../../workers/rows/typed-value.ts';

/** A line without its line break, and the event in it; null: the line is about the user. */
export interface ExportLine {
  readonly line: string;
  readonly event: ExportPosition | null;
}

/** The position of an event in the order of events. */
export interface ExportPosition {
  readonly time: number;
  readonly arrival: number;
}

/** A segment's rows of the user, and how far they were read. `made`: the lines of the next rows, the last one first. */
interface Cursor {
  readonly segment: Segment;
  readonly rows: Uint32Array;
  at: number;
  made: string[];
}

/** Rows whose lines are made together, so that columns are prepared once for them; a line may have a mebibyte. */
const ROWS = 16;

/**
 * The lines of an export; none for a user unknown to the project. `after`: only events after this one, to resume an interrupted
 * export. Keeps in memory the user's rows of the segments that overlap at the time being read.
 */
export function* exportUser(
  reader: StoredShardReader,
  {
    snapshot,
    userId,
    after,
  }: { readonly snapshot: Snapshot; readonly userId: string; readonly after: ExportPosition | null },
): Generator<ExportLine> {
  const ids = userIds(reader, snapshot, userId);
  if (ids.user === 0) {
    if (after === null) return;
    // What was sent is incomplete, and the reader must know.
    throw new AppError('not_found', 'the user was erased while the export ran');
  }
  if (after === null) for (const line of aboutUser(reader, snapshot, { userId, ids })) yield { line, event: null };
  yield* events(reader, snapshot, { ids, after });
}

function* aboutUser(
  reader: StoredShardReader,
  snapshot: Snapshot,
  { userId, ids }: { readonly userId: string; readonly ids: UserIds },
): Generator<string> {
  const profile = reader.profile(snapshot, ids.user);
  if (profile) {
    const { firstSeen, lastSeen, properties } = profile;
    yield JSON.stringify({
      type: 'profile',
      user_id: userId,
      first_seen: isoTime(firstSeen),
      last_seen: isoTime(lastSeen),
      properties,
    });
  }
  const devices = Array.from(ids.devices, (code) => reader.ids().text(code)).sort(compareCodePoints);
  for (const device of devices) yield JSON.stringify({ type: 'device', device_id: device, user_id: userId });
}

function* events(
  reader: StoredShardReader,
  snapshot: Snapshot,
  { ids, after }: { readonly ids: UserIds; readonly after: ExportPosition | null },
): Generator<ExportLine> {
  const left = snapshot.segments.filter(({ last }) => after === null || last >= after.time);
  const waiting = left.sort((a, b) => b.first - a.first); // next one last
  let open: Cursor[] = [];
  for (;;) {
    let next = earliest(open);
    while (waiting.length > 0 && (next === null || waiting[waiting.length - 1]!.first <= timeOf(next))) {
      const segment = reader.segment(waiting.pop()!.id);
      const rows = rowsOfUser(segment, ids);
      const cursor = cursorBehind({ segment, rows, at: 0, made: [] }, after);
      if (cursor.at < rows.length) open.push(cursor);
      next = earliest(open);
    }
    if (next === null) return;
    const event = { time: timeOf(next), arrival: arrivalOf(next) };
    yield { line: nextLine(next), event };
    if (next.at === next.rows.length) open = open.filter((cursor) => cursor !== next);
  }
}

/** The cursor whose next row comes first in the order of events; null if there is none. */
function earliest(cursors: readonly Cursor[]): Cursor | null {
  let first: Cursor | null = null;
  for (const cursor of cursors) if (first === null || isBefore(cursor, first)) first = cursor;
  return first;
}

function isBefore(a: Cursor, b: Cursor): boolean {
  return timeOf(a) < timeOf(b) || (timeOf(a) === timeOf(b) && arrivalOf(a) < arrivalOf(b));
}

/** The cursor at its first row after a position. */
function cursorBehind(cursor: Cursor, place: ExportPosition | null): Cursor {
  if (place === null) return cursor;
  let at = 0;
  while (at < cursor.rows.length && !isBehind({ ...cursor, at }, place)) at++;
  return { ...cursor, at };
}

const isBehind = (cursor: Cursor, { time, arrival }: ExportPosition): boolean =>
  timeOf(cursor) > time || (timeOf(cursor) === time && arrivalOf(cursor) > arrival);

const timeOf = ({ segment, rows, at }: Cursor): number => segment.times()[rows[at]!]!;
const arrivalOf = ({ segment, rows, at }: Cursor): number => segment.arrivals()[rows[at]!]!;

function nextLine(cursor: Cursor): string {
  const { segment, rows, at } = cursor;
  if (cursor.made.length === 0) cursor.made = eventLines(segment, rows.subarray(at, at + ROWS)).reverse();
  cursor.at++;
  return cursor.made.pop()!;
}

function eventLines(segment: Segment, rows: Uint32Array): string[] {
  const texts = (key: string): ((row: number) => string | null) => {
    const { codes = null, dictionary = null } = segment.column(key) ?? {};
    return (row) => (dictionary === null || !codes?.[row] ? null : dictionary.text(codes[row]));
  };
  const [type, user, device, session] = (['event_type', 'user_id', 'device_id', 'session_id'] as const).map(texts);
  const enriched = ENRICHED_FIELDS.map((name) => [name, texts(name)] as const);
  const [times, ids] = [segment.times(), segment.insertIds()];
  const [sent, sentOfUser] = [propertiesOf(segment, 'p'), propertiesOf(segment, 'u')];
  return Array.from(rows, (row) => {
    const event = {
      type: 'event',
      time: isoTime(times[row]!),
      event_type: type!(row),
      user_id: user!(row),
      device_id: device!(row),
      session_id: session!(row),
      insert_id: ids.text(row),
      event_properties: sent(row),
      user_properties: sentOfUser(row),
    };
    const more = enriched.map(([name, text]) => [name, text(row)] as const).filter(([, value]) => value !== null);
    return JSON.stringify({ ...event, ...Object.fromEntries(more) });
  });
}
