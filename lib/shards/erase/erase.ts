/**
 * Erases from a shard a user (events, profile, bindings with their history) or some events, with their insert ids, and every text that
 * nothing else has. Segments with such rows are rewritten without them; dictionaries keep other codes and lose the texts.
 */
import { randomInt } from 'node:crypto';
import { eraseBindings, type Forgotten } from '../file/bindings.ts';
import { ColumnCache, MOST_CACHED } from '../segment/column-cache.ts';
import type { Snapshot } from '../shard-reader.ts';
import type { ConnectionPool } from '../file/connections.ts';
import { pickedRows } from '../compaction/picked-rows.ts';
import { StoredShardReader } from '../read/stored-shard-reader.ts';
import { markForRewrite } from '../file/rewrite-shard.ts';
import { encodeSegment, type EncodedSegment } from '../segment/encode.ts';
import type { IdScope } from '../segment/insert-ids/insert-filter.ts';
import { purgeSegments, retireSegments, storeSegment } from '../segment/store.ts';
import type { StoredSegment } from '../segment/stored-segment.ts';
import type { Connection } from '../file/shard-file.ts';
import { metaValue, readMeta, WORD_VALUES, writeMeta } from '../segment/shard-meta.ts';
import type { ArrivalSet } from './arrival-set.ts';
import { UsedTexts } from './used-texts.ts';
import { userIds } from '../read/user-rows.ts';

export interface Erased {
  readonly events: number;
  readonly profiles: number;
  readonly devices: number;
}

/** What to erase. All numbers are codes of the ids dictionary, or arrival numbers. */
export interface Erasing {
  /** By user: the rows with a lower arrival number are erased. */
  readonly users: ReadonlyMap<number, number>;
  /** The same by device, for rows without a user. */
  readonly devices: ReadonlyMap<number, number>;
  /** Those whose profile and bindings are erased as well. */
  readonly forgotten: Forgotten;
  /** These rows are erased, whoever sent them; null: none. */
  readonly arrivals: ArrivalSet | null;
}

/** Events as an erasure: nobody is forgotten. */
export const onlyEvents = (arrivals: ArrivalSet): Erasing => ({
  ...{ users: new Map(), devices: new Map(), arrivals },
  forgotten: { users: new Set(), devices: new Set() },
});

/** Holds memory of the thread until it is disposed of. */
export interface ErasedShard extends Disposable {
  readonly snapshot: Snapshot;
  readonly reader: StoredShardReader;
}

/** Key in table `meta`: the highest arrival number up to which anybody was erased from this file. */
const ERASED_TO = 'erased_to';

export function openErased(snapshot: Snapshot, connections: ConnectionPool): ErasedShard {
  const reader = new StoredShardReader(snapshot, connections, new ColumnCache(MOST_CACHED));
  return { snapshot, reader, [Symbol.dispose]: () => reader.forget() };
}

/** null if the project does not know the user, so that nothing has changed. Otherwise like `erase`. */
export function eraseUser(connection: Connection, shard: ErasedShard, userId: string): Erased | null {
  const { user, devices } = userIds(shard.reader, shard.snapshot, userId);
  if (user === 0) return null;
  const profiles = shard.reader.profile(shard.snapshot, user) ? 1 : 0;
  const events = erase(connection, shard, {
    users: new Map([[user, Infinity]]),
    devices: new Map([...devices].map((device) => [device, Infinity])),
    forgotten: { users: new Set([user]), devices },
    arrivals: null,
  });
  return { events, profiles, devices: devices.size };
}

/**
 * Erases in one transaction of `connection`. Everything of the shard must be sealed, and no query may still read the segments.
 * State of the shard in memory must be reloaded: codes keep their meaning, but texts are gone. Holds one segment in memory at a
 * time. Returns the number of rows.
 */
export function erase(connection: Connection, shard: ErasedShard, erasing: Erasing): number {
  const run = (): number => {
    const used = new UsedTexts();
    const events = eraseEvents(connection, shard, erasing, used);
    const remove = connection.prepare('DELETE FROM profiles WHERE person = ?');
    for (const user of erasing.forgotten.users) remove.run(user);
    const bindings = eraseBindings(connection, erasing.forgotten);
    used.addPersons(connection);
    used.eraseOthers(connection);
    // Nothing in memory from the old incarnation is used again.
    writeMeta(connection, { incarnation: randomInt(WORD_VALUES), identity_version: bindings });
    markForRewrite(connection);
    noteErased(connection, readMeta(connection).nextArrival);
    return events;
  };
  return connection.transaction(run).immediate();
}

/** Erasures up to this arrival number are complete in this file, including profiles and bindings. */
export const erasedTo = (connection: Connection): number => metaValue(connection, ERASED_TO) ?? 0;

export const noteErased = (connection: Connection, upTo: number): void =>
  writeMeta(connection, { [ERASED_TO]: Math.max(upTo, erasedTo(connection)) });

/** Removes the rows from all segments. Returns the number of rows. */
function eraseEvents(
  connection: Connection,
  { reader, snapshot }: ErasedShard,
  erasing: Erasing,
  used: UsedTexts,
): number {
  const fields = reader.fieldKeys(Infinity);
  const scope: IdScope = { secret: readMeta(connection).idSecret ?? [0, 0], since: -Infinity };
  let events = 0;
  for (const { id } of snapshot.segments) {
    const segment = reader.segment(id);
    const gone = rowsErased(segment, erasing);
    used.addSegment(segment, fields, gone);
    if (gone.length === 0) continue;
    events += gone.length;
    const rows = rowsWithout(segment, gone);
    const order = rows.map((_, i) => i);
    const left = rows.length === 0 ? null : encodeSegment(pickedRows([{ segment, rows }], fields), order, scope);
    replaceSegment(connection, id, left);
  }
  return events;
}

/** The rows of a segment to erase, ascending. */
export function rowsErased(segment: StoredSegment, { users, devices, arrivals: listed }: Erasing): Uint32Array {
  const userCodes = segment.column('user_id')?.codes;
  const deviceCodes = segment.column('device_id')?.codes;
  const rows: number[] = [];
  // Else read if somebody has come back since.
  let arrivals = listed === null ? null : segment.arrivals();
  for (let row = 0; row < segment.rows; row++) {
    if (listed?.has(arrivals![row]!) === true) {
      rows.push(row);
      continue;
    }
    const user = userCodes ? userCodes[row]! : 0;
    const upTo = user === 0 ? devices.get(deviceCodes ? deviceCodes[row]! : 0) : users.get(user);
    if (upTo === undefined) continue;
    if (upTo === Infinity || (arrivals ??= segment.arrivals())[row]! < upTo) rows.push(row);
  }
  return Uint32Array.from(rows);
}

/** The remaining rows of a segment, ascending. */
function rowsWithout(segment: StoredSegment, gone: Uint32Array): Uint32Array {
  const order = new Uint32Array(segment.rows - gone.length);
  for (let row = 0, g = 0, n = 0; row < segment.rows; row++) {
    if (gone[g] === row) g++;
    else order[n++] = row;
  }
  return order;
}

function replaceSegment(connection: Connection, old: number, fresh: EncodedSegment | null): void {
  const tidy = connection.prepare<[number], number>('SELECT tidy FROM segments WHERE id = ?').pluck().get(old) === 1;
  if (fresh) storeSegment(connection, fresh, tidy);
  retireSegments(connection, [old]);
  purgeSegments(connection, [old]);
}
