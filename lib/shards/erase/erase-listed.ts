/** Repeats erasures listed in a log, on a shard that nobody serves: of users known only by keyed hashes, and of events. */
import { readBindings } from '../file/bindings.ts';
import type { Snapshot } from '../shard-reader.ts';
import { ConnectionPool } from '../file/connections.ts';
import { storedTexts } from '../dictionary/chunks.ts';
import { ArrivalSet } from './arrival-set.ts';
import {
  erase,
  erasedTo,
  noteErased,
  onlyEvents,
  openErased,
  rowsErased,
  type ErasedShard,
  type Erasing,
} from './erase.ts';
import { needsRewrite, rewriteShard, removeShard } from '../file/rewrite-shard.ts';
import { COLUMN } from '../segment/columns.ts';
import { purgeRetired } from '../segment/store.ts';
import { takeInRuns } from '../segment/insert-ids/key-runs.ts';
import { openForWriting, shardPath, type Connection } from '../file/shard-file.ts';
import { nextArrival, readSnapshot, writeMeta } from '../segment/shard-meta.ts';
import { textAt } from '../segment/text-list-dictionary.ts';
import fs from 'node:fs';
import path from 'node:path';
import { JournalFolder } from '../journal/folder.ts';
import { NO_PARTITIONS } from '../journal/rewrite.ts';

/** `user` and `devices` are hashes. Events with an arrival number below `upTo` are erased; Infinity: all events. */
export interface ListedUser {
  readonly user: string;
  readonly devices: readonly string[];
  readonly upTo: number;
}

/** Texts of an `ArrivalSet`. */
export interface ListedEvents {
  readonly arrivals: readonly string[];
}

export type ListedErasure = ListedUser | ListedEvents;

type Hash = (id: string) => string;

/**
 * Everything of the shard must be sealed. Its next events get arrival numbers above all listed ones, so that they are never taken
 * for erased ones. Reads every id of the project. Returns the number of erased events. Throws AppError('shard_damaged').
 */
export function eraseListed(folder: string, project: string, listed: readonly ListedErasure[], hash: Hash): number {
  using connections = new ConnectionPool(openForWriting, 1);
  const file = shardPath(folder, project);
  const connection = connections.get(file);
  purgeRetired(connection);
  takeInRuns(connection);
  const snapshot = readSnapshot(connection, project, file);
  using shard = snapshot && openErased(snapshot, connections);
  const users = listed.flatMap((one) => ('user' in one ? one : []));
  const arrivals = ArrivalSet.parse(listed.flatMap((one) => ('user' in one ? [] : one.arrivals)));
  const done = shard && eraseFrom(connection, shard, { users, arrivals }, hash);
  raise(connection, Math.max(arrivals.end, ...users.map(({ upTo }) => upTo).filter(Number.isFinite)));
  if (done !== null || needsRewrite(connection)) rewriteShard(connections, file);
  return done ?? 0;
}

interface Listed {
  readonly users: readonly ListedUser[];
  readonly arrivals: ArrivalSet;
}

/** The number of erased events; null if nothing of the shard had to change. */
function eraseFrom(connection: Connection, shard: ErasedShard, listed: Listed, hash: Hash): number | null {
  const { reader, snapshot } = shard;
  const erasing = find(connection, snapshot, listed, hash);
  const { users, devices, forgotten } = erasing;
  if (users.size + devices.size + listed.arrivals.bytes === 0) return null;
  const some =
    forgotten.users.size + forgotten.devices.size > 0 ||
    snapshot.segments.some(({ id }) => rowsErased(reader.segment(id), erasing).length > 0);
  return some ? erase(connection, shard, erasing) : null;
}

/** Whose rows to erase, up to which arrival number: listed users, their devices at the time, and devices now bound to them. */
function find(connection: Connection, snapshot: Snapshot, { users: listed, arrivals }: Listed, hash: Hash): Erasing {
  if (listed.length === 0) return onlyEvents(arrivals); // no id need be read
  const [userHashes, deviceHashes] = [new Map<string, number>(), new Map<string, number>()];
  for (const { user, devices, upTo } of listed) {
    raiseTo(userHashes, user, upTo);
    for (const device of devices) raiseTo(deviceHashes, device, upTo);
  }
  const [users, devices] = [new Map<number, number>(), new Map<number, number>()];
  for (const { first, list } of storedTexts(connection, COLUMN.userId)) {
    for (let i = 0; i < list.count; i++) {
      const hashed = hash(textAt(list, i));
      raiseTo(users, first + i, userHashes.get(hashed));
      raiseTo(devices, first + i, deviceHashes.get(hashed));
    }
  }
  const done = erasedTo(connection);
  const bound = readBindings(connection, snapshot.identityVersion);
  bound.codes.forEach((user, device) => {
    const upTo = users.get(user);
    if (upTo !== undefined && upTo > done) raiseTo(devices, device, upTo);
  });
  const notDone = (codes: ReadonlyMap<number, number>): Set<number> =>
    new Set([...codes].flatMap(([code, upTo]) => (upTo > done ? code : [])));
  return { users, devices, arrivals, forgotten: { users: notDone(users), devices: notDone(devices) } };
}

function raiseTo<K>(map: Map<K, number>, key: K, upTo: number | undefined): void {
  if (upTo !== undefined && upTo > (map.get(key) ?? 0)) map.set(key, upTo);
}

function raise(connection: Connection, upTo: number): void {
  writeMeta(connection, { next_arrival: Math.max(nextArrival(connection), upTo) });
  noteErased(connection, upTo);
}

/** Removes a deleted project's files while no server runs; the caller holds the lock of the data folder. */
export function removeProject(folder: string, project: string): void {
  removeShard(shardPath(folder, project));
  if (fs.existsSync(path.join(folder, 'journal'))) new JournalFolder(folder, NO_PARTITIONS).scrub(project);
}
