/** Entry of a thread that erases one user from one shard, or looks up what there is to erase. */
import { parentPort, workerData } from 'node:worker_threads';
import { answerOf } from './answers.ts';
import type { Snapshot } from './column.ts';
import { guarded } from './shard-file.ts';
import { eraseFromShard, lookUpUser } from './erase-shard.ts';

export interface EraseTask {
  readonly op: 'look_up' | 'erase';
  readonly snapshot: Snapshot;
  readonly userId: string;
}

const port = parentPort;
if (!port) throw new Error('an erasure runs in a thread of the server');

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the eraser starts the thread with
const { op, snapshot, userId } = workerData as EraseTask;
const run = op === 'erase' ? eraseFromShard : lookUpUser;
port.postMessage(answerOf(0, () => guarded(snapshot.project, () => run(snapshot, userId))));
