/** Entry of a writer's store thread: one task after the other, each with its own connection. */
import { parentPort, workerData } from 'node:worker_threads';
import { yieldToOthers } from '../base/thread-priority.ts';
import { guarded, loadSqlite } from './file/shard-file.ts';
import { answerOf } from './seal/answers.ts';
import { runStoreTask } from './seal/store-tasks.ts';
import type { StoreData, StoreRequest } from './storer.ts';
import { replayUnloaded } from './writer/replay-unloaded.ts';
import { RequestReader } from './writer/request-steps.ts';

const port = parentPort;
if (!port) throw new Error('storing runs in a thread of the server');

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what Storer starts the thread with
const options = workerData as StoreData;
const reader = new RequestReader(options);
loadSqlite();
yieldToOthers('little'); // its projects wait; requests being acknowledged meanwhile go first
port.postMessage(null); // loaded: it may be ended from now on

port.on('message', (request: StoreRequest | null) => {
  if (request === null) return port.close();
  port.postMessage(answerOf(request.id, () => run(request)));
});

function run({ file, task }: StoreRequest): unknown {
  if (task.op !== 'replay') return runStoreTask(file, task);
  return guarded(file, () => replayUnloaded(file, task, { ...options, reader }));
}
