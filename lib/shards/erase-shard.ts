/** The erasure of a user from the file of a shard, from its start to its end. For a thread that nobody waits for. */
import type { Snapshot } from './column.ts';
import { Connections } from './connections.ts';
import { eraseUser, type Erased } from './erase.ts';
import { needsRewrite, rewriteShard } from './rewrite.ts';
import { purgeRetired } from './segment/store.ts';
import { openForWriting } from './shard-file.ts';

/**
 * Everything of the shard must be sealed, and nothing else may have its file open: it is another one afterwards. Throws AppError
 * ('storage_unavailable', 'shard_damaged'); asked again, it finishes what was left.
 */
export function eraseFromShard(snapshot: Snapshot, userId: string): Erased {
  const connections = new Connections(openForWriting, 1);
  try {
    const connection = connections.get(snapshot.file);
    purgeRetired(connection);
    const erased = eraseUser(connection, connections, snapshot, userId);
    if (erased || needsRewrite(connection)) rewriteShard(connections, snapshot.file);
    return erased ?? { events: 0, profiles: 0, devices: 0 };
  } finally {
    connections.closeAll();
  }
}
