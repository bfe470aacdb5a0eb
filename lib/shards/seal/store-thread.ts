/** Entry of a writer's store thread: one task after the other, each with its own connection. */
import { parentPort } from 'node:worker_threads';
import { answerOf } from './answers.ts';
import { loadSqlite } from '../file/load-sqlite.ts';
import { freeColumns } from '../../base/young-buffers.ts';
import { yieldToOthers } from '../../base/thread-priority.ts';
import { runStoreTask, type StoreTask } from './store-tasks.ts';

export interface StoreRequest {
  readonly id: number;
  /** The shard. */
  readonly file: string;
  readonly task: StoreTask;
}

const port = parentPort;
if (!port) throw new Error('storing runs in a thread of the server');

loadSqlite();
yieldToOthers(5); // its projects wait; requests being acknowledged meanwhile go first
port.postMessage(null); // loaded: it may be ended from now on

port.on('message', (request: StoreRequest | null) => {
  if (request === null) return port.close();
  port.postMessage(answerOf(request.id, () => runStoreTask(request.file, request.task)));
  freeColumns(rowsOf(request.task));
});

/** Rows whose columns a task had in memory. */
function rowsOf(task: StoreTask): number {
  if (task.op === 'seal') return task.batch.rows?.rows ?? 0;
  return task.op === 'compacted' ? task.segments.reduce((sum, { rows }) => sum + rows, 0) : 0;
}
