/** The whole erasure of a user, or of events, from a shard's file. For a thread that nobody waits for. */
import type { Snapshot } from '../shard-reader.ts';
import { ConnectionPool } from '../file/connections.ts';
import { ArrivalSet } from './arrival-set.ts';
import { erase, eraseUser, noteErased, onlyEvents, openErased, type Erased, type ErasedShard } from './erase.ts';
import { needsRewrite, rewriteShard } from '../file/rewrite-shard.ts';
import { purgeRetired } from '../segment/store.ts';
import { openForReading, openForWriting, type Connection } from '../file/shard-file.ts';
import { readMeta, readSnapshot } from '../segment/shard-meta.ts';
import { userIds } from '../read/user-rows.ts';

/** What a log of erasures must record before one is done. */
export interface ToErase {
  /** Ids of the devices bound to the user: what they sent without a user is erased, too. */
  readonly devices: readonly string[];
  /** Arrival number of the next event: the user's events from then on stay. */
  readonly upTo: number;
}

/** A user; or the events with these arrival numbers, as `ArrivalSet` writes them. */
export type Erasable = { readonly userId: string } | { readonly arrivals: readonly string[] };

/** Everything of the shard must be sealed. */
export function lookUpUser(snapshot: Snapshot, userId: string): ToErase {
  using connections = new ConnectionPool(openForReading, 1);
  const connection = connections.get(snapshot.file);
  using shard = openErased(asStored(connection, snapshot), connections);
  const { reader } = shard;
  const { devices } = userIds(reader, shard.snapshot, userId);
  const ids = reader.ids();
  const { nextArrival } = readMeta(connection);
  return { devices: [...devices].map((code) => ids.text(code)), upTo: nextArrival };
}

/**
 * Everything of the shard must be sealed, and nothing else may have its file open, since it is replaced. Throws AppError
 * ('storage_unavailable', 'shard_damaged'); called again, it finishes what was left.
 */
export function eraseFromShard(snapshot: Snapshot, what: Erasable): Erased {
  using connections = new ConnectionPool(openForWriting, 1);
  const connection = connections.get(snapshot.file);
  purgeRetired(connection);
  using shard = openErased(asStored(connection, snapshot), connections);
  const erased = 'userId' in what ? eraseUser(connection, shard, what.userId) : eraseEvents(connection, shard, what);
  if (erased === null) noteErased(connection, readMeta(connection).nextArrival);
  if (erased || needsRewrite(connection)) rewriteShard(connections, snapshot.file);
  return erased ?? { events: 0, profiles: 0, devices: 0 };
}

function eraseEvents(
  connection: Connection,
  shard: ErasedShard,
  { arrivals }: { readonly arrivals: readonly string[] },
): Erased {
  const events = erase(connection, shard, onlyEvents(ArrivalSet.parse(arrivals)));
  return { events, profiles: 0, devices: 0 };
}

/**
 * Finishes an erasure cut off by a crash after its transaction: free pages may have the user's bytes. False if there is none.
 * Nothing else may have the file open. Throws as `eraseFromShard`.
 */
export function finishErasure(file: string): boolean {
  using connections = new ConnectionPool(openForWriting, 1);
  const connection = connections.get(file);
  if (!needsRewrite(connection)) return false;
  purgeRetired(connection);
  rewriteShard(connections, file);
  return true;
}

/** What the file has, which may be more than the writer knows: a compaction that the disk took and said that it did not. */
const asStored = (connection: Connection, snapshot: Snapshot): Snapshot =>
  readSnapshot(connection, snapshot.project, snapshot.file) ?? snapshot;
