/** Entry of the thread that stores for a writer: one task after the other, each with a connection of its own. */
import { parentPort } from 'node:worker_threads';
import { answerOf } from './answers.ts';
import { loadSqlite } from '../file/load-sqlite.ts';
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
yieldToOthers(5); // its projects wait; whoever is acknowledged meanwhile goes first
port.postMessage(null); // loaded: from now on it may be ended

port.on('message', (request: StoreRequest | null) => {
  if (request) port.postMessage(answerOf(request.id, () => runStoreTask(request.file, request.task)));
  else port.close();
});
