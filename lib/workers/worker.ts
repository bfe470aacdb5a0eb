/** Entry of a query thread. */
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import type { Task, ThreadOptions } from './messages.ts';
import { QueryThread } from './query-thread.ts';
import { ShardReaders } from './shard-readers.ts';

const options: ThreadOptions = workerData;
const thread = new QueryThread(new ShardReaders(options.cacheBytes), new Int32Array(options.control));

/** Runs a task; resolves to its Reply. What goes wrong is in the reply, as data. Buffers are handed over, not copied. */
export default function run(task: Task): unknown {
  const { reply, buffers } = thread.handle(task);
  if (buffers.length === 0) return reply;
  return move({ [transferableSymbol]: buffers, [valueSymbol]: reply });
}
