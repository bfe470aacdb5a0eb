/** Entry of a thread that erases one user from one shard. */
import { parentPort, workerData } from 'node:worker_threads';
import { answerOf } from './answers.ts';
import type { Snapshot } from './column.ts';
import { guarded } from './shard-file.ts';
import { eraseFromShard } from './erase-shard.ts';

export interface EraseTask {
  readonly snapshot: Snapshot;
  readonly userId: string;
}

const port = parentPort;
if (!port) throw new Error('an erasure runs in a thread of the server');

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the eraser starts the thread with
const { snapshot, userId } = workerData as EraseTask;
port.postMessage(answerOf(0, () => guarded(snapshot.project, () => eraseFromShard(snapshot, userId))));
