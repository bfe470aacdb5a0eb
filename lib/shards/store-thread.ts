/** Entry of a writer's store thread: one task after the other, each with its own connection. */
import { parentPort, workerData } from 'node:worker_threads';
import { freeColumns } from '../base/young-buffers.ts';
import { yieldToOthers } from '../base/thread-priority.ts';
import { guarded, loadSqlite } from './file/shard-file.ts';
import { answerOf } from './seal/answers.ts';
import { runStoreTask, type StoreTask } from './seal/store-tasks.ts';
import type { StoreData, StoreRequest } from './storer.ts';
import { takeUpUnloaded } from './writer/take-up-unloaded.ts';
import { Taking } from './writer/taking.ts';

const port = parentPort;
if (!port) throw new Error('storing runs in a thread of the server');

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what Storer starts the thread with
const options = workerData as StoreData;
const taking = new Taking(options);
loadSqlite();
yieldToOthers(5); // its projects wait; requests being acknowledged meanwhile go first
port.postMessage(null); // loaded: it may be ended from now on

port.on('message', (request: StoreRequest | null) => {
  if (request === null) return port.close();
  port.postMessage(answerOf(request.id, () => run(request)));
  freeSoon(rowsOf(request.task));
});

/** Once nothing refers to the request any longer, not even a closure. */
const freeSoon = (rows: number): void => void setImmediate(freeColumns, rows);

function run({ file, task }: StoreRequest): unknown {
  if (task.op !== 'take_up') return runStoreTask(file, task);
  return guarded(file, () => takeUpUnloaded(file, task, { ...options, taking }));
}

/** Rows whose columns a task had in memory. */
function rowsOf(task: StoreTask): number {
  if (task.op === 'seal') return task.batch.rows?.rows ?? 0;
  return task.op === 'compacted' ? task.segments.reduce((sum, { rows }) => sum + rows, 0) : 0;
}
