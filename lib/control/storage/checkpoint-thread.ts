/** Entry of the thread of checkpointer.ts: each message is a request; null ends it. */
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { yieldToOthers } from '../../base/thread-priority.ts';

const port = parentPort;
if (!port) throw new Error('checkpoints run in a thread of the server');

yieldToOthers(5);
const db = new Database(String(workerData), { fileMustExist: true });
db.pragma('synchronous = FULL');

port.on('message', (request: 'checkpoint' | null) => {
  if (request === null) {
    db.close();
    return port.close();
  }
  let failure: string | null = null;
  try {
    db.pragma('wal_checkpoint(PASSIVE)'); // what a reader still needs is for the next one
  } catch (error) {
    failure = String(error);
  }
  port.postMessage(failure);
});
