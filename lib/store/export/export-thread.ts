/** Entry of a thread that reads one user's export piece by piece: it makes the next when the last was taken. */
import { parentPort, workerData } from 'node:worker_threads';
import { AppError, type ErrorData } from '../../base/errors.ts';
import { yieldToOthers } from '../../base/thread-priority.ts';
import { ColumnCache, MOST_CACHED } from '../../shards/segment/column-cache.ts';
import type { Snapshot } from '../../shards/shard-reader.ts';
import { ConnectionPool } from '../../shards/file/connections.ts';
import { checkBeforeInflating } from '../../shards/segment/encoding/inflate-raw.ts';
import { StoredShardReader } from '../../shards/read/stored-shard-reader.ts';
import { checkShard } from '../../shards/upkeep/check.ts';
import { damaged, openForReading, loadSqlite } from '../../shards/file/shard-file.ts';
import { exportUser, type ExportPosition } from './user-export.ts';

export interface ExportTask {
  readonly snapshot: Snapshot;
  readonly userId: string;
  /** The last event already sent; then profile and devices were sent too. */
  readonly after: ExportPosition | null;
  /** Not 0: the thread must stop, and will be ended. */
  readonly stop: SharedArrayBuffer;
}

/** Lines of an export with the last event among them; 'end' after the last; or why it cannot continue. */
export type ExportReply =
  | { readonly kind: 'piece'; readonly text: string; readonly last: ExportPosition | null }
  | { readonly kind: 'end' }
  | { readonly kind: 'error'; readonly error: ErrorData };

/** Approximate bytes of a piece. */
const PIECE = 256 << 10;

const port = parentPort;
if (!port) throw new Error('an export runs in a thread of the server');

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the store starts the thread with
const task = workerData as ExportTask;
const stopped = new Int32Array(task.stop);
checkBeforeInflating(() => {
  if (Atomics.load(stopped, 0) !== 0) throw new Error('the export was stopped');
});
yieldToOthers('much'); // as large queries do
loadSqlite();
const connections = new ConnectionPool(openForReading, 1);
const lines = exportUser(new StoredShardReader(task.snapshot, connections, new ColumnCache(MOST_CACHED)), task);

port.postMessage(null); // loaded: it may be ended from now on

/** Every message asks for a piece. */
port.on('message', () => port.postMessage(reply()));

function reply(): ExportReply {
  try {
    return nextPiece();
  } catch (error) {
    if (Atomics.load(stopped, 0) !== 0) throw error; // nobody waits for it
    if (!(error instanceof AppError) && checkShard(task.snapshot.file).length === 0) throw error; // a bug
    return { kind: 'error', error: damaged(error, task.snapshot.project).data };
  }
}

function nextPiece(): ExportReply {
  const piece: string[] = [];
  let last: ExportPosition | null = null;
  // The first piece has all lines about the user, as an interrupted export resumes after an event.
  for (let length = 0; length < PIECE || last === null;) {
    const next = lines.next();
    if (next.done === true) break;
    const { line, event } = next.value;
    piece.push(line, '\n');
    length += line.length + 1;
    last = event ?? last;
  }
  return piece.length > 0 ? { kind: 'piece', text: piece.join(''), last } : { kind: 'end' };
}
