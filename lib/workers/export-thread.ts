/** Entry of a thread that reads one user's export, a piece at a time: the next is made when the last was taken. */
import { parentPort, workerData } from 'node:worker_threads';
import { ColumnCache } from '../shards/column-cache.ts';
import type { Snapshot } from '../shards/column.ts';
import { Connections } from '../shards/connections.ts';
import { loadSqlite } from '../shards/load-sqlite.ts';
import { StoredShardReader } from '../shards/reader.ts';
import { openForReading } from '../shards/shard-file.ts';
import { exportUser } from './user-export.ts';

export interface ExportTask {
  readonly snapshot: Snapshot;
  readonly userId: string;
}

/** Bytes of a piece, about. */
const PIECE = 256 << 10;
/** Decoded columns; an export reads each segment from its start to its end. Bytes. */
const CACHE = 64 << 20;

const port = parentPort;
if (!port) throw new Error('an export runs in a thread of the server');

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the store starts the thread with
const { snapshot, userId } = workerData as ExportTask;
loadSqlite();
const connections = new Connections(openForReading, 1);
const lines = exportUser(new StoredShardReader(snapshot, connections, new ColumnCache(CACHE)), snapshot, userId);

port.postMessage(null); // loaded: from now on it may be ended

/** Every message asks for a piece; null is the end. */
port.on('message', () => {
  const piece: string[] = [];
  for (let length = 0; length < PIECE;) {
    const next = lines.next();
    if (next.done === true) break;
    piece.push(next.value, '\n');
    length += next.value.length + 1;
  }
  port.postMessage(piece.length > 0 ? piece.join('') : null);
});
